# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154
# What the adapters of tracers share. To be sourced with $name and $needs set; leaves what options.sh
# does.
declares='"handoff:io","handoff:wake"'
# shellcheck source=profilers/tools/options.sh
. "$(dirname "$0")/options.sh"

# Event lines on standard input become claims.
join_edges() {
	awk -f "$here/edges.awk"
}

# And the file of them.
write_claims() {
	{
		head_line
		join_edges
	} >"$claims"
}
