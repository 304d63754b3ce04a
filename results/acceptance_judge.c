/* SPDX-License-Identifier: BSD-2-Clause */
/* Who was right about an acceptance case, who doubted, who was wrong. */
#include <errno.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "lib/formats/claims.h"
#include "results/acceptance.h"

/* Of two-ended claims, and of truth's handoffs. */
#define WRONG_SHARE 0.005
#define SAID_SHARE  0.99
/* Of all processors' time. */
#define IDLE_SHARE 0.3

static const struct view_row *find_row(const struct view_group *g, const char *profiler)
{
	for (size_t i = 0; g && i < g->row_cnt; i++)
		if (!strcmp(g->rows[i].profiler, profiler))
			return &g->rows[i];
	return NULL;
}

static enum cell_state state_of(const struct view_row *row)
{
	size_t n;

	return view_state(row, &n);
}

static double sum(struct view *v, const struct view_row *row, const char *metric, const char *scope)
{
	double x = 0;

	view_sum(v, row, metric, scope, &x);
	return x;
}

/* ---- quads ---- */

/* The counts behind a figure: so many, of so many. */
static const struct {
	const char *figure, *of_what, *of;
	bool desc; /* both of the figure's scope; else of all */
} counts[] = {
	{"event.recall", "event.matched", "event.truth", true},
	{"event.precision", "event.claims", "event.truth", true},
	{"event.unit_accuracy", "event.units_equal", "event.matched", true},
	{"event.identity.join_precision", "event.identity.pure", "event.identity.claimed_joins",
	 false},
	{"event.identity.join_recall", "event.identity.found", "event.identity.true_joins", false},
	{"event.identity.life_exactness", "event.identity.exact", "event.identity.lives", false},
};

static struct acceptance_reading read_quad(struct view *v, const struct acceptance_row *r,
					   const struct acceptance_side *s,
					   const struct view_row *row)
{
	struct acceptance_reading x = {0};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const char *scope = counts[i].desc ? s->scope : "all";

		if (strcmp(counts[i].figure, r->metric) != 0)
			continue;
		x.has = view_sum(v, row, counts[i].of_what, scope, &x.right) &&
			view_sum(v, row, counts[i].of, scope, &x.truth);
	}
	return x;
}

/* Whether there is a figure, in every seed: 0 of 0 is none, whatever the bounds. */
static bool is_measured(struct view *v, const struct acceptance_row *r,
			const struct acceptance_side *s, const struct view_row *row)
{
	struct span x = view_span(v, row, r->metric, s->scope);

	return x.has && !x.partly;
}

/* In any seed. */
static bool is_out(struct view *v, const struct acceptance_row *r, const struct acceptance_side *s,
		   const struct view_row *row)
{
	struct span x = view_span(v, row, r->metric, s->scope);

	return x.has && ((r->has_below && x.min < r->below) || (r->has_above && x.max > r->above));
}

/* In every one. */
static bool is_always_out(struct view *v, const struct acceptance_row *r,
			  const struct acceptance_side *s, const struct view_row *row)
{
	struct span x = view_span(v, row, r->metric, s->scope);

	return x.has && !x.partly &&
	       ((r->has_below && x.max < r->below) || (r->has_above && x.min > r->above));
}

/* When it first doubted something, and when it first named an illness; UINT64_MAX: never. */
struct moments {
	uint64_t doubt, diagnosis;
};

static void look(const struct claims *c, const struct claim *x, struct moments *m)
{
	bool ill =
		x->kind == CLAIM_DIAGNOSIS && strcmp(strtab_get(c->strings, x->diagnosis.label_str),
						     diagnosis_name(DIAGNOSIS_HEALTHY)) != 0;

	if (x->kind == CLAIM_HEALTH && x->type != HEALTH_VALIDATED && x->health.t < m->doubt)
		m->doubt = x->health.t;
	if (ill && x->diagnosis.t < m->diagnosis)
		m->diagnosis = x->diagnosis.t;
}

