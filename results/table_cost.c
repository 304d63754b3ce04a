/* SPDX-License-Identifier: BSD-2-Clause */
/* What watching costs, for the terminal. */
#include <errno.h>
#include <string.h>

#include "results/cost_view.h"
#include "results/text.h"

enum { NAME_WIDTH = 26, WIDTH = 8 };

static void put_share(FILE *out, bool has, double v)
{
	char text[32] = "-";

	if (has)
		snprintf(text, sizeof(text), "%.1f", v * 100);
	fprintf(out, "%*s", WIDTH, text);
}

static void put_accuracy(FILE *out, bool has, double v)
{
	char buf[NUMBER_LEN];

	fprintf(out, "%*s", WIDTH, has ? number_ratio(buf, v) : "-");
}

static void put_row(FILE *out, const struct cost_row *row)
{
	char name[64], interval[32] = "-";

	snprintf(name, sizeof(name), "  %.40s", view_label(&row->as));
	text_padded(out, name, "", NAME_WIDTH);
	if (row->cell->state != CELL_OK) {
		fprintf(out, "%s\n", cell_state_name(row->cell->state));
		return;
	}
	put_share(out, row->has_counted, row->counted);
	put_share(out, row->has_paired, row->paired);
	if (row->has_paired)
		snprintf(interval, sizeof(interval), "[%.1f, %.1f]", row->lo * 100, row->hi * 100);
	fprintf(out, "%*s", 2 * WIDTH, interval);
	put_share(out, row->has_paired, row->least);
	put_accuracy(out, row->has_f1, row->f1);
	put_accuracy(out, row->has_profile, row->profile);
	putc('\n', out);
}

static void put_head(FILE *out, const char *workload)
{
	char title[64];

	snprintf(title, sizeof(title), "%.40s, cost", workload);
	text_padded(out, title, "", NAME_WIDTH);
	fprintf(out, "%*s%*s%*s%*s%*s%*s\n", WIDTH, "counted", WIDTH, "paired", 2 * WIDTH,
		"interval", WIDTH, "least", WIDTH, "F1, all", WIDTH, "profile");
}

static void put_verdict(FILE *out, const struct cost_view *x, size_t first, size_t cnt)
{
	static const char *const words[] = {
		[COST_ALONE] = "alone: no joiner claims it",
		[COST_BEATS] = "beats joiners that claim it",
		[COST_UNDECIDED] = "is not shown to beat joiners",
		[COST_BEATEN] = "is beaten by a joiner",
	};
	const struct cost_row *sampler = NULL;
	enum cost_verdict verdict = cost_compare(x, first, cnt, &sampler);

	if (verdict == COST_NOTHING)
		return;
	fputs("  CPU by thread, accuracy per cost: ", out);
	text_plain(out, view_label(&sampler->as), 20);
	fprintf(out, " %s\n", words[verdict]);
}

int table_cost(struct view *v, FILE *out)
{
	struct cost_view x;

	if (cost_view_make(v, &x))
		return -ENOMEM;
	for (size_t i = 0, n; i < x.cnt; i += n) {
		n = cost_view_workload(&x, i);
		put_head(out, x.rows[i].cell->workload);
		for (size_t k = i; k < i + n; k++)
			put_row(out, &x.rows[k]);
		put_verdict(out, &x, i, n);
	}
	if (x.cnt)
		fputs("CPU added, % of the unwatched; counted: hits \xc2\xb7 ns a hit, and its "
		      "own\n"
		      "least: what so many pairs find 4 times of 5; profile: by thread, 1: "
		      "equal\n\n",
		      out);
	cost_view_free(&x);
	return 0;
}
