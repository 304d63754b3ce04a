# SPDX-License-Identifier: BSD-2-Clause
# "target: COMM", a stack, "waker: COMM", and on the next line microseconds: summed up by pair. They come
# of nanoseconds in 32 bits, so that a negative one is 2^32 ns short. The idle task wakes nobody: that is an
# interrupt. What io_uring's own threads slept is left out.
function named() {
	sub(/^[^:]*: */, "")
	gsub(/[^ -~]/, "?") # as truth has it: what another process is called may be no text
	gsub(/[\\"]/, "\\\\&")
	return $0
}
by != "" {
	if (of !~ /^iou-(wrk|sqp)-/)
		us[by ">" of] += $1 < 0 ? $1 + 4294967 : $1
	by = ""
}
$1 == "target:" { of = named() }
$1 == "waker:" { by = $2 ~ /^swapper\// ? "0" : named() }
END {
	for (p in us)
		printf("{\"c\":\"profile\",\"by\":\"pair\",\"key\":\"%s\",\"kind\":\"blocked\",\"v\":%.0f000}\n", p, us[p])
}
