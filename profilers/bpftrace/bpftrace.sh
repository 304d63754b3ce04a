#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2016,SC2034,SC2154 # $ is of bpftrace; what adapter.sh reads and sets
# bpftrace, unmodified, as a profiler: it prints events, edges.awk joins them.
name=bpftrace
needs='"root","bpf","tracefs","admin","bpftrace"'
# shellcheck source=profilers/tools/adapter.sh
. "$(dirname "$0")/adapter.sh"
# shellcheck source=profilers/tools/trace.sh
. "$(dirname "$0")/trace.sh"

told() {
	join_edges
}
trace_told -e '
tracepoint:syscalls:sys_enter_futex /pid == '"$pid"'/ {
	$op = args->op & 127;
	if ($op == 1) { printf("%d %llu %s wake 0x%llx 4294967295\n", tid, nsecs, comm, (uint64)args->uaddr); }
	if ($op == 10) { printf("%d %llu %s wake 0x%llx %llu\n", tid, nsecs, comm, (uint64)args->uaddr, args->val3); }
	if ($op == 0) { printf("%d %llu %s wait 0x%llx 4294967295\n", tid, nsecs, comm, (uint64)args->uaddr); }
	if ($op == 9) { printf("%d %llu %s wait 0x%llx %llu\n", tid, nsecs, comm, (uint64)args->uaddr, args->val3); }
}
tracepoint:syscalls:sys_exit_futex /pid == '"$pid"'/ {
	printf("%d %llu %s woken %lld\n", tid, nsecs, comm, args->ret);
}
tracepoint:io_uring:io_uring_submit_req /pid == '"$pid"'/ {
	@ours[args->ctx] = 1;
	printf("%d %llu %s submit 0x%llx 0x%llx 0x%llx\n", tid, nsecs, comm, (uint64)args->ctx, (uint64)args->req, args->user_data);
}
tracepoint:io_uring:io_uring_complete /@ours[args->ctx]/ {
	printf("%d %llu %s complete 0x%llx 0x%llx 0x%llx\n", tid, nsecs, comm, (uint64)args->ctx, (uint64)args->req, args->user_data);
}
interval:ms:20 /!@up/ { @up = 1; printf("ready\n"); } // the last to be attached
END { clear(@ours); clear(@up); }'
