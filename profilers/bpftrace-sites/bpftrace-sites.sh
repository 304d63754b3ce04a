#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2034,SC2154 # what options.sh reads and sets
# bpftrace, unmodified, at the sites of a manifest: each hit is an event.
name=bpftrace-sites
needs='"root","bpf","bpftrace"'
declares='"event"'
# shellcheck source=profilers/tools/options.sh
. "$(dirname "$0")/options.sh"
# shellcheck source=profilers/tools/trace.sh
. "$(dirname "$0")/trace.sh"

: >descriptors
[ -z "$manifest" ] || awk -f "$here/descriptors.awk" "$manifest" >descriptors
awk -v exe="$exe" -v pid="$pid" -f "$here/program.awk" descriptors >program.bt
told() {
	awk -f "$here/events.awk" descriptors -
}
trace_told program.bt
