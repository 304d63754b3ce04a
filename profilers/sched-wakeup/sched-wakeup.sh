#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2034,SC2154 # what options.sh reads and sets
# Who woke a futex's waiter, taken where the wake-up ends (sched_wakeup): bpftrace, unmodified.
name=sched-wakeup
needs='"root","bpf","tracefs","bpftrace"'
declares='"handoff:wake"'
# shellcheck source=profilers/tools/options.sh
. "$(dirname "$0")/options.sh"

mkfifo lines || exit 1
bpftrace -q -e '
tracepoint:syscalls:sys_enter_futex /pid == '"$pid"'/ {
	$op = args->op & 127;
	if ($op == 0 || $op == 9) {
		@waits[tid] = 1;
		printf("%d %llu waits\n", tid, nsecs);
	}
}
tracepoint:sched:sched_wakeup /@waits[args->pid]/ {
	printf("%d %llu wakes %d\n", tid, nsecs, args->pid);
}
tracepoint:syscalls:sys_exit_futex /@waits[tid]/ {
	delete(@waits[tid]);
	printf("%d %llu returns %lld\n", tid, nsecs, args->ret);
}
interval:ms:20 /!@up/ { @up = 1; printf("ready\n"); } // the last to be attached
END { clear(@waits); clear(@up); }' >lines &
tracer=$!
trap 'kill -INT $tracer' INT
{
	read -r _
	printf x >&"$ready"
	{
		head_line
		sort -s -n -k 2,2 | awk -f "$here/wakeups.awk" # a buffer a CPU, one after another
	} >"$claims"
} <lines &
writer=$!
wait "$tracer"
wait "$tracer" # the first wait ends with the signal
wait "$writer"
