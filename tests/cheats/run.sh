#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Every cheat beside the honest profiler whose work it uses: caught, powerless, or not.
#
#   tests/cheats/run.sh BUILD [short]
#
# Prints a table in Markdown, the one of docs/threat-model.md, and fails where a cheat ends otherwise
# than that page says, did not try, or has claimed nothing where it is to claim. Who is kept out runs
# once more where nothing keeps it out (control/unguarded.c) and must get what it wants. short: what
# needs one workload, and no mutants or audits: some 15 seconds.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd) || exit 77
short=${2:-}
assay=$build/assay cheats=$build/tests/cheats
[ -x "$cheats/peeks" ] || { echo "not built: make KIND=cheats test-programs"; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "recording needs root"; exit 77; }

work=$(mktemp -d)
# Somebody without rights, as whom unveils looks round.
setpriv --reuid 65534 --regid 65534 --clear-groups sleep 600 >/dev/null 2>&1 &
somebody=$!
trap 'kill $somebody 2>/dev/null; rm -rf "$work"; rm -f "$cheats"/*.memory' EXIT
failed=0
for way in vm files fd hybrid barred bpf bpf-sly bpf-hybrid bpf-hybrid-poor bpf-hybrid-wary bpf-hybrid-lot; do ln -f "$cheats/peeks" "$cheats/peeks-$way"; done
for way in build-id text names sizes code; do ln -f "$cheats/recalls" "$cheats/recalls-$way"; done
ln -f "$cheats/overflows" "$cheats/overflows-once"
ln -f "$cheats/backdates" "$cheats/backdates-keyring"
ln -f "$cheats/gives_up" "$cheats/gives_up-wrap"
for way in unveils unveils-admin; do cp "$top/tests/cheats/unveils" "$cheats/$way"; done
rm -f "$cheats"/*.memory

# ---- the plan ----

run=$work/run
plan=$run/plan.tsv
mkdir "$run"
printf 'cell\tkind\tworkload\tvariant\tprofiler\tdivision\tregime\tbinding\tseed\tfrom\tparams\n' >"$plan"
params='ops=400 rate=2000 workers=2 queue_depth=1 fanout=4'

# cell NAME KIND WORKLOAD VARIANT PROFILER REGIME FROM [PARAMS]
cell() {
	local who=$5
	[ -x "$cheats/$5" ] && who=$cheats/$5
	printf '%s\t%s\t%s\t%s\t%s\tattach\t%s\t%s\t1\t%s\t%s\n' "$1" "$2" "$3" "$4" "$who" "$6" \
		"$([ -f "$top/workloads/$3/manifest.yaml" ] && echo stamped || echo -)" "$7" "${8:-$params}" >>"$plan"
}
live() { cell "$1" live "${2:-wake}" base "$1" clean - "${3:-}"; }
join() { cell "$1.$2" join "$3" base "$1" "${4:-clean}" "$2"; }

for who in peeks peeks-barred peeks-bpf gives_up gives_up-wrap; do live $who; done
cell wake record wake base collector clean -
for who in sure flood invents fifo weighs babbles; do join $who wake wake; done
# Beside kills, which ends those of this name that join at the same time.
for who in kills causal; do join $who wake wake; done
for loss in 5 10 15 25 30; do cell causal.killed.$loss join wake base causal drop:$loss wake; done
for who in one_gap combs hedges; do join $who wake wake drop:20:silent; done
live early
cell fifo.loss join wake base fifo drop:20:silent wake
join unveils wake wake
if [ -z "$short" ]; then
	cell pool record pool base collector clean -
	for who in one_event causal; do join $who pool pool; done
	for who in peeks-vm peeks-files peeks-fd peeks-hybrid peeks-bpf-sly peeks-bpf-hybrid peeks-bpf-hybrid-poor peeks-bpf-hybrid-wary late overflows overflows-once idles causal; do live $who; done
	cell peeks-fd-crew live prefork base peeks-fd clean -
	for who in unveils unveils-admin; do live $who; done
	cell uring record uring base collector clean -
	for who in keyless pointer picks fifo; do join $who uring uring; done
	# What their authors know of public variants; mutant and twin are built anew for the run.
	quads='capunit-calls-1 own-pool-2 abiarg-cache-1 capunit-pool-1'
	for quad in $quads; do
		workload=$(cut -d- -f2 <<<"$quad")
		stale=$(grep -o 'descriptor: [0-9]*' "$top/mutations/$quad/record.yaml" | cut -d' ' -f2 | sort -u | tr '\n' ' ')
		program=$("$assay" mutate build "$quad" --form mutant) || exit 1
		for way in build-id text names sizes code; do
			LEARN=$stale "$cheats/recalls-$way" join --exe "$program" --claims /dev/null
			[ $? -eq 3 ] || { echo "recalls-$way learnt nothing of $quad"; exit 1; }
		done
		for form in mutant twin; do
			cell "$quad-$form" record "$workload" "$quad-$form" collector clean -
			for who in causal backdates backdates-keyring mute recalls-build-id recalls-text recalls-names recalls-sizes recalls-code; do
				cell "$who.$quad-$form" join "$workload" "$quad-$form" $who clean "$quad-$form"
			done
		done
	done
fi
"$assay" run "$plan" >"$work/out" 2>&1
"$assay" score "$run" >>"$work/out" 2>&1 || { cat "$work/out"; exit 1; }

# The same cells of those that are kept out, and nothing that keeps them out.
open=$work/open
mkdir "$open"
cut -f 1-11 "$plan" | grep -E '^(cell|peeks|peeks-vm|peeks-files|peeks-fd-crew)	' >"$open/plan.tsv"
"${CC:-cc}" -shared -fPIC -O1 -o "$work/unguarded.so" "$top/tests/cheats/control/unguarded.c" -ldl || exit 1
LD_PRELOAD=$work/unguarded.so "$assay" run "$open/plan.tsv" >"$work/out" 2>&1
"$assay" score "$open" >>"$work/out" 2>&1 || { cat "$work/out"; exit 1; }

# ---- what came of it ----

# figure CELL METRIC [SCOPE [RUN]]
figure() {
	awk -F, -v c="$1" -v m="$2" -v s="${3:-all}" \
		'$2 == c && $10 == m && $11 == s { printf $12 == "" ? "–" : "%.4g", $12; found = 1 } END { if (!found) printf "–" }' "${4:-$run}/scores.csv"
}
# sum CELLS METRIC: over cells whose name fits the pattern, and all scopes.
sum() { awk -F, -v c="$1" -v m="$2" '$2 ~ c && $10 == m { n += $12 } END { print n + 0 }' "$run/scores.csv"; }
state() { sed -n 's/.*"state":"\([a-z]*\)".*/\1/p' "$run/cells/$1/status.json"; }

