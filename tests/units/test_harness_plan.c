/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans: names, files, shards, suites. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/plan.h"
#include "harness/suite.h"
#include "mutations/record.h"

static struct cell make_cell(enum cell_kind kind, const char *profiler, uint64_t seed,
			     const char *from)
{
	struct cell c = {.kind = kind, .seed = seed};

	strcpy(c.workload, "uring");
	strcpy(c.variant, "base");
	snprintf(c.profiler, sizeof(c.profiler), "%s", profiler);
	strcpy(c.division, "none");
	strcpy(c.regime, "clean");
	strcpy(c.binding, "-");
	snprintf(c.from, sizeof(c.from), "%s", from);
	strcpy(c.params, "ops=2000 rate=1000");
	return c;
}

/* `seeds` groups of a recording, two joins and a truth cell, then a live cell each. */
static void make_plan(struct plan *p, unsigned seeds)
{
	struct diag d = {0};

	*p = (struct plan){0};
	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct cell c = make_cell(KIND_RECORD, "collector", seed, "-");
		char from[CELL_NAME_LEN];

		cr_assert(zero(int, plan_add(p, &c, &d)));
		strcpy(from, p->v[p->cnt - 1].name);
		c = make_cell(KIND_JOIN, "causal", seed, from);
		cr_assert(zero(int, plan_add(p, &c, &d)));
		c = make_cell(KIND_JOIN, "fifo", seed, from);
		cr_assert(zero(int, plan_add(p, &c, &d)));
		c = make_cell(KIND_TRUTH, "oracle", seed, from);
		cr_assert(zero(int, plan_add(p, &c, &d)));
		c = make_cell(KIND_LIVE, "causal", seed, "-");
		cr_assert(zero(int, plan_add(p, &c, &d)));
	}
}

static void temp_file(char *path, const char *text)
{
	int fd;

	strcpy(path, "/tmp/assay-plan-XXXXXX");
	fd = mkstemp(path);
	cr_assert(ge(int, fd, 0));
	cr_assert(eq(long, write(fd, text, strlen(text)), (long)strlen(text)));
	close(fd);
}

Test(harness_plan, names_a_cell_after_all_that_tells_it_apart)
{
	struct plan p;

	make_plan(&p, 1);
	cr_expect(eq(str, p.v[0].name, "uring.base.collector.record.clean.s1"));
	cr_expect(eq(str, p.v[1].name, "uring.base.causal.join.clean.s1"));
	cr_expect(eq(str, p.v[4].name, "uring.base.causal.live.clean.s1"));
	plan_free(&p);
}

Test(harness_plan, names_a_binding_where_it_is_not_the_headline)
{
	struct cell c = make_cell(KIND_LIVE, "causal", 1, "-");
	struct plan p = {0};
	struct diag d = {0};

	strcpy(c.binding, "stamped");
	cr_assert(zero(int, plan_add(&p, &c, &d)));
	strcpy(c.binding, "strict");
	cr_assert(zero(int, plan_add(&p, &c, &d)));
	cr_expect(eq(str, p.v[0].name, "uring.base.causal.live.clean.s1"));
	cr_expect(eq(str, p.v[1].name, "uring.base.causal.live.clean.strict.s1"));
	plan_free(&p);
}

Test(harness_plan, names_a_stranger_by_the_last_part_of_its_path)
{
	struct cell c = make_cell(KIND_LIVE, "/home/me/my prof", 3, "-");
	struct plan p = {0};
	struct diag d = {0};

	cr_assert(zero(int, plan_add(&p, &c, &d)));
	cr_expect(eq(str, p.v[0].name, "uring.base.my_prof.live.clean.s3"));
	plan_free(&p);
}

Test(harness_plan, refuses_two_cells_of_one_name)
{
	struct cell a = make_cell(KIND_LIVE, "/a/prof", 1, "-");
	struct cell b = make_cell(KIND_LIVE, "/b/prof", 1, "-");
	struct plan p = {0};
	struct diag d = {0};

	cr_assert(zero(int, plan_add(&p, &a, &d)));
	cr_expect(eq(int, plan_add(&p, &b, &d), -EEXIST));
	cr_expect(eq(sz, p.cnt, 1));
	plan_free(&p);
}

