#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A profiler of somebody else's, by its path, live and as a joiner; and a run without any rights.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
assay=$build/assay
[ -x "$assay" ] && [ -x "$build/workloads/wake/wake" ] || { echo "not built: $assay"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() { echo "FAIL: $*"; failed=1; }

cat >mine <<'SCRIPT'
#!/bin/sh
header() { echo '{"claims":1,"profiler":"mine","version":"2","clock":"monotonic","declares":["handoff:wake"]}'; }
case $1 in
describe)
	echo '{"name":"mine","version":"2","division":"attach","launch":["attach","join"],"declares":["handoff:wake"],"needs":[]}'
	exit 0
	;;
esac
word=$1
while [ $# -gt 0 ]; do
	case $1 in --claims) claims=$2 ;; --evidence) evidence=$2 ;; esac
	shift
done
if [ "$word" = join ]; then
	[ -s "$evidence" ] || exit 3
	header >"$claims"
	exit 0
fi
trap 'header >"$claims"; exit 0' INT
printf x >&3
exec 3>&-
while :; do sleep 0.02; done
SCRIPT
chmod +x mine

sed 's/"name":"mine"/"name":"other"/' mine >other && chmod +x other
"$assay" plan smoke --ops 100 --profiler ./mine --profiler ./other --out two >/dev/null || fail "plan of two"
[ "$(grep -c "$work/other" two/plan.tsv)" -eq "$(grep -c "$work/mine" two/plan.tsv)" ] || fail "the second profiler has no cells"
"$assay" plan smoke --ops 100 --profiler ./mine --out run >/dev/null || fail "plan"
live=$(grep -c "$work/mine.*" <(awk -F'\t' '$2 == "live"' run/plan.tsv))
join=$(grep -c "$work/mine.*" <(awk -F'\t' '$2 == "join"' run/plan.tsv))
workloads=$("$assay" list workloads | grep -c '^  [a-z]')
[ "$live" -eq "$workloads" ] && [ "$join" -eq "$workloads" ] || fail "$live live cells and $join joins of $workloads"
# the whole smoke suite is planned; what a stranger adds shows on a few workloads
awk -F'\t' 'NR == 1 || $3 ~ /^(calls|pool|prefork|uring|wake)$/' run/plan.tsv >few && mv few run/plan.tsv
"$assay" run run >out 2>&1 || fail "run: exit code $?: $(cat out)"
"$assay" score run >/dev/null && "$assay" report run >out || fail "report: $(cat out)"
grep -q ' mine ' out || fail "the stranger is not in the table: $(cat out)"

grep -Eq '"name":"mine","version":"2","division":"attach","path":"[^"]*/mine","xxh3":"[0-9a-f]{16}"' run/run.json ||
	fail "run.json does not say which profiler was judged"

# Every cell reconciles, and a second scoring gives the same bytes.
planned=$(($(wc -l <run/plan.tsv) - 1))
ended=$(find run/cells -name status.json | wc -l)
[ "$planned" -eq "$ended" ] || fail "planned $planned, ended $ended"
cp run/scores.csv first.csv
"$assay" score run >/dev/null
cmp first.csv run/scores.csv || fail "scoring twice differs"
cells=$(sqlite3 run/scores.sqlite 'select count(*) from cells' 2>/dev/null || echo "$planned")
[ "$cells" -eq "$planned" ] || fail "scores.sqlite has $cells cells"

# Stored runs stand in for recordings: asked for by root, without being asked by anybody else.
if [ "$(id -u)" -eq 0 ] && "$assay" record wake --ops 100 --store stored >/dev/null 2>&1; then
	"$assay" record uring --ops 100 --store stored >/dev/null || fail "record uring"
	"$assay" bench smoke --stored --reference stored --out again >out 2>&1 || fail "--stored: $(cat out)"
	grep -q 'STORED RUNS, recorded on ' out && grep -q 'this machine did not record' again/report.html ||
		fail "the report does not say that runs are stored ones: $(cat out)"
	grep -q 'declares no handoffs' again/report.html || fail "no verdict of a profiler without handoffs"
	grep -Eq '"stored":\[\{"workload":"[a-z]+","recorded":"2[^"]+","kernel":"[^"]+"' again/run.json ||
		fail "run.json does not say where the stored runs come from"
	grep -q 'reference' again/plan.tsv || fail "--stored planned no stored run"
	grep -q $'\trecord\t' again/plan.tsv && fail "--stored planned a recording"
	"$assay" compare again again --noise again --gate >out 2>&1
	[ $? -eq 3 ] && grep -q '^gate: inconclusive' out || fail "a gate without 12 pairs: $(tail -n 3 out)"
	mkdir nobody && chmod 777 nobody . && chmod -R a+rX stored
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$assay" bench default --seeds 3 --reference stored --results nobody >out 2>&1 || fail "nobody: $(cat out)"
	grep -q 'seeds and --ops' out || fail "nobody was not told that seeds have no effect: $(cat out)"
	cut -f2,3,5,7 nobody/latest/plan.tsv | grep -v ^live | sort | uniq -d | grep -q . && fail "a stored run is counted twice"
	grep -q 'left out: recording' out || fail "nobody was not told what was left out: $(cat out)"
	grep -Eq '^left out: stored runs, and what is made from them \([0-9]+ cells\): there is none of affine, cache' out &&
		[ "$(grep -c '^left out' out)" -lt 30 ] || fail "nobody was not told in a line which stored runs are missing: $(cat out)"
	grep -q '^affine ' out && fail "nobody saw a table of a workload without a stored run: $(cat out)"
	[ -s stored/wake/manifest.yaml ] || fail "a stored run has lost the manifest of its events"
	grep -q 'left out: live causal' out || fail "nobody was not told of live cells: $(cat out)"
	grep -Eq '^  (fifo|nearest|pointer|thread) +0\.[0-9]' out || fail "nobody saw no score: $(cat out)"
	grep -Eq '^  causal +[01]\.[0-9]' out || fail "nobody saw no score of causal: $(cat out)"
	# A damaged stored run is broken, never scored.
	head -c 1000 stored/wake/truth.bin.zst >short && mv short stored/wake/truth.bin.zst
	"$assay" bench smoke --stored --reference stored --out cut-run >out 2>&1
	[ $? -eq 4 ] || fail "a damaged stored run: exit code $?"
	grep -q '"state":"broken"' cut-run/cells/wake.base.collector.reference.*/status.json || fail "not broken"
	grep -q ',ok$' <(grep '^[^,]*,wake\.[^,]*\.join\.' cut-run/scores.csv) && fail "it was scored"
else
	echo "nothing can be recorded here: stored runs were not tested"
fi

[ $failed -eq 0 ] && echo "a stranger and a machine without rights are served"
exit $failed
