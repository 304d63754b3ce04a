#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2034,SC2154 # what adapter.sh reads and sets
# perf record, unmodified, as a profiler: perf script prints events, edges.awk joins them.
name=perf
needs='"root","perf","program:perf","tracefs"' # the word perf alone means the kernel's events
# shellcheck source=profilers/tools/adapter.sh
. "$(dirname "$0")/adapter.sh"

mkfifo control ack || exit 1
perf record -q -k CLOCK_MONOTONIC -m 16M -p "$pid" -o perf.data -D -1 --control fifo:control,ack \
	-e syscalls:sys_enter_futex,syscalls:sys_exit_futex \
	-e io_uring:io_uring_submit_req,io_uring:io_uring_complete &
tracer=$!
trap 'kill -INT $tracer' INT
exec 4<>control 5<>ack
echo enable >&4
read -r _ <&5 # "ack": the events are on
printf x >&"$ready"
wait "$tracer"
wait "$tracer" # the first wait ends with the signal

perf script -i perf.data --ns -F comm,tid,time,event,trace 2>/dev/null | awk -f "$here/events.awk" | write_claims
