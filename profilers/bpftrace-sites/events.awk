# SPDX-License-Identifier: BSD-2-Clause
# What the program of program.awk prints, and the lines of descriptors.awk as the first file, become
# claims of events.
BEGIN { FS = "\t" }
NR == FNR {
	what[$1] = "\"event\":\"" $2 "\",\"class\":\"" $3 "\""
	next
}

/^[0-9]+ [0-9]+ [0-9]+ [^ ]+ [^ ]+$/ {
	split($0, f, " ")
	print "{\"c\":\"event\"," what[f[3]] (f[4] == "-" ? "" : ",\"instance\":\"" f[4] "\"") \
		(f[5] == "-" ? "" : ",\"units\":" f[5]) ",\"tid\":" f[1] ",\"t\":" f[2] ",\"desc\":" f[3] "}"
}
