#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2016,SC2034,SC2154 # $ is of bpftrace; what options.sh reads and sets
# Who woke a futex's waiter, taken where the wake-up ends (sched_wakeup): bpftrace, unmodified.
name=sched-wakeup
needs='"root","bpf","tracefs","admin","bpftrace"'
declares='"handoff:wake"'
# shellcheck source=profilers/tools/options.sh
. "$(dirname "$0")/options.sh"
# shellcheck source=profilers/tools/trace.sh
. "$(dirname "$0")/trace.sh"

told() {
	sort -s -n -k 2,2 | awk -f "$here/wakeups.awk" # a buffer a CPU, one after another
}
trace_told -e '
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
END { clear(@waits); clear(@up); }'
