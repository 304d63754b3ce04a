/* SPDX-License-Identifier: BSD-2-Clause */
/* Edits of manifests. */
#include "mutations/generate/mend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int not_as_expected(struct diag *d)
{
	return diag_set(d, -EINVAL, "manifest.yaml", 0, NULL, "the manifest is not as it was read");
}

static int splice(struct text *t, size_t at, size_t len, const char *with, struct diag *d)
{
	int rc = text_splice(t, at, len, with);

	return rc ? diag_set(d, rc, NULL, 0, NULL, "out of memory") : 0;
}

/* ---- descriptors ---- */

/* Its lines, from "  - id:" to before what does not belong to it. */
static const char *find_block(const char *text, uint32_t id, const char **ret_end)
{
	char head[32];
	const char *at, *end;

	snprintf(head, sizeof(head), "\n  - id: %u\n", id);
	at = strstr(text, head);
	if (!at)
		return NULL;
	at++;
	for (end = strchr(at, '\n') + 1; !strncmp(end, "    ", 4);)
		end = strchrnul(end, '\n') + 1;
	*ret_end = end;
	return at;
}

/* The value of a key: behind "    KEY: ". */
static const char *find_value(const char *text, uint32_t id, const char *key)
{
	char head[48];
	const char *end, *block = find_block(text, id, &end), *at;
	int len = snprintf(head, sizeof(head), "\n    %s: ", key);

	at = block ? strstr(block, head) : NULL;
	return at && at < end ? at + len : NULL;
}

bool mend_member(const char *text, uint32_t id, char tag[OPERATOR_WORD], char member[OPERATOR_WORD])
{
	const char *at = find_value(text, id, "unit_key");
	size_t line = at ? strcspn(at, "\n") : 0;
	const char *mark = at ? memmem(at, line, "# ", 2) : NULL;

	return mark && sscanf(mark, "# %63[a-z_].%63[a-z_]\n", tag, member) == 2;
}

static int replace(struct text *t, uint32_t id, const char *key, const char *old, const char *with,
		   struct diag *d)
{
	const char *at = find_value(t->s, id, key);

	if (!at || strncmp(at, old, strlen(old)) != 0)
		return not_as_expected(d);
	return splice(t, (size_t)(at - t->s), strlen(old), with, d);
}

static int to_candidate(struct text *t, uint32_t id, struct diag *d)
{
	return replace(t, id, "confidence", "validated", "candidate", d);
}

static int to_site(struct text *t, const struct mending *m, uint32_t id, struct diag *d)
{
	const struct manifest_descriptor *x = manifest_descriptor_by_id(m->manifest, id);

	return replace(t, id, "site", x->site.symbol, m->symbol, d);
}

static int to_guard(struct text *t, uint32_t id, struct diag *d)
{
	return replace(t, id, "when", "retval != 0", "retval:s64 > 0", d);
}

static int to_offset(struct text *t, uint32_t id, struct diag *d)
{
	const char *at = find_value(t->s, id, "unit_key");
	const char *plus = at ? memchr(at, '+', strcspn(at, "\n")) : NULL;
	char with[16];

	if (!plus)
		return not_as_expected(d);
	snprintf(with, sizeof(with), "%lu", strtoul(plus + 1, NULL, 10) + 4);
	return splice(t, (size_t)(plus + 1 - t->s), strspn(plus + 1, "0123456789"), with, d);
}

/* ---- one more site ---- */

static uint32_t next_id(const struct manifest *m)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < m->descriptors_cnt; i++)
		most = m->descriptors[i].id > most ? m->descriptors[i].id : most;
	return most + 1;
}

static int add_descriptor(struct text *t, const struct mending *m, uint32_t id, uint32_t more,
			  struct diag *d)
{
	const char *end, *block = find_block(t->s, id, &end);
	struct text copy = {.s = NULL};
	char old[32], fresh[32];
	int rc;

	if (!block)
		return not_as_expected(d);
	snprintf(old, sizeof(old), "  - id: %u\n", id);
	snprintf(fresh, sizeof(fresh), "\n  - id: %u\n", more);
	copy.s = text_printed("%s%.*s", fresh, (int)(end - block - (long)strlen(old)),
			      block + strlen(old));
	rc = copy.s ? replace(&copy, more, "site",
			      manifest_descriptor_by_id(m->manifest, id)->site.symbol, m->symbol, d)
		    : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	if (!rc)
		rc = splice(t, (size_t)(end - t->s), 0, copy.s + 1, d);
	free(copy.s);
	return rc;
}

static bool names(const struct manifest_invariant *v, uint32_t id)
{
	for (uint32_t i = 0; i < v->of_cnt; i++)
		if (v->of[i] == id)
			return true;
	return false;
}

/* Pairs and balances count the new site in; what compares counts of the old one says nothing any
 * more. */
static int mend_invariant(struct text *t, const struct manifest_invariant *v, uint32_t id,
			  uint32_t more, struct diag *d)
{
	bool sums = v->kind == INV_PAIRING || v->kind == INV_BALANCE;
	char head[80], with[16];
	const char *at, *close;

	if (!names(v, id))
		return 0;
	snprintf(head, sizeof(head), "\n  - {id: %s,", v->id);
	at = strstr(t->s, head);
	if (!at)
		return not_as_expected(d);
	if (!sums)
		return splice(t, (size_t)(at - t->s), strcspn(at + 1, "\n") + 1, "", d);
	close = strchr(at, ']');
	if (!close)
		return not_as_expected(d);
	snprintf(with, sizeof(with), ", %u", more);
	return splice(t, (size_t)(close - t->s), 0, with, d);
}

static int to_sites(struct text *t, const struct mending *m, uint32_t id, uint32_t more,
		    struct diag *d)
{
	int rc = add_descriptor(t, m, id, more, d);

	for (uint32_t i = 0; !rc && i < m->manifest->invariants_cnt; i++)
		rc = mend_invariant(t, &m->manifest->invariants[i], id, more, d);
	return rc;
}

/* ---- the whole ---- */

static int mend_one(struct text *t, const struct mending *m, unsigned i, struct diag *d)
{
	switch (m->how) {
	case REPAIR_SITE:
		return to_site(t, m, m->ids[i], d);
	case REPAIR_SITES:
		return to_sites(t, m, m->ids[i], next_id(m->manifest) + i, d);
	case REPAIR_GUARD:
		return to_guard(t, m->ids[i], d);
	case REPAIR_OFFSET:
		return to_offset(t, m->ids[i], d);
	default:
		return to_candidate(t, m->ids[i], d);
	}
}

int mend(const struct mending *m, const char *text, char **ret, struct diag *d)
{
	struct text t = {.s = strdup(text)};
	int rc = t.s ? 0 : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	for (unsigned i = 0; !rc && i < m->cnt; i++)
		rc = mend_one(&t, m, i, d);
	if (rc)
		free(t.s);
	else
		*ret = t.s;
	return rc;
}
