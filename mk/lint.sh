#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What a machine can check: format, include directions, warnings as errors under both compilers,
# scripts, man pages, the options that they name, words that mean unfinished work.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
step() {
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then
		printf '  ok   %s\n' "$name"
	else
		printf '  FAIL %s\n%s\n' "$name" "$(tail -n 40 <<<"$out")"
		bad=1
	fi
}

files() { git ls-files --cached --others --exclude-standard "$@" | while read -r f; do [ -f "$f" ] && echo "$f"; done; }
check_format() { files '*.c' '*.h' '*.cc' | xargs clang-format --dry-run -Werror; }
check_spdx() {
	local f rc=0
	while read -r f; do
		head -n 2 "$f" | grep -q 'SPDX-License-Identifier' || { echo "$f: no SPDX line"; rc=1; }
	done < <(files '*.c' '*.h' '*.cc' '*.sh' '*.mk')
	return $rc
}
check_words() { ! files '*.c' '*.h' '*.cc' '*.sh' '*.mk' Makefile | grep -v '^mk/lint.sh$' | xargs grep -nE '\b(TODO|FIXME|XXX|HACK)\b'; }
check_scripts() { files '*.sh' | xargs -r shellcheck -S warning; }
check_man() { files 'man/*.1' 'man/*.5' 'man/*.7' | xargs -r mandoc -T lint -W warning; }
build_gcc() { make -j2 CC=gcc CXX=g++ all; }
build_clang() { make -j2 CC=clang CXX=clang++ BUILD=build/clang all; }

step 'format (clang-format)' check_format
step 'include directions' mk/lint-includes.sh
step 'licence lines' check_spdx
step 'no unfinished work' check_words
step 'scripts (shellcheck)' check_scripts
step 'man pages (mandoc)' check_man
step 'warnings, gcc' build_gcc
step 'options (man/assay.1)' mk/lint-man.sh build/assay
step 'warnings, clang' build_clang
exit $bad
