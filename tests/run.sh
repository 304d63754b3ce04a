#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs test programs of one or more parts and counts what really ran.
#
#   tests/run.sh [PART=PROGRAM,PROGRAM,…]…
#
# Parts: units, san (Criterion programs; san under sanitizers), live (0 passed, 1 failed, 77
# skipped), race (plain programs under TSan), spin (model checks), fuzz (libFuzzer programs, a short
# run each), lint, mutants and quads (commands whose exit code decides). Lines "note: …" of what
# passed are shown.
#
# tests/expected holds, for each part, how many tests must run at least: a suite that is empty,
# filtered to nothing or silently shrunk fails. The last line is "N passed, N failed, N skipped".
set -u

top=$(cd "$(dirname "$0")/.." && pwd)
logs=${TEST_LOGS:-$top/build/tests/logs}
mkdir -p "$logs"
seconds_a_program=${TEST_TIMEOUT:-900} # against what hangs, not against what is slow
passed=0 failed=0 skipped=0

fail() {
	printf '  FAIL %s\n' "$1"
	if [ -n "${2:-}" ] && [ -s "$2" ]; then tail -n "${TEST_TAIL:-25}" "$2" | sed 's/^/       /'; fi
}

# Criterion prints one synthesis line; anything else means that it did not get so far.
run_criterion() {
	local part=$1 prog=$2 name log line rc tested passing bad
	name=$(basename "$prog")
	log=$logs/$part-$name.log
	rm -f "$logs/$part-$name.san".*
	(cd "$top" && ASAN_OPTIONS="log_path=$logs/$part-$name.san:detect_leaks=1" \
		UBSAN_OPTIONS="log_path=$logs/$part-$name.san:print_stacktrace=1" \
		timeout "$seconds_a_program" "$prog" -j2 >"$log" 2>&1 </dev/null)
	rc=$?
	line=$(sed 's/\x1b\[[0-9;]*m//g' "$log" | grep -a 'Synthesis:' | tail -n 1)
	tested=$(sed -n 's/.*Tested: \([0-9]*\).*/\1/p' <<<"$line")
	passing=$(sed -n 's/.*Passing: \([0-9]*\).*/\1/p' <<<"$line")
	tested=${tested:-0} passing=${passing:-0}
	bad=$((tested - passing))
	if [ "$rc" -ne 0 ] && [ "$bad" -eq 0 ]; then
		bad=1 tested=$((tested + 1))
	fi
	# LeakSanitizer speaks after Criterion has reported success: its log decides.
	if compgen -G "$logs/$part-$name.san.*" >/dev/null; then
		bad=$((bad + 1)) tested=$((tested + 1))
		cat "$logs/$part-$name.san".* >>"$log"
	fi
	[ "$bad" -eq 0 ] || fail "$part/$name (exit $rc)" "$log"
	part_ran=$((part_ran + tested)) passed=$((passed + tested - bad)) failed=$((failed + bad))
}

run_plain() {
	local part=$1 prog=$2 name log rc
	name=$(basename "$prog")
	log=$logs/$part-$name.log
	case $part in
	fuzz)
		# New inputs go to the first folder; the corpus in the tree is only read.
		mkdir -p "$logs/$name.found"
		(cd "$logs" && timeout "$seconds_a_program" "$prog" -max_total_time="${FUZZ_SECONDS:-10}" \
			-timeout=10 -error_exitcode=1 -rss_limit_mb=2048 -artifact_prefix="$logs/" "$logs/$name.found" \
			"$top/tests/fuzz/corpus/$name" >"$log" 2>&1 </dev/null)
		;;
	*) (cd "$top" && TSAN_OPTIONS=halt_on_error=1 timeout "$seconds_a_program" "$prog" >"$log" 2>&1 </dev/null) ;;
	esac
	rc=$?
	case $rc in
	0)
		passed=$((passed + 1)) part_ran=$((part_ran + 1))
		sed -n "s#^note: #  note $part/$name: #p" "$log"
		;;
	77)
		skipped=$((skipped + 1)) part_ran=$((part_ran + 1))
		printf '  skip %s/%s: %s\n' "$part" "$name" "$(tail -n 1 "$log")"
		;;
	*)
		failed=$((failed + 1)) part_ran=$((part_ran + 1))
		fail "$part/$name (exit $rc)" "$log"
		;;
	esac
}

for arg in "$@"; do
	part=${arg%%=*}
	IFS=, read -r -a programs <<<"${arg#*=}"
	part_ran=0
	start=$SECONDS
	for prog in "${programs[@]}"; do
		[ -n "$prog" ] || continue
		case $prog in /*) ;; *) prog=$top/$prog ;; esac
		case $part in
		units | san) run_criterion "$part" "$prog" ;;
		*) run_plain "$part" "$prog" ;;
		esac
	done
	least=$(awk -v p="$part" '$1 == p { print $2 }' "$top/tests/expected")
	printf '%-8s %5d ran (at least %d expected) in %d s\n' "$part" "$part_ran" "${least:-1}" $((SECONDS - start))
	if [ "$part_ran" -lt "${least:-1}" ]; then
		failed=$((failed + 1))
		fail "$part: $part_ran tests ran, tests/expected asks for at least ${least:-1}"
	fi
done
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
