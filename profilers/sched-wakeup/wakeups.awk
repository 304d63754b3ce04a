# SPDX-License-Identifier: BSD-2-Clause
# A line is TID TIME waits, TID TIME wakes WAITER, or TID TIME returns RESULT, in the order of time.
# Who ran when a waiter was made runnable is taken for its waker.
function place(tid, t) {
	return "{\"tid\":" tid ",\"t\":" t "}"
}

$3 == "waits" { delete by[$1] }
$3 == "wakes" { by[$4] = place($1, $2) }
$3 == "returns" && $4 == 0 {
	print "{\"c\":\"handoff\",\"type\":\"wake\",\"src\":" (($1 in by) ? by[$1] : "null") \
		",\"dst\":" place($1, $2) "}"
}