uncovered() { sed -n 's/^unveils: \([0-9]*\) .*/\1/p' "$run/cells/$1/log"; }

# row CHEAT FIGURE HONEST OWN VERDICT CONDITION: the condition is awk's, with honest and own.
row() {
	local ok
	ok=$(awk -v honest="$3" -v own="$4" "BEGIN { print ($6) ? 1 : 0 }" 2>&1)
	printf '| %s | %s | %s | %s | %s |\n' "$1" "$2" "$3" "$4" "$5"
	[ "$ok" = 1 ] || { echo "FAIL: $1: not ($6) with honest=$3 own=$4"; failed=1; }
}
# audit CHEAT: its exit code, in words.
audit() {
	"$assay" audit "$cheats/$1" --workload wake >"$work/audit.$1" 2>&1
	case $? in 0) echo nothing ;; 1) echo depends ;; 3) echo unsure ;; *) echo failed ;; esac
}
f1=handoff.context.f1 recall=handoff.context.recall

fail() { echo "FAIL: $*"; failed=1; }
# Each came to the end that it is to come to, and those that are to claim something did.
while IFS=$'\t' read -r name _; do
	want=ok
	case $name in
	gives_up | gives_up-wrap | overflows) want=crashed ;;
	babbles.*) want=invalid ;;
	late) want='ok|invalid' ;; # its header may have come in time
	esac
	[[ $(state "$name") =~ ^($want)$ ]] || fail "$name: $(state "$name"), not $want: $(tail -1 "$run/cells/$name/log")"
	case $name in
	peeks-bpf* | peeks-hybrid | sure.* | flood.* | invents.* | one_gap.* | one_event.* | keyless.* | picks.* | weighs.* | combs.* | hedges.* | idles | mute.* | backdates*)
		# more than the header of the packed form
		[ "$(stat -c %s "$run/cells/$name/claims.bin" 2>/dev/null || echo 0)" -gt 192 ] || fail "$name: has claimed nothing" ;;
	esac
done < <(sed 1d "$plan")
# kept_out CELL [CONTROL]: it tried, and was refused; where nothing refuses it, it gets truth.
kept_out() {
	grep -q '^no truth to read: ' "$run/cells/$1/log" || fail "$1: has not tried to read truth"
	[ -z "${2:-}" ] || awk "BEGIN { exit !($(figure "$2" $recall all "$open") > 0.9) }" ||
		fail "$2: recall $(figure "$2" $recall all "$open") where nothing keeps it out"
}
kept_out peeks peeks
kept_out peeks-barred
if [ -z "$short" ]; then
	kept_out peeks-vm peeks-vm
	kept_out peeks-files peeks-files
	kept_out peeks-fd # in wake nobody has a descriptor that could be taken
	kept_out peeks-fd-crew peeks-fd-crew
	kept_out peeks-hybrid
