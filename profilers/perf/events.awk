# SPDX-License-Identifier: BSD-2-Clause
# What `perf script -F comm,tid,time,event,trace` prints, as lines for edges.awk.
function number(hex, i, v) {
	for (i = 3; i <= length(hex); i++)
		v = 16 * v + index("123456789abcdef", substr(hex, i, 1))
	return v + 0
}

match($0, / [0-9]+ +[0-9]+\.[0-9]+: +/) {
	comm = substr($0, 1, RSTART - 1)
	gsub(/^ +| +$/, "", comm)
	gsub(/ /, "_", comm)
	split(substr($0, RSTART + 1, RLENGTH), at, /[ .:]+/)
	n = split(substr($0, RSTART + RLENGTH), f, /[ ,:]+/)
	for (i = 3; i < n; i++)
		v[f[i]] = f[i + 1]
	head = at[1] " " at[2] at[3] " " comm
	op = number(v["op"]) % 128
	if (f[2] == "sys_enter_futex" && (op == 0 || op == 1 || op == 9 || op == 10))
		printf("%s %s %s %.0f\n", head, op % 9 ? "wake" : "wait", v["uaddr"],
		       op < 9 ? 4294967295 : number(v["val3"]))
	if (f[2] == "sys_exit_futex")
		print head, "woken", (f[3] == "0x0" ? 0 : 1)
	if (f[2] == "io_uring_submit_req" || f[2] == "io_uring_complete")
		print head, (f[2] ~ /submit/ ? "submit" : "complete"), v["ring"], v["req"], v["user_data"]
}
