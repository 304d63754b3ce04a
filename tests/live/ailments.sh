#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Whatever a workload can be made to suffer from shows in its truth (the harness measures it, and
# calls the run broken where it does not), and truth as claims names it.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
assay=$build/assay
[ -x "$assay" ] || { echo "not built: $assay"; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "runs are recorded: this needs root"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

"$assay" plan diagnosis --out "$work/all" >/dev/null || fail "no plan"
mkdir "$work/run"
awk -F'\t' 'NR == 1 || ($4 ~ /^base\+/ && ($2 == "record" || $5 == "oracle"))' \
	"$work/all/plan.tsv" >"$work/run/plan.tsv"
cells=$(grep -c -P '\trecord\t' "$work/run/plan.tsv")
# contention comes from outside, so to any: it is tried on some
own=$(grep -P '\trecord\t' "$work/run/plan.tsv" | grep -vc 'base+cpu-contention')
listed=$("$assay" list workloads | sed -n 's/.*ailments: //p' | sed 's/cpu-contention//' | wc -w)
if [ "$own" -lt 8 ] || [ "$own" -ne "$listed" ] || [ "$cells" -eq "$own" ]; then
	fail "$own of $listed ailments are planned, $((cells - own)) times contention"
fi

# recordings whose status has these words, of cells that are named so
recordings() {
	grep -lE "$2" "$work"/run/cells/*"$1"*.collector.record.*/status.json 2>/dev/null |
		sed 's|/status.json$||; s|.*/||'
}
broken='"state": ?"broken"'
again() { # those that are broken
	local cell

	while read -r cell; do
		rm -rf "${work:?}/run/cells/$cell" \
			"$work/run/cells/${cell/collector.record/oracle.truth}"
	done < <(recordings "$1" "$broken")
	"$assay" run --resume "$work/run/plan.tsv" >"$work/out" 2>&1 ||
		grep -q "^broken" "$work/out" || fail "$(cat "$work/out")"
}

# a busy machine may hide what is meant to show: once more, then
"$assay" run "$work/run/plan.tsv" >"$work/out" 2>&1
again base+
# What comes from outside is not to be told from what else the machine does, if that is a lot; that
# it shows nowhere needs a reason.
contended=base+cpu-contention
for _ in 1 2 3; do
	[ -z "$(recordings "$contended" '"state": ?"ok"')" ] || break
	again "$contended"
done
hidden=$(recordings "$contended" "$broken.*cpu-contention does not show" | wc -l)
load=$(cut -d' ' -f1 /proc/loadavg)
cpus=$(nproc --all)
if [ "$hidden" -gt 0 ]; then
	echo "note: $hidden times contention does not show, at a load of $load on $cpus CPUs"
	[ "$hidden" -lt $((cells - own)) ] ||
		awk -v load="$load" -v cpus="$cpus" 'BEGIN { exit !(load > cpus) }' ||
		fail "it shows nowhere, in 5 runs, and other load does not hide it"
fi
good=$((2 * (cells - hidden)))
grep -q "^$((2 * cells)) cells: $good ok\(, $((2 * hidden)) broken\)\?$" "$work/out" ||
	fail "$(cat "$work/out"; recordings base+ "$broken" |
		while read -r cell; do grep -H reason "$work/run/cells/$cell/status.json"; done)"

"$assay" score "$work/run" >/dev/null || fail "no score"
while IFS=, read -r _ cell _ variant _ _ _ _ _ _ scope value _; do
	[ "$scope" = "label:${variant#base+}" ] || continue
	[ "$value" = 1 ] || fail "$cell: truth itself does not name it"
	named=$((${named:-0} + 1))
done < <(grep ',diagnosis\.found,' "$work/run/scores.csv")
[ "${named:-0}" -eq $((cells - hidden)) ] || fail "${named:-0} of $((cells - hidden)) are named"

[ $failed -eq 0 ] && echo "$((cells - hidden)) ailments show"
exit $failed
