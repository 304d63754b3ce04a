#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Soak: every workload in turn at its default rate for a long time, causal attached all along.
#
#   tests/soak/run.sh BUILD [SECONDS [WORKLOAD…]]     1200 seconds, all workloads
#
# Watched once a second: memory of the workload and of the profiler, of the profiler's BPF maps, and
# the kernel's slab that cannot be given back (of the whole machine: others grow it as well). Of the
# last two thirds of a workload's time a line is fitted; what it rises a minute is held against a
# bound. First each workload makes one run with truth and a live profiler that must not be broken.
# Exit: 0 nothing grew, 1 something did or a run failed, 3 too short to say, 77 cannot run here.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd) || exit 2
total=${2:-1200}
shift $(($# < 2 ? $# : 2))
assay=$build/assay
causal=$build/profilers/causal/causal
[ "$(id -u)" = 0 ] || { echo "soak: root is needed to attach"; exit 77; }
[ -x "$causal" ] || { echo "soak: not built: $causal"; exit 77; }

# KiB a minute; fewer samples say nothing.
readonly WORKLOAD_MOST=1024 PROFILER_MOST=1024 MAPS_MOST=256 SLAB_MOST=20480 SAMPLES_LEAST=15

work=$(mktemp -d)
load='' watcher=''
# shellcheck disable=SC2317 # by the trap
clean_up() {
	[ -n "$watcher" ] && kill -KILL "$watcher" 2>/dev/null
	[ -n "$load" ] && kill -KILL "$load" 2>/dev/null
	wait
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 3' INT TERM

resident() { awk '/^VmRSS:/ { print $2; exit }' "/proc/$1/status" 2>/dev/null || echo 0; }
# The kernel says of each map how much it has locked.
maps() { awk '/^memlock:/ { sum += $2 } END { print int(sum / 1024) }' "/proc/$1/fdinfo"/* 2>/dev/null; }
slab() { awk '/^SUnreclaim:/ { print $2 }' /proc/meminfo; }

# fit COLUMN FILE: KiB a minute of the last two thirds.
fit() {
	awk -v c="$1" -v n="$(wc -l <"$2")" 'NR > n / 3 {
		k++; x += $1; y += $c; xx += $1 * $1; xy += $1 * $c
	} END { d = k * xx - x * x; printf "%d\n", d ? 60 * (k * xy - x * y) / d : 0 }' "$2"
}
last() { awk -v c="$1" 'END { print $c }' "$2"; }

status=0
# judge WHAT COLUMN MOST FILE
judge() {
	local slope
	slope=$(fit "$2" "$4")
	printf '  %-9s %8d KiB, %+6d KiB a minute' "$1" "$(last "$2" "$4")" "$slope"
	if [ "$(wc -l <"$4")" -lt "$SAMPLES_LEAST" ]; then
		echo ', too short to say'
		[ $status = 0 ] && status=3
	elif [ "$slope" -gt "$3" ]; then
		echo ", more than $3: it grows"
		status=1
	else
		echo
	fi
}

# One run with truth, so that a run that breaks is seen.
check_run() {
	local plan=$work/check/plan.tsv
	rm -rf "$work/check"
	"$assay" plan smoke --ops 1000 --out "$work/check" >/dev/null || return 1
	awk -F'\t' -v w="$1" 'NR == 1 || ($3 == w && $2 == "live" && $4 == "base" && $5 == "causal" &&
		$7 == "clean")' "$plan" >"$work/one" && mv "$work/one" "$plan"
	"$assay" run --time-limit 60s "$plan" >"$work/log" 2>&1 || return 1
	grep -q '1 ok' "$work/log"
}

# soak WORKLOAD RATE SECONDS
soak() {
	local samples=$work/samples began now end program=$build/workloads/$1/$1 manifest=()
	[ -r "$top/workloads/$1/manifest.yaml" ] && manifest=(--exe "$program" --binding best-effort
		--manifest "$top/workloads/$1/manifest.yaml")
	rm -rf "$work/data" && mkdir "$work/data" && : >"$samples"
	(cd "$work/data" && exec "$program" run --ops $(($2 * $3 * 4)) --rate "$2" \
		--workers 2 --seed 1 --data "$work/data") >"$work/out" 2>&1 &
	load=$!
	# the reader goes on when causal has attached
	mkfifo "$work/ready" 2>/dev/null
	"$causal" run --pid "$load" --claims "$work/claims" --ready-fd 9 "${manifest[@]}" 9>"$work/ready" \
		>"$work/said" 2>&1 &
	watcher=$!
	read -r -n 1 -t 60 _ <"$work/ready" || { echo "  causal did not attach"; return 1; }
	began=$(date +%s)
	end=$((began + $3))
	while now=$(date +%s) && [ "$now" -lt "$end" ]; do
		kill -0 "$load" 2>/dev/null || { echo "  the workload ended: $(tail -1 "$work/out")"; return 1; }
		kill -0 "$watcher" 2>/dev/null || { echo "  causal ended: $(tail -1 "$work/said")"; return 1; }
		echo "$((now - began)) $(resident "$load") $(resident "$watcher") $(maps "$watcher") $(slab)" \
			>>"$samples"
		sleep 1 # the distance of samples
	done
	kill -INT "$watcher"
	wait "$watcher" || { echo "  causal failed: $(tail -1 "$work/said")"; return 1; }
	watcher=''
	kill -KILL "$load"
	wait "$load" 2>/dev/null
	load=''
	echo "  $(wc -l <"$work/claims") claims"
	judge workload 2 "$WORKLOAD_MOST" "$samples"
	judge profiler 3 "$PROFILER_MOST" "$samples"
	judge maps 4 "$MAPS_MOST" "$samples"
	judge slab 5 "$SLAB_MOST" "$samples"
	rm -f "$work/claims"
}

[ $# -gt 0 ] || mapfile -t all < <("$assay" list workloads | awk '/^  [a-z]/ { print $1 }')
[ $# -gt 0 ] && all=("$@")
each=$((total / ${#all[@]}))
[ "$each" -gt 0 ] || each=1
for w in "${all[@]}"; do
	rate=$("$build/workloads/$w/$w" describe | jq .defaults.rate) || exit 77
	echo "$w, $rate operations a second, $each seconds"
	check_run "$w" || { echo "  the run with truth is not ok: $(tail -2 "$work/log" | head -1)"; status=1; }
	if ! soak "$w" "$rate" "$each"; then
		status=1
		[ -n "$watcher" ] && kill -KILL "$watcher" 2>/dev/null
		[ -n "$load" ] && kill -KILL "$load" 2>/dev/null
		wait
		load='' watcher=''
	fi
done
case $status in
0) echo "nothing grew" ;;
3) echo "too short to say" ;;
*) echo "FAILED" ;;
esac
exit $status
