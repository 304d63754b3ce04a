/* SPDX-License-Identifier: BSD-2-Clause */
/* assay mutate list: mutations, the state of their certificates, the funnel. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/mutate.h"
#include "mutations/frozen.h"

static struct {
	bool verbose, json;
} args;

static const struct opt list_table[] = {
	{"verbose", 'v', OPT_FLAG, NULL, "what changes, what becomes invalid, why", &args.verbose,
	 0, 0, NULL},
	{"json", 0, OPT_FLAG, NULL, "one JSON object: each with its steps, and the funnel",
	 &args.json, 0, 0, NULL},
	QUADS_OPT,
	SOURCE_OPT,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts list_opts = {
	.command = "assay mutate list",
	.usage = "[--verbose | --json]",
	.purpose = "Lists mutations and the state of their certificates",
	.table = list_table,
	.examples = {"assay mutate list", "assay mutate list --verbose",
		     "assay mutate list --json | jq .funnel"},
};

/* What was seen of it, where a certificate says so. */
static void list_steps(const struct certificate *c)
{
	static const enum step told[] = {STEP_SIGNATURES, STEP_WITNESS, STEP_READING,
					 STEP_REPAIRED};

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (c->text[told[i]][0])
			printf("      %s: %s, %s.\n", step_name(told[i]),
			       step_state_name(c->state[told[i]]), c->text[told[i]]);
}

static void list_one(const struct house *h, const struct mutation *m)
{
	struct certificate c;
	bool has = !certificate_load(h, m->id, &c, NULL);
	char workloads[RECORD_WORKLOADS_MAX * RECORD_WORD] = "", since[32] = "start";

	for (uint32_t i = 0; i < m->workloads_cnt; i++)
		snprintf(workloads + strlen(workloads), sizeof(workloads) - strlen(workloads),
			 "%s%s", i ? "," : "", m->workloads[i]);
	if (m->onset)
		snprintf(since, sizeof(since), "op %" PRIu64, m->onset);
	printf("  %-22s %-10s %-8s %-7s %3u %% %-8s %s%s%s\n", m->id, mutation_class_name(m->class),
	       workloads, mutation_kind_name(m->kind), m->share, since,
	       verdict_name(verdict_of(m, has ? &c : NULL)), m->after[0] ? ", after " : "",
	       m->after);
	if (!args.verbose)
		return;
	printf("      %s.\n      naive: %s.\n", m->what, m->naive);
	for (uint32_t i = 0; i < m->invalid_cnt; i++)
		printf("      descriptor %u: %s.\n", m->invalid[i].descriptor, m->invalid[i].why);
	if (m->absent[0])
		printf("      absent: %s.\n", m->absent);
	if (has)
		list_steps(&c);
}

void mutations_print(const struct house *h, const struct mutation_list *l)
{
	printf("mutations:\n");
	for (size_t i = 0; i < l->cnt; i++)
		list_one(h, &l->v[i]);
}

static int run_list(struct shop *s, int argc, char **argv)
{
	struct frozen_list frozen = {0};
	struct diag d = {0};
	int rc = 0;

	if (!args.json) {
		mutations_print(&s->house, &s->list);
		return EXIT_GOOD;
	}
	rc = frozen_load(&s->house, &frozen, &d);
	if (!rc)
		rc = funnel_json(&s->house, &s->list, &frozen, stdout, &d);
	frozen_free(&frozen);
	return rc ? command_error(&d) : EXIT_GOOD;
}

int mutate_list(int argc, char **argv)
{
	return mutate_with_shop(&list_opts, argc, argv, run_list);
}
