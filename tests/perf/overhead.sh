#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Does `assay overhead` see nothing where there is nothing, and a burn of 5 % where there is one?
#   tests/perf/overhead.sh BUILD [TRIES]     10 tries of each; takes some minutes
# 0: it does in all; 1: not; 77: it cannot be measured here.
set -u
build=${1:?the folder of a build}
tries=${2:-10}
top=$(cd "$(dirname "$0")/../.." && pwd)
assay=$build/assay
workload=affine
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Of a processor: 5 % of what the workload uses at its default rate.
used=$("$assay" overhead none --workload $workload --pairs 2 --closed 0 --ms 500 --json |
	jq -r 'select(.metric == "overhead.cpu_plain") | .value') || exit 77
rate=$("$build/workloads/$workload/$workload" describe | jq .defaults.rate)
permille=$(awk -v ns="$used" -v rate="$rate" 'BEGIN { printf "%.0f", 0.05 * ns * rate / 1e6 }')
cc -O2 -DBURNER_PERMILLE="$permille" -o "$work/burner" "$top/tests/perf/burner.c" || exit 1
echo "$workload uses $used ns an operation at $rate a second; the burner burns $permille of 1,000 of a processor"

# tried PROFILER: the effect on CPU as a share, what could have been seen, p, and a word.
tried() {
	"$assay" overhead "$1" --workload $workload --pairs 12 --closed 0 --ms 500 --json |
		jq -rs 'map({key: (.metric + " " + .scope), value: .}) | from_entries |
			.["overhead.cpu_share all"] as $e | .["overhead.cpu_share_mde all"].value as $m |
			[$e.value, $m, $e.lo, $e.hi, ([$e.value, -$e.value] | max) > $m] | @tsv'
}

for profiler in none "$work/burner"; do
	for ((i = 1; i <= tries; i++)); do
		IFS=$'\t' read -r share mde lo hi seen < <(tried "$profiler")
		printf '%-8s %2d: %+.4f [%+.4f, %+.4f], least to be seen %.4f: %s\n' \
			"$(basename "$profiler")" "$i" "$share" "$lo" "$hi" "$mde" "$seen"
		[ "$profiler" = none ] && wanted=false || wanted=true
		[ "$seen" = $wanted ] || failed=1
	done
done
exit $failed
