#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Variants are built, salted and silent; patches that touch truth, or nothing, are refused.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
assay=$build/assay
[ -x "$assay" ] && [ -f "$build/lib/libassay.a" ] || { echo "not built: $assay"; exit 77; }
command -v patch >/dev/null && command -v clang >/dev/null || { echo "no patch or clang"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

# A tree of sources with mutations of our own.
mkdir -p "$work/src/mutations" "$work/src/groundtruth" "$work/src/workloads"
cp -r "$top/workloads/uring" "$top/workloads/driver" "$work/src/workloads/"
cp "$top/groundtruth/"{log,recorder,recorder_channel,recorder_thread}.h "$work/src/groundtruth/"
cp -r "$top/lib" "$work/src/"
cp "$top/mutations/module.mk" "$work/src/mutations/"
mutate() { "$assay" mutate "$@" --source "$work/src"; }

# $1 id, $2 canon; a patch of the mutant on stdin
record() {
	mkdir -p "$work/src/mutations/$1"
	cat >"$work/src/mutations/$1/mutant.patch"
	cat >"$work/src/mutations/$1/record.yaml" <<-END
		mutation: 1
		id: $1
		class: HANDOFF
		kind: patch
		workloads: [uring]
		what: a test
		naive: none
		mutant: {patch: mutant.patch}
		twin: {flags: [-falign-functions=32]}
		canon: $2
		witness: none
		reached: {handoff: io}
	END
}
# The patch that sed makes of a file.
edit() { # FILE SCRIPT
	sed "$2" "$work/src/$1" | diff -u --label "a/$1" --label "b/$1" "$work/src/$1" -
}

edit workloads/uring/entries.c '0,/^{$/s//{\n\tif (!sv)\n\t\treturn 0;/' | record plain equal
one=$(mutate build plain --salt 5) || fail "the plain mutant was not built"
[ -x "$one" ] || fail "'$one' is no program"
"$one" describe | grep -q '"name":"uring"' || fail "it is no uring"
case ${one#"$build"} in *plain* | *mutant*) fail "its path tells: $one" ;; esac
[ "$(mutate build plain --salt 5)" = "$one" ] || fail "the same salt gave another program"
other=$(mutate build plain --salt 6)
[ "$other" != "$one" ] && ! cmp -s "$one" "$other" || fail "another salt gave the same program"
[ "$(nm "$one" | grep -c ' T ')" -gt 20 ] || fail "it has no symbols"
first=$(mutate build plain) && second=$(mutate build plain) && ! cmp -s "$first" "$second" ||
	fail "two secret salts gave the same program"
for cc in gcc clang; do
	for form in base mutant twin; do
		mutate build plain --form $form --cc $cc --opt O0 --salt 5 >/dev/null || fail "$form, $cc"
	done
done

refused() { # id, word of the reason
	out=$(mutate build "$1" 2>&1)
	code=$?
	[ $code -eq 1 ] && grep -q "$2" <<<"$out" && grep -q 'try:' <<<"$out" || fail "$1: exit $code: $out"
}
edit workloads/driver/burn.c '1s/$/ \/* more *\//' | record driver equal
refused driver 'touches a line that records'
edit workloads/uring/uring.c '/recorder_spare/,+1d' | record truth equal
refused truth 'touches a line that records'
edit workloads/uring/uring.c 's/raise_files();/raise_files(); recorder_keys(NULL, 0);/' | record added equal
refused added 'touches a line that records'
edit workloads/uring/entries.c 's/zzz/y/' | record empty equal
refused empty 'changes nothing'
edit workloads/uring/entries.c '1s/$/ \/* x *\//' | sed 's/#include/#exclude/' | record stale equal
refused stale 'does not apply'
edit workloads/uring/entries.c '$s/$/\nint twice twice;/' | record broken equal
refused broken 'error'

# Semantic patches; where spatch is not there nothing is claimed of them.
semantic() { # id; a semantic patch on stdin
	record "$1" equal
	mv "$work/src/mutations/$1/mutant.patch" "$work/src/mutations/$1/mutant.cocci"
	sed -i 's/mutant\.patch/mutant.cocci/' "$work/src/mutations/$1/record.yaml"
}
printf '@@\nexpression s;\n@@\n- s->waiting++;\n+ s->waiting += 1 + (s->waiting > 99);\n' | semantic twofold
printf '@@\n@@\n- recorder_spare(...);\n' | semantic silent
printf '@@\n@@\n- no_such_call();\n' | semantic idle
printf '@@ wrong\n- f();\n' | semantic unread
if command -v spatch >/dev/null; then
	two=$(mutate build twofold --salt 5) && [ -x "$two" ] && ! cmp -s "$two" "$(mutate build twofold --form base --salt 5)" ||
		fail "the semantic patch was not applied"
	refused silent 'touches a line that records'
	refused idle 'changes nothing'
	refused unread 'does not apply'
else
	echo "note: no spatch here: semantic patches are not tried"
fi
mkdir "$work/bin"
for tool in gcc clang patch; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
PATH=$work/bin "$assay" mutate verify twofold --source "$work/src" >"$work/out" 2>&1
code=$?
[ $code -eq 77 ] && grep -q 'left twofold .*spatch.*apt-get install coccinelle' "$work/out" ||
	fail "without spatch: exit $code: $(cat "$work/out")"

mutate build nothing >/dev/null 2>"$work/err"
[ $? -eq 2 ] && grep -q 'no mutation is called' "$work/err" || fail "an unknown id: $(cat "$work/err")"
printf 'mutation: 1\nid: plain\nclas: NULL\n' >"$work/src/mutations/plain/record.yaml"
mutate build plain >/dev/null 2>"$work/err"
[ $? -ne 0 ] && grep -q 'record.yaml:3: column 1: there is no key "clas"' "$work/err" &&
	grep -q 'try: class' "$work/err" || fail "a wrong key: $(cat "$work/err")"

[ $failed -eq 0 ] && echo "variants are built, salted and silent; what touches truth is refused"
exit $failed
