/* SPDX-License-Identifier: BSD-2-Clause */
/* One claim: what became of it, by which rule, and what truth says around it. */
#include "scoring/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/arrays.h"
#include "scoring/explain_parts.h"
#include "scoring/parts.h"

/* S, D and S ∩ D of a claim at a level, before rank; bits of each handoff, and the first of each.
 */
struct sets {
	uint8_t *in; /* handoffs_cnt of the bits below */
	size_t near, far, both;
	const struct truth_handoff *first_near, *first_far, *first_both;
};

enum { IN_S = 1, IN_D = 2 };

/* D holds an amb group whole as soon as it holds one of it. */
static void widen(const struct explain *x, struct sets *s, const struct truth_handoff *h)
{
	for (size_t i = 0; i < x->t.handoffs_cnt; i++) {
		const struct truth_handoff *o = &x->t.handoffs[i];

		if ((o->has & TH_AMB) && o->amb == h->amb && o->type == h->type)
			s->in[i] |= IN_D;
	}
}

static void sets_count(const struct explain *x, struct sets *s)
{
	for (size_t i = 0; i < x->t.handoffs_cnt; i++) {
		const struct truth_handoff *h = &x->t.handoffs[i];

		if ((s->in[i] & IN_S) && !s->near++)
			s->first_near = h;
		if ((s->in[i] & IN_D) && !s->far++)
			s->first_far = h;
		if (s->in[i] == (IN_S | IN_D) && !s->both++)
			s->first_both = h;
	}
}

static int sets_make(const struct explain *x, const struct claim *c, enum score_level level,
		     struct sets *ret)
{
	struct sets s = {.in = array_new(x->t.handoffs_cnt, sizeof(*s.in))};

	if (!s.in)
		return -ENOMEM;
	for (size_t i = 0; i < x->t.handoffs_cnt; i++) {
		const struct truth_handoff *h = &x->t.handoffs[i];

		if (fit_at_level(fit_end(x, c, END_SRC, h), level))
			s.in[i] |= IN_S;
		if (!fit_at_level(fit_end(x, c, END_DST, h), level))
			continue;
		s.in[i] |= IN_D;
		if (h->has & TH_AMB)
			widen(x, &s, h);
	}
	sets_count(x, &s);
	*ret = s;
	return 0;
}

static void print_some(const char *what, const struct truth_handoff *first, size_t cnt, FILE *out)
{
	fprintf(out, "%s 0x%" PRIx64, what, first->id);
	if (cnt > 1)
		fprintf(out, " (and of %zu more)", cnt - 1);
}

static void say_not_scored(const struct explain *x, const struct claim *c, enum score_level level,
			   FILE *out)
{
	static const char *const names[] = {"src", "dst"};

	for (enum end_side side = END_SRC; side <= END_DST; side++) {
		struct claim_end e = claim_end(x, c, side);

		if (e.known && !time_scored(&x->t, e.t)) {
			fprintf(out, "its %s lies outside what is scored, ", names[side]);
			print_window(out, &x->t.scored);
			return;
		}
		if (e.known && !e.listed && level == LEVEL_CONTEXT) {
			fprintf(out,
				"its %s is on thread %u, which is none of the application's; "
				"only the identity level asks for such",
				names[side], e.tid);
			return;
		}
	}
}

/* The claim that holds the handoff's credit, numbered from 1; 0: none does. */
static size_t credited_claim(const struct explain *x, enum score_level level,
			     const struct truth_handoff *h)
{
	for (size_t i = 0; i < x->c.cnt; i++)
		if (x->v.credited[level][i] == (uint32_t)(h - x->t.handoffs))
			return i + 1;
	return 0;
}

static void say_duplicate(const struct explain *x, enum score_level level, const struct sets *s,
			  FILE *out)
{
	size_t other = credited_claim(x, level, s->first_both);

	print_some("both ends are those of", s->first_both, s->both, out);
	if (other)
		fprintf(out, ", but claim %zu was credited with it", other);
	else
		fputs(", but its src observation is already credited with another, or the handoff "
		      "has one end in what is scored",
		      out);
}

static void say_wrong(const struct claim *c, const struct sets *s, FILE *out)
{
	if (!(c->has & HAS_SRC) || !(c->has & HAS_DST))
		fputs("it names one end, and no handoff has that end there: an orphan whose named "
		      "end is false counts as spurious",
		      out);
	else if (s->near && s->far && !s->both) {
		print_some("its src is the near end of", s->first_near, s->near, out);
		print_some(", its dst the far end of", s->first_far, s->far, out);
		fputs(", and no handoff is in both", out);
	} else if (s->near && s->far) {
		print_some("by its windows alone it could be", s->first_both, s->both, out);
		fputs(", but rank gives its time in a batch to another handoff", out);
	} else if (s->near) {
		print_some("its src is the near end of", s->first_near, s->near, out);
		fputs(", its dst the far end of none", out);
	} else if (s->far) {
		print_some("its dst is the far end of", s->first_far, s->far, out);
		fputs(", its src the near end of none", out);
	} else {
		fputs("no handoff has an end there", out);
	}
}

static void say_orphan(const struct sets *s, FILE *out)
{
	if (s->near)
		print_some("its src alone is the near end of", s->first_near, s->near, out);
	else if (s->far)
		print_some("its dst alone is the far end of", s->first_far, s->far, out);
	fputs(": no error, no credit", out);
}

