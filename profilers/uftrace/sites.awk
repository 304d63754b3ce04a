# SPDX-License-Identifier: BSD-2-Clause
# Of the lines of descriptors.awk those that a call alone can tell: FUNCTION entry|exit ID EVENT CLASS.
# A guard, or a site inside a function, needs more than that.
BEGIN { FS = "\t" }
$4 ~ /^[A-Za-z_][A-Za-z_0-9]*(:return)?$/ && $7 == "-" {
	at = sub(/:return$/, "", $4) ? "exit" : "entry"
	print $4, at, $1, $2, $3
}
