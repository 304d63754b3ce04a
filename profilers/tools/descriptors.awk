# SPDX-License-Identifier: BSD-2-Clause
# Of a manifest the descriptors of what happens to resources, each a line of fields between tabs:
# ID EVENT CLASS SITE INSTANCE UNITS WHEN, as the manifest has them; "-" where it has none.
function value() { # of `key: value`, without quotes and comment
	sub(/^[^:]*: */, "")
	sub(/ +#.*$/, "")
	gsub(/"/, "")
	return $0
}

function put() {
	if (id && event ~ /^(WAIT|ACQUIRE|USE|RELEASE)$/)
		print id, event, class, site, instance, units, guard
	id = ""
}

BEGIN { OFS = "\t" }
/^[a-z]/ { put() }
$1 == "-" && $2 == "id:" {
	put()
	id = $3
	event = class = site = instance = units = guard = "-"
}
!id { next }
$1 == "resource:" { class = value() }
$1 == "event:" { event = value() }
$1 == "site:" { site = value() }
$1 == "instance_key:" { instance = value() }
$1 == "unit_key:" { units = value() }
$1 == "when:" { guard = value() }
END { put() }