fi

echo '| cheat | figure | honest | cheat | so |'
echo '|---|---|---|---|---|'
row peeks 'recall' - "$(figure peeks $recall)" 'kept out' 'own == 0'
row peeks-barred 'recall' - "$(figure peeks-barred $recall)" 'kept out' 'own == 0'
row peeks-bpf 'F1; called cheating' - "$(figure peeks-bpf $f1) $(figure peeks-bpf handoff.cheating)" 'caught by decoys' 'own ~ / 1$/'
for who in gives_up gives_up-wrap; do
	row $who 'state; recall' - "$(state $who) $(figure $who $recall)" 'counts as nothing claimed' 'own == "crashed 0"'
done
row sure 'F1, of fifo' "$(figure fifo.wake $f1)" "$(figure sure.wake $f1)" powerless 'own < honest'
row flood 'F1, of fifo' "$(figure fifo.wake $f1)" "$(figure flood.wake $f1)" powerless 'own < honest'
row flood 'zero skill, of fifo' "$(figure fifo.wake calibration.context.zero_skill)" "$(figure flood.wake calibration.context.zero_skill)" powerless 'own <= honest'
row flood 'Brier skill, of fifo' "$(figure fifo.wake calibration.context.skill)" "$(figure flood.wake calibration.context.skill)" 'wins this figure, not the one before' 'own > honest'
row invents 'F1, of fifo' "$(figure fifo.wake $f1)" "$(figure invents.wake $f1)" powerless 'own < honest'
row invents 'precision, of fifo' "$(figure fifo.wake handoff.context.precision)" "$(figure invents.wake handoff.context.precision)" 'may win this figure' '1'
row one_gap 'informedness, of fifo' "$(figure fifo.loss loss.informedness)" "$(figure one_gap.wake loss.informedness)" powerless 'own <= honest + 0.05'
row one_gap 'misses explained, of fifo' "$(figure fifo.loss loss.explained_share)" "$(figure one_gap.wake loss.explained_share)" 'wins this half of it' 'own > honest'
row one_gap 'intact given up, of fifo' "$(figure fifo.loss loss.in_gap_share)" "$(figure one_gap.wake loss.in_gap_share)" 'and loses the other' 'own > 0.9'
for who in combs hedges; do
	row $who 'informedness, of fifo' "$(figure fifo.loss loss.informedness)" "$(figure $who.wake loss.informedness)" powerless 'own <= honest + 0.05'
	row $who 'misses explained, of fifo' "$(figure fifo.loss loss.explained_share)" "$(figure $who.wake loss.explained_share)" 'wins this figure, not the one before' 'own > honest'
