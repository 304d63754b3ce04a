#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# uftrace, unmodified, as a profiler that starts the workload: calls of the manifest's sites are events.
here=$(dirname "$0")
says='"version":"1","declares":["event"]'

if [ "$1" = describe ]; then
	echo "{\"name\":\"uftrace\",$says,\"division\":\"attach\",\"launch\":[\"wrap\"],\"needs\":[\"root\",\"uftrace\"]}"
	exit 0
fi
if [ "$1" != wrap ]; then
	echo "usage: uftrace describe | wrap --claims FILE --manifest FILE -- CMD..." >&2
	exit 2
fi
while [ "$1" != -- ]; do
	case $1 in --claims) claims=$2 ;; --manifest) manifest=$2 ;; esac
	shift
done
shift

: >sites
[ -z "$manifest" ] || awk -f "$here/descriptors.awk" "$manifest" | awk -f "$here/sites.awk" >sites
patch=$(awk '{ print "-P ^" $1 "$" }' sites | sort -u)
# shellcheck disable=SC2086 # words
uftrace record --no-pager --no-libcall --no-event --no-sched -d data $patch "$@" || exit

{
	echo "{\"claims\":1,\"profiler\":\"uftrace\",\"clock\":\"monotonic\",$says}"
	uftrace dump --no-pager -d data | awk -f "$here/calls.awk" sites -
} >"$claims"
