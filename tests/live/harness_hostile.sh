#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Profilers that hang, crash, flood, ignore, fork and lie: each costs its own cell only.
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
# Whatever this run makes under names that all of the machine sees has its own.
nap=9876543$$ mine=assay-litter-$$ probe=assay_litter_$$

# profiler NAME NEEDS BODY: a script of the adapter contract; BODY runs after the options are read.
profiler() {
	cat >"$work/$1" <<SCRIPT
#!/bin/sh
if [ "\$1" = describe ]; then
	echo '{"name":"$1","version":"1","division":"attach","launch":["attach"],"declares":["handoff:io"],"needs":[$2]}'
	exit 0
fi
while [ \$# -gt 0 ]; do
	case \$1 in --pid) pid=\$2 ;; --claims) claims=\$2 ;; --exe) exe=\$2 ;; esac
	shift
done
header() { echo '{"claims":1,"profiler":"$1","version":"1","clock":"monotonic","declares":["handoff:io"]}'; }
ready() { printf x >&3; exec 3>&-; }
forever() { while :; do sleep 0.05; done; }
$3
SCRIPT
	chmod +x "$work/$1"
}
polite='trap "header >\$claims; exit 0" INT; ready; forever'

profiler good '' "$polite"
profiler never_ready '' 'forever'
profiler closes_ready '' 'exec 3>&-; forever'
profiler ends_early '' 'exit 3'
profiler crashes '' 'ready; kill -SEGV $$'
profiler leaves '' 'ready; header >$claims; exit 0'
profiler late_77 '' 'exit 77'
profiler ignores '' 'trap "" INT; ready; forever'
profiler stops '' 'ready; kill -STOP $$; forever'
profiler floods '' 'trap "header >\$claims; yes >>\$claims; exit 1" INT; ready; forever'
profiler floods_log '' 'ready; yes'
profiler malformed '' 'trap "header >\$claims; echo \"{\\\"c\\\":\\\"nothing\\\"}\" >>\$claims; exit 0" INT; ready; forever'
profiler empty '' 'trap ": >\$claims; exit 0" INT; ready; forever'
profiler no_claims '' 'trap "exit 0" INT; ready; forever'
profiler fifo_claims '' 'trap "mkfifo \$claims; exit 0" INT; ready; forever'
profiler link_claims '' 'trap "ln -s /etc/passwd \$claims; exit 0" INT; ready; forever'
profiler fails_drain '' 'trap "header >\$claims; exit 9" INT; ready; forever'
profiler children '' "setsid sh -c 'setsid sleep $nap & setsid sleep $nap &' & $polite"
# What it makes under global names, as root: gone with it, and said.
profiler litters '"admin"' 'mkdir /sys/kernel/tracing/instances/'$mine'; echo "p:'$probe'/sh /bin/sh:0x100" >>/sys/kernel/tracing/uprobe_events; bpftool map create /sys/fs/bpf/'$mine' type array key 4 value 4 entries 1 name litter; mkdir -p mnt; mount -t tmpfs '$mine' mnt; '"$polite"
profiler kills '' 'trap "exit 0" INT; ready; sleep 0.02; kill -KILL $pid; forever'
profiler needy '"no-such-program-here"' "$polite"
profiler snoops '' 'ls /proc/self/fd | wc -l; env | grep -c ASSAY_SECRET; pwd; '"$polite"
# The plan and the truth of other cells, by their names and by way of the workload.
profiler peeks '"ptrace"' 'run='"$work/run"'; echo "peeks: $(cat $run/plan.tsv /proc/$pid/root$run/plan.tsv | wc -c) bytes," \
	"$(ls -d $run/cells/* /proc/$pid/cwd/../../cells/* $run/work/*/settings $run/work/*/log | wc -l) names," \
	"$(ls -d $run/work/* | wc -l) folders, $([ -x "$exe" ] && cmp $exe /proc/$pid/exe && echo its program)"; '"$polite"
# What another process holds: the workload's memory and descriptors, the harness's. One that says so may look.
look='for p in $pid $PPID; do (: </proc/$p/mem) && echo "opened memory"; readlink /proc/$p/exe /proc/$p/fd/*; done >looks; echo "looks: $(wc -l <looks) things"'
profiler looks '' "$look; $polite"
profiler may_look '"ptrace"' "$look; $polite"
printf '#!/bin/sh\n' >"$work/not_executable"
printf 'hello\n' >"$work/no_format"
chmod +x "$work/no_format"
profiler mute '' 'exit 0'
printf '#!/bin/sh\nexec sleep %s\n' "$nap" >"$work/mute_describe"
chmod +x "$work/mute_describe"

litter=
[ "$(id -u)" -eq 0 ] && [ -w /sys/kernel/tracing/instances ] && litter='1.tracefs.instance.and.1.dynamic.probe'
# name expected-state words-in-the-reason
cases="litters ok $litter
good ok
never_ready timeout ready
closes_ready timeout ready
ends_early crashed code.3
crashes crashed signal.11
leaves crashed before.it.was.told
late_77 crashed code.77
ignores timeout SIGINT
stops timeout SIGINT
floods crashed larger|code
floods_log crashed larger
malformed invalid :2:
empty invalid .
no_claims invalid no.claims
fifo_claims invalid plain
link_claims invalid plain
fails_drain crashed code.9
children ok process
kills crashed 3.of.3
needy unsupported no-such-program
snoops ok
peeks ok
looks ok
may_look ok
not_executable crashed executed
no_format crashed executed
mute crashed ready
mute_describe crashed describe|time"

