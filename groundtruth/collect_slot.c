/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the raw records of one slot, in its order, and says which is no record at all. */
#include "groundtruth/collect_join.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int collect_reject(struct collect *x, unsigned slot, uint64_t rec, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return diag_set(x->d, -EINVAL, "", 0,
			"this run is broken: repeat it; if it stays so, the workload's recording "
			"is at fault",
			"thread %u, raw record %llu: %s", x->c->slots[slot].shared->tid,
			(unsigned long long)rec, what);
}

/* Which token space the id belongs to: -1 where it was never dealt. */
static int token_of(const struct collect *x, uint64_t id)
{
	uint32_t which;

	return idmap_get(&x->tokens, id, &which) ? (int)which : -1;
}

static bool named(const char (*names)[LOG_NAME_LEN], unsigned i)
{
	return i < LOG_NAMES && names[i][0] && memchr(names[i], 0, LOG_NAME_LEN);
}

/* Numbers that index a vocabulary or a table of names. */
static const char *vocabulary_fault(const struct collect *x, const struct log_rec *r)
{
	const struct log_channel *map = x->c->map;
	const char(*classes)[LOG_NAME_LEN] = map->classes;

	switch (r->kind) {
	case LOG_BEGIN:
		return named(map->kinds, r->type) ? NULL : "an operation kind without a name";
	case LOG_SRC:
	case LOG_DST:
		return r->type < HANDOFF_TYPE_CNT && r->ns < KEY_OTHER
			       ? NULL
			       : "an unknown handoff type or key space";
	case LOG_EVENT:
		return r->type < EVENT_KIND_CNT && named(classes, r->cls)
			       ? NULL
			       : "an unknown event, or a class without a name";
	case LOG_EFFECT:
		return r->type < EFFECT_KIND_CNT ? NULL : "an unknown effect";
	case LOG_DIAGNOSIS:
		return named(classes, r->cls) && (r->type == LOG_NAMES || named(classes, r->type))
			       ? NULL
			       : "a label or subject without a name";
	case LOG_COST:
		return r->type < LOG_COST_CNT ? NULL : "an unknown kind of cost";
	}
	return NULL;
}

/* Kinds whose id is a dealt token; a decoy may only pose as one of three. */
static const char *token_fault(const struct log_rec *r, int token)
{
	switch (r->kind) {
	case LOG_SRC:
	case LOG_DST:
	case LOG_EVENT:
		return token < 0 ? "unknown token" : NULL;
	case LOG_DIAGNOSIS:
	case LOG_CONTRADICTED:
		return NULL;
	case LOG_COST:
		return r->type == LOG_COST_FUNCTION || token == TOKEN_DEALT ? NULL
									    : "unknown token";
	default:
		return token == TOKEN_DEALT ? NULL : "unknown token";
	}
}

static int contradict(struct collect *x, unsigned slot, uint64_t rec, const struct log_rec *r)
{
	struct truth_descriptor *v = x->b.store->arrays[ARRAY_DESCRIPTORS];

	for (size_t i = 0; i < x->b.cnt[ARRAY_DESCRIPTORS]; i++) {
		if (v[i].id != r->aux)
			continue;
		if (!v[i].has_contradicted || r->t1 < v[i].contradicted)
			v[i].contradicted = r->t1;
		v[i].has_contradicted = 1;
		return 0;
	}
	return collect_reject(x, slot, rec, "contradicts descriptor %u, which is not listed",
			      r->aux);
}

static int keep_known(struct collect *x, const struct log_rec *r)
{
	const struct log_rec **to =
		collect_more(&x->known, &x->known_cnt, &x->known_cap, sizeof(*x->known));

	if (!to)
		return collect_fault(x, -ENOMEM);
	*to = r;
	return 0;
}

static int keep_for_later(struct collect *x, const struct log_rec *r)
{
	const struct log_rec **to =
		collect_more(&x->late, &x->late_cnt, &x->late_cap, sizeof(*x->late));

	if (!to)
		return collect_fault(x, -ENOMEM);
	*to = r;
	return 0;
}

static int take_true(struct collect *x, unsigned slot, uint64_t rec, const struct log_rec *r)
{
	switch ((enum log_kind)r->kind) {
	case LOG_BEGIN:
		return collect_place(x, r->t0, RANK_BEGIN, slot, rec, 0);
	case LOG_END:
		return collect_place(x, r->t0, RANK_END, slot, rec, 0);
	case LOG_SEGMENT:
		return collect_segment(x, slot, rec, r);
	case LOG_SRC:
		return collect_src(x, slot, rec, r);
	case LOG_DST:
		return collect_dst(x, slot, rec, r);
	case LOG_EVENT:
		return collect_place(x, r->t0, RANK_EVENT, slot, rec, 0);
	case LOG_EFFECT:
		return collect_place(x, r->t0, RANK_EFFECT, slot, rec, 0);
	case LOG_LIVE:
		if (r->flags & LOG_F_AT_START)
			return collect_place(x, 0, RANK_START, slot, rec, 0);
		return collect_place(x, UINT64_MAX, RANK_LIVE, slot, rec, 0);
	case LOG_DIAGNOSIS:
		return x->info->undiagnosed ? 0
					    : collect_place(x, r->t0, RANK_DIAGNOSIS, slot, rec, 0);
	case LOG_CONTRADICTED:
		return contradict(x, slot, rec, r);
	case LOG_AMB:
	case LOG_MARK:
		return keep_for_later(x, r);
	case LOG_COST:
		return keep_known(x, r);
	case LOG_NONE:
	case LOG_KIND_CNT:
		break;
	}
	return collect_reject(x, slot, rec, "torn record: kind %u", r->kind);
}

static int take(struct collect *x, unsigned slot, uint64_t rec)
{
	const struct log_rec *r = &x->c->slots[slot].recs[rec];
	const char *fault;
	int token;

	if (r->kind == LOG_NONE || r->kind >= LOG_KIND_CNT)
		return collect_reject(x, slot, rec, "torn record: kind %u", r->kind);
	token = token_of(x, r->id);
	fault = vocabulary_fault(x, r);
	if (!fault)
		fault = token_fault(r, token);
	/* The window of a dst may begin at 0: the receiver never looked before. */
	if (!fault && r->t1 < r->t0)
		fault = "a window that ends before it begins";
	if (fault)
		return collect_reject(x, slot, rec, "%s (kind %u, id 0x%llx)", fault, r->kind,
				      (unsigned long long)r->id);
	if (token == TOKEN_DECOY)
		return collect_place(x, r->t0, RANK_DECOY, slot, rec, 0);
	return take_true(x, slot, rec, r);
}

int collect_slot(struct collect *x, unsigned slot)
{
	uint64_t cnt = x->c->slots[slot].shared->cnt;
	int err = 0;

	x->free_since = 0;
	x->waiting_cnt = 0;
	for (uint64_t i = 0; !err && i < cnt; i++)
		err = take(x, slot, i);
	if (!err && x->waiting_cnt)
		err = collect_reject(x, slot, cnt,
				     "handoff 0x%llx starts a segment that was never recorded",
				     (unsigned long long)x->pending[x->waiting[0]].h.id);
	return err;
}
