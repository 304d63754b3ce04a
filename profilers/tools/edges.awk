# SPDX-License-Identifier: BSD-2-Clause
# Edges from the events that a tracer prints, by the reading that the calls' manual pages support.
#
# A line is TID TIME COMM KIND and, by kind:
#   wait|wake WORD BITS   a thread enters futex(2): it waits, or wakes others, on that word
#   woken RESULT          it leaves futex(2)
#   submit RING REQ USER_DATA, complete RING REQ USER_DATA     io_uring's tracepoints
#
# futex(2): a wait that returns 0 was ended by a wake on its word whose bits meet its own; of several
# since it began, the first. io_uring: a request is one object from submission to completion, so
# its address joins the two until it is submitted again. Nothing else is claimed.
function meets(a, b) { # 32-bit masks with a bit in common
	if (a == 4294967295 || b == 4294967295)
		return a > 0 && b > 0
	while (a >= 1 && b >= 1) {
		if (a % 2 && b % 2)
			return 1
		a = int(a / 2)
		b = int(b / 2)
	}
	return 0
}

function place(tid, t, comm) {
	return "{\"tid\":" tid ",\"t\":" t (comm ~ /^iou-/ ? ",\"kernel\":true" : "") "}"
}

function claim(type, src, dst, key) {
	print "{\"c\":\"handoff\",\"type\":\"" type "\",\"src\":" src ",\"dst\":" dst ",\"key\":" key "}"
}

$4 == "wake" { wakes++; wake_word[wakes] = $5; wake_bits[wakes] = $6; wake_t[wakes] = $2; wake_at[wakes] = place($1, $2, $3) }
$4 == "wait" { word[$1] = $5; bits[$1] = $6; since[$1] = $2 }
$4 == "woken" && ($1 in word) {
	by = "null"
	for (i = wakes; $5 == 0 && i > 0 && wake_t[i] > since[$1]; i--)
		if (wake_word[i] == word[$1] && meets(wake_bits[i], bits[$1]))
			by = wake_at[i]
	if ($5 == 0)
		claim("wake", by, place($1, $2, $3), "{\"ns\":\"uaddr\",\"v\":\"" word[$1] "\"}")
	delete word[$1]
}

$4 == "submit" { sent[$6] = place($1, $2, $3); sent_data[$6] = $7 }
$4 == "complete" {
	src = ($6 in sent) && sent_data[$6] == $7 ? sent[$6] : "null"
	claim("io", src, place($1, $2, $3), "{\"ns\":\"user_data\",\"v\":\"" $7 "\"}")
}
