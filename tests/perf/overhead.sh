#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Does `assay overhead` see nothing where there is nothing, and a burn of 5 % where there is one?
#   tests/perf/overhead.sh BUILD [TRIES]     10 tries of each: some six minutes of an idle machine
# The last two lines count. 0: it does in all; 1: not; 77: it cannot be measured here.
set -u
build=${1:?the folder of a build}
tries=${2:-10}
top=$(cd "$(dirname "$0")/../.." && pwd)
assay=$build/assay
workload=affine
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Of a processor: 5 % of what the workload uses at its default rate.
used=$("$assay" overhead none --workload $workload --pairs 4 --closed 0 --arms 2 --ms 500 --json |
	jq -r 'select(.metric == "overhead.cpu_plain") | .value')
[ -n "$used" ] || exit 77
rate=$("$build/workloads/$workload/$workload" describe | jq .defaults.rate)
permille=$(awk -v ns="$used" -v rate="$rate" 'BEGIN { printf "%.0f", 0.05 * ns * rate / 1e6 }')
cc -O2 -DBURNER_PERMILLE="$permille" -o "$work/burner" "$top/tests/perf/burner.c" || exit 1
echo "$workload uses $used ns an operation at $rate a second; the burner burns $permille of 1,000 of a processor"

# tried PROFILER: the effect on CPU as a share, the least that would be found, its interval, and
# whether it is above that.
tried() {
	"$assay" overhead "$1" --workload $workload --pairs 12 --closed 0 --arms 2 --ms 500 --json |
		jq -rs 'map({key: (.metric + " " + .scope), value: .}) | from_entries |
			.["overhead.cpu_share all"] as $e | .["overhead.cpu_share_mde all"].value as $m |
			[$e.value, $m, $e.lo, $e.hi, ([$e.value, -$e.value] | max) > $m] | @tsv'
}

# round PROFILER SEEN: how many tries say whether there is an effect as SEEN does; on stderr each.
round() {
	local right=0 share mde lo hi seen
	for ((i = 1; i <= tries; i++)); do
		IFS=$'\t' read -r share mde lo hi seen < <(tried "$1")
		[ -n "${seen-}" ] || continue
		printf '%-8s %2d: %+.4f [%+.4f, %+.4f], least to be found %.4f: %s\n' \
			"$(basename "$1")" "$i" "$share" "$lo" "$hi" "$mde" "$seen" >&2
		[ "$seen" != "$2" ] || right=$((right + 1))
	done
	echo $right
}

begun=$SECONDS
none=$(round none false)
burnt=$(round "$work/burner" true)
echo "nobody against nobody: no effect above the least that would be found in $none of $tries"
echo "a burn of 5 %: found in $burnt of $tries ($((SECONDS - begun)) s in all)"
[ "$none" -eq "$tries" ] && [ "$burnt" -eq "$tries" ]
