#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A complete profiler: who woke whom through a futex, by bpftrace.
says='"version":"1","declares":["handoff:wake"]'
if [ "$1" = describe ]; then
	echo "{\"name\":\"wakes-bt\",$says,\"division\":\"attach\",\"launch\":[\"attach\"]," \
		'"needs":["root","admin","bpf","tracefs","bpftrace"]}'
	exit
fi
while [ $# -gt 1 ]; do # run --pid … --claims … --ready-fd …; what it does not know it skips
	case $1 in --pid) pid=$2 ;; --claims) claims=$2 ;; --ready-fd) ready=$2 ;; esac
	shift
done
mkfifo lines # in the working folder, which is its own
bpftrace -q -e '
tracepoint:syscalls:sys_enter_futex /pid == '"$pid"' && ((args->op & 127) == 1 || (args->op & 127) == 10)/ {
	@waker[args->uaddr] = tid;
	@at[args->uaddr] = nsecs;
}
tracepoint:syscalls:sys_enter_futex /pid == '"$pid"' && ((args->op & 127) == 0 || (args->op & 127) == 9)/ {
	@word[tid] = args->uaddr;
	@since[tid] = nsecs;
}
tracepoint:syscalls:sys_exit_futex /@word[tid] != 0 && args->ret == 0/ {
	printf("%d %d %llu %d %llu\n", @at[@word[tid]] > @since[tid], @waker[@word[tid]], @at[@word[tid]], tid, nsecs);
}
tracepoint:syscalls:sys_exit_futex { delete(@word[tid]); }
interval:ms:20 /!@up/ { @up = 1; printf("ready\n"); } // the last to be attached
END { clear(@waker); clear(@at); clear(@word); clear(@since); clear(@up); }' >lines &
tracer=$!
trap 'kill -INT $tracer' INT
{
	read -r _
	printf x >&"$ready"
	echo "{\"claims\":1,\"profiler\":\"wakes-bt\",\"clock\":\"monotonic\",$says}"
	awk 'NF == 5 { src = $1 ? "{\"tid\":" $2 ",\"t\":" $3 "}" : "null"
		print "{\"c\":\"handoff\",\"type\":\"wake\",\"src\":" src ",\"dst\":{\"tid\":" $4 ",\"t\":" $5 "}}" }'
} <lines >"$claims" &
reader=$!
wait # until told to drain
wait "$tracer" "$reader"