plan=$work/run/plan.tsv
mkdir -p "$work/run"
printf 'cell\tkind\tworkload\tvariant\tprofiler\tdivision\tregime\tbinding\tseed\tfrom\tparams\n' >"$plan"
while read -r name _; do
	printf '%s\tlive\twake\tbase\t%s\tattach\tclean\t-\t1\t-\tops=100 rate=1000\n' \
		"$name" "$work/$name" >>"$plan"
done <<<"$cases"
# Not the profiler's fault: a truth log that is too small breaks the run with and without it.
printf 'small_log\tlive\twake\tbase\t%s\tattach\tclean\t-\t1\t-\tops=100 rate=1000 records=64\n' \
	"$work/good" >>"$plan"
cases="$cases
small_log broken full|log"

# Another run on the machine goes first; what it makes meanwhile is not taken for anybody's here.
theirs=/sys/kernel/tracing/instances/assay-theirs-$$
[ -z "$litter" ] || { exec 9</sys/kernel/tracing && flock 9; }
ASSAY_SECRET=1 timeout 240 "$assay" run "$plan" --time-limit 4s --file-limit 1M >"$work/out" 2>&1 9<&- &
run=$!
# until_run COMMAND…: while the run is there.
until_run() {
	until "$@"; do
		kill -0 $run 2>/dev/null || return
		sleep 0.05
	done
}
waits() { grep -qs 'waiting for its end' "$work"/run/work/*/log; }
if [ -n "$litter" ]; then
	until_run waits || fail "the run did not wait for another"
	mkdir "$theirs"
	exec 9<&-
	until_run test -e "$work/run/cells/litters/status.json"
	rmdir "$theirs" || fail "what another run made was removed"
fi
wait $run
code=$?
[ $code -eq 4 ] || { fail "exit code $code, not 4"; cat "$work/out"; }

planned=0
while read -r name state why; do
	planned=$((planned + 1))
	status=$work/run/cells/$name/status.json
	got=$(sed -n 's/.*"state":"\([a-z]*\)".*/\1/p' "$status" 2>/dev/null)
	reason=$(sed -n 's/.*"reason":"\(.*\)","cure".*/\1/p' "$status" 2>/dev/null)
	[ "$got" = "$state" ] || fail "$name is ${got:-without a state}, not $state: $reason"
	[ -z "$why" ] || grep -Eq "$(printf %s "$why" | tr . ' ')" <<<"$reason" ||
		[ "$why" = . ] || fail "$name: the reason says nothing of '$why': $reason"
	# What was not accepted must not be taken for a result.
	[ "$state" = ok ] || [ ! -e "$work/run/cells/$name/claims.bin" ] || fail "$name left claims.bin"
done <<<"$cases"

total=$(sed -n 's/^\([0-9]*\) cells.*/\1/p' "$work/out")
sum=$(sed -n 's/^[0-9]* cells: //p' "$work/out" | tr ',' '\n' | awk '{s += $1} END {print s}')
[ "$total" = $planned ] && [ "$sum" = $planned ] || fail "planned $planned, reported $total, sum $sum"

if pgrep -f "sleep $nap" >/dev/null; then fail "children were left behind"; fi
for left in "/sys/kernel/tracing/instances/$mine" "/sys/fs/bpf/$mine"; do
	[ -e "$left" ] && fail "$left was left behind"
done
grep -q "$probe" /sys/kernel/tracing/dynamic_events 2>/dev/null && fail "a probe was left behind"
grep -q "$mine" /proc/self/mounts && fail "a mount was left behind"
[ -e "$work/run/work" ] && fail "the working folders were left behind"

# No descriptor but the four, no variable of ours, a folder that holds no truth.
log=$(cat "$work/run/cells/snoops/log")
grep -qx '5' <<<"$log" || fail "snoops saw other descriptors: $log"
grep -qx '0' <<<"$log" || fail "snoops saw the harness's environment"

if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	grep -q 'peeks: 0 bytes, 0 names, 3 folders, its program$' "$work/run/cells/peeks/log" ||
		fail "peeks saw what it must not, or not what it needs: $(cat "$work/run/cells/peeks/log")"
fi

if [ "$(id -u)" -eq 0 ]; then
	grep -q 'looks: 0 things$' "$work/run/cells/looks/log" || fail "looks saw other processes: $(cat "$work/run/cells/looks/log")"
	grep -q 'looks: [1-9][0-9]* things$' "$work/run/cells/may_look/log" ||
		fail "may_look was kept out: $(cat "$work/run/cells/may_look/log")"
fi

# Everything that ended badly counts as nothing claimed, and says so.
"$assay" score "$work/run" >/dev/null || fail "the run cannot be scored"
csv=$work/run/scores.csv
grep ',small_log,' "$csv" | grep -q ',cell.scored,all,0,,,1,broken$' || fail "a broken run has a score"
for name in crashes ignores malformed; do
	line=$(grep ",$name,wake," "$csv" | grep ',handoff.context.recall,all,')
	grep -Eq ',0(\.0*)?,,,[1-9][0-9]*,(crashed|timeout|invalid)$' <<<"$line" ||
		fail "$name has no recall 0 in scores.csv: $line"
done
# Why a cell has no claims: the exit code says how it ended.
for end in needy:77 crashes:1 small_log:4; do
	"$assay" explain "${end%:*}" --run "$work/run" >/dev/null 2>&1
	code=$?
	[ $code -eq "${end#*:}" ] || fail "explain ${end%:*} ends with $code"
done
grep ',needy,' "$csv" | grep -q ',unsupported$' || fail "needy is not in scores.csv"
[ $failed -eq 0 ] && echo "$planned profilers, each cost its own cell only"
exit $failed
