/* SPDX-License-Identifier: BSD-2-Clause */
/* Profilers under loss, for the terminal. */
#include <string.h>

#include "results/loss_view.h"
#include "results/text.h"

enum { NAME_WIDTH = 26, RATE_WIDTH = 10, REGIMES_MAX = 3 };

/* Of several seeds the worst. */
static void put_share(struct view *v, FILE *out, const struct view_row *row, const char *metric,
		      const char *scope, bool least)
{
	struct span s = {0};
	char buf[NUMBER_LEN];

	if (row)
		s = view_span(v, row, metric, scope);
	fprintf(out, "%*s", RATE_WIDTH, s.has ? number_ratio(buf, least ? s.min : s.max) : "-");
}

/* The regime of most loss that nobody told; regimes are in order. */
static size_t last_silent(const struct loss_view *x)
{
	size_t found = x->regime_cnt;

	for (size_t r = 0; r < x->regime_cnt; r++)
		if (loss_is_silent(x->regimes[r]))
			found = r;
	return found;
}

static const struct view_row *silent_row(const struct loss_view *x, const struct loss_line *l)
{
	size_t r = last_silent(x);

	return r < x->regime_cnt ? l->rows[r] : NULL;
}

static void put_line(struct view *v, FILE *out, const struct loss_view *x,
		     const struct loss_line *l)
{
	const struct view_row *last = silent_row(x, l);
	char name[96];

	snprintf(name, sizeof(name), "  %.30s %.40s", l->workload, view_label(loss_line_who(x, l)));
	text_padded(out, name, "", NAME_WIDTH);
	for (size_t r = 0; r < x->regime_cnt && r < REGIMES_MAX; r++)
		put_share(v, out, l->rows[r], "handoff.context.false_join_rate", "declared", false);
	put_share(v, out, last, "loss.explained_share", "all", true);
	put_share(v, out, last, "loss.in_gap_share", "all", false);
	put_share(v, out, last, "loss.informedness", "all", true);
	putc('\n', out);
}

static void put_head(FILE *out, const struct loss_view *x)
{
	text_padded(out, "under loss, false joins", "", NAME_WIDTH);
	for (size_t r = 0; r < x->regime_cnt && r < REGIMES_MAX; r++) {
		size_t len = strlen(x->regimes[r]) - (loss_is_silent(x->regimes[r]) ? 7 : 0);

		fprintf(out, "%*.*s", RATE_WIDTH, len < RATE_WIDTH ? (int)len : RATE_WIDTH - 1,
			x->regimes[r]);
	}
	fprintf(out, "%*s%*s%*s\n", RATE_WIDTH, "explained", RATE_WIDTH, "in gaps", RATE_WIDTH,
		"informed");
}

/* Who is told of a loss explains it by saying so again: there is nothing to show. */
static void put_legend(FILE *out, const struct loss_view *x)
{
	size_t r = last_silent(x);

	fputs("share of two-ended claims that are false", out);
	if (r < x->regime_cnt)
		fprintf(out,
			"; the last three are for %s:\nexplained: of the handoffs missed for a "
			"loss that nobody told, those that an\norphan or a gap owns up to; in "
			"gaps: intact ones given up; informed: how much of\nthe losses was told "
			"less how much was given up, by time: nothing by guessing",
			x->regimes[r]);
	fputs("\n\n", out);
}

int table_loss(struct view *v, FILE *out)
{
	struct loss_view x;
	int err = loss_view_make(v, &x);
	size_t shown = 0;

	if (err)
		return err;
	for (size_t i = 0; i < x.line_cnt; i++) {
		if (!loss_line_joins(v, &x, &x.lines[i]))
			continue;
		if (!shown++)
			put_head(out, &x);
		put_line(v, out, &x, &x.lines[i]);
	}
	if (shown)
		put_legend(out, &x);
	loss_view_free(&x);
	return 0;
}