static void say_rule(const struct explain *x, const struct claim *c, enum score_level level,
		     const struct sets *s, FILE *out)
{
	size_t i = (size_t)(c - x->c.v);

	switch (x->v.outcome[level][i]) {
	case OUT_NOT_SCORED:
		say_not_scored(x, c, level, out);
		break;
	case OUT_RIGHT:
		fprintf(out, "credited with 0x%" PRIx64, x->t.handoffs[x->v.credited[level][i]].id);
		break;
	case OUT_DUPLICATE:
		say_duplicate(x, level, s, out);
		break;
	case OUT_ORPHAN:
		say_orphan(s, out);
		break;
	case OUT_OF_SCOPE:
		fputs("its key is used by no handoff of truth, of whatever type", out);
		break;
	default:
		say_wrong(c, s, out);
	}
}

static int explain_level(const struct explain *x, const struct claim *c, enum score_level level,
			 FILE *out)
{
	struct sets s;
	int err = sets_make(x, c, level, &s);

	if (err)
		return err;
	fprintf(out, "  %s level: %s, because ", level_name(level),
		outcome_name(x->v.outcome[level][c - x->c.v]));
	say_rule(x, c, level, &s, out);
	fputc('\n', out);
	free(s.in);
	return 0;
}

/* Candidates, the batches that they are in, and truth around one end. */
static int explain_end(const struct explain *x, const struct claim *c, enum end_side side,
		       FILE *out)
{
	struct claim_end e = claim_end(x, c, side);
	int err;

	if (!e.known) {
		fprintf(out, "  %s: not given\n", side == END_SRC ? "src" : "dst");
		return 0;
	}
	fprintf(out, "  %s: thread %u%s at %" PRIu64 "\n", side == END_SRC ? "src" : "dst", e.tid,
		e.listed ? "" : ", none of the application's", e.t);
	err = print_candidates(x, c, side, out);
	for (size_t i = 0; !err && i < x->t.handoffs_cnt; i++) {
		const struct truth_handoff *h = &x->t.handoffs[i];

		/* one batch is enough: the one of the first handoff that matches */
		if (!fit_at_level(fit_end(x, c, side, h), LEVEL_CONTEXT))
			continue;
		err = print_batch(x, c, side, h, out);
		break;
	}
	return err || !e.listed ? err : print_timeline(x, e.tid, e.t, out);
}

int explain_claim(const struct explain *x, size_t number, FILE *out)
{
	const struct claim *c;
	int err;

	if (!number || number > x->c.cnt)
		return -ERANGE;
	c = &x->c.v[number - 1];
	fprintf(out, "claim %zu (line %zu): ", number, number + 1);
	err = claim_print(out, c, x->c.strings);
	if (!err && c->kind != CLAIM_HANDOFF)
		return explain_other(x, c, out);
	for (unsigned level = 0; !err && level < LEVEL_CNT; level++)
		err = explain_level(x, c, level, out);
	if (!err)
		err = explain_end(x, c, END_SRC, out);
	if (!err)
		err = explain_end(x, c, END_DST, out);
	return err || !ferror(out) ? err : -EIO;
}

/* ---- a cell, opened ---- */

static int alloc_verdicts(struct explain *x)
{
	for (unsigned i = 0; i < LEVEL_CNT; i++) {
		x->v.outcome[i] = array_new(x->c.cnt, sizeof(uint8_t));
		x->v.credited[i] = array_new(x->c.cnt, sizeof(uint32_t));
		x->v.spoken[i] = array_new(x->t.handoffs_cnt, sizeof(uint8_t));
		if (!x->v.outcome[i] || !x->v.credited[i] || !x->v.spoken[i])
			return -ENOMEM;
		memset(x->v.credited[i], 0xff, x->c.cnt * sizeof(uint32_t));
	}
	return 0;
}

static int judge(struct explain *x, struct diag *d)
{
	struct handoff_score s;
	int err = alloc_verdicts(x);

	if (!err)
		err = score_handoffs(&x->t, &x->c, &s, &x->v);
	if (!err) {
		x->cheating = s.cheating;
		x->decoy_hits = s.level[LEVEL_CONTEXT].all.decoy_hits;
	}
	return err ? diag_set(d, err, "", 0, NULL, "the claims cannot be scored: %s",
			      strerror(-err))
		   : 0;
}

struct explain *explain_open(const char *truth_path, const char *claims_path, struct diag *d)
{
	struct explain *x = array_new(1, sizeof(*x)); /* mutant: equivalent because one is used */
	int err;

	if (!x) {
		diag_set(d, -ENOMEM, "", 0, NULL, "no memory to explain a cell");
		return NULL;
	}
	err = truth_load(truth_path, &x->t, d);
	x->has_truth = !err;
	if (!err)
		err = truth_check(&x->t, truth_path, d);
	if (!err) {
		err = claims_load(claims_path, &x->c, d);
		x->has_claims = !err;
	}
	if (!err)
		err = judge(x, d);
	if (!err)
		return x;
	explain_free(x);
	errno = -err;
	return NULL;
}

void explain_free(struct explain *x)
{
	if (!x)
		return;
	for (unsigned i = 0; i < LEVEL_CNT; i++) {
		free(x->v.outcome[i]);
		free(x->v.credited[i]);
		free(x->v.spoken[i]);
	}
	if (x->has_claims)
		claims_free(&x->c);
	if (x->has_truth)
		truth_free(&x->t);
	free(x);
}

size_t explain_claims_cnt(const struct explain *x)
{
	return x->c.cnt;
}
