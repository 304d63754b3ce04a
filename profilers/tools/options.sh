# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154
# describe and the options of run. To be sourced with $name, $needs and $declares set; leaves $pid, $exe,
# $manifest (empty without one), $claims and $ready, and head_line, which prints the first line of claims.
here=$(dirname "$0")
says="\"version\":\"1\",\"declares\":[$declares]"

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
	case $1 in
	--pid) pid=$2 ;;
	--exe) exe=$2 ;;
	--manifest) manifest=$2 ;;
	--claims) claims=$2 ;;
	--ready-fd) ready=$2 ;;
	esac
	shift 2
done

head_line() {
	echo "{\"claims\":1,\"profiler\":\"$name\",\"clock\":\"monotonic\",$says}"
}
