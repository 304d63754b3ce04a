#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Draws the include graph between the top folders and fails on an arrow that the design does not have.
#
# Floors: 4 harness · 3 mutations scoring workloads · 2 groundtruth results profilers · 1 lib bpf.
set -euo pipefail

allowed="
harness lib
harness mutations
harness scoring
harness results
harness groundtruth
harness bpf
scoring lib
scoring groundtruth
mutations lib
mutations groundtruth
workloads lib
groundtruth lib
results lib
profilers lib
profilers bpf
"

git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.cc' | grep -v '^tests/' |
	xargs grep -HoE '^[[:space:]]*#[[:space:]]*include "[^"]+"' |
	sed -E 's/^([^:]+):[^"]*"([^"]+)"/\1 \2/' |
	awk -v allowed="$allowed" '
	BEGIN { n = split(allowed, a, "\n"); for (i = 1; i <= n; i++) ok[a[i]] = 1 }
	{
		from = $1; sub(/\/.*/, "", from)
		to = $2; sub(/\/.*/, "", to)
		if (from == to || $2 !~ /\//) next
		if ($2 ~ /\.skel\.h$/ && (from == "profilers" || from == "harness")) next
		if (from == "workloads" && ($2 == "groundtruth/recorder.h" || $2 == "groundtruth/log.h")) { seen["workloads groundtruth/recorder.h"]++; next }
		if ($1 ~ /^lib\/formats\// && $2 ~ /^bpf\/[^\/]*\.h$/) { seen["lib/formats bpf/*.h"]++; next }
		if (ok[from " " to]) { seen[from " " to]++; next }
		printf "lint: %s includes \"%s\": the design has no arrow %s -> %s\n", $1, $2, from, to
		bad = 1
	}
	END {
		for (e in seen) printf "  %-40s %4d includes\n", e, seen[e] | "sort"
		close("sort")
		exit bad
	}'
