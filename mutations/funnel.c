/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting certificates. */
#include "mutations/funnel.h"

#include <errno.h>

static const char *const verdict_names[VERDICT_CNT] = {"deprecated", "not verified", "fails",
						       "certified", "witnessed"};

const char *verdict_name(unsigned v)
{
	return verdict_names[v];
}

enum verdict verdict_of(const struct mutation *m, const struct certificate *c)
{
	if (m->deprecated[0])
		return VERDICT_DEPRECATED;
	if (!c)
		return VERDICT_UNVERIFIED;
	if (certificate_failed(c) != STEP_CNT)
		return VERDICT_FAILS;
	/* of a version with fewer steps, or made where it could not be built */
	if (!certificate_holds(c, NULL) || c->state[STEP_COMPILES] == STEP_UNCHECKED)
		return VERDICT_UNVERIFIED;
	return certificate_witnessed(c) ? VERDICT_WITNESSED : VERDICT_CERTIFIED;
}

static void add_steps(struct funnel *f, const struct certificate *c, bool invalid)
{
	for (unsigned s = 0; s < STEP_CNT; s++) {
		if (c->state[s] == STEP_FAILED || c->state[s] == STEP_OPEN)
			return;
		f->passed[s]++;
		f->none[s] += c->state[s] == STEP_NONE;
		f->unchecked[s] += c->state[s] == STEP_UNCHECKED;
	}
	f->certified++;
	f->misleading += invalid;
	f->misread += invalid && c->state[STEP_READING] == STEP_PASSED;
}

void funnel_add(struct funnel *f, const struct mutation *m, const struct certificate *c)
{
	enum verdict v = verdict_of(m, c);

	f->verdicts[v]++;
	f->written += v != VERDICT_DEPRECATED;
	if (v == VERDICT_FAILS || v == VERDICT_CERTIFIED || v == VERDICT_WITNESSED)
		add_steps(f, c, m->invalid_cnt > 0);
}

int funnel_of(const struct house *h, const struct mutation_list *l, struct funnel *ret,
	      struct diag *d)
{
	struct funnel f = {.written = 0};

	for (size_t i = 0; i < l->cnt; i++) {
		struct certificate c;
		int rc = certificate_load(h, l->v[i].id, &c, d);

		if (rc && rc != -ENOENT && rc != -EINVAL)
			return rc;
		funnel_add(&f, &l->v[i], rc ? NULL : &c);
	}
	*ret = f;
	return 0;
}

void funnel_print(const struct funnel *f, unsigned kept, FILE *out)
{
	fprintf(out, "%-10s %4u\n", "written", f->written);
	for (unsigned s = 0; s < STEP_CNT; s++) {
		fprintf(out, "%-10s %4u", step_name(s), f->passed[s]);
		if (f->none[s])
			fprintf(out, "  %u need it not", f->none[s]);
		if (f->unchecked[s])
			fprintf(out, "%s %u not checked", f->none[s] ? "," : " ", f->unchecked[s]);
		fprintf(out, "\n");
	}
	fprintf(out, "%-10s %4u  %u with a witness\n", "certified", f->certified,
		f->verdicts[VERDICT_WITNESSED]);
	if (f->misleading)
		fprintf(out,
			"%-10s %4u  of %u with an invalid descriptor: the figures of who trusts it "
			"are wrong\n",
			"misread", f->misread, f->misleading);
	if (f->verdicts[VERDICT_UNVERIFIED])
		fprintf(out, "%-10s %4u  nothing could be checked here\n", "left out",
			f->verdicts[VERDICT_UNVERIFIED]);
	if (kept)
		fprintf(out, "%-10s %4u  unchanged, not run again\n", "of these", kept);
	if (f->verdicts[VERDICT_DEPRECATED])
		fprintf(out, "%-10s %4u  not looked at\n", "deprecated",
			f->verdicts[VERDICT_DEPRECATED]);
}
