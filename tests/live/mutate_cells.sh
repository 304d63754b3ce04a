#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Cells of variants: the mutant's truth says what became invalid and when, the twin's that nothing
# did; the profiler gets a manifest stamped for the very program, under names that tell nothing.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
assay=$build/assay
[ -x "$assay" ] && [ -x "$build/workloads/pool/pool" ] || { echo "not built: $assay"; exit 77; }
"$assay" doctor 2>/dev/null | grep -qi 'record' || true
[ "$(id -u)" -eq 0 ] || { echo "recording needs root"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

# A profiler that tells what it was given, outside its folder (admin).
cat >"$work/nosy" <<SCRIPT
#!/bin/sh
[ "\$1" = describe ] && { echo '{"name":"nosy","version":"1","division":"attach","launch":["attach"],"declares":["health"],"needs":["admin"]}'; exit 0; }
look() { # all that /proc shows of a process, but numbers and names that are chance
	{
		tr '\\0' '\\n' </proc/\$1/cmdline
		tr '\\0' '\\n' </proc/\$1/environ
		cat /proc/\$1/task/*/comm /proc/\$1/limits /proc/\$1/cgroup
		for l in exe cwd root \$(cd /proc/\$1 && echo fd/*); do echo "\$l \$(readlink "/proc/\$1/\$l")"; done
		awk '{ print \$2, \$6 }' /proc/\$1/maps
		ls "\$(readlink /proc/\$1/cwd)" "\$PWD"
	} | sed -E 's#(vm|work)-[^/]*##g; s/[0-9]+//g' | grep -v '^iou-' | sort -u
}
while [ \$# -gt 0 ]; do
	case \$1 in
	--claims) claims=\$2 ;;
	--exe | --manifest | --pid) echo "\$1 \$2" >>$work/given ;;
	esac
	case \$1 in
	--exe) readelf -n "\$2" | sed -n 's/.*Build ID: //p' >$work/exe-id ;;
	--manifest) sed -n 's/^build_id: *//p' "\$2" >$work/manifest-id ;;
	--pid) look "\$2" >"$work/shown.\$(ls "$work" | grep -c '^shown')" ;;
	esac
	case \$1 in
	--pid) { tr '\\0' ' ' </proc/\$2/cmdline; readlink /proc/\$2/exe /proc/\$2/cwd; cat /proc/\$2/comm; cat /proc/\$2/maps; } >>$work/given ;;
	esac
	shift
done
trap 'echo "{\"claims\":1,\"profiler\":\"nosy\",\"version\":\"1\",\"clock\":\"monotonic\",\"declares\":[]}" >\$claims; exit 0' INT
printf x >&3
exec 3>&-
while :; do sleep 0.02; done
SCRIPT
chmod +x "$work/nosy"

run=$work/run
mkdir "$run"
params='ops=400 rate=1800 workers=2 queue_depth=4 fanout=4'
row() { printf '%s\t%s\tpool\t%s\t%s\tattach\tclean\tstamped\t1\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" "$params"; }
{
	printf 'cell\tkind\tworkload\tvariant\tprofiler\tdivision\tregime\tbinding\tseed\tfrom\tparams\n'
	row a live relmove-pool-2-mutant "$work/nosy" -
	row b live relmove-pool-2-twin "$work/nosy" -
	row c live no-such-mutation-mutant "$work/nosy" -
	row d live base "$work/nosy" -
	row e live base "$work/nosy" -
} >"$run/plan.tsv"
"$assay" run "$run/plan.tsv" >"$work/out" 2>&1
grep -q '"state":"ok"' "$run/cells/a/status.json" || fail "mutant: $(cat "$run/cells/a/status.json" "$run/cells/a/log")"
grep -q '"state":"ok"' "$run/cells/b/status.json" || fail "twin: $(cat "$run/cells/b/status.json")"
grep -q '"state":"unsupported"' "$run/cells/c/status.json" || fail "unknown: $(cat "$run/cells/c/status.json")"

header() { "$assay" truth export "$run/cells/$1/truth.bin" | head -n 1; }
header a | jq -e '.descriptors[] | select(.id == 3) | .valid == false and .since > 0 and .contradicted >= .since' >/dev/null ||
	fail "the mutant's truth: $(header a)"
header a | jq -e '[.descriptors[] | select(.id != 3) | .valid] | all' >/dev/null || fail "more is invalid: $(header a)"
header a | jq -e '.scored[0] < (.descriptors[] | select(.id == 3) | .since)' >/dev/null || fail "no onset: $(header a)"
header b | jq -e '[.descriptors[].valid] | all' >/dev/null || fail "the twin's truth: $(header b)"
cmp -s "$work/exe-id" "$work/manifest-id" && [ -s "$work/exe-id" ] || fail "the manifest is not stamped"
grep -qiE 'relmove|mutant|twin' <(sed "s#$work##g" "$work/given") && fail "names tell: $(grep -iE 'relmove|mutant|twin' "$work/given")"
[ -s "$work/shown.0" ] && diff "$work/shown.0" "$work/shown.1" >"$work/differ" || fail "mutant and twin show: $(cat "$work/differ")"
# The base is linked anew as they are: it looks like them, and twice it is two programs.
grep -q '"state":"ok"' "$run/cells/d/status.json" || fail "base: $(cat "$run/cells/d/status.json")"
[ -s "$work/shown.2" ] && diff "$work/shown.0" "$work/shown.2" >"$work/differ" || fail "mutant and base show: $(cat "$work/differ")"
built() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
[ "$(built "$run/cells/d/program")" != "$(built "$run/cells/e/program")" ] || fail "two runs of the base are one program"
[ "$(built "$run/cells/d/program")" != "$(built "$build/workloads/pool/pool")" ] || fail "the base runs as it was built"
for cell in a b d; do
	readelf -SW "$run/cells/$cell/program" | grep -q debug && fail "$cell has debug information"
	strings -a "$run/cells/$cell/program" | grep -qF "$top" && fail "$cell names the folder of the sources"
done
[ -d "$run/work" ] && fail "working folders are left"

# An acceptance case from end to end: its reference is right on the first version, wrong on the second.
"$assay" bench acceptance --ops 150 --workload pipeline --out "$work/case" >"$work/out" 2>&1 ||
	fail "acceptance: $(cat "$work/out")"
grep -A 1 '^  A9 ' "$work/out" | grep -qE '^ +([0-9]+) of \1 -> [0-9]+ right, [0-9]+ orphaned, [1-9][0-9]* wrong of' ||
	fail "no case A9: $(cat "$work/out")"

[ $failed -eq 0 ] && echo "variants run as cells, and nothing that a profiler is given tells"
exit $failed