static bool is_fifo_of(const struct cell *c, void *seed)
{
	return !strcmp(c->profiler, "fifo") && c->seed == *(uint64_t *)seed;
}

Test(harness_plan, keeps_what_is_wanted_and_what_it_comes_from)
{
	uint64_t seed = 2;
	struct plan p;

	make_plan(&p, 3);
	plan_narrow(&p, is_fifo_of, &seed);
	cr_assert(eq(sz, p.cnt, 2));
	cr_expect(eq(str, p.v[0].name, "uring.base.collector.record.clean.s2"));
	cr_expect(eq(str, p.v[1].name, "uring.base.fifo.join.clean.s2"));
	seed = 9;
	plan_narrow(&p, is_fifo_of, &seed);
	cr_expect(eq(sz, p.cnt, 0));
	plan_free(&p);
}

Test(harness_plan, comes_back_from_its_file_as_it_was)
{
	struct plan p, q;
	struct diag d = {0};
	char path[64];

	make_plan(&p, 3);
	temp_file(path, "");
	cr_assert(zero(int, plan_save(&p, path, &d)), "%s", d.reason);
	cr_assert(zero(int, plan_load(path, &q, &d)), "%s", d.reason);
	cr_assert(eq(sz, q.cnt, p.cnt));
	for (size_t i = 0; i < p.cnt; i++)
		cr_expect(zero(int, memcmp(&p.v[i], &q.v[i], sizeof(p.v[i]))), "cell %zu", i);
	plan_free(&p);
	plan_free(&q);
	unlink(path);
}

struct bad_plan {
	char text[700];
	int line;
};

#define ROW "a.s1\trecord\turing\tbase\tcollector\tnone\tclean\t-\t1\t-\tops=1\n"

ParameterizedTestParameters(harness_plan, refuses_a_malformed_line)
{
	static struct bad_plan rows[] = {
		{"", 0},
		{"cell\tkind\n", 1},
		{PLAN_HEADER "\n", 1},
		{PLAN_HEADER "\n" ROW ROW, 3},
		{PLAN_HEADER "\na.s1\trecord\turing\n", 2},
		{PLAN_HEADER "\n../x\trecord\tu\tb\tc\tn\tclean\t-\t1\t-\t-\n", 2},
		{PLAN_HEADER "\n.x\trecord\tu\tb\tc\tn\tclean\t-\t1\t-\t-\n", 2},
		{PLAN_HEADER "\na\tdance\tu\tb\tc\tn\tclean\t-\t1\t-\t-\n", 2},
		{PLAN_HEADER "\na\trecord\tu\tb\tc\tn\tclean\t-\tone\t-\t-\n", 2},
		{PLAN_HEADER "\na\trecord\t\tb\tc\tn\tclean\t-\t1\t-\t-\n", 2},
		{PLAN_HEADER "\na\trecord\tu\tb\tc\tn\tclean\t-\t1\t-\tops\n", 2},
		{PLAN_HEADER "\na\trecord\tu\tb\tc\tn\tclean\t-\t1\t-\tops=1x\n", 2},
		{PLAN_HEADER "\na\trecord\tu\tb\tc\tn\tclean\t-\t1\t-\topps=1\n", 2},
		{PLAN_HEADER "\na\trecord\tu\tb\tc\tn\tclean\t-\t1\t-\tops=1 ratee=2\n", 2},
		{PLAN_HEADER "\na\trecord\tu\tb\tc\tn\tclean\tstmped\t1\t-\t-\n", 2},
		{PLAN_HEADER "\na\trecord\tu\tb\tc\tn\tclaen\t-\t1\t-\t-\n", 2},
		{PLAN_HEADER "\na\tjoin\tu\tb\tc\tn\tclean\t-\t1\tnobody\t-\n", 2},
		{PLAN_HEADER "\na\tjoin\tu\tb\tc\tn\tclean\t-\t1\t-\t-\n", 2},
		{PLAN_HEADER "\n" ROW "b\trecord\tu\tb\tc\tn\tclean\t-\t1\ta.s1\t-\n", 3},
		{PLAN_HEADER "\nl\tlive\tu\tb\tc\tn\tclean\t-\t1\t-\t-\n"
			     "b\tjoin\tu\tb\tc\tn\tclean\t-\t1\tl\t-\n",
		 3},
		{PLAN_HEADER "\na.s1\trecord\turing\tbase\tcollector\tnone\tclean\t-\t1\t-\tops=1",
		 2},
	};

	return cr_make_param_array(struct bad_plan, rows, sizeof(rows) / sizeof(rows[0]));
}

