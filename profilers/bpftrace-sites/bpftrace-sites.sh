#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2034,SC2154 # what options.sh reads and sets
# bpftrace, unmodified, at the sites of a manifest: each hit is an event.
name=bpftrace-sites
needs='"root","bpf","bpftrace"'
declares='"event"'
# shellcheck source=profilers/tools/options.sh
. "$(dirname "$0")/options.sh"

: >descriptors
[ -z "$manifest" ] || awk -f "$here/descriptors.awk" "$manifest" >descriptors
awk -v exe="$exe" -v pid="$pid" -f "$here/program.awk" descriptors >program.bt
mkfifo lines || exit 1
bpftrace -q program.bt >lines &
tracer=$!
trap 'kill -INT $tracer' INT
{
	read -r _
	printf x >&"$ready"
	{
		head_line
		awk -f "$here/events.awk" descriptors -
	} >"$claims"
} <lines &
writer=$!
wait "$tracer"
wait "$tracer" # the first wait ends with the signal
wait "$writer"
