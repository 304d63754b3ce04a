/* SPDX-License-Identifier: BSD-2-Clause */
/* assay list: what this build holds, from each program's own describe. */
#include <stdio.h>
#include <string.h>

#include "harness/acceptance.h"
#include "harness/command.h"
#include "harness/process.h"
#include "harness/suite.h"
#include "lib/opts.h"
#include "lib/vocab.h"
#include "mutations/house.h"
#include "mutations/record.h"

static struct {
	bool marks, verbose;
} args;

static const struct opt table[] = {
	{"marks", 0, OPT_FLAG, NULL, "of workloads: what each exercises in a default run",
	 &args.marks, 0, 0, NULL},
	{"verbose", 'v', OPT_FLAG, NULL, "of acceptance cases: what each is about", &args.verbose,
	 0, 0, NULL},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay list",
	.usage = "[workloads|profilers|suites|mutations|acceptance] [OPTIONS]",
	.purpose = "Lists what this build holds",
	.table = table,
	.args_max = 1,
	.examples = {"assay list", "assay list workloads --marks", "assay list suites"},
};

static void list_bits(const char *what, uint32_t bits, const char *(*name)(unsigned))
{
	if (!bits)
		return;
	printf("             %s", what);
	for (unsigned i = 0; i < 32; i++)
		if (bits & 1u << i)
			printf(" %s", name(i));
	printf("\n");
}

/* Marks are words of truth, outcomes the workload's own; a test asserts that all happen. */
static void list_exercised(const struct workload *w)
{
	list_bits("handoffs:", w->handoffs, handoff_type_name);
	list_bits("keys:", w->keys, key_ns_name);
	list_bits("marks:", w->marks, mark_name);
	if (!w->outcomes_cnt)
		return;
	printf("             outcomes:");
	for (unsigned i = 0; i < w->outcomes_cnt; i++)
		printf("%s %s", i ? "," : "", w->outcomes[i]);
	printf("\n");
}

static void list_workloads(const struct programs *p)
{
	printf("workloads:\n");
	for (size_t i = 0; i < p->workloads_cnt; i++) {
		const struct workload *w = &p->workloads[i];

		if (w->trouble.err) {
			printf("  %-10s (%s)\n", w->name, w->trouble.reason);
			continue;
		}
		printf("  %-10s %s\n             %llu operations at %llu/s, %llu workers\n",
		       w->name, w->models, (unsigned long long)w->ops, (unsigned long long)w->rate,
		       (unsigned long long)w->workers);
		list_bits("ailments:", w->ailments, diagnosis_name);
		if (args.marks)
			list_exercised(w);
	}
}

static void list_profilers(const struct programs *p)
{
	printf("profilers:\n");
	for (size_t i = 0; i < p->profilers_cnt; i++) {
		const struct profiler *f = &p->profilers[i];

		if (f->trouble.err) {
			printf("  %-14s (%s)\n", f->name, f->trouble.reason);
			continue;
		}
		printf("  %-14s %-8s", f->name, f->division);
		for (unsigned bit = LAUNCH_ATTACH; bit <= LAUNCH_BUILD; bit <<= 1)
			if (f->launch & bit)
				printf(" %s", launch_name(bit));
		printf(", needs");
		for (unsigned n = 0; n < f->needs_cnt; n++)
			printf(" %s", f->needs[n]);
		printf("%s\n", f->needs_cnt ? "" : " nothing");
	}
	printf("  %-14s %-8s made from truth: always right\n", "oracle", "none");
	printf("  %-14s %-8s made from truth: always wrong, always sure\n", "liar", "none");
}

static void list_suites(const struct programs *p)
{
	printf("suites:\n");
	for (size_t i = 0; suites[i]; i++)
		printf("  %-10s %s\n", suites[i]->name, suites[i]->summary);
}

/* Records are part of the sources, which an installed command does not have. */
static void list_mutations(const struct programs *p)
{
	struct mutation_list l = {0};
	struct house h;
	struct diag d = {0};

	if (house_open(&h, p->folder, NULL, p->records, &d) || mutation_scan(h.records, &l, &d))
		printf("mutations:\n  (%s)\n", d.reason);
	else
		mutations_print(&h, &l);
	mutation_list_free(&l);
}

/* Without the sources there are no quads. */
static void list_acceptance(const struct programs *p)
{
	struct mutation_list l = {0};
	struct house h;

	printf("acceptance cases:\n");
	if (!house_open(&h, p->folder, NULL, p->records, NULL))
		mutation_scan(h.records, &l, NULL);
	acceptance_print(&l, args.verbose);
	mutation_list_free(&l);
}

static const struct {
	const char *name;
	void (*print)(const struct programs *);
} lists[] = {{"workloads", list_workloads},
	     {"profilers", list_profilers},
	     {"suites", list_suites},
	     {"mutations", list_mutations},
	     {"acceptance", list_acceptance}};
enum { LISTS = sizeof(lists) / sizeof(lists[0]) };

static int check_word(const char *word)
{
	const char *names[LISTS];
	struct diag d = {0};

	for (size_t i = 0; i < LISTS; i++) {
		names[i] = lists[i].name;
		if (!strcmp(word, names[i]))
			return 0;
	}
	opts_unknown(&d, "list of", word, names, LISTS);
	diag_print(&d, stderr);
	return EXIT_USAGE;
}

int cmd_list(int argc, char **argv)
{
	struct programs p;
	struct diag d = {0};
	const char *word;
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	word = first < argc ? argv[first] : NULL;
	if (word && check_word(word))
		return EXIT_USAGE;
	if (process_setup(&d) || programs_scan(&p, &d))
		return command_error(&d);
	for (size_t i = 0; i < LISTS; i++)
		if (!word || !strcmp(word, lists[i].name))
			lists[i].print(&p);
	programs_free(&p);
	return EXIT_GOOD;
}