ParameterizedTest(struct bad_plan *b, harness_plan, refuses_a_malformed_line)
{
	struct plan p = {0};
	struct diag d = {0};
	char path[64];

	temp_file(path, b->text);
	cr_expect(eq(int, plan_load(path, &p, &d), -EINVAL));
	cr_expect(eq(int, (int)d.line, b->line), "line %d: %s", (int)d.line, d.reason);
	cr_expect(ne(chr, d.cure[0], '\0'));
	cr_expect(zero(sz, p.cnt));
	unlink(path);
}

Test(harness_plan, gives_each_cell_to_one_shard_and_keeps_groups_together)
{
	struct plan p;

	make_plan(&p, 7);
	for (unsigned n = 1; n <= 9; n++) {
		size_t seen[9] = {0};

		for (size_t i = 0; i < p.cnt; i++) {
			unsigned shard = plan_shard(&p, i, n);
			const struct cell *from = plan_find(&p, p.v[i].from);

			cr_assert(lt(uint, shard, n));
			seen[shard]++;
			if (from)
				cr_expect(eq(uint, shard, plan_shard(&p, (size_t)(from - p.v), n)));
		}
		for (unsigned k = 0; k < n; k++)
			cr_expect(gt(sz, seen[k], 0), "shard %u of %u is empty", k + 1, n);
	}
	plan_free(&p);
}

/* What stands behind it would be read by nobody. */
Test(harness_plan, refuses_a_nul_byte)
{
	static const char text[] = PLAN_HEADER "\n" ROW "\0more\n";
	struct plan p = {0};
	struct diag d = {0};
	char path[64];
	FILE *f;

	temp_file(path, "");
	f = fopen(path, "w");
	fwrite(text, 1, sizeof(text) - 1, f);
	fclose(f);
	cr_expect(eq(int, plan_load(path, &p, &d), -EINVAL));
	cr_expect(eq(int, (int)d.line, 3));
	unlink(path);
}

struct shard_word {
	char word[24];
	int rc;
};

ParameterizedTestParameters(harness_plan, reads_shards_strictly)
{
	static struct shard_word rows[] = {{"1/1", 0},	      {"4/4", 0},	 {"0/4", -EINVAL},
					   {"5/4", -EINVAL},  {"1/0", -EINVAL},	 {"1", -EINVAL},
					   {"1/4x", -EINVAL}, {"-1/4", -EINVAL}, {"", -EINVAL},
					   {"1/ 4x", -EINVAL}};

	return cr_make_param_array(struct shard_word, rows, sizeof(rows) / sizeof(rows[0]));
}

ParameterizedTest(struct shard_word *w, harness_plan, reads_shards_strictly)
{
	unsigned k, n;
	struct diag d = {0};

	cr_expect(eq(int, shard_parse(w->word, &k, &n, &d), w->rc), "%s", w->word);
}

Test(harness_plan, finds_numbers_among_parameters)
{
	struct cell c = make_cell(KIND_RECORD, "collector", 1, "-");

	strcpy(c.params, "ops=2000 rate=7 queue_depth=18446744073709551");
	cr_expect(eq(ulong, cell_param(&c, "ops", 1), 2000));
	cr_expect(eq(ulong, cell_param(&c, "queue_depth", 1), 18446744073709551u));
	cr_expect(eq(ulong, cell_param(&c, "depth", 5), 5));
	strcpy(c.params, "-");
	cr_expect(eq(ulong, cell_param(&c, "ops", 9), 9));
}

