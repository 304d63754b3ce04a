/* SPDX-License-Identifier: BSD-2-Clause */
/* Sites: symbol, symbol+0x1a4, symbol:return, usdt:provider:name. */
#include "lib/formats/manifest.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "lib/formats/manifest_tree.h"
#include "lib/numbers.h"

#define SITE_CURE "symbol, symbol+0x1a4, symbol:return or usdt:provider:name"

static int no(struct manifest_fault *f, size_t at, const char *cure, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static int no(struct manifest_fault *f, size_t at, const char *cure, const char *fmt, ...)
{
	va_list ap;

	f->at = at;
	snprintf(f->cure, sizeof(f->cure), "%s", cure);
	va_start(ap, fmt);
	vsnprintf(f->reason, sizeof(f->reason), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static size_t name_len(const char *s, const char *also)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || (s[n] && strchr(also, s[n])))
		n++;
	return n;
}

static int copy_name(const char *s, size_t from, size_t len, char *ret, size_t cap,
		     struct manifest_fault *f)
{
	if (!len)
		return no(f, from, SITE_CURE, "a name is missing here");
	if (len >= cap)
		return no(f, from, "a shorter one", "a name of more than %zu bytes", cap - 1);
	memcpy(ret, s + from, len);
	ret[len] = 0;
	return 0;
}

/* Behind "usdt:". */
static int parse_usdt(const char *s, struct manifest_site *site, struct manifest_fault *f)
{
	size_t at = strlen("usdt:"), len = name_len(s + at, "_-.");
	int rc = copy_name(s, at, len, site->provider, sizeof(site->provider), f);

	if (rc)
		return rc;
	at += len;
	if (s[at] != ':')
		return no(f, at, "usdt:provider:name", "a USDT site names provider and probe");
	len = name_len(s + ++at, "_-.");
	rc = copy_name(s, at, len, site->name, sizeof(site->name), f);
	if (rc)
		return rc;
	if (s[at + len])
		return no(f, at + len, "usdt:provider:name", "\"%s\" is too much",
			  shown(s + at + len).s);
	site->kind = SITE_USDT;
	return 0;
}

static int parse_offset(const char *s, size_t at, struct manifest_site *site,
			struct manifest_fault *f)
{
	if (parse_u64(s + at + 1, &site->offset))
		return no(f, at + 1, "symbol+420 or symbol+0x1a4", "\"%s\" is no offset",
			  shown(s + at + 1).s);
	return 0;
}

static int parse_suffix(const char *s, size_t at, struct manifest_site *site,
			struct manifest_fault *f)
{
	if (!s[at])
		return 0;
	if (s[at] == '+')
		return parse_offset(s, at, site, f);
	if (!strcmp(s + at, ":return")) {
		site->kind = SITE_RETURN;
		return 0;
	}
	if (s[at] == ':' && s[at + 1] == ':')
		return no(f, at, "the name that nm prints without -C, as in _ZN4pool3getEv",
			  "symbols are named as the linker knows them");
	if (s[at] == ':')
		return no(f, at, "symbol:return", "\"%s\" is no kind of site", shown(s + at).s);
	return no(f, at, SITE_CURE, "\"%s\" does not belong to a symbol", shown(s + at).s);
}

int manifest_site_parse(const char *s, struct manifest_site *ret, struct manifest_fault *f)
{
	struct manifest_site site = {.kind = SITE_SYMBOL};
	size_t len;
	int rc;

	if (!strncmp(s, "usdt:", 5)) {
		rc = parse_usdt(s, &site, f);
	} else {
		len = name_len(s, "_.$@");
		rc = copy_name(s, 0, len, site.symbol, sizeof(site.symbol), f);
		if (!rc)
			rc = parse_suffix(s, len, &site, f);
	}
	if (!rc)
		*ret = site;
	return rc;
}

struct manifest_text manifest_site_text(const struct manifest_site *s)
{
	struct manifest_text t;

	if (s->kind == SITE_USDT)
		snprintf(t.s, sizeof(t.s), "usdt:%s:%s", s->provider, s->name);
	else if (s->kind == SITE_RETURN)
		snprintf(t.s, sizeof(t.s), "%s:return", s->symbol);
	else if (s->offset)
		snprintf(t.s, sizeof(t.s), "%s+0x%" PRIx64, s->symbol, s->offset);
	else
		snprintf(t.s, sizeof(t.s), "%s", s->symbol);
	return t;
}
