# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154
# What the adapters of tools that print a summary at their end share. To be sourced with $name, $needs
# and the function summarize set: it turns what the tool printed into profile claims. Starts the tool
# that stands in $tool on the process.
here=$(dirname "$0")
says='"version":"1","declares":["profile"]'

if [ "$1" = describe ]; then
	echo "{\"name\":\"$name\",$says,\"division\":\"attach\",\"launch\":[\"attach\"],\"needs\":[$needs]}"
	exit 0
fi
if [ "$1" != run ]; then
	echo "usage: $name describe | run --pid PID --claims FILE --ready-fd N" >&2
	exit 2
fi
shift
while [ $# -gt 1 ]; do
	case $1 in --pid) pid=$2 ;; --claims) claims=$2 ;; --ready-fd) ready=$2 ;; esac
	shift 2
done

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
	echo "{\"claims\":1,\"profiler\":\"$name\",\"clock\":\"monotonic\",$says}"
	awk -f "$here/$name.awk" summary
} >"$claims"
