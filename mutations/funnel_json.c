/* SPDX-License-Identifier: BSD-2-Clause */
/* The funnel and the mutations in it, for programs. */
#include <errno.h>
#include <string.h>

#include "lib/json_out.h"
#include "mutations/funnel.h"

static void write_names(struct json_out *o, const char *name, const char *list)
{
	json_out_array(o, name);
	for (const char *at = list; *at && strcmp(list, "-");) {
		size_t n = strcspn(at, ",");

		json_out_strn(o, NULL, at, n);
		at += n + (at[n] == ',');
	}
	json_out_end(o);
}

static void write_steps(struct json_out *o, const struct certificate *c)
{
	json_out_object(o, "steps");
	for (unsigned s = 0; c && s < STEP_CNT; s++) {
		json_out_object(o, step_name(s));
		json_out_str(o, "state", step_state_name(c->state[s]));
		json_out_str(o, "text", c->text[s]);
		json_out_end(o);
	}
	json_out_end(o);
}

static void write_mutation(struct json_out *o, const struct mutation *m, const struct frozen *line,
			   bool frozen, const struct certificate *c)
{
	json_out_object(o, NULL);
	json_out_str(o, "id", m->id);
	json_out_str(o, "class", line->class);
	json_out_str(o, "kind", mutation_kind_name(m->kind));
	if (m->after[0])
		json_out_str(o, "after", m->after);
	write_names(o, "workloads", line->workloads);
	write_names(o, "resources", line->resources);
	json_out_array(o, "invalid");
	for (uint32_t i = 0; i < m->invalid_cnt; i++)
		json_out_u64(o, NULL, m->invalid[i].descriptor);
	json_out_end(o);
	json_out_u64(o, "share", m->share);
	if (m->absent[0])
		json_out_str(o, "absent", m->absent);
	json_out_u64(o, "since", m->onset);
	json_out_str(o, "verdict", verdict_name(verdict_of(m, c)));
	json_out_bool(o, "frozen", frozen);
	write_steps(o, c);
	json_out_end(o);
}

static void write_funnel(struct json_out *o, const struct funnel *f, size_t frozen)
{
	json_out_object(o, "funnel");
	json_out_u64(o, "written", f->written);
	json_out_array(o, "steps");
	for (unsigned s = 0; s < STEP_CNT; s++) {
		json_out_object(o, NULL);
		json_out_str(o, "step", step_name(s));
		json_out_u64(o, "passed", f->passed[s]);
		json_out_u64(o, "none", f->none[s]);
		json_out_u64(o, "unchecked", f->unchecked[s]);
		json_out_end(o);
	}
	json_out_end(o);
	json_out_u64(o, "certified", f->certified);
	json_out_u64(o, "witnessed", f->verdicts[VERDICT_WITNESSED]);
	json_out_u64(o, "fails", f->verdicts[VERDICT_FAILS]);
	json_out_u64(o, "unverified", f->verdicts[VERDICT_UNVERIFIED]);
	json_out_u64(o, "deprecated", f->verdicts[VERDICT_DEPRECATED]);
	json_out_u64(o, "frozen", frozen);
	json_out_u64(o, "misleading", f->misleading);
	json_out_u64(o, "misread", f->misread);
	json_out_end(o);
}

int funnel_json(const struct house *h, const struct mutation_list *l,
		const struct frozen_list *frozen, FILE *out, struct diag *d)
{
	struct funnel f;
	struct json_out o;
	int rc = funnel_of(h, l, &f, d);

	json_out_init(&o, out);
	json_out_object(&o, NULL);
	json_out_array(&o, "mutations");
	for (size_t i = 0; !rc && i < l->cnt; i++) {
		struct certificate c;
		struct frozen line;
		bool has = !certificate_load(h, l->v[i].id, &c, NULL);

		rc = frozen_line(h, &l->v[i], &line, d);
		if (!rc)
			write_mutation(&o, &l->v[i], &line, frozen_find(frozen, l->v[i].id),
				       has ? &c : NULL);
	}
	if (rc)
		return rc;
	json_out_end(&o);
	write_funnel(&o, &f, frozen->cnt);
	json_out_end(&o);
	json_out_newline(&o);
	rc = json_out_error(&o);
	return rc ? diag_set(d, rc, NULL, 0, NULL, "it cannot be written: %s", strerror(-rc)) : 0;
}