/* A tree in memory: two workloads, a joiner and a profiler that only attaches. */
static void make_programs(struct programs *t)
{
	static struct workload w[2];
	static struct profiler p[2];

	memset(w, 0, sizeof(w));
	memset(p, 0, sizeof(p));
	strcpy(w[0].name, "uring");
	strcpy(w[1].name, "wake");
	w[0].ops = w[1].ops = 1000;
	w[0].rate = w[1].rate = 500;
	strcpy(p[0].name, "causal");
	p[0].launch = LAUNCH_JOIN | LAUNCH_ATTACH;
	strcpy(p[1].name, "cpu");
	p[1].launch = LAUNCH_ATTACH;
	*t = (struct programs){
		.workloads = w, .workloads_cnt = 2, .profilers = p, .profilers_cnt = 2};
}

static unsigned count(const struct plan *p, enum cell_kind kind, const char *profiler)
{
	unsigned cnt = 0;

	for (size_t i = 0; i < p->cnt; i++)
		cnt += p->v[i].kind == kind && !strcmp(p->v[i].profiler, profiler);
	return cnt;
}

static unsigned count_under(const struct plan *p, const char *regime)
{
	unsigned cnt = 0;

	for (size_t i = 0; i < p->cnt; i++)
		cnt += !strcmp(p->v[i].regime, regime);
	return cnt;
}

Test(harness_plan, fills_the_default_suite_from_what_is_there)
{
	struct suite_options o = {.seeds = 2};
	struct programs t;
	struct plan p;
	struct diag d = {0};

	make_programs(&t);
	cr_assert(zero(int, suite_plan(suite_find("default", &d), &t, &o, &p, &d)));
	cr_expect(eq(uint, count(&p, KIND_RECORD, "collector"), 4));
	/* all that was recorded, and the same with 5 and with 20 % of it taken away */
	cr_expect(eq(uint, count(&p, KIND_JOIN, "causal"), 12));
	cr_expect(eq(uint, count_under(&p, "clean"), 20));
	cr_expect(eq(uint, count_under(&p, "drop:5:silent"), 4));
	cr_expect(eq(uint, count_under(&p, "drop:20:silent"), 4));
	cr_expect(eq(uint, count(&p, KIND_JOIN, "cpu"), 0));
	cr_expect(eq(uint, count(&p, KIND_TRUTH, "oracle"), 4));
	cr_expect(eq(uint, count(&p, KIND_TRUTH, "liar"), 4));
	cr_expect(eq(uint, count(&p, KIND_LIVE, "causal"), 4));
	cr_expect(eq(sz, p.cnt, 28));
	cr_expect(eq(ulong, cell_param(&p.v[0], "ops", 0), 1000));
	plan_free(&p);
}

Test(harness_plan, runs_tools_that_go_by_names_live_where_a_symbol_has_another)
{
	struct mutation m[2] = {{.class = CLASS_RENAME, .workloads_cnt = 1},
				{.class = CLASS_NULL, .workloads_cnt = 1}};
	struct mutation_list l = {.v = m, .cnt = 2};
	struct suite_options o = {.seeds = 1, .mutations = &l};
	struct programs t;
	struct plan p;
	struct diag d = {0};

	make_programs(&t);
	strcpy(((struct profiler *)t.profilers)[1].name, "bpftrace-sites");
	for (int i = 0; i < 2; i++) {
		snprintf(m[i].id, sizeof(m[i].id), "quad-%d", i);
		strcpy(m[i].workloads[0], "uring");
	}
	cr_assert(zero(int, suite_plan(suite_find("quads", &d), &t, &o, &p, &d)), "%s", d.reason);
	cr_expect(eq(uint, count(&p, KIND_RECORD, "collector"), 6), "each form of each");
	cr_expect(eq(uint, count(&p, KIND_LIVE, "bpftrace-sites"), 3), "each form of the first");
	for (size_t i = 0; i < p.cnt; i++)
		cr_expect(p.v[i].kind != KIND_LIVE || !strncmp(p.v[i].variant, "quad-0-", 7));
	plan_free(&p);
	o.mutations = NULL;
	strcpy(t.workloads[1].name, "pool");
	cr_assert(zero(int, suite_plan(suite_find("default", &d), &t, &o, &p, &d)), "%s", d.reason);
	cr_expect(eq(uint, count(&p, KIND_LIVE, "bpftrace-sites"), 0), "as others have on pool");
	plan_free(&p);
}