static int read_moments(const struct view *v, const struct run_cell *cell, struct moments *ret,
			struct diag *d)
{
	struct moments m = {UINT64_MAX, UINT64_MAX};
	struct claims c;
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%s/cells/%s/claims.bin", v->run->path, cell->cell);
	if (access(path, R_OK))
		goto out;
	err = claims_load(path, &c, d);
	if (err)
		return err;
	for (size_t i = 0; i < c.cnt; i++)
		look(&c, &c.v[i], &m);
	claims_free(&c);
out:
	*ret = m;
	return 0;
}

/* Whether it named an illness, in any seed; and one that it had not doubted before. */
static int read_diagnoses(const struct view *v, const struct view_row *row, bool *ret_ill,
			  bool *ret_rash, struct diag *d)
{
	*ret_ill = *ret_rash = false;
	for (size_t i = 0; i < row->cell_cnt; i++) {
		struct moments m;
		int err = read_moments(v, row->cells[i], &m, d);

		if (err)
			return err;
		*ret_ill |= m.diagnosis != UINT64_MAX;
		*ret_rash |= m.diagnosis < m.doubt;
	}
	return 0;
}

static bool found_all(struct view *v, const struct view_row *row)
{
	double stale = sum(v, row, "stale.matrix", "stale:kept") +
		       sum(v, row, "stale.matrix", "stale:suspect") +
		       sum(v, row, "stale.matrix", "stale:stale");

	return stale > 0 && sum(v, row, "stale.detected", "all") >= stale;
}

static int judge_quad(struct view *v, const struct acceptance_row *r,
		      const struct view_row *rows[2], struct acceptance_said *ret, struct diag *d)
{
	bool claims = sum(v, rows[1], "event.claims", "all") > 0;
	bool ill, rash, out = is_out(v, r, &r->after, rows[1]);
	int err = read_diagnoses(v, rows[1], &ill, &rash, d);

	if (err)
		return err;
	if (found_all(v, rows[1]) && !rash)
		ret->verdict = VERDICT_DOUBTED;
	else if (claims && (out || ill))
		ret->verdict = VERDICT_WRONG;
	else if (claims && is_measured(v, r, &r->after, rows[1]))
		ret->verdict = VERDICT_RIGHT;
	err = rows[0] ? read_diagnoses(v, rows[0], &ill, &rash, d) : 0;
	ret->confident = rows[0] && !ill && is_measured(v, r, &r->before, rows[0]) &&
			 !is_out(v, r, &r->before, rows[0]) &&
			 sum(v, rows[0], "stale.false_alarms", "all") <= 0;
	return err;
}

/* ---- handoffs ---- */

static double part(struct view *v, const struct acceptance_row *r, const struct acceptance_side *s,
		   const struct view_row *row, const char *name)
{
	char metric[64];

	snprintf(metric, sizeof(metric), "%s.%s", r->metric, name);
	return sum(v, row, metric, s->scope);
}

