#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A run that is killed or interrupted half-way can be read and resumed; shards add up.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
assay=$build/assay
[ -x "$assay" ] && [ -x "$build/workloads/wake/wake" ] || { echo "not built: $assay"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

# A profiler that tells how often it was started for each cell, outside its folder (admin).
cat >"$work/counted" <<SCRIPT
#!/bin/sh
[ "\$1" = describe ] && { echo '{"name":"counted","version":"1","division":"attach","launch":["attach"],"declares":["handoff:io"],"needs":["admin"]}'; exit 0; }
while [ \$# -gt 0 ]; do
	case \$1 in --claims) claims=\$2 ;; esac
	shift
done
echo x >>$work/starts
trap 'echo "{\"claims\":1,\"profiler\":\"counted\",\"version\":\"1\",\"clock\":\"monotonic\",\"declares\":[]}" >\$claims; exit 0' INT
printf x >&3
exec 3>&-
while :; do sleep 0.02; done
SCRIPT
chmod +x "$work/counted"

cells=8
make_plan() {
	mkdir -p "$1"
	printf 'cell\tkind\tworkload\tvariant\tprofiler\tdivision\tregime\tbinding\tseed\tfrom\tparams\n' >"$1/plan.tsv"
	for i in $(seq $cells); do
		printf 'c%s\tlive\twake\tbase\t%s\tattach\tclean\t-\t%s\t-\tops=200 rate=1000\n' \
			"$i" "$work/counted" "$i" >>"$1/plan.tsv"
	done
}
ended() { find "$1/cells" -name status.json 2>/dev/null | wc -l; }
# Waits until N cells of run $1 have ended; bounded.
wait_for() {
	for _ in $(seq 500); do
		[ "$(ended "$1")" -ge "$2" ] && return 0
		sleep 0.02
	done
	return 1
}
starts() { wc -l <"$work/starts"; }

for how in INT TERM KILL; do
	run=$work/$how
	make_plan "$run"
	: >"$work/starts"
	"$assay" run "$run/plan.tsv" >"$work/out" 2>&1 &
	pid=$!
	wait_for "$run" 2 || fail "$how: two cells did not end"
	if [ $how = INT ]; then
		"$assay" run --resume "$run" >"$work/second" 2>&1
		[ $? -eq 4 ] && grep -q 'another assay' "$work/second" || fail "a second run of the same cells: $(cat "$work/second")"
	fi
	kill -$how $pid
	wait $pid
	code=$?
	before=$(ended "$run")
	[ "$how" = KILL ] || [ $code -eq 3 ] || fail "$how: exit code $code, not 3"
	[ "$how" = KILL ] || grep -q 'not made' "$work/out" || fail "$how: $(cat "$work/out")"
	[ "$before" -ge 2 ] && [ "$before" -lt $cells ] || fail "$how: $before cells had ended"
	for _ in $(seq 200); do pgrep -f "$work/counted" >/dev/null || break; sleep 0.02; done
	pgrep -f "$work/counted" >/dev/null && fail "$how left a profiler behind"

	# What is there can be read; a score or a report of half a run is refused.
	for status in "$run"/cells/*/status.json; do
		grep -q '"state":"ok"' "$status" || fail "$how: $status: $(cat "$status")"
	done
	"$assay" score "$run" >"$work/out" 2>&1 && fail "$how: half a run was scored"
	grep -q 'have not ended' "$work/out" || fail "$how: $(cat "$work/out")"
	"$assay" report "$run" >"$work/out" 2>&1 && fail "$how: half a run was reported"
	[ -e "$run/scores.csv" ] || [ -e "$run/report.html" ] && fail "$how: half a result is there"

	# Without --resume nothing is overwritten.
	"$assay" run "$run" >"$work/out" 2>&1 && fail "$how: it ran again without --resume"
	grep -q -- --resume "$work/out" || fail "$how: $(cat "$work/out")"

	at=$(starts)
	"$assay" run --resume "$run" >"$work/out" 2>&1 || fail "$how: resume: $(cat "$work/out")"
	[ "$(ended "$run")" -eq $cells ] || fail "$how: $(ended "$run") cells after resume"
	[ $(($(starts) - at)) -eq $((cells - before)) ] ||
		fail "$how: resume started $(($(starts) - at)) profilers for $((cells - before)) open cells"
	[ -e "$run/work" ] && fail "$how: working folders are left"
	"$assay" score "$run" >/dev/null || fail "$how: the resumed run cannot be scored"
done

# So does an interrupted measurement end, and leaves nothing.
mkdir "$work/tmp"
TMPDIR=$work/tmp "$assay" overhead none --workload wake --pairs 2 --closed 0 --ms 10000 >"$work/out" 2>&1 &
pid=$!
for _ in $(seq 500); do compgen -G "$work/tmp/.assay-*/cells/*" >/dev/null && break; sleep 0.02; done
kill -INT $pid
wait $pid
code=$?
[ $code -eq 3 ] && [ "$(cat "$work/out")" = "assay: interrupted" ] || fail "overhead: exit code $code, not 3: $(cat "$work/out")"
[ -z "$(ls -A "$work/tmp")" ] || fail "overhead left $(ls -A "$work/tmp")"

# Shards make disjoint parts; together they are the run.
run=$work/shards
make_plan "$run"
"$assay" run --shard 1/3 "$run" >/dev/null || fail "shard 1"
one=$(ended "$run")
"$assay" run --shard 2/3 "$run" >/dev/null || fail "shard 2"
two=$(ended "$run")
"$assay" score "$run" >/dev/null 2>&1 && fail "two of three shards were scored"
"$assay" run --shard 3/3 "$run" >/dev/null || fail "shard 3"
[ "$one" -lt "$two" ] && [ "$two" -lt $cells ] && [ "$(ended "$run")" -eq $cells ] ||
	fail "shards made $one, $two, $(ended "$run") cells"
"$assay" score "$run" >/dev/null || fail "merged shards cannot be scored"
cp "$run/scores.csv" "$work/first.csv"
"$assay" score "$run" >/dev/null && cmp "$run/scores.csv" "$work/first.csv" || fail "scoring twice differs"

# Shards of one run at the same time: run.json and the working folders are shared. Cells
# that want a stored run which is not there end at once, so that the shards meet often.
make_plan "$work/both"
for try in $(seq 10); do
	run=$work/both$try
	mkdir "$run"
	awk -F'\t' -v OFS='\t' 'NR > 1 {$2 = "reference"; $5 = "collector"; $11 = "-"} {print}' \
		"$work/both/plan.tsv" >"$run/plan.tsv"
	"$assay" run --shard 1/2 "$run" --reference nowhere >"$work/out1" 2>&1 &
	one=$!
	"$assay" run --shard 2/2 "$run" --reference nowhere >"$work/out2" 2>&1
	two=$?
	wait $one
	one=$?
	[ $one -eq 77 ] && [ $two -eq 77 ] || fail "shards at once, try $try: $one $two: $(cat "$work/out1" "$work/out2")"
	[ "$(ended "$run")" -eq $cells ] || fail "shards at once, try $try: $(ended "$run") cells"
	grep -q '"finished":"2' "$run/run.json" || fail "shards at once, try $try: the run is not finished: $(cat "$run/run.json")"
done

[ $failed -eq 0 ] && echo "interrupted, killed and sharded runs come together"
exit $failed
