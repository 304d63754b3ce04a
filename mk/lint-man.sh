#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The options of each command by its own --help, and by man/assay.1: the same, no more and no fewer.
#
#   mk/lint-man.sh ASSAY
set -u
assay=$1
page=$(dirname "$0")/../man/assay.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Names of the commands that a help lists.
commands() { "$assay" "$@" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'; }
options() { "$assay" "$@" --help | sed -n "s/^  .\{4\}\(--[a-z-]*\).*/$* \1/p" | grep -v -- ' --help$'; }

for c in $(commands); do
	subs=$(commands "$c")
	for s in ${subs:-''}; do
		# shellcheck disable=SC2086 # '' is no word
		options "$c" ${s#\'\'}
	done
done | sort >"$work/help"
awk '/^\.Sh/ { on = /OPTIONS/ } on && /^\.Ss/ { name = substr($0, 5) }
	on && /^\.It Fl/ { for (i = 2; i <= NF; i++) if ($i ~ /^-/) print name " -" $i }' "$page" |
	sort >"$work/page"
[ -s "$work/help" ] || { echo "$assay lists no options"; exit 1; }
diff "$work/help" "$work/page" | sed -n 's/^</not in man\/assay.1:/p; s/^>/not of the command:/p'
cmp -s "$work/help" "$work/page"