Test(harness_plan, measures_what_watching_costs_where_the_suite_says)
{
	struct suite_options o = {.seeds = 1};
	struct programs t;
	struct plan p;
	struct diag d = {0};

	make_programs(&t);
	strcpy(t.workloads[1].name, "pool");
	strcpy(((struct profiler *)t.profilers)[1].division, "none"); /* a floor that attaches */
	cr_assert(zero(int, suite_plan(suite_find("default", &d), &t, &o, &p, &d)));
	cr_expect(eq(uint, count(&p, KIND_OVERHEAD, "causal"), 1), "on pool, not on uring");
	cr_expect(eq(uint, count(&p, KIND_OVERHEAD, "cpu"), 0), "floors cost nobody anything");
	plan_free(&p);
	cr_assert(zero(int, suite_plan(suite_find("overhead", &d), &t, &o, &p, &d)));
	cr_expect(eq(uint, count(&p, KIND_OVERHEAD, "causal"), 2));
	cr_assert(eq(sz, p.cnt, 2), "nothing else");
	cr_expect(eq(ulong, cell_param(&p.v[0], "pairs", 0), 12));
	cr_expect(gt(dbl, cell_estimate(&p.v[0]), 36 * 0.5), "36 runs of half a second");
	plan_free(&p);
	o.reference = true;
	cr_assert(zero(int, suite_plan(suite_find("default", &d), &t, &o, &p, &d)));
	cr_expect(eq(uint, count(&p, KIND_OVERHEAD, "causal"), 0), "nothing runs from stored runs");
	plan_free(&p);
}

Test(harness_plan, takes_stored_runs_for_recordings_when_asked)
{
	struct suite_options o = {.seeds = 12, .reference = true};
	struct programs t;
	struct plan p;
	struct diag d = {0};

	make_programs(&t);
	cr_assert(zero(int, suite_plan(suite_find("smoke", &d), &t, &o, &p, &d)));
	cr_expect(eq(uint, count(&p, KIND_RECORD, "collector"), 0));
	/* One recording under twelve seeds would be no replication. */
	cr_expect(eq(uint, count(&p, KIND_REFERENCE, "collector"), 2));
	cr_expect(eq(uint, count(&p, KIND_JOIN, "causal"), 2));
	cr_expect(eq(uint, count(&p, KIND_TRUTH, "oracle"), 2));
	cr_expect(eq(uint, count(&p, KIND_LIVE, "causal"), 24));
	plan_free(&p);
}

/* A table that is not there is an empty one. */
Test(harness_plan, fills_every_suite)
{
	struct suite_options o = {.seeds = 1};
	struct programs t;
	struct diag d = {0};

	make_programs(&t);
	strcpy(t.workloads[0].name, "flat");
	for (size_t i = 0; suites[i]; i++) {
		const struct suite_live *row = suites[i]->live;
		struct plan p = {0};
		unsigned rows = 0;

		cr_expect(zero(int, suite_plan(suites[i], &t, &o, &p, &d)), "%s: %s",
			  suites[i]->name, d.reason);
		for (; row && row->profiler; row++)
			rows += !strcmp(row->profiler, "cpu");
		cr_expect(eq(uint, count(&p, KIND_LIVE, "cpu"), rows), "%s", suites[i]->name);
		plan_free(&p);
	}
}

Test(harness_plan, suggests_the_suite_that_was_meant)
{
	struct diag d = {0};

	cr_expect(zero(ptr, (void *)suite_find("defualt", &d)));
	cr_expect(ne(ptr, strstr(d.cure, "default"), NULL), "%s", d.cure);
}
