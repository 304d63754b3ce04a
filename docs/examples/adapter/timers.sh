#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A complete profiler: who armed the POSIX timer whose expiry a thread takes, by bpftrace.
# A timer has no key that others see: the last arming of a timer is the one that its signal speaks of.
says='"version":"1","declares":["handoff:timer"]'
if [ "$1" = describe ]; then
	echo "{\"name\":\"timers-bt\",$says,\"division\":\"attach\",\"launch\":[\"attach\"]," \
		'"needs":["root","admin","bpf","tracefs","bpftrace"]}'
	exit
fi
while [ $# -gt 1 ]; do # run --pid … --claims … --ready-fd …; what it does not know it skips
	case $1 in --pid) pid=$2 ;; --claims) claims=$2 ;; --ready-fd) ready=$2 ;; esac
	shift
done
mkfifo lines # in the working folder, which is its own
bpftrace -q -e '
tracepoint:syscalls:sys_enter_timer_settime /pid == '"$pid"'/ {
	$value = (uint64)args->new_setting + 16; // it_value; 0 disarms
	if (*(uint64 *)uptr($value) + *(uint64 *)uptr($value + 8) != 0) {
		@armer[args->timer_id] = tid;
		@at[args->timer_id] = nsecs;
	}
}
tracepoint:syscalls:sys_enter_rt_sigtimedwait /pid == '"$pid"'/ { @info[tid] = (uint64)args->uinfo; }
tracepoint:syscalls:sys_exit_rt_sigtimedwait /@info[tid] != 0 && args->ret > 0/ {
	if (*(int32 *)uptr(@info[tid] + 8) == -2) { // si_code: SI_TIMER
		$timer = *(int32 *)uptr(@info[tid] + 16); // si_timerid
		printf("%d %llu %d %llu\n", @armer[$timer], @at[$timer], tid, nsecs);
	}
}
interval:ms:20 /!@up/ { @up = 1; printf("ready\n"); } // the last to be attached
END { clear(@armer); clear(@at); clear(@info); clear(@up); }' >lines &
tracer=$!
trap 'kill -INT $tracer' INT
{
	read -r _
	printf x >&"$ready"
	echo "{\"claims\":1,\"profiler\":\"timers-bt\",\"clock\":\"monotonic\",$says}"
	awk 'NF == 4 { src = $1 ? "{\"tid\":" $1 ",\"t\":" $2 "}" : "null"
		print "{\"c\":\"handoff\",\"type\":\"timer\",\"src\":" src ",\"dst\":{\"tid\":" $3 ",\"t\":" $4 "}}" }'
} <lines >"$claims" &
reader=$!
wait # until told to drain
wait "$tracer" "$reader"
