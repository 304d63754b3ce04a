# SPDX-License-Identifier: BSD-2-Clause
# "-  COMM (TID)", and on the next line microseconds: summed up by thread, without io_uring's own.
tid { us[tid] += $1; tid = "" }
$1 == "-" && $2 !~ /^iou-(wrk|sqp)-/ && match($0, /\([0-9]+\)$/) { tid = substr($0, RSTART + 1, RLENGTH - 2) }
END {
	for (t in us)
		printf("{\"c\":\"profile\",\"by\":\"thread\",\"key\":\"%s\",\"kind\":\"off-cpu\",\"v\":%.0f000}\n", t, us[t])
}
