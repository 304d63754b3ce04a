# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154
# What the adapters of tools that print a summary at their end share. To be sourced with $name, $needs
# and $tool set: starts that tool on the process; $name.awk turns what it printed into profile claims.
declares='"profile"'
# shellcheck source=profilers/tools/options.sh
. "$(dirname "$0")/options.sh"

"$tool" -p "$pid" >summary &
tracer=$!
trap 'kill -INT $tracer' INT
# It says nothing once it has attached; it sleeps.
until grep -q nanosleep "/proc/$tracer/wchan"; do
	kill -0 "$tracer" || exit 1
done
printf x >&"$ready"
wait "$tracer"
wait "$tracer" # the first wait ends with the signal

{
	head_line
	LC_ALL=C awk -f "$here/$name.awk" summary
} >"$claims"
