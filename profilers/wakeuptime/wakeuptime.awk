# SPDX-License-Identifier: BSD-2-Clause
# "target: COMM", a stack, "waker: COMM", and on the next line microseconds: summed up by pair.
by {
	if ($1 > 0) # some are negative: of those nothing is known
		us[by " > " target] += $1
	by = ""
}
$1 == "target:" { target = $2 }
$1 == "waker:" { by = $2 }
END {
	for (p in us)
		printf("{\"c\":\"profile\",\"by\":\"pair\",\"key\":\"%s\",\"kind\":\"off-cpu\",\"v\":%.0f000}\n", p, us[p])
}
