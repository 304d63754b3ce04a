#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Certificates: a true record passes and is not looked at again, one that lies fails at its step.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
assay=$build/assay
[ -x "$assay" ] && [ -x "$build/workloads/uring/uring" ] || { echo "not built: $assay"; exit 77; }
command -v patch >/dev/null && command -v clang >/dev/null || { echo "no patch or clang"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

mkdir -p "$work/src/mutations" "$work/src/groundtruth" "$work/src/workloads"
cp -r "$top/workloads/uring" "$top/workloads/driver" "$work/src/workloads/"
cp "$top/groundtruth/"{log,recorder,recorder_channel,recorder_thread}.h "$work/src/groundtruth/"
cp -r "$top/lib" "$work/src/"
cp "$top/mutations/module.mk" "$work/src/mutations/"
cp -r "$top/mutations/handoff-uring-1" "$work/src/mutations/test-uring-1"
record=$work/src/mutations/test-uring-1/record.yaml
sed -i -e 's/^id: .*/id: test-uring-1/' -e '$a compilers: [gcc]' "$record"
verify() { "$assay" mutate verify "$@" -k 1 --source "$work/src" >"$work/out" 2>&1; }

verify || fail "a true record: $(cat "$work/out")"
grep -q '^certified *1 ' "$work/out" || fail "no funnel: $(cat "$work/out")"
verify --changed && grep -q 'unchanged, not run again' "$work/out" || fail "it was run again: $(cat "$work/out")"
"$assay" mutate list --source "$work/src" | grep -q 'test-uring-1 .*certified' || fail "the list does not say so"

list=$work/src/mutations/witnessed.list
verify --freeze && grep -q '^frozen *0 ' "$work/out" && [ -s "$list" ] || fail "nothing was frozen: $(cat "$work/out")"
echo 'test-uring-1 HANDOFF uring -' >>"$list"
verify --changed
[ $? -eq 1 ] && grep -q 'FAIL test-uring-1 *frozen:' "$work/out" || fail "it agrees with a wrong list: $(cat "$work/out")"
# Of those that are named the lines are written, or go; the others stay.
echo 'another-uring-1 HANDOFF uring -' >>"$list"
verify --changed --freeze test-uring-1 || fail "one cannot be frozen: $(cat "$work/out")"
grep -v '^#' "$list" | diff - <(echo 'another-uring-1 HANDOFF uring -') || fail "freezing one changed others"
rm "$list"

lie() { # sed script, step that has to fail
	cp "$record" "$work/true.yaml"
	sed -i "$1" "$record"
	verify --changed
	[ $? -eq 1 ] && grep -q "FAIL test-uring-1 *$2:" "$work/out" || fail "'$1' did not fail at $2: $(cat "$work/out")"
	cp "$work/true.yaml" "$record"
}
lie 's/way: more/way: fewer/' canon
lie 's/reached: .*/reached: {handoff: work}/' reached
lie 's/^twin: .*/twin: {patch: mutant.patch}/' code
lie '/^changes:/,+1d' canon

[ $failed -eq 0 ] && echo "true records are certified, lies fail where they lie"
exit $failed
