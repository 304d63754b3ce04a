# SPDX-License-Identifier: BSD-2-Clause
# Of a manifest the descriptors that a call alone can tell, of what happens to resources: FUNCTION
# entry|exit ID EVENT CLASS. A guard, or a site inside a function, needs more than that.
function put() {
	if (site ~ /^[A-Za-z_][A-Za-z_0-9]*(:return)?$/ && !guarded && event ~ /^(WAIT|ACQUIRE|USE|RELEASE)$/)
		print (site ~ /:return$/ ? substr(site, 1, length(site) - 7) " exit" : site " entry"), id, event, class
	id = ""
}

/^[a-z]/ && id { put() }
$1 == "-" && $2 == "id:" {
	if (id)
		put()
	id = $3
	guarded = 0
	site = event = class = ""
}
id && $1 == "resource:" { class = $2 }
id && $1 == "event:" { event = $2 }
id && $1 == "site:" { site = $2 }
id && $1 == "when:" { guarded = 1 }
END { if (id) put() }
