/* SPDX-License-Identifier: BSD-2-Clause */
/* Which cells of a plan are versions of which acceptance cases. */
#include "harness/acceptance.h"

#include <string.h>

#include "harness/plan.h"
#include "lib/json_out.h"
#include "mutations/record.h"

/* What the words of settings mean to a workload. */
static const struct {
	const char *name, *params;
} settings[] = {
	{"alone", "serial=1 fanout=1"},
	{"one-cpu", "cpus=1"},
};

const char *acceptance_params(const char *setting)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (!strcmp(settings[i].name, setting))
			return settings[i].params;
	return NULL;
}

const struct acceptance_case *acceptance_find(const char *id)
{
	for (const struct acceptance_case *c = acceptance_cases; c->id; c++)
		if (!strcmp(c->id, id))
			return c;
	return NULL;
}

/* ---- for results ---- */

struct side {
	const char *workload, *variant, *regime, *scope;
};

static bool is_planned(const struct plan *p, const struct side *s)
{
	for (size_t i = 0; i < p->cnt; i++)
		if (!strcmp(p->v[i].workload, s->workload) &&
		    !strcmp(p->v[i].variant, s->variant) && !strcmp(p->v[i].regime, s->regime))
			return true;
	return false;
}

static void put_side(struct json_out *o, const char *name, const struct side *s)
{
	json_out_object(o, name);
	json_out_str(o, "workload", s->workload);
	json_out_str(o, "variant", s->variant);
	json_out_str(o, "regime", s->regime);
	json_out_str(o, "scope", s->scope);
	json_out_end(o);
}

static void put_words(struct json_out *o, const struct acceptance_case *c, const char *part)
{
	json_out_str(o, "case", c->id);
	json_out_str(o, "part", part);
	json_out_str(o, "class", c->class);
	json_out_str(o, "source", c->source);
	json_out_str(o, "changes", c->changes);
	json_out_str(o, "read", c->read);
	json_out_str(o, "exposes", c->exposes);
	json_out_str(o, "naive", c->naive);
	json_out_bool(o, "idle", c->idle);
}

/* Both versions have to be in the run. */
static void put_case(struct json_out *o, const struct plan *p, const struct acceptance_case *c,
		     const char *part, const char *metric, const struct reading_spec *bounds,
		     const struct side sides[2])
{
	if (!is_planned(p, &sides[0]) || !is_planned(p, &sides[1]))
		return;
	json_out_object(o, NULL);
	put_words(o, c, part);
	json_out_str(o, "metric", metric);
	if (bounds && bounds->has_above)
		json_out_f64(o, "above", bounds->above);
	if (bounds && bounds->has_below)
		json_out_f64(o, "below", bounds->below);
	put_side(o, "before", &sides[0]);
	put_side(o, "after", &sides[1]);
	json_out_end(o);
}

static void put_quad(struct json_out *o, const struct plan *p, const struct acceptance_case *c,
		     const struct mutation *m)
{
	char base[RECORD_WORD + 8], mutant[RECORD_WORD + 8], part[RECORD_WORD + 8] = "";
	const char *of = m->reading.of[0] ? m->reading.of : "all";
	struct side sides[2] = {{m->workloads[0], base, "clean", of},
				{m->workloads[0], mutant, "clean", of}};

	snprintf(base, sizeof(base), "%.48s-%s", m->id, form_name(FORM_BASE));
	snprintf(mutant, sizeof(mutant), "%.48s-%s", m->id, form_name(FORM_MUTANT));
	if (m->share < 100)
		snprintf(part, sizeof(part), "%u %%", m->share);
	else if (strcmp(mutation_class_name(m->class), c->class) != 0)
		snprintf(part, sizeof(part), "%.16s", mutation_class_name(m->class));
	put_case(o, p, c, part, m->reading.figure, &m->reading, sides);
}

static void put_handoffs(struct json_out *o, const struct plan *p, const struct acceptance_case *c)
{
	char before[NAME_LEN], after[NAME_LEN], metric[64];

	snprintf(metric, sizeof(metric), "handoff.%s", c->level);
	for (size_t i = 0; i < ACCEPTANCE_PARTS && c->after[i].side.scope; i++) {
		const struct acceptance_side *s = &c->after[i].side;
		struct side sides[2] = {{c->control ? c->control : c->workload, before,
					 c->before.regime, c->before.scope},
					{c->workload, after, s->regime, s->scope}};

		acceptance_variant(c->before.setting, before);
		acceptance_variant(s->setting, after);
		put_case(o, p, c, c->after[i].part, metric, NULL, sides);
	}
}

void acceptance_variant(const char *setting, char ret[NAME_LEN])
{
	snprintf(ret, NAME_LEN, "base%s%.32s", *setting ? "." : "", setting);
}

bool acceptance_is_of(const struct mutation *m, const struct acceptance_case *c)
{
	return !c->workload && !strcmp(m->acceptance, c->id) && !m->deprecated[0];
}

int acceptance_write(const struct mutation_list *l, const struct plan *p, FILE *out)
{
	struct json_out o;

	json_out_init(&o, out);
	json_out_object(&o, NULL);
	json_out_array(&o, "cases");
	for (const struct acceptance_case *c = acceptance_cases; c->id; c++) {
		if (c->workload)
			put_handoffs(&o, p, c);
		for (size_t i = 0; l && i < l->cnt; i++)
			if (acceptance_is_of(&l->v[i], c))
				put_quad(&o, p, c, &l->v[i]);
	}
	json_out_end(&o);
	json_out_end(&o);
	json_out_newline(&o);
	return json_out_error(&o);
}

/* ---- for the terminal ---- */

static void print_quads(const struct mutation_list *l, const struct acceptance_case *c)
{
	unsigned cnt = 0;

	for (size_t i = 0; l && i < l->cnt; i++)
		if (acceptance_is_of(&l->v[i], c))
			printf("%s%s", cnt++ ? ", " : "", l->v[i].id);
	fputs(cnt ? "" : "no mutation of this tree", stdout);
}

void acceptance_print(const struct mutation_list *l, bool more)
{
	for (const struct acceptance_case *c = acceptance_cases; c->id; c++) {
		printf("  %-4s %-16s ", c->id, c->class);
		if (c->workload)
			printf("%s, read by %s", c->workload, c->naive);
		else
			print_quads(l, c);
		printf("\n");
		if (!more)
			continue;
		printf("       %s\n       naive: %s counts %s\n       shows: %s\n       %s\n",
		       c->changes, c->naive, c->read, c->exposes, c->source);
	}
}
