/* SPDX-License-Identifier: BSD-2-Clause */
/* Handoffs and the candidates of one end of a claim, as text. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "scoring/arrays.h"
#include "scoring/explain_parts.h"
#include "scoring/parts.h"
#include "scoring/scope.h"

enum { CANDIDATES_SHOWN = 8, MISSES_SHOWN = 3 };

const char *outcome_name(unsigned outcome)
{
	static const char *const names[] = {
		[OUT_NOT_SCORED] = "not scored",
		[OUT_RIGHT] = "right",
		[OUT_DUPLICATE] = "duplicate",
		[OUT_FALSE_JOIN] = "false join",
		[OUT_HALF] = "half",
		[OUT_SPURIOUS] = "spurious",
		[OUT_ORPHAN] = "orphan",
		[OUT_OF_SCOPE] = "out of scope",
	};

	assert(outcome <= OUT_OF_SCOPE);
	return names[outcome];
}

void print_window(FILE *out, const struct window *w)
{
	fprintf(out, "[%" PRIu64 ", %" PRIu64 "]", w->t0, w->t1);
}

static void print_key(const struct truth_key *k, FILE *out)
{
	if (k->ns == KEY_NONE)
		return;
	fprintf(out, ", key %s 0x%" PRIx64, key_ns_name(k->ns), k->v);
	if (k->has_scope)
		fprintf(out, " of scope %" PRIu64, k->scope);
}

void print_marks(uint32_t marks, FILE *out)
{
	while (marks)
		fprintf(out, ", %s", mark_name(take_bit(&marks)));
}

void print_handoff(const struct truth_handoff *h, FILE *out)
{
	fprintf(out, "0x%" PRIx64 " %s", h->id, handoff_type_name(h->type));
	print_key(&h->key, out);
	if (h->has & TH_SRC) {
		fprintf(out, ", src thread %u ", h->src_tid);
		print_window(out, &h->src_t);
	}
	if (h->has & TH_DST) {
		fprintf(out, ", dst thread %u ", h->dst_tid);
		print_window(out, &h->dst_t);
		fputs(" ready ", out);
		print_window(out, &h->dst_ready);
	}
	if (h->has & TH_AMB)
		fprintf(out, ", amb group 0x%" PRIx64, h->amb);
	print_marks(h->marks, out);
}

static void print_fit(struct fit f, enum end_side side, FILE *out)
{
	static const char *const words[] = {
		[FIT_READY] = "matches: the time lies in dst.ready",
		[FIT_ELSEWHERE] = "matches at identity level only: another thread, by key and time",
		[FIT_READY_SHARED] = "no match: other dst.ready windows hold the time too, and no "
				     "key decides",
		[FIT_KEY] = "no match: the keys differ",
		[FIT_MUTE] = "no match: neither a thread of the application nor said to be the "
			     "kernel's",
		[FIT_NOTHING] = "no match",
	};

	if (f.kind == FIT_WINDOW)
		fprintf(out, "matches: the time lies in %s.t", side == END_SRC ? "src" : "dst");
	else if (f.kind == FIT_BEFORE)
		fprintf(out, "no match: %" PRIu64 " ns too early", f.off);
	else if (f.kind == FIT_AFTER)
		fprintf(out, "no match: %" PRIu64 " ns too late", f.off);
	else
		fputs(words[f.kind], out);
}

static void print_candidate(const struct truth_handoff *h, struct fit f, enum end_side side,
			    FILE *out)
{
	fputs("    ", out);
	print_handoff(h, out);
	fputs("\n      ", out);
	print_fit(f, side, out);
	fputc('\n', out);
}

struct near_miss {
	const struct truth_handoff *h;
	struct fit fit;
};

/* What tells most comes first: anything but the time in the way, then the smallest distance. */
static int miss_cmp(const void *pa, const void *pb)
{
	const struct near_miss *a = pa, *b = pb;

	if (a->fit.off != b->fit.off)
		return CMP3(a->fit.off, b->fit.off);
	return CMP3(a->h, b->h);
}

/* Other keys and threads are worth showing only where the time would have matched. */
static bool worth_showing(const struct claim *c, const struct truth_handoff *h, struct fit f,
			  enum end_side side)
{
	const struct window *w = side == END_SRC ? &h->src_t : &h->dst_t;
	uint64_t t = side == END_SRC ? c->handoff.src_t : c->handoff.dst_t;

	if (f.kind == FIT_NOTHING)
		return false;
	return f.kind != FIT_KEY || window_holds(w, t) ||
	       (side == END_DST && window_holds(&h->dst_ready, t));
}

int print_candidates(const struct explain *x, const struct claim *c, enum end_side side, FILE *out)
{
	struct near_miss *miss = array_new(x->t.handoffs_cnt, sizeof(*miss));
	size_t matches = 0, misses = 0;

	if (!miss)
		return -ENOMEM;
	for (size_t i = 0; i < x->t.handoffs_cnt; i++) {
		const struct truth_handoff *h = &x->t.handoffs[i];
		struct fit f = fit_end(x, c, side, h);

		if (fit_at_level(f, LEVEL_IDENTITY)) {
			if (matches++ < CANDIDATES_SHOWN)
				print_candidate(h, f, side, out);
		} else if (worth_showing(c, h, f, side)) {
			miss[misses++] = (struct near_miss){h, f};
		}
	}
	if (matches > CANDIDATES_SHOWN)
		fprintf(out, "    and %zu more that match\n", matches - CANDIDATES_SHOWN);
	if (!matches)
		fputs("    no handoff of truth matches\n", out);
	qsort(miss, misses, sizeof(*miss), miss_cmp);
	for (size_t i = 0; i < misses && i < MISSES_SHOWN; i++)
		print_candidate(miss[i].h, miss[i].fit, side, out);
	free(miss);
	return 0;
}
