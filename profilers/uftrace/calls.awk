# SPDX-License-Identifier: BSD-2-Clause
# What `uftrace dump` prints of calls ("SECONDS.NANOSECONDS TID: [entry] NAME(ADDRESS) depth: N") at the
# sites of the first file becomes claims of events.
NR == FNR {
	at = $1 " " $2
	text[at, ++cnt[at]] = "\"event\":\"" $4 "\",\"class\":\"" $5 "\",\"desc\":" $3
	next
}

match($0, /^ *[0-9]+\.[0-9]+ +[0-9]+: \[(entry|exit )\] [^(]+\(/) {
	split($0, f, /[][(:. ]+/)
	i = f[1] == "" ? 2 : 1
	at = f[i + 4] " " f[i + 3]
	for (k = 1; k <= cnt[at]; k++)
		print "{\"c\":\"event\"," text[at, k] ",\"tid\":" f[i + 2] ",\"t\":" f[i] f[i + 1] "}"
}
