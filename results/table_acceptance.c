/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of acceptance cases. */
#include "results/table_acceptance.h"

#include <string.h>

#include "results/text.h"

enum { NAME_WIDTH = 26, READ_WIDTH = 16, VERDICT_WIDTH = 12, SHOWN = 3 };

static void put_verdict(FILE *out, const struct acceptance_said *s)
{
	char text[32];

	if (s->verdict == VERDICT_FAILED)
		snprintf(text, sizeof(text), "%s", cell_state_name(s->state));
	else
		snprintf(text, sizeof(text), "%s%s", verdict_word(s->verdict),
			 s->verdict == VERDICT_NONE || s->confident ? "" : "*");
	fprintf(out, "%*s", VERDICT_WIDTH, text);
}

static void put_row(FILE *out, const struct acceptance *a, const struct acceptance_row *r)
{
	char name[64], before[96], after[96];

	snprintf(name, sizeof(name), "  %-4s%.16s %.10s", r->id, r->class, r->part);
	text_padded(out, name, "", NAME_WIDTH);
	text_padded(out, r->read, "", READ_WIDTH);
	for (size_t i = 0; i < a->contestant_cnt && i < SHOWN; i++)
		put_verdict(out, &r->said[i]);
	acceptance_text(r, 0, before, sizeof(before));
	acceptance_text(r, 1, after, sizeof(after));
	fprintf(out, "\n      %s -> %s", before, after);
	if (!r->there)
		fprintf(out, "  (no reading by %s)", r->naive);
	else if (r->busy)
		fputs("  (no idle CPU: no answer)", out);
	else if (!r->reproduced)
		fprintf(out, "  NOT REPRODUCED");
	putc('\n', out);
}

void table_acceptance(const struct acceptance *a, FILE *out)
{
	if (!a->cnt)
		return;
	text_padded(out, "acceptance", "", NAME_WIDTH);
	text_padded(out, "naive counts", "", READ_WIDTH);
	for (size_t i = 0; i < a->contestant_cnt && i < SHOWN; i++) {
		const char *slash = strrchr(a->contestants[i], '/');

		fprintf(out, "%*.*s", VERDICT_WIDTH, VERDICT_WIDTH - 1,
			slash ? slash + 1 : a->contestants[i]);
	}
	putc('\n', out);
	for (size_t i = 0; i < a->cnt; i++)
		put_row(out, a, &a->rows[i]);
	fputs("below each case what a naive reference counts of its two versions, and of how many\n"
	      "there were; right, doubted before a wrong diagnosis, or wrong: the second version;\n"
	      "*: not confident on the first one; -: says nothing of the kind\n\n",
	      out);
}
