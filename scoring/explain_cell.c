/* SPDX-License-Identifier: BSD-2-Clause */
/* A whole cell: which claims are wrong, and what was missed most, by kind. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "scoring/explain_parts.h"
#include "scoring/scope.h"

/* Things alike, with the first of them as an example. */
struct kind {
	uint32_t a, b, c; /* what makes them alike, in terms of the printer */
	uint64_t cnt;
	uint32_t example; /* index of a claim or of a handoff */
};

enum { FIRST_ROOM = 32 };

struct kinds {
	struct kind *v;
	size_t cnt, room;
};

static int kinds_add(struct kinds *k, uint32_t a, uint32_t b, uint32_t c, uint32_t example)
{
	for (size_t i = 0; i < k->cnt; i++) {
		if (k->v[i].a != a || k->v[i].b != b || k->v[i].c != c)
			continue;
		k->v[i].cnt++;
		return 0;
	}
	if (k->cnt == k->room) {
		/* mutant: equivalent because any growth does */
		size_t room = k->room ? 2 * k->room : FIRST_ROOM;
		struct kind *v = realloc(k->v, room * sizeof(*v));

		if (!v)
			return -ENOMEM;
		k->v = v;
		k->room = room;
	}
	k->v[k->cnt++] = (struct kind){.a = a, .b = b, .c = c, .cnt = 1, .example = example};
	return 0;
}

/* Most first; of equals the one that came first. */
static int kind_cmp(const void *pa, const void *pb)
{
	const struct kind *a = pa, *b = pb;

	if (a->cnt != b->cnt)
		return CMP3(b->cnt, a->cnt);
	return CMP3(a->example, b->example);
}

static void kinds_sort(struct kinds *k)
{
	if (k->cnt)
		qsort(k->v, k->cnt, sizeof(*k->v), kind_cmp);
}

static bool is_wrong(unsigned outcome)
{
	return outcome == OUT_DUPLICATE || outcome == OUT_FALSE_JOIN || outcome == OUT_HALF ||
	       outcome == OUT_SPURIOUS || outcome == OUT_OF_SCOPE;
}

/* At which levels the claims of a kind are wrong, and whether each names one end alone. */
enum { WRONG_CONTEXT = 1, WRONG_IDENTITY = 2, WRONG_BOTH = 3, WRONG_ORPHAN = 4 };

static uint32_t where_wrong(const struct explain *x, size_t i)
{
	const struct claim *c = &x->c.v[i];
	uint32_t where = 0;

	where |= is_wrong(x->v.outcome[LEVEL_CONTEXT][i]) ? WRONG_CONTEXT : 0;
	where |= is_wrong(x->v.outcome[LEVEL_IDENTITY][i]) ? WRONG_IDENTITY : 0;
	if (where && (!(c->has & HAS_SRC) || !(c->has & HAS_DST)))
		where |= WRONG_ORPHAN;
	return where;
}

static int print_wrong_kind(const struct explain *x, const struct kind *k, FILE *out)
{
	static const char *const levels[] = {
		[WRONG_CONTEXT] = "context level alone",
		[WRONG_IDENTITY] = "identity level alone",
		[WRONG_BOTH] = "both levels",
	};

	fprintf(out, "  %" PRIu64 " %s of type %s, at %s%s; the first is claim %u, ", k->cnt,
		outcome_name(k->a), handoff_type_name(k->b), levels[k->c & WRONG_BOTH],
		k->c & WRONG_ORPHAN ? " (orphans: the end that they name is false)" : "",
		k->example + 1);
	return claim_print(out, &x->c.v[k->example], x->c.strings);
}

/* By the verdict at context level; of a claim that is wrong at identity level alone, by that. */
static int print_wrong(const struct explain *x, FILE *out)
{
	struct kinds k = {};
	int err = 0;

	for (size_t i = 0; !err && i < x->c.cnt; i++) {
		uint32_t where = where_wrong(x, i);
		enum score_level level = where & WRONG_CONTEXT ? LEVEL_CONTEXT : LEVEL_IDENTITY;

		if (where)
			err = kinds_add(&k, x->v.outcome[level][i], x->c.v[i].type, where,
					(uint32_t)i);
	}
	kinds_sort(&k);
	fprintf(out, k.cnt ? "wrong claims, most first:\n" : "no claim is wrong\n");
	for (size_t i = 0; !err && i < k.cnt; i++)
		err = print_wrong_kind(x, &k.v[i], out);
	if (!err && k.cnt)
		fprintf(out, "see one: the same command and the claim's number, such as %u\n",
			k.v[0].example + 1);
	free(k.v);
	return err;
}

