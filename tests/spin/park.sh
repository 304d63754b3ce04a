#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Checks the model of sleeping and waking in every interleaving, and that each variant which leaves
# a step out fails: a model that cannot fail proves nothing.
set -u
model=$(cd "$(dirname "$0")" && pwd)/park.pml
command -v spin >/dev/null || { echo "spin is not installed (mk/deps.sh test)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# Prints how many errors and states there were; 1 where it could not be searched whole.
search() {
	spin -a "$@" "$model" >spin.log 2>&1 && ${CC:-cc} -O1 -w -DSAFETY -DNOFAIR -o pan pan.c 2>cc.log ||
		{ cat spin.log cc.log; return 1; }
	./pan -m1000000 >pan.log 2>&1
	if grep -q 'max search depth too small\|out of memory' pan.log; then
		cat pan.log
		return 1
	fi
	errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log)
	states=$(sed -n 's/ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
}

search || exit 1
echo "whole: $errors errors in $states states"
if [ "$errors" != 0 ]; then
	cat pan.log
	exit 1
fi
for left_out in NO_LAST_LOOK NO_HANDSHAKE LATE_COUNT LATE_LOOK; do
	search -D$left_out || exit 1
	echo "$left_out: $errors errors"
	if [ "$errors" = 0 ]; then
		echo "the model does not see that this step is needed"
		exit 1
	fi
done
