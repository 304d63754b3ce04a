# SPDX-License-Identifier: BSD-2-Clause
# From the lines of descriptors.awk a bpftrace program that prints TID TIME ID INSTANCE UNITS at each
# site of `exe` that process `pid` passes; "-" is what bpftrace has no simple word for. A descriptor
# whose guard it has none for is left out, as is one whose site is inside a function.

# An argument, a result, a number, or what lies at a distance from the first two; else "".
function word(text, part, cast) {
	if (text ~ /^[0-9]+$/)
		return text
	if (text ~ /^(arg[0-5]|retval)(:u(8|16|32|64))?$/) {
		split(text, part, ":")
		cast = part[2] ? "(uint" substr(part[2], 2) ")" : ""
		return cast held(part[1])
	}
	if (text ~ /^\*\((arg[0-5]|retval)\+[0-9]+\):u(8|16|32|64)$/) {
		split(text, part, /[*()+:]+/)
		return "*(uint" substr(part[4], 2) " *)(" held(part[2]) " + " part[3] ")"
	}
	return ""
}

# At a return an argument is what it was at the call, which another probe has kept.
function held(operand) {
	if (!at_return || operand == "retval")
		return operand
	keeps = keeps " @" operand "_" $1 "[tid] = " operand ";"
	return "@" operand "_" $1 "[tid]"
}

# The condition to add, or "?" where it is no comparison with 0.
function guard(part, what) {
	if ($7 == "-")
		return ""
	if (split($7, part, " ") != 3 || part[2] !~ /^[!=]=$/ || part[3] != "0")
		return "?"
	what = word(part[1])
	return what ? " && " what " " part[2] " 0" : "?"
}

function probe(kind, condition, does) {
	print kind ":" exe ":" symbol " /pid == " pid condition "/ {" does " }"
}

BEGIN { FS = "\t" }
$4 !~ /^[A-Za-z_][A-Za-z_0-9]*(:return)?$/ { next }
{
	symbol = $4
	at_return = sub(/:return$/, "", symbol)
	keeps = ""
	only = guard()
	if (only == "?")
		next
	instance = word($5)
	units = word($6)
	if (keeps)
		probe("uprobe", "", keeps)
	probe(at_return ? "uretprobe" : "uprobe", only, " printf(\"%d %llu " $1 (instance ? " 0x%llx" : " -") \
		(units ? " %llu" : " -") "\\n\", tid, nsecs" (instance ? ", (uint64)" instance : "") \
		(units ? ", (uint64)" units : "") ");")
}
END { print "interval:ms:20 /!@up/ { @up = 1; printf(\"ready\\n\"); } // the last to be attached" }
