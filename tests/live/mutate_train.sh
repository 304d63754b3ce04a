#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Training on a small run: a table a class that knows nothing of it, and a run scored with them.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
assay=$build/assay
[ -x "$assay" ] && [ -x "$build/profilers/causal/train/train" ] || { echo "not built: $assay"; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "recording needs root"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

run=$work/run
mkdir "$run"
params='ops=400 rate=2800 workers=2 queue_depth=1 fanout=4'
{
	printf 'cell\tkind\tworkload\tvariant\tprofiler\tdivision\tregime\tbinding\tseed\tfrom\tparams\n'
	for quad in unit-calls-1 own-calls-1; do
		for form in base mutant twin; do
			printf '%s-%s\trecord\tcalls\t%s-%s\tcollector\tnone\tclean\tstamped\t1\t-\t%s\n' \
				"$quad" "$form" "$quad" "$form" "$params"
		done
	done
} >"$run/plan.tsv"
"$assay" run "$run" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }

"$assay" mutate train "$run" --out "$work/left" >"$work/table" 2>"$work/err" || fail "train: $(cat "$work/err")"
for class in all UNIT OWN; do
	[ -s "$work/left/training/$class.def" ] || fail "no table $class"
done
grep -q 'on 6 runs, in 2 of which' "$work/left/training/all.def" || fail "all: $(head -n 4 "$work/left/training/all.def")"
grep -q 'on 3 runs without those of UNIT, in 1 of which' "$work/left/training/UNIT.def" ||
	fail "UNIT: $(head -n 4 "$work/left/training/UNIT.def")"
grep -Eq '^quads.detection +all ' "$work/table" || fail "the table: $(cat "$work/table")"
[ "$(grep -c '	join	' "$work/left/plan.tsv")" -eq 6 ] || fail "joins: $(cat "$work/left/plan.tsv")"
"$assay" score "$work/left" >/dev/null 2>"$work/err" || fail "the run cannot be scored: $(cat "$work/err")"

# What the profiler under test takes: no table.
"$build/profilers/causal/causal" join --thresholds "$work/left/training/all.def" --evidence x --claims y 2>"$work/err" &&
	fail "causal takes a table of thresholds"

"$assay" mutate train "$work" >/dev/null 2>"$work/err"
[ $? -eq 2 ] || fail "no run: $(cat "$work/err")"
sed -i 's/^TEST(PAIRING.*/TEST(PAIRING, 1)/' "$work/left/training/all.def"
"$build/profilers/causal/train/train" join "$work/left/training/all.def" --evidence x --claims y 2>"$work/err" &&
	fail "a broken table is taken"
grep -Eq 'all.def:[0-9]+: no line of a table' "$work/err" || fail "a broken table: $(cat "$work/err")"
exit $failed