/* What has no verdict is not wrong, and not right either: all of it may be of another run. */
static void print_unjudged(const struct explain *x, FILE *out)
{
	size_t cnt = 0, first = 0, all = claims_count(&x->c, CLAIM_HANDOFF);

	for (size_t i = 0; i < x->c.cnt; i++) {
		if (x->c.v[i].kind != CLAIM_HANDOFF ||
		    x->v.outcome[LEVEL_CONTEXT][i] != OUT_NOT_SCORED ||
		    x->v.outcome[LEVEL_IDENTITY][i] != OUT_NOT_SCORED)
			continue;
		first = cnt++ ? first : i + 1;
	}
	if (cnt)
		fprintf(out,
			"not scored: %zu of %zu handoff claims, outside the scored time or on "
			"threads that truth does not know; the first is claim %zu\n",
			cnt, all, first);
}

static void print_cheating(const struct explain *x, FILE *out)
{
	if (x->cheating)
		fprintf(out,
			"CHEATING: %" PRIu64 " claims lie on decoys, acts that never happened and "
			"stand in truth alone\n",
			x->decoy_hits);
}

/* What was said of a handoff that nobody was credited with. */
enum said { SAID_NOTHING = 0, SAID_ORPHAN = 1, SAID_CLAIMED = 2 };

static enum said what_was_said(uint8_t spoken)
{
	if (spoken & SPOKEN_TWO_ENDED)
		return SAID_CLAIMED;
	return spoken & SPOKEN_ORPHAN ? SAID_ORPHAN : SAID_NOTHING;
}

static void print_missed_kind(const struct explain *x, const struct kind *k, FILE *out)
{
	static const char *const said[] = {
		[SAID_NOTHING] = "nothing speaks of them",
		[SAID_ORPHAN] = "only an orphan speaks of them",
		[SAID_CLAIMED] = "claims could mean them, but were credited elsewhere",
	};

	fprintf(out, "  %" PRIu64 " of type %s", k->cnt, handoff_type_name(k->a));
	print_marks(k->b, out);
	fprintf(out, ": %s; the first is\n    ", said[k->c]);
	print_handoff(&x->t.handoffs[k->example], out);
	fputc('\n', out);
}

/* Whose types are asked about: those that it declares, or all where it declares none. */
static bool is_declared(const struct explain *x, uint8_t type)
{
	uint32_t types = x->c.header.declares & DECLARES_HANDOFFS;

	return !types || (types & 1u << type);
}

static void print_undeclared(const uint64_t missed[HANDOFF_TYPE_CNT], FILE *out)
{
	const char *before = "  of types that it does not declare: ";

	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++) {
		if (!missed[i])
			continue;
		fprintf(out, "%s%" PRIu64 " %s", before, missed[i], handoff_type_name(i));
		before = ", ";
	}
	if (before[0] == ',')
		fputc('\n', out);
}

static int print_missed(const struct explain *x, FILE *out)
{
	struct kinds k = {};
	uint64_t truth = 0, missed = 0, undeclared[HANDOFF_TYPE_CNT] = {0};
	int err = 0;

	for (size_t i = 0; !err && i < x->t.handoffs_cnt; i++) {
		const struct truth_handoff *h = &x->t.handoffs[i];
		uint8_t spoken = x->v.spoken[LEVEL_CONTEXT][i];

		if (!handoff_scored(&x->t, h))
			continue;
		truth++;
		if (spoken & SPOKEN_CREDITED)
			continue;
		missed++;
		if (is_declared(x, h->type))
			err = kinds_add(&k, h->type, h->marks, what_was_said(spoken), (uint32_t)i);
		else
			undeclared[h->type]++;
	}
	kinds_sort(&k);
	fprintf(out, "missed at context level: %" PRIu64 " of %" PRIu64 " handoffs%s\n", missed,
		truth, missed ? ", most first:" : "");
	for (size_t i = 0; !err && i < k.cnt; i++)
		print_missed_kind(x, &k.v[i], out);
	print_undeclared(undeclared, out);
	free(k.v);
	return err;
}

int explain_cell(const struct explain *x, FILE *out)
{
	int err;

	print_cheating(x, out);
	err = print_wrong(x, out);
	print_unjudged(x, out);
	if (!err)
		err = print_missed(x, out);
	return err || !ferror(out) ? err : -EIO;
}
