# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154
# What the adapters of tracers share: describe, options, claims. To be sourced with $name and $needs
# set; leaves $pid, $claims and $ready.
here=$(dirname "$0")
says='"version":"1","declares":["handoff:io","handoff:wake"]'

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

# Event lines on standard input become the file of claims.
write_claims() {
	{
		echo "{\"claims\":1,\"profiler\":\"$name\",\"clock\":\"monotonic\",$says}"
		awk -f "$here/edges.awk"
	} >"$claims"
}
