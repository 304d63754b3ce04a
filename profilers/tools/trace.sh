# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154
# What bpftrace prints, as it prints it, becomes a file of claims. To be sourced after options.sh.

# Runs bpftrace with the words given until SIGINT. Its first line says that all is attached; the others
# are the standard input of `told`, which the caller defines and which prints claims.
trace_told() {
	mkfifo lines || exit 1
	bpftrace -q "$@" >lines &
	tracer=$!
	trap 'kill -INT $tracer' INT
	{
		read -r _
		printf x >&"$ready"
		{
			head_line
			told
		} >"$claims"
	} <lines &
	writer=$!
	wait "$tracer"
	wait "$tracer" # the first wait ends with the signal
	wait "$writer"
}
