#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Certificates in CI, within four minutes. With certificates in the build: those that changed since.
# A fresh clone has none, and all would take longer: then the mutations that the last commits
# touched, and others drawn by the commit, so that every one gets a turn.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
assay=$build/assay
commits=10 touched_most=6 all_most=8 within=150s
[ -x "$assay" ] || { echo "not built: $assay"; exit 77; }
command -v patch >/dev/null && command -v clang >/dev/null || { echo "no patch or clang"; exit 77; }

if compgen -G "$build/variants/c/*" >/dev/null; then
	echo "note: what changed since its certificate"
	exec "$assay" mutate verify --changed --within "$within"
fi

known() { while read -r id; do [ -f "$top/mutations/$id/record.yaml" ] && echo "$id"; done; }
seed=$(git -C "$top" rev-parse HEAD 2>/dev/null || echo no-commit)
drawn() { while read -r id; do printf '%s %s\n' "$(printf '%s %s' "$seed" "$id" | sha256sum)" "$id"; done | sort | awk '{ print $NF }'; }

touched=$(git -C "$top" log -n "$commits" --name-only --format= -- mutations 2>/dev/null |
	sed -n 's#^mutations/\([^/]*\)/.*#\1#p' | sort -u | known | drawn | head -n "$touched_most")
others=$(for r in "$top"/mutations/*/record.yaml; do basename "$(dirname "$r")"; done |
	grep -vxF -e "${touched:-(none)}" | drawn | head -n $((all_most - $(wc -w <<<"$touched"))))
echo "note: no certificates here: $(wc -w <<<"$touched") that the last $commits commits touched, $(wc -w <<<"$others") drawn by the commit, of $(ls "$top"/mutations/*/record.yaml | wc -l)"
# shellcheck disable=SC2086 # one word an id
exec "$assay" mutate verify --within "$within" $touched $others