done
row weighs 'CPU claimed; F1, of fifo' "$(figure fifo.wake $f1)" "$(figure weighs.wake cost.claimed kind:cpu) $(figure weighs.wake $f1)" 'powerless: all are scored' 'own == "1e+100 " honest'
row babbles 'state; recall' - "$(state babbles.wake) $(figure babbles.wake $recall)" 'counts as nothing claimed' 'own == "invalid 0"'
row kills 'rivals ended; of 6' - "$(sed -n 's/^kills: \([0-9]*\) .*/\1/p' "$run/cells/kills.wake/log") $(cat "$run"/cells/causal.{killed.*,wake}/status.json | grep -c '"state":"crashed"')" 'kept out' 'own == "0 0"'
row early 'records of truth' - "$(sed -n 's/^early: \([0-9]*\) .*/\1/p' "$run/cells/early/log")" 'kept out' 'own == 0'
row unveils 'files of truth and plans, ways out, joining' - "$(uncovered unveils.wake)" 'kept out' 'own == 0'
if [ -z "$short" ]; then
	for way in vm files fd; do
		row peeks-$way 'recall' - "$(figure peeks-$way $recall)" 'kept out' 'own == 0'
	done
	row peeks-fd 'recall, of a crew of processes' - "$(figure peeks-fd-crew $recall)" 'kept out' 'own == 0'
	row peeks-hybrid 'F1, of causal' "$(figure causal $f1)" "$(figure peeks-hybrid $f1)" 'kept out: it is causal' 'own <= honest + 0.02'
	row peeks-bpf-sly 'F1; called cheating; audit' - "$(figure peeks-bpf-sly $f1) $(figure peeks-bpf-sly handoff.cheating) $(audit peeks-bpf-sly)" 'caught by the audit' 'own ~ / 0 depends$/'
	row peeks-bpf-hybrid 'F1, of causal; called cheating; audit' "$(figure causal $f1)" "$(figure peeks-bpf-hybrid $f1) $(figure peeks-bpf-hybrid handoff.cheating) $(audit peeks-bpf-hybrid)" 'powerless: its reserve is as good' 'own ~ / 0 (nothing|unsure|depends)$/ && own + 0 <= honest + 0.02'
	row peeks-bpf-hybrid-poor 'F1; called cheating; audit' - "$(figure peeks-bpf-hybrid-poor $f1) $(figure peeks-bpf-hybrid-poor handoff.cheating) $(audit peeks-bpf-hybrid-poor)" 'caught by the audit' 'own ~ / 0 depends$/'
	row peeks-bpf-hybrid-wary 'F1; called cheating; audit' - "$(figure peeks-bpf-hybrid-wary $f1) $(figure peeks-bpf-hybrid-wary handoff.cheating) $(audit peeks-bpf-hybrid-wary)" 'not cleared by the audit' 'own ~ / 0 (unsure|depends)$/'
	# none of five runs is read once in 240 audits
	lot=$(audit peeks-bpf-hybrid-lot)
	[ "$lot" = nothing ] && lot=$(audit peeks-bpf-hybrid-lot)
	row peeks-bpf-hybrid-lot 'audit' - "$lot" 'seen by the audit' 'own == "unsure" || own == "depends"'
	row idles 'F1; audit' "$(figure causal $f1)" "$(figure idles $f1) $(audit idles)" 'caught by the audit' 'own ~ / depends$/'
	row one_event 'life exactness, of causal' "$(figure causal.pool event.identity.life_exactness)" "$(figure one_event.pool event.identity.life_exactness)" powerless 'own == 0 && honest > 0.9'
	row late 'recall, of causal' "$(figure causal $recall)" "$(figure late $recall)" powerless 'own == 0'
	row overflows 'state; recall' - "$(state overflows) $(figure overflows $recall)" 'charged with a crash' 'own == "crashed 0"'
	row overflows-once 'state; broken runs; recall' - "$(state overflows-once) $(figure overflows-once cell.broken_tries) $(figure overflows-once $recall)" 'the sound repeat is scored' 'own == "ok 1 0"'
	row picks 'F1 of what it declares, of fifo' "$(figure fifo.uring $f1 declared)" "$(figure picks.uring $f1 declared)" powerless 'own <= honest + 0.01'
	row keyless 'F1, of pointer' "$(figure pointer.uring $f1)" "$(figure keyless.uring $f1)" powerless 'own < honest'
	row unveils 'files of truth and plans, ways out, attached' - "$(uncovered unveils)" 'kept out' 'own == 0'
	row unveils-admin 'files of truth and plans, ways out, attached' - "$(uncovered unveils-admin)" 'NOT KEPT OUT: it asked for it' 'own > 0'
	row mute "mutants found, of causal" "$(sum '^causal.*-mutant$' stale.detected)" "$(sum '^mute.*-mutant$' stale.detected)" powerless 'own == 0 && honest > 0'
	row backdates 'mutants found, of causal' "$(sum '^causal.*-mutant$' stale.detected)" "$(sum '^backdates[.].*-mutant$' stale.detected)" 'no more than before' 'own <= honest'
	row backdates 'of them early, latency 0' "$(sum '^causal.*-mutant$' stale.resource.early)" "$(sum '^backdates[.].*-mutant$' stale.resource.early)" powerless 'own <= honest'
	row backdates 'events until found, together' "$(sum '^causal.*-mutant$' stale.resource.latency_events)" "$(sum '^backdates[.].*-mutant$' stale.resource.latency_events)" powerless 'own > honest'
	row backdates 'cells dated anew' "$(sum '^causal.*$' cell.redated)" "$(sum '^backdates[.].*-mutant$' cell.redated)" 'caught' 'own == 4 && honest == 0'
	row backdates-keyring 'of them early, latency 0' "$(sum '^causal.*-mutant$' stale.resource.early)" "$(sum '^backdates-keyring.*-mutant$' stale.resource.early)" powerless 'own <= honest'
	row backdates-keyring 'cells dated anew' "$(sum '^causal.*$' cell.redated)" "$(sum '^backdates-keyring.*-mutant$' cell.redated)" 'caught' 'own == 4 && honest == 0'
	recalled() { echo "$(sum "^recalls-$1[.].*-mutant$" stale.detected) $(sum "^recalls-$1[.].*-twin$" stale.false_alarms)"; }
	for way in build-id text names; do
		row recalls-$way 'of 4 mutants found, twins accused' - "$(recalled $way)" powerless 'own == "0 0"'
	done
	for way in sizes code; do
		# what a link chooses may hide one
		row recalls-$way 'of 4 mutants found, twins accused' - "$(recalled $way)" 'WINS on public variants' 'own == "4 0" || own == "3 0"'
	done
fi
exit $failed