static struct acceptance_reading read_handoffs(struct view *v, const struct acceptance_row *r,
					       const struct acceptance_side *s,
					       const struct view_row *row)
{
	static const char *const wrong[] = {"duplicate", "false_join", "half", "spurious"};
	struct acceptance_reading x = {
		.truth = part(v, r, s, row, "truth"),
		.right = part(v, r, s, row, "right"),
		.orphan = part(v, r, s, row, "orphan_only"),
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		x.wrong += part(v, r, s, row, wrong[i]);
	x.has = x.truth > 0;
	return x;
}

/*
 * Handoffs of which it says nothing at all, nor that it may have missed some. What loss hit is
 * explained by a gap or by an orphan, so an orphan may be counted in both: the greater of the two
 * is what was said for certain. Loss is counted over all handoffs, so is a case of it ("all").
 */
static double unsaid(struct view *v, const struct acceptance_side *s, const struct view_row *row,
		     const struct acceptance_reading *x)
{
	double said = x->orphan, rest;

	if (strcmp(s->regime, "clean") != 0)
		said = MAX(said, sum(v, row, "loss.explained", "all"));
	rest = x->truth - x->right - x->wrong - said;
	return MAX(rest, 0);
}

static enum verdict judge_handoffs(struct view *v, const struct acceptance_row *r,
				   const struct acceptance_side *s, const struct view_row *row)
{
	struct acceptance_reading x = read_handoffs(v, r, s, row);

	if (!x.has || !(x.right + x.wrong + x.orphan > 0))
		return VERDICT_NONE;
	if (x.wrong > WRONG_SHARE * (x.right + x.wrong))
		return VERDICT_WRONG;
	if (x.right >= SAID_SHARE * x.truth)
		return VERDICT_RIGHT;
	return unsaid(v, s, row, &x) <= (1 - SAID_SHARE) * x.truth ? VERDICT_DOUBTED
								   : VERDICT_WRONG;
}

/* ---- a case ---- */

/* In any of its cells. */
static bool was_busy(const struct view_row *row)
{
	for (size_t i = 0; i < row->cell_cnt; i++)
		if (row->cells[i]->idle < IDLE_SHARE)
			return true;
	return false;
}

static void judge_reference(struct view *v, struct acceptance_row *r)
{
	const struct acceptance_side *sides[2] = {&r->before, &r->after};
	const struct view_row *rows[2];

	r->there = true;
	for (unsigned i = 0; i < 2; i++) {
		rows[i] = find_row(sides[i]->g, r->naive);
		r->there &= rows[i] && state_of(rows[i]) == CELL_OK;
		if (rows[i])
			r->reading[i] = r->handoffs ? read_handoffs(v, r, sides[i], rows[i])
						    : read_quad(v, r, sides[i], rows[i]);
	}
	if (!r->there)
		return;
	if (r->handoffs)
		r->reproduced = judge_handoffs(v, r, &r->before, rows[0]) == VERDICT_RIGHT &&
				judge_handoffs(v, r, &r->after, rows[1]) == VERDICT_WRONG;
	else
		r->reproduced = is_measured(v, r, &r->before, rows[0]) &&
				!is_out(v, r, &r->before, rows[0]) &&
				is_always_out(v, r, &r->after, rows[1]);
	r->busy = !r->reproduced && r->idle && was_busy(rows[1]);
}

static int judge_one(struct view *v, const struct acceptance_row *r, const char *profiler,
		     struct acceptance_said *ret, struct diag *d)
{
	const struct view_row *rows[2] = {find_row(r->before.g, profiler),
					  find_row(r->after.g, profiler)};

	*ret = (struct acceptance_said){.state = CELL_OK};
	for (unsigned i = 0; i < 2; i++)
		if (rows[i] && state_of(rows[i]) > ret->state)
			ret->state = state_of(rows[i]);
	if (!rows[1])
		return 0;
	if (ret->state != CELL_OK) {
		ret->verdict = VERDICT_FAILED;
		return 0;
	}
	if (!r->handoffs)
		return judge_quad(v, r, rows, ret, d);
	ret->verdict = judge_handoffs(v, r, &r->after, rows[1]);
	ret->confident = rows[0] && judge_handoffs(v, r, &r->before, rows[0]) == VERDICT_RIGHT;
	return 0;
}

int acceptance_judge(struct view *v, struct acceptance *a, struct diag *d)
{
	for (size_t i = 0; i < a->cnt; i++) {
		judge_reference(v, &a->rows[i]);
		for (size_t k = 0; k < a->contestant_cnt; k++) {
			int err = judge_one(v, &a->rows[i], a->contestants[k], &a->rows[i].said[k],
					    d);

			if (err)
				return err;
		}
	}
	return 0;
}
