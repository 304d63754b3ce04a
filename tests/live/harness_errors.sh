#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Bad input: one clear error, the right exit code, nothing half-written taken for a result.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
assay=$build/assay
[ -x "$assay" ] || { echo "not built: $assay"; exit 77; }
sample=$top/tests/units/data/scoring

work=$(mktemp -d)
mounted=
cleanup() {
	[ -z "$mounted" ] || umount "$mounted"
	rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
failed=0
fail() { echo "FAIL: $*"; failed=1; }

# expect CODE WORDS COMMAND…: exit code and a part of what is said; nothing on standard output
# beside an error unless the words are there.
expect() {
	local code=$1 words=$2 got
	shift 2
	"$@" >out 2>err
	got=$?
	[ $got -eq "$code" ] || fail "$*: exit code $got, not $code: $(cat err)"
	grep -Eq -- "$words" err out || fail "$*: says nothing of '$words': $(cat err)"
	[ "$code" -eq 0 ] || [ "$(sed '/^---- log/,$d' err | grep -c '^assay: ')" -le 1 ] || fail "$*: more than one error: $(cat err)"
}

# Usage.
expect 2 'usage: assay' "$assay"
expect 2 'doctor' "$assay" doctr
expect 2 'bench' "$assay" bnech
expect 2 'no command' "$assay" xyzzy
expect 2 'export' "$assay" truth exprot
expect 2 'convert' "$assay" claims covnert
expect 2 'default' "$assay" plan defualt
expect 2 'workloads' "$assay" list workload
expect 2 'wake' "$assay" record waek
expect 2 'json' "$assay" doctor --jsno
expect 2 'whole number' "$assay" plan smoke --seeds many
expect 2 'outside' "$assay" plan smoke --seeds 0
expect 2 'no k/n' "$assay" run --shard 5/4 .
expect 2 'no such run' "$assay" run nowhere
expect 2 'no such run' "$assay" report nowhere
mkdir norun
for c in run score report; do expect 2 'this is no run' "$assay" $c norun; done
expect 2 'this is no run' "$assay" explain x --run norun
rmdir norun
expect 2 'both' "$assay" score
expect 2 'both' "$assay" score --truth x
expect 2 'causal' "$assay" join cuasal --evidence e --claims c
expect 2 'cannot be executed' "$assay" join ./nowhere --evidence e --claims c
expect 2 'no such run' "$assay" compare nowhere nowhere
expect 2 'noise' "$assay" compare nowhere nowhere --gate
expect 2 'no such program' "$assay" plan smoke --profiler ./nowhere --out x
expect 2 'is no program' "$assay" plan smoke --profiler /etc/passwd --out x
expect 2 'is no program' "$assay" plan smoke --profiler /etc --out x
expect 2 'no effect on stored runs' "$assay" bench smoke --stored --seeds 3
expect 2 'no effect on stored runs' "$assay" plan smoke --stored --ops 3
expect 2 'in the suite already' "$assay" plan smoke --profiler "$build/profilers/causal/causal" --out x
expect 2 'in the suite already' "$assay" plan smoke --profiler causal --out x
expect 2 'one too many: assay bench SUITE' "$assay" bench smoke wake
expect 2 'no profiler is called' "$assay" overhead xyzzy
expect 2 'the run ends with operation 300' "$assay" record wake --ail cpu-contention@300 --ops 300
expect 2 'the run ends with operation 2000' "$assay" record wake --ail cpu-contention@2000
expect 2 'one of workloads profilers suites mutations acceptance' "$assay" list xyzzy
expect 2 'one of chrome folded otlp ndjson' "$assay" claims from xyzzy a b
expect 2 'chmod [+]x' "$assay" plan smoke --profiler /etc/passwd --out x
expect 2 'check the spelling' "$assay" plan smoke --profiler ./nowhere --out x
expect 2 'no effect on the closed loop' "$assay" record wake --depth 2 --rate 4
mkdir other
for name in causal oracle; do
	printf '#!/bin/sh\necho "{\\"name\\":\\"mine\\",\\"version\\":\\"1\\",\\"division\\":\\"attach\\",\\"launch\\":[\\"join\\"],\\"declares\\":[],\\"needs\\":[]}"\n' >other/$name
	chmod +x other/$name
	expect 2 "called $name already" "$assay" plan smoke --profiler other/$name --out x
done
cp other/oracle other/mine && mkdir second && cp other/oracle second/mine
expect 2 'called mine already' "$assay" plan smoke --profiler other/mine --profiler second/mine --out x
expect 77 'slurm' "$assay" bench smoke --engine slurm
if [ -w /dev ]; then
	there=/dev/assay-$$
	expect 77 'a /dev of their own' "$assay" plan smoke --out "$there"
	mkdir "$there" || fail 'a folder was left'
	expect 77 'a /dev of their own' "$assay" plan smoke --out "$there"
	rmdir "$there" || fail "somebody's folder was removed"
fi
[ -e results ] && fail "a mistyped command made a folder"

# What was printed and never written is no success.
if [ -e /dev/full ]; then
	for c in list doctor "doctor --json" --version --help "plan smoke --estimate" "truth synth --help"; do
		# shellcheck disable=SC2086
		"$assay" $c >/dev/full 2>err
		[ $? -eq 4 ] && grep -q 'standard output: cannot write' err || fail "$c >/dev/full: $(cat err)"
	done
fi
"$assay" doctor 2>err | : || true
[ ! -s err ] || fail "a closed pipe is an error: $(cat err)"

# Groups: help by either word, and three commands at its end.
for c in help "help truth" "help claims" "help mutate" "help manifest" "truth --help"; do
	# shellcheck disable=SC2086
	"$assay" $c >out || fail "$c: exit code $?"
	[ "$(tail -n 3 out | grep -c '^  assay ')" -eq 3 ] || fail "$c: no three examples"
done
expect 0 'assay truth export: ' "$assay" help truth export
expect 2 'no command' "$assay" help xyzzy
expect 2 'try: assay truth --help' "$assay" truth bogus

# Every command explains itself and ends with three examples.
for c in doctor list plan run record join score report bench compare explain regime "profiler test" "claims from" \
	"truth export" "truth import" "evidence export" \
	"truth check" "truth canon" "truth to-claims" "claims convert" "claims check"; do
	# shellcheck disable=SC2086
	"$assay" $c --help >out || fail "$c --help: exit code $?"
	[ "$(tail -n 3 out | grep -Ec '^  .*(assay|xdg-open)')" -eq 3 ] || fail "$c --help: no three examples"
	awk 'length > 80 {exit 1}' out || fail "$c --help is wider than 80 columns"
done
expect 0 'assay [0-9]' "$assay" --version
expect 0 'doctor' "$assay" --help

# Truth: cut, edited, missing.
"$assay" truth import "$sample/01-perfect/truth.jsonl" t.bin || fail "import"
"$assay" truth export t.bin | cmp - "$sample/01-perfect/truth.jsonl" || fail "export differs"
for cut in 1 100 $(($(stat -c %s t.bin) - 1)); do
	head -c "$cut" t.bin >cut.bin
	expect 4 'cut.bin' "$assay" truth check cut.bin
	expect 4 'broken|cut.bin' "$assay" score --truth cut.bin --claims "$sample/01-perfect/claims.jsonl"
done
head -n 3 "$sample/01-perfect/truth.jsonl" >cut.jsonl
expect 4 'cut.jsonl' "$assay" truth check cut.jsonl
expect 4 'nowhere' "$assay" truth check nowhere
expect 4 'broken' "$assay" score --json --truth "$sample/27-broken-overlapping-segments/truth.jsonl" \
	--claims "$sample/27-broken-overlapping-segments/claims.jsonl"

# One file in place of another.
expect 4 't.bin is truth, and should be evidence' "$assay" evidence export t.bin
expect 1 't.bin is truth, and should be claims' "$assay" claims check t.bin
expect 4 'claims.jsonl is claims, and should be truth' "$assay" truth check "$sample/01-perfect/claims.jsonl"
expect 1 'assay is a program, and should be a manifest' "$assay" manifest check "$assay"
expect 4 'claims.jsonl is claims, and should be truth' "$assay" score --truth "$sample/01-perfect/claims.jsonl" --claims t.bin
expect 2 't.bin is truth, and should be evidence' "$assay" join causal --evidence t.bin --claims x
cp t.bin chrome # the word is a format, whatever is called so
expect 1 '' "$assay" claims from chrome "$assay" x
grep -q 'chrome is truth' err && fail "a format is taken for a file: $(cat err)"

# Claims from truth: perfect, and never right.
"$assay" truth to-claims t.bin oracle.jsonl && "$assay" score --json --truth t.bin --claims oracle.jsonl |
	grep -q '"precision":1,"recall":1,' || fail "the oracle is not perfect"
"$assay" truth to-claims t.bin liar.bin --as liar --binary &&
	"$assay" score --json --truth t.bin --claims liar.bin | grep -q '"right":0,' || fail "the liar is right"
expect 2 'oracle' "$assay" truth to-claims t.bin x --as oracel
expect 4 'nowhere' "$assay" truth to-claims nowhere x
[ -e x ] && fail "claims from no truth"

# Claims: malformed, empty, converted there and back.
bad=$sample/26-malformed-unknown-claim
expect 1 'claims.jsonl:[0-9]+: ' "$assay" claims check "$bad/claims.jsonl"
expect 1 'claims.jsonl:[0-9]+: ' "$assay" score --truth "$bad/truth.jsonl" --claims "$bad/claims.jsonl"
expect 1 '"status":"invalid"' "$assay" score --json --truth "$bad/truth.jsonl" --claims "$bad/claims.jsonl"
: >empty
expect 1 'empty' "$assay" claims check empty
expect 4 'nowhere' "$assay" claims check nowhere
expect 1 'claims' "$assay" claims convert "$bad/claims.jsonl" c.bin --to binary
[ -e c.bin ] && fail "malformed claims were converted"
good=$sample/01-perfect/claims.jsonl
"$assay" claims convert "$good" c.bin --to binary && "$assay" claims convert c.bin c2.jsonl &&
	"$assay" claims convert c2.jsonl c2.bin --to binary && cmp c.bin c2.bin || fail "claims do not come back"
"$assay" score --json --truth t.bin --claims c.bin >a && "$assay" score --json --truth t.bin --claims c.bin >b &&
	cmp a b || fail "scoring twice gives other bytes"
"$assay" score --json --truth "$sample/01-perfect/truth.jsonl" --claims "$good" | cmp - a || fail "the two forms score differently"

# Explanations.
pair="--truth $sample/04-false-join-key-reuse/truth.jsonl --claims $sample/04-false-join-key-reuse/claims.jsonl"
# shellcheck disable=SC2086
expect 0 'false join|false_join' "$assay" explain $pair 1
# shellcheck disable=SC2086
expect 2 'there are [0-9]+ claims' "$assay" explain $pair 999999
# shellcheck disable=SC2086
expect 2 'number' "$assay" explain $pair one
expect 2 'both' "$assay" explain
expect 2 'no such run' "$assay" explain a.cell
expect 2 'elsewhere: there is no such run' "$assay" explain elsewhere/cells/a.cell
# shellcheck disable=SC2086
for by in type mark source figure; do "$assay" score $pair --by $by >/dev/null || fail "score --by $by"; done
expect 2 'type' "$assay" score --by tpye

# A manifest beside a pair.
printf 'manifest: 1\napplication: x\n' >none.yaml
# shellcheck disable=SC2086
expect 0 '"status":"ok"' "$assay" score $pair --json --manifest "$top/workloads/pool/manifest.yaml"
# shellcheck disable=SC2086
expect 1 'none.yaml:1: .*resources' "$assay" score $pair --json --manifest none.yaml
# shellcheck disable=SC2086
expect 4 'nowhere.yaml: cannot open' "$assay" score $pair --json --manifest nowhere.yaml

# Claims of another run score nought, but not silently.
sed 's/"t":\([0-9]\)/"t":7000000\1/g' "$good" >outside.jsonl
expect 0 'none of its 2 two-ended claims' "$assay" score --truth t.bin --claims outside.jsonl
grep -q 'not scored: of 2 handoff claims 2 at context level, 2 at' out || fail "claims outside are not counted: $(cat out)"
expect 0 'none of its' "$assay" score --json --truth t.bin --claims outside.jsonl
"$assay" score --truth t.bin --claims "$good" 2>err | grep -q 'not scored: of 2 handoff claims 0 at' && [ ! -s err ] || fail "claims inside are said to be outside"
# Options that do nothing where they stand are refused.
expect 2 'not both' "$assay" score --truth t.bin --claims "$good" --json --by type
expect 2 'pair of files' "$assay" score run --json
expect 2 'pair of files' "$assay" score run --by type
expect 2 'pair of files' "$assay" score run --binding strict
# Cheating is said wherever a score is.
pair="--truth $sample/15-decoy-key-nobody-used/truth.jsonl --claims $sample/15-decoy-key-nobody-used/claims.jsonl"
# shellcheck disable=SC2086
for c in score explain; do expect 0 'CHEATING: 1 ' "$assay" $c $pair; done
# At which level, and orphans.
cat >levels.jsonl <<'C'
{"claims":1,"profiler":"x","version":"1","clock":"monotonic","declares":["handoff:io","handoff:work"]}
{"c":"handoff","type":"work","src":{"tid":101,"t":1115},"dst":{"tid":77,"t":4000,"kernel":true},"key":{"ns":"work","v":"0xffff888100200300"}}
{"c":"handoff","type":"io","src":null,"dst":{"tid":102,"t":3999}}
C
pair="--truth $sample/08-context-and-identity/truth.jsonl --claims levels.jsonl"
# shellcheck disable=SC2086
expect 0 '1 half of type work, at identity level alone' "$assay" explain $pair
grep -q '1 spurious of type io, at both levels (orphans: the end that they name is false)' out || fail "$(cat out)"
# shellcheck disable=SC2086
expect 0 'an orphan whose named end is false counts as spurious' "$assay" explain $pair 2

# A profiler that is no executable.
printf 'hello\n' >mine
expect 4 'executed' "$assay" join ./mine --evidence t.bin --claims c.jsonl
chmod +x mine
expect 4 'executed' "$assay" join ./mine --evidence t.bin --claims c.jsonl
[ -e c.jsonl ] && fail "claims of a profiler that never ran"

# Joiners work on copies: what they say is shown in terms of the user's files.
head -c 4000 /dev/zero >junk.bin
expect 1 'it said: assay: junk.bin: ' "$assay" join fifo --evidence junk.bin --claims c.jsonl
grep -Eq '/work/|\.assay-' err && fail "a path that nobody knows: $(cat err)"
grep -q "cell's log" err && fail "there is no cell: $(cat err)"
printf 'hello\n' >bad.yaml
expect 1 'assay: bad.yaml:1: column 1: a manifest is a mapping' "$assay" join fifo --evidence junk.bin --claims c.jsonl --manifest bad.yaml
# A killed command's folder goes with the next.
killed=.assay-$(uname -n)-99999999-abcdef
mkdir -p "$killed/cells" .assay-mine
"$assay" join fifo --evidence junk.bin --claims c.jsonl 2>/dev/null
[ -e "$killed" ] && fail "the folder of a killed command stays"
[ -e .assay-mine ] || fail "a folder of somebody else's is gone"
expect 2 'one of right|right' "$assay" truth synth --truth s.bin --claims s2.bin --shares xyzzy=1
expect 0 'false_join' "$assay" truth synth --help

# Evidence that is none.
expect 1 'crashed|evidence' "$assay" join fifo --evidence junk.bin --claims c.jsonl
[ -e c.jsonl ] && fail "claims from no evidence"

# Plans.
mkdir -p run && printf 'hello\n' >run/plan.tsv
expect 2 'plan.tsv:1: ' "$assay" run run
touch run/other.tsv
expect 2 'no plan.tsv' "$assay" run run/other.tsv

# A full disk: the run stops, says so, and nothing half-written counts.
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=200m tmpfs small 2>/dev/null; then
	mounted=$work/small
	# Full from the start, then full half-way.
	cat /dev/zero >small/filler 2>/dev/null
	expect 4 'small.*No space' "$assay" bench smoke --results small
	rm -rf small/*
	"$assay" plan smoke --ops 500 --out small/run >/dev/null || fail "plan on the small disk"
	awk -F'\t' 'NR == 1 || ($3 ~ /^(calls|wake|pool)$/ && $4 == "base")' small/run/plan.tsv >few
	cp few small/run/plan.tsv # enough for the disk to fill half-way
	(
		for _ in $(seq 6000); do # the programs are built first
			[ "$(find small/run/cells -name status.json 2>/dev/null | wc -l)" -ge 3 ] && break
			sleep 0.01
		done
		cat /dev/zero >small/filler 2>/dev/null
	) &
	expect 4 'full|No space' "$assay" run small/run
	wait
	find small -name '*.part' | grep -q . && fail "a .part file is left: $(find small -name '*.part')"
	find small -name scores.csv -o -name report.html | grep -q . && fail "a full disk made a result"
	for status in small/run/cells/*/status.json; do
		grep -Eq '"state":"(ok|unsupported)"' "$status" || fail "the disk was charged to $status: $(cat "$status")"
	done
	rm small/filler
	expect 0 'cells' "$assay" run --resume small/run
	cat /dev/zero >small/filler 2>/dev/null
	expect 4 'full|No space' "$assay" truth import "$sample/01-perfect/truth.jsonl" small/t.bin
	expect 4 'full|No space' "$assay" claims convert "$good" small/c.bin --to binary
	[ -e small/t.bin ] && fail "a full disk made truth"
	expect 4 'no plain file' "$assay" truth import "$sample/01-perfect/truth.jsonl" /dev/null
	umount "$mounted" && mounted=
else
	echo "no tmpfs could be mounted: the full disk was not tested"
fi

[ $failed -eq 0 ] && echo "bad input is refused in plain words"
exit $failed
