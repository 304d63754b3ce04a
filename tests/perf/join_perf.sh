#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The same join in our scorer, DuckDB and SQLite, on made-up runs, one thread each.
#
#   tests/perf/join_perf.sh [BUILD]     (build; asserts nothing but that all find the same)
#
# JOIN_HANDOFFS: size of the run (10M; there are as many claims). JOIN_SQLITE: the same for SQLite
# (200K). The data bases are asked for less than our scorer gives: how many handoffs have a claim
# with both ends right, by an as-of join on (type, src thread, key, src time); ours also says what
# each other claim is, at both levels. Only the join is timed, from memory or page cache.
set -u
build=${1:-${BUILD:-build}}
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 1

# Cases that an as-of join decides; no ranks, levels, shared or missing ends.
shares=right=0.9,reuse=0.03,false_join=0.02,duplicate=0.03,half=0.02,missed=0.02
duckdb=@duckdb/node-api@1.5.6-r.1
modules=$build/perf
work=$(mktemp -d "${TMPDIR:-/tmp}/assay-join-XXXXXX")
trap 'rm -rf "$work"' EXIT

make_run() { # NAME HANDOFFS
	"$build/assay" truth synth --seed 1 --handoffs "$2" --shares "$shares" --threads 64 \
		--keys 4096 --truth "$work/$1.truth" --claims "$work/$1.claims" \
		--expect "$work/$1.json"
}

# The first "right" is that of all claims in context.
expected() { sed 's/.*"context":{"all":{[^}]*"right":\([0-9]*\).*/\1/' "$work/$1.json"; }

row() { # WHAT CLAIMS RIGHT WALL CPU EXPECTED
	awk -v what="$1" -v n="$2" -v right="$3" -v wall="$4" -v cpu="$5" -v expected="$6" 'BEGIN {
		printf "  %-26s %9d claims %8.2f s %8.2f s CPU %8.2f M claims/s  right %d%s\n",
			what, n, wall, cpu, n / cpu / 1e6, right,
			right == expected ? "" : ", expected " expected
		exit right != expected }' || wrong=1
}

ratio() { # OTHER CPU OURS
	awk -v what="$1" -v other="$2" -v ours="$3" 'BEGIN {
		printf "  %s takes %.1f times the CPU of our scorer\n", what, other / ours }'
}

duckdb_there() {
	command -v node >/dev/null || { echo "  DuckDB: left out, no node (apt install nodejs)"; return 1; }
	[ -d "$modules/node_modules/@duckdb/node-api" ] && return 0
	command -v npm >/dev/null || { echo "  DuckDB: left out, no npm (apt install npm)"; return 1; }
	mkdir -p "$modules"
	npm install --prefix "$modules" --no-audit --no-fund --silent "$duckdb" >"$work/npm" 2>&1 &&
		return 0
	echo "  DuckDB: left out, npm install $duckdb failed: $(head -1 "$work/npm")"
	return 1
}

beside_duckdb() { # OURS, seconds of CPU
	local version claims right wall cpu

	duckdb_there || return 0
	"$build/tests/perf/join_beside" csv "$work/large.truth" "$work/large.claims" \
		"$work/truth.csv" "$work/claims.csv" || return 1
	read -r version claims right wall cpu < <(node tests/perf/join_duckdb.mjs "$modules" \
		"$work/truth.csv" "$work/claims.csv" 2>"$work/node")
	rm -f "$work/truth.csv" "$work/claims.csv"
	if [ -z "${cpu:-}" ]; then
		echo "  DuckDB: left out, it failed: $(grep -m1 -i error "$work/node")"
		return 0
	fi
	row "DuckDB $version, as-of" "$claims" "$right" "$wall" "$cpu" "$(expected large)"
	ratio DuckDB "$cpu" "$1"
}

ours() { # NAME; sets claims right wall cpu
	read -r claims right wall cpu < <("$build/tests/perf/join_beside" score "$work/$1.truth" \
		"$work/$1.claims")
	[ -n "${cpu:-}" ] && row "our scorer" "$claims" "$right" "$wall" "$cpu" "$(expected "$1")"
}

beside_sqlite() { # OURS, seconds of CPU
	local claims right wall cpu

	read -r claims right wall cpu < <("$build/tests/perf/join_beside" sqlite \
		"$work/small.truth" "$work/small.claims")
	[ -n "${cpu:-}" ] || return 1
	row "SQLite, index and as-of" "$claims" "$right" "$wall" "$cpu" "$(expected small)"
	ratio SQLite "$cpu" "$1"
}

wrong=0
make_run large "${JOIN_HANDOFFS:-10M}" && ours large && beside_duckdb "$cpu" || wrong=1
make_run small "${JOIN_SQLITE:-200K}" && ours small && beside_sqlite "$cpu" || wrong=1
exit $wrong
