/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting and converting whole claims files. */
#include "lib/formats/claims_file.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/formats/claims_fields.h"

const char *claim_kind_name(unsigned kind)
{
	assert(kind < CLAIM_KIND_CNT);
	return claim_shapes[kind].name;
}

/* Events on follow the ten handoff types in the order of the kinds. */
static uint32_t declared_bit(const struct claim *c)
{
	return 1u << (c->kind == CLAIM_HANDOFF ? c->type
					       : HANDOFF_TYPE_CNT + c->kind - CLAIM_EVENT);
}

void claims_count(const struct claims *c, struct claims_counts *ret)
{
	const unsigned ends = HAS_SRC | HAS_DST;

	memset(ret, 0, sizeof(*ret));
	ret->all = c->cnt;
	for (size_t i = 0; i < c->cnt; i++) {
		const struct claim *v = &c->v[i];

		ret->kind[v->kind]++;
		ret->undeclared += !(c->header.declares & declared_bit(v));
		if (v->kind != CLAIM_HANDOFF)
			continue;
		ret->handoff[v->type]++;
		ret->orphans += (v->has & ends) != ends;
	}
}

int claims_check_file(const char *path, struct claims_counts *ret, struct claims_header *ret_header,
		      struct diag *d)
{
	struct claims c;
	int err = claims_load(path, &c, d);

	if (err)
		return err;
	claims_count(&c, ret);
	if (ret_header)
		*ret_header = c.header;
	claims_free(&c);
	return 0;
}

/* Words get their ids in order of first use. */
static int copy_claim(struct claims_writer *w, const struct claim *from,
		      const struct strtab *strings)
{
	const struct claim_field *f = claim_shapes[from->kind].fields;
	struct claim c = *from;

	for (size_t i = 0; i < CLAIM_FIELDS_MAX && f[i].name; i++) {
		uint32_t *id = (uint32_t *)((char *)&c + f[i].off);
		int64_t new_id;

		if (f[i].form != FORM_WORD)
			continue;
		new_id = claims_writer_str(w, strtab_get(strings, *id));
		if (new_id < 0)
			return (int)new_id;
		*id = (uint32_t)new_id;
	}
	return claims_writer_put(w, &c);
}

static int write_claims(const struct claims *c, const char *path, enum claims_form form,
			struct diag *d)
{
	struct claims_writer *w = claims_writer_open(path, form, &c->header, d);
	int err = 0, close_err;

	if (!w)
		return d->err;
	for (size_t i = 0; i < c->cnt && !err; i++)
		err = copy_claim(w, &c->v[i], c->strings);
	close_err = claims_writer_close(w, d);
	return err ? err : close_err;
}

/* By way of a .part, which is removed where the claims did not get there whole. */
static int write_whole(const struct claims *c, const char *to, enum claims_form form,
		       struct diag *d)
{
	char part[PATH_MAX];
	int n = snprintf(part, sizeof(part), "%s.part", to);
	int err;

	if (n < 0 || (size_t)n >= sizeof(part))
		return file_error(d, -ENAMETOOLONG, to, "write");
	err = write_claims(c, part, form, d);
	if (!err && rename(part, to))
		err = file_error(d, -errno, to, "write");
	if (err)
		unlink(part);
	return err;
}

int claims_convert_file(const char *from, const char *to, enum claims_form form, struct diag *d)
{
	struct claims c;
	struct diag own;
	int err;

	d = d ? d : &own;
	err = claims_load(from, &c, d);
	if (err)
		return err;
	err = file_is_special(to) ? write_claims(&c, to, form, d) : write_whole(&c, to, form, d);
	claims_free(&c);
	return err;
}
