#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs every measuring program once and prints its figures. Nothing here is asserted: machines are
# shared and noisy, so read the ratios.
#
#   tests/perf/run.sh BUILD
set -u
build=${1:-build}
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 1

session=
work=$(mktemp -d)
cleanup() {
	if [ -n "$session" ]; then
		lttng destroy "$session" >/dev/null 2>&1
		pkill -f "lttng-sessiond.*$work" 2>/dev/null
	fi
	rm -rf "$work"
}
trap cleanup EXIT

lttng_session() {
	command -v lttng-sessiond >/dev/null || return 1
	lttng-sessiond --no-kernel --daemonize --pidfile "$work/sessiond.pid" >/dev/null 2>&1 || return 1
	session=assay_perf
	lttng create "$session" --output="$work/trace" >/dev/null 2>&1 &&
		lttng enable-channel -u c --subbuf-size=4M --num-subbuf=8 --overwrite >/dev/null 2>&1 &&
		lttng enable-event -u -c c 'assay_perf:*' >/dev/null 2>&1 &&
		lttng start >/dev/null 2>&1
}

echo "machine: $(uname -r), $(nproc) CPUs, $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)"
echo "load at start: $(cut -d' ' -f1-3 /proc/loadavg)"
lttng_session || echo "lttng: no session daemon here; the LTTng line is a tracepoint that nobody records"
for prog in "$build"/tests/perf/*_perf tests/perf/*_perf.sh; do
	[ -x "$prog" ] || continue
	printf '\n%s\n' "$(basename "$prog")"
	"$prog" || echo "  (exit $?)"
done
