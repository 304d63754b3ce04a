#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The profilers and the joiner of docs/adapter.md, and perf's: they keep the contract and see what the page says.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
assay=$build/assay
examples=$top/docs/examples/adapter
[ -x "$assay" ] || { echo "not built: $assay"; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "they attach: this needs root"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() { echo "FAIL: $*"; failed=1; }

# tested PROFILER: it keeps the contract and finds at least a quarter of the wake-ups of pipeline.
tested() {
	"$assay" profiler test "$1" >out 2>&1 || fail "$1: exit code $?: $(cat out)"
	grep -q 'the times are CLOCK_MONOTONIC' out || fail "$1: its clock was not proven: $(cat out)"
	awk '/handoff:wake: /{
		for (i = 1; i < NF; i++) if ($i == "of" && !all) { found = $(i - 1); all = $(i + 1) }
	} END { exit !(all > 0 && 4 * found > all) }' out || fail "too little was found: $(cat out)"
}

cc -O2 -Wall -Wextra -Werror -o wakes "$examples/wakes.c" || fail "wakes.c does not compile"
tested ./wakes
if command -v bpftrace >/dev/null; then
	tested "$examples/wakes.sh"
	"$assay" bench smoke --workload timers --alone --profiler "$examples/timers.sh" >out 2>&1
	awk '$1 == "timers.sh" { good = $3 > 0.99 && $4 > 0.3 } END { exit !good }' out ||
		fail "timers.sh: POSIX timers were not found: $(cat out)"
else
	echo "bpftrace is not installed: its example was not tested"
fi
if command -v python3 >/dev/null; then
	sed "s|../../../build/assay|$assay|" "$examples/woken.py" >woken.py && chmod +x woken.py
	tested ./woken.py
else
	echo "python3 is not installed: the example of a joiner was not tested"
fi
if command -v perf >/dev/null; then
	tested perf
else
	echo "perf is not installed: its adapter was not tested"
fi

[ $failed -eq 0 ] && echo "the examples keep the contract"
exit $failed
