#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# assay profiler test: a profiler that is wrong in one way is told which, and one that is right is not.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
assay=$build/assay
causal=$build/profilers/causal/causal
[ -x "$assay" ] && [ -x "$causal" ] || { echo "not built: $assay"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() { echo "FAIL: $*"; failed=1; }

# mine NAME DESCRIBE FILTER: causal's joins, through a filter that makes them wrong.
mine() {
	cat >"$1" <<SCRIPT
#!/bin/sh
if [ "\$1" = describe ]; then
	echo '$2'
	exit 0
fi
for word; do
	[ "\$last" = --claims ] && claims=\$word
	last=\$word
done
"$causal" "\$@" || exit
perl -i -pe '$3' "\$claims"
SCRIPT
	chmod +x "$1"
}
joiner='{"name":"mine","version":"1","division":"none","launch":["join"],"declares":["handoff:io","handoff:wake"],"needs":[]}'
declared='if ($. == 1) { s/"declares":\[.*?\]/"declares":["handoff:io","handoff:wake"]/ }'

# told WANTED EXIT PROFILER: the test says so and exits so.
told() {
	local code
	"$assay" profiler test "./$3" --time-limit 3s --keep kept >out 2>&1
	code=$?
	[ $code -eq "$2" ] || fail "$3: exit code $code: $(cat out)"
	grep -Eq "$1" out || fail "$3 is not told '$1': $(cat out)"
}

# what it does not declare is left out
mine right "$joiner" "$declared; \$_ = \"\" if /\"c\":\"profile\"|\"type\":\"msg\"/"
told 'It keeps the contract' 0 right
grep -Eq 'WRONG|note' out && fail "a right one is blamed: $(cat out)"

mine late "$joiner" "$declared; s/\"t\":(\\d+)/qq{\"t\":}.(\$1+2000000)/ge"
told 'WRONG +join wake: the times are off by one and the same \+0\.00(19|20)' 1 late
mine micro "$joiner" "$declared; s/\"t\":(\\d+)/qq{\"t\":}.int(\$1\/1000)/ge"
told 'WRONG +join wake: the times are those of the run, but in microseconds' 1 micro
mine pids "$joiner" "$declared; s/\"tid\":\\d+/\"tid\":1/g"
told 'WRONG +join wake: [0-9]+ of [0-9]+ ends are on threads that are not' 1 pids
mine keys "$joiner" "$declared; s/\"v\":\"?[0-9a-fx]+\"?/\"v\":\"0x1\"/g"
told 'WRONG +join wake: handoff:wake: the keys of ([0-9]+) of \1 claims' 1 keys
"$assay" explain --truth kept/join-wake/truth.bin --claims kept/join-wake/claims.bin 1 | grep -q 'keys differ' ||
	fail "what was kept cannot be explained"
mine more "$joiner" "$declared; s/\"type\":\"wake\"/\"type\":\"msg\"/"
told 'note +join wake: it claims what it does not declare.*handoff:msg' 0 more
mine differs "$joiner" ''
told 'WRONG +join wake: the header of the claims declares what describe does not: .*event' 1 differs
mine moody "$joiner" "$declared; BEGIN { \$drawn = 2 + int rand 1000 } \$_ = \"\" if \$. == \$drawn"
told 'note +join wake: the same evidence gave other claims' 0 moody
mine broken "$joiner" 's/"t":/"t":-/'
told 'WRONG +join wake: invalid: claims.rejected:2: ' 1 broken
grep -Eq 'the line: \{"c":"handoff".*"t":-' out || fail "the line is not shown: $(cat out)"
mine none "${joiner/\[\"join\"\]/[]}" ''
told 'WRONG +describe: "launch" is none of' 1 none
mine needy "${joiner/\"needs\":\[\]/\"needs\":[\"no-such-program\"]}" "$declared"
told 'unsupported: needs the program no-such-program, which is not on PATH' 77 needy
mine rightless "${joiner/\"needs\":\[\]/\"needs\":[\"bpf\",\"uprobe_multi\"]}" "$declared"
told 'It keeps the contract' 0 rightless # joins need no rights

# What attaches, where that can be tried.
attacher='{"name":"mine","version":"1","division":"attach","launch":["attach"],"declares":["handoff:wake"],"needs":["root"]}'
cat >deaf <<SCRIPT
#!/bin/sh
[ "\$1" = describe ] && { echo '$attacher'; exit 0; }
trap '' INT
printf x >&3
while :; do sleep 0.1; done
SCRIPT
cat >shy <<SCRIPT
#!/bin/sh
[ "\$1" = describe ] && { echo '$attacher'; exit 0; }
while :; do sleep 0.1; done
SCRIPT
cat >empty <<SCRIPT
#!/bin/sh
[ "\$1" = describe ] && { echo '$attacher'; exit 0; }
while [ "\$1" != --claims ]; do shift; done
trap ': >"\$2"; exit 0' INT
printf x >&3
while :; do sleep 0.02; done
SCRIPT
cat >chatty <<SCRIPT
#!/bin/sh
[ "\$1" = describe ] && { echo '${attacher/attach\"],/env\"],}'; exit 0; }
echo hello
SCRIPT
cat >idle <<SCRIPT
#!/bin/sh
[ "\$1" = describe ] && { echo '${attacher/attach\"],/wrap\"],}'; exit 0; }
SCRIPT
sed 's/"root"/"no-such-program"/' deaf >lacking
cat >hasty <<SCRIPT
#!/bin/sh
[ "\$1" = describe ] && { echo '$attacher'; exit 0; }
printf x >&3
SCRIPT
cat >babble <<SCRIPT
#!/bin/sh
[ "\$1" = describe ] && { echo '$attacher'; exit 0; }
while [ "\$1" != --claims ]; do shift; done
trap 'echo "not JSON at all" >"\$2"; exit 0' INT
sleep 1000 &
printf x >&3
while :; do sleep 0.02; done
SCRIPT
echo '{"claims":1,"profiler":"mine","version":"1","clock":"monotonic","declares":["handoff:wake"]}' >header
sed "s|echo \"not JSON at all\"|cat $work/header|" babble >leaves
chmod +x deaf shy empty lacking chatty idle hasty babble leaves
told 'skipped +run: it needs the program no-such-program' 77 lacking
if [ "$(id -u)" -eq 0 ]; then
	# What it costs: counted, paired, and seen from outside.
	"$assay" overhead causal --workload calls --pairs 2 --closed 0 --ms 100 --json >out 2>&1 ||
		fail "overhead: exit code $?: $(cat out)"
	jq -es 'map({key: "\(.metric) \(.scope)", value}) | from_entries |
		.["overhead.cpu_plain all"] > 0 and .["overhead.cpu_added_mde all"] > 0 and
		.["overhead.counted all"] > .["overhead.counted profiler"] and
		.["overhead.counted entering"] > 0 and .["overhead.hits uprobe-nop"] > 1 and
		.["overhead.ring_bytes all"] > 0 and .["overhead.sites_share all"] == 1 and
		.["overhead.uncounted all"] == 0 and .["overhead.claims all"] > 0' out >/dev/null || fail "overhead says: $(cat out)"
	told 'WRONG +run pipeline: timeout: it did not end in time after SIGINT' 1 deaf
	told 'WRONG +run pipeline: timeout: it was not ready in time' 1 shy
	told 'WRONG +run pipeline: invalid: ' 1 empty
	told 'WRONG +run pipeline: crashed: it ended before it was told to drain: exit code 0' 1 hasty
	grep -q 'try: wait for SIGINT' out || fail "who does not wait is not told to: $(cat out)"
	told 'the line: not JSON at all' 1 babble
	told 'note +run pipeline: it left behind, and that was removed: 1 process .sleep' 0 leaves
	# Somebody else's profiler is waited for, and that is nothing that this one said.
	flock /sys/kernel/tracing sleep 3 &
	told 'WRONG +run pipeline: invalid: ' 1 babble
	grep -q 'it said' out && fail "words of assay's own are called the profiler's: $(cat out)"
	wait
	told 'WRONG +env pipeline: crashed: line 1 of what env printed is no variable: hello' 1 chatty
	told 'WRONG +wrap pipeline: crashed: it ended before it started what stands behind --' 1 idle
else
	told 'skipped +run: it needs root' 77 deaf
fi

[ $failed -eq 0 ] && echo "each wrong profiler is told what is wrong with it"
exit $failed
