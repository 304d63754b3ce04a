#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# assay manifest on real binaries: exit codes, one error each, a stamped file that binds.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
assay=$build/assay
[ -x "$assay" ] || { echo "not built: $assay"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() { echo "FAIL: $*"; failed=1; }

# expect CODE WORDS COMMAND…: exit code, and words on either stream.
expect() {
	local code=$1 words=$2 got
	shift 2
	"$@" >out 2>err
	got=$?
	[ $got -eq "$code" ] || fail "$*: exit code $got, not $code: $(cat err)"
	grep -Eq -- "$words" err out || fail "$*: says nothing of '$words': $(cat out err)"
}

cat >app.c <<'C'
int units(int x) { return x + VERSION; }
__attribute__((noinline)) void *take(int n) { static int v[8]; return n < 8 ? v + units(n) - 1 : 0; }
__attribute__((noinline)) void give(void *p) { *(int *)p = 0; }
int main(int argc, char **argv) { void *p = take(argc); if (p) give(p); return 0; }
C
gcc -O1 -fcf-protection=none -Wl,--build-id -DVERSION=1 -o app app.c || { echo "no compiler"; exit 77; }
# The linker's build-id knows code, not names: a new name alone would leave it as it was.
gcc -O1 -fcf-protection=none -Wl,--build-id -DVERSION=2 -Dtake=grab -o app2 app.c

cat >m.yaml <<'Y'
manifest: 1
application: app # a small one
resources:
  - {resource: r, unit: u, capacity: {site: units, arg: 0}}
descriptors:
  - {id: 1, resource: r, event: ACQUIRE, site: "take:return", instance_key: retval, when: retval != 0}
  - {id: 2, resource: r, event: RELEASE, site: give, instance_key: arg0}
invariants:
  - {id: pair, kind: pairing, of: [1, 2]}
Y

expect 0 'sound: app, 1 resources, 2 descriptors, 1 invariants, 0 warnings, not stamped' \
	"$assay" manifest check m.yaml
expect 0 '3 sites, 0 failed' "$assay" manifest resolve m.yaml app
offset=$(nm app | awk '$3 == "give" { sub(/^0+/, "", $1); print $1 }')
expect 0 "RELEASE +give +$offset " "$assay" manifest resolve m.yaml app
expect 1 'names no build_id' "$assay" manifest resolve m.yaml app --binding strict
expect 0 'build [0-9a-f]{40}' "$assay" manifest stamp m.yaml app -o stamped.yaml
expect 1 '^~ manifest: build_id: \(none\) -> [0-9a-f]{40}$' "$assay" manifest diff m.yaml stamped.yaml
[ "$(diff m.yaml stamped.yaml | grep -c '^[<>]')" -eq 1 ] || fail "stamping touched another line"
expect 0 'starts validated' "$assay" manifest resolve stamped.yaml app --binding strict
expect 1 'refused: validated on build' "$assay" manifest resolve stamped.yaml app2 --binding strict
expect 1 'there is no function take' "$assay" manifest resolve stamped.yaml app2
grep -q '2 sites, 1 failed.*starts suspect' out || fail "the other sites are not shown: $(cat out)"
expect 0 'id 1 ACQUIRE at 1 returns; when retval != 0; instance retval' "$assay" manifest compile m.yaml app
"$assay" manifest diff m.yaml m.yaml >out 2>&1 || fail "equal manifests differ: exit code $?"
[ -s out ] && fail "equal manifests differ: $(cat out)"

# One error each, whole, and with the code of a failed check.
one_error() {
	expect 1 "$1" "$assay" manifest check bad.yaml
	[ "$(grep -c '^assay: ' err)" -eq 1 ] || fail "more than one error: $(cat err)"
	grep -q '^       try: ' err || fail "no cure: $(cat err)"
	[ -s out ] && fail "a bad manifest is said to be good: $(cat out)"
}
sed 's/id: 1,/id: 5objects,/' m.yaml >bad.yaml
one_error '^assay: bad.yaml:6: column 10: "5objects" is no whole number'
sed 's/event: RELEASE/evnt: RELEASE/' m.yaml >bad.yaml
one_error '^assay: bad.yaml:7: column 26: there is no key "evnt"'
sed 's/, site: give//' m.yaml >bad.yaml
one_error '^assay: bad.yaml:7: column 5: a descriptor lacks "site"'
sed 's/take:return/take/' m.yaml >bad.yaml
one_error 'no retval at the entry'
head -c 10000000 /dev/zero | tr '\0' x >bad.yaml
one_error 'more than 1 MiB'
printf 'a: &a [*b]\nb: &b [*a]\n' >bad.yaml
one_error '^assay: bad.yaml:1: column 4: an anchor'

expect 2 'one too many|missing' "$assay" manifest check
expect 2 'check' "$assay" manifest chek
expect 4 'No such file' "$assay" manifest check nowhere.yaml
expect 1 'no ELF file' "$assay" manifest resolve m.yaml m.yaml
before=$(cat m.yaml)
expect 1 'no ELF file' "$assay" manifest stamp m.yaml m.yaml
[ "$before" = "$(cat m.yaml)" ] || fail "a failed stamp changed the manifest"

# A join by hand gets the manifest that a cell would: resource events, and no event of a runtime.
"$assay" record pool --ops 60 --evidence e.bin --truth t.bin 2>err >out
recorded=$?
if [ $recorded -eq 77 ]; then
	echo "joins by hand left out: $(cat err)"
elif [ $recorded -ne 0 ]; then
	fail "record: exit code $recorded: $(cat err)"
else
	pool="$top/workloads/pool/manifest.yaml"
	"$assay" join attach-only --evidence e.bin --manifest "$pool" \
		--exe "$build/workloads/pool/pool" --claims c.jsonl || fail "no join with a manifest"
	grep -q '"event":"ACQUIRE"' c.jsonl || fail "a join with a manifest claims no event"
	grep -Eq '"event":"(PUSH|POP|SUBMIT|HANDLE)"' c.jsonl && fail "ends of handoffs are events"
	"$assay" join attach-only --evidence e.bin --claims c.jsonl || fail "no join without one"
	grep -q '"c":"event"' c.jsonl && fail "a join without a manifest claims events"
	expect 1 '^assay: app.c:[0-9]+: ' "$assay" join causal --evidence e.bin --manifest app.c --claims c
fi

[ $failed -eq 0 ] && echo "manifest: checked, resolved, stamped, compared"
exit $failed
