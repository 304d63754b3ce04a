/* SPDX-License-Identifier: BSD-2-Clause */
/* Made-up runs: rounds of cases, sorted by time and streamed into two files. */
#include "groundtruth/synth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "groundtruth/synth_gen.h"
#include "groundtruth/truth_stream.h"
#include "lib/files.h"

enum {
	FIRST_TID = 1001,
	FIRST_KERNEL_TID = 2000001,
	OP_ROUNDS = 1024,		    /* rounds that an operation lasts */
	OP_NS = 10,			    /* width of its begin and end */
	PER_LANE = SYNTH_CASE_HANDOFFS + 1, /* records of a kind that a case makes at most */
};
#define START_NS UINT64_C(1000000000)

static const struct {
	const char *name;
	double share; /* in synth_defaults */
	case_fn *make;
	uint32_t types;
} cases[SYNTH_CASE_CNT] = {
#define ANY_TYPE ((1u << HANDOFF_TYPE_CNT) - 1)
#define IDENTITY (1u << HANDOFF_IO | 1u << HANDOFF_WORK | 1u << HANDOFF_TIMER)
	[SYNTH_RIGHT] = {"right", 0.7, case_right, ANY_TYPE},
	[SYNTH_REUSE] = {"reuse", 0.03, case_reuse, ANY_TYPE},
	[SYNTH_KEYLESS] = {"keyless", 0.01, case_keyless, ANY_TYPE},
	[SYNTH_BATCH] = {"batch", 0.02, case_batch, ANY_TYPE},
	[SYNTH_BATCH_SWAP] = {"batch_swap", 0.01, case_batch_swap, ANY_TYPE},
	[SYNTH_MULTISHOT] = {"multishot", 0.01, case_multishot, ANY_TYPE},
	[SYNTH_FANOUT] = {"fanout", 0.01, case_fanout, ANY_TYPE},
	[SYNTH_COALESCED] = {"coalesced", 0.01, case_coalesced, ANY_TYPE},
	[SYNTH_AMB] = {"amb", 0.01, case_amb, ANY_TYPE},
	[SYNTH_KERNEL] = {"kernel", 0.02, case_kernel, IDENTITY},
	[SYNTH_RECEIVER] = {"receiver", 0.01, case_receiver, IDENTITY},
	[SYNTH_STRANGER] = {"stranger", 0.01, case_stranger, ANY_TYPE},
	[SYNTH_FALSE_JOIN] = {"false_join", 0.02, case_false_join, ANY_TYPE},
	[SYNTH_KEYLESS_FALSE] = {"keyless_false", 0.005, case_keyless_false, ANY_TYPE},
	[SYNTH_DUPLICATE] = {"duplicate", 0.01, case_duplicate, ANY_TYPE},
	[SYNTH_SHARED_SRC] = {"shared_src", 0.005, case_shared_src, ANY_TYPE},
	[SYNTH_HALF] = {"half", 0.01, case_half, ANY_TYPE},
	[SYNTH_SPURIOUS] = {"spurious", 0.01, case_spurious, ANY_TYPE},
	[SYNTH_ORPHAN] = {"orphan", 0.01, case_orphan, ANY_TYPE},
	[SYNTH_ORPHAN_BESIDE] = {"orphan_beside", 0.01, case_orphan_beside, ANY_TYPE},
	[SYNTH_MISSED] = {"missed", 0.02, case_missed, ANY_TYPE},
	[SYNTH_ONE_ENDED] = {"one_ended", 0.005, case_one_ended, ANY_TYPE},
	[SYNTH_ONE_ENDED_NAMED] = {"one_ended_named", 0.01, case_one_ended_named, ANY_TYPE},
	[SYNTH_ONE_ENDED_JOINED] = {"one_ended_joined", 0.005, case_one_ended_joined, ANY_TYPE},
	[SYNTH_OUT_OF_SCOPE] = {"out_of_scope", 0.01, case_out_of_scope, ANY_TYPE},
	[SYNTH_DECOY] = {"decoy", 0.02, case_decoy, ANY_TYPE},
	[SYNTH_DECOY_HIT] = {"decoy_hit", 0.005, case_decoy_hit, ANY_TYPE},
};

const char *synth_case_name(unsigned c)
{
	return cases[c].name;
}

double synth_case_share(unsigned c)
{
	return cases[c].share;
}

uint32_t synth_case_types(unsigned c)
{
	return cases[c].types;
}

/* ---- the generator ---- */

static void lanes_init(struct gen *g)
{
	for (uint32_t i = 0; i < g->lanes_cnt; i++) {
		struct lane *l = &g->lanes[i];

		for (uint32_t k = 0; k < LANE_THREADS; k++)
			l->tid[k] = FIRST_TID + i * LANE_THREADS + k;
		l->kernel_tid = FIRST_KERNEL_TID + i;
		l->first_key = (uint64_t)i * g->keys_cnt;
		l->number = i;
	}
}

/* Cases that the types do not allow are never drawn. */
static void reach_init(struct gen *g)
{
	const struct synth_options *o = &g->e.options;
	double sum = 0;

	for (unsigned c = 0; c < SYNTH_CASE_CNT; c++) {
		sum += o->types & cases[c].types ? o->share[c] : 0;
		g->reach[c] = sum;
	}
	for (unsigned c = 0; c < SYNTH_CASE_CNT; c++)
		g->reach[c] /= sum;
}

static void gen_free(struct gen *g)
{
	if (!g)
		return;
	free(g->lanes);
	free(g->handoffs);
	free(g->claims);
	free(g->decoys);
	free(g);
}

static struct gen *gen_new(const struct synth_options *o)
{
	struct gen *g = calloc(1, sizeof(*g));
	uint32_t lanes = o->threads / LANE_THREADS;

	if (!g)
		return NULL;
	g->e.options = *o;
	g->random = o->seed;
	g->lanes_cnt = lanes;
	g->keys_cnt = o->keys / lanes;
	g->lanes = calloc(lanes, sizeof(*g->lanes));
	g->handoffs = calloc((size_t)lanes * PER_LANE, sizeof(*g->handoffs));
	g->claims = calloc((size_t)lanes * PER_LANE, sizeof(*g->claims));
	g->decoys = calloc(lanes, sizeof(*g->decoys));
	if (!g->lanes || !g->handoffs || !g->claims || !g->decoys) {
		gen_free(g);
		return NULL;
	}
	lanes_init(g);
	reach_init(g);
	return g;
}

static enum synth_case draw(struct gen *g)
{
	double at = (double)(gen_random(g) >> 11) * 0x1p-53;
	unsigned c = 0;

	while (c + 1 < SYNTH_CASE_CNT && at >= g->reach[c])
		c++;
	return (enum synth_case)c;
}

static void start_case(struct gen *g, uint64_t round, struct lane *l, uint32_t types)
{
	g->lane = l;
	g->t = START_NS + round * ROUND_NS + gen_below(g, JITTER_NS);
	g->type = gen_type(g, types & g->e.options.types);
}

/* What is left and too little for any case goes unclaimed. */
static void make_case(struct gen *g, uint64_t round, struct lane *l, uint64_t left)
{
	enum synth_case c = left < SYNTH_CASE_HANDOFFS ? SYNTH_MISSED : draw(g);

	start_case(g, round, l, cases[c].types);
	cases[c].make(g);
	g->e.cases[c]++;
}

/* ---- a round, written ---- */

struct files {
	struct truth_stream *truth;
	struct claims_writer *claims;
	struct truth_counts counts;
};

static int compare(uint64_t a, uint64_t b, uint32_t i, uint32_t k)
{
	if (a != b)
		return a < b ? -1 : 1;
	return (i > k) - (i < k);
}

static int compare_handoffs(const void *a, const void *b)
{
	const struct synth_handoff *x = a, *y = b;

	return compare(x->t, y->t, x->place, y->place);
}

static int compare_claims(const void *a, const void *b)
{
	const struct synth_claim *x = a, *y = b;

	return compare(x->t, y->t, x->place, y->place);
}

static void count_handoff(struct synth_expect *e, const struct synth_handoff *s)
{
	bool both = (s->h.has & (TH_SRC | TH_DST)) == (TH_SRC | TH_DST);

	if (both && !s->straddles)
		expect_handoff(e, s->h.type, s->h.marks);
	else
		e->one_ended_truth++;
}

/* In the order in which the handoffs begin. */
static int write_handoffs(struct gen *g, struct files *f)
{
	int err = 0;

	for (uint32_t i = 0; i < g->handoffs_cnt; i++) {
		struct synth_handoff *s = &g->handoffs[i];

		s->t = s->h.has & TH_SRC ? s->h.src_t.t0 : s->h.dst_ready.t0;
		count_handoff(&g->e, s);
	}
	qsort(g->handoffs, g->handoffs_cnt, sizeof(*g->handoffs), compare_handoffs);
	for (uint32_t i = 0; !err && i < g->handoffs_cnt; i++)
		err = truth_stream_put(f->truth, REC_HANDOFF, &g->handoffs[i].h);
	f->counts.handoff += g->handoffs_cnt;
	return err;
}

/* In the order in which a profiler would know of them. */
static int write_claims(struct gen *g, struct files *f)
{
	int err = 0;

	for (uint32_t i = 0; i < g->claims_cnt; i++) {
		const struct claim *c = &g->claims[i].c;

		g->claims[i].t =
			c->handoff.src_t > c->handoff.dst_t ? c->handoff.src_t : c->handoff.dst_t;
	}
	qsort(g->claims, g->claims_cnt, sizeof(*g->claims), compare_claims);
	for (uint32_t i = 0; !err && i < g->claims_cnt; i++)
		err = claims_writer_put(f->claims, &g->claims[i].c);
	g->e.claims += g->claims_cnt;
	return err;
}

static int write_round(struct gen *g, struct files *f)
{
	int err = write_handoffs(g, f);

	if (!err)
		err = write_claims(g, f);
	for (uint32_t i = 0; !err && i < g->decoys_cnt; i++)
		err = truth_stream_put(f->truth, REC_DECOY, &g->decoys[i]);
	g->e.decoys += g->decoys_cnt;
	g->handoffs_cnt = g->claims_cnt = g->decoys_cnt = 0;
	return err;
}

/* ---- operations: one after the other in each lane ---- */

static int begin_ops(struct gen *g, struct files *f, uint64_t round)
{
	uint64_t begin = START_NS + round * ROUND_NS, end = begin + OP_ROUNDS * ROUND_NS - OP_NS;
	int64_t kind = truth_stream_word(f->truth, "request");
	int err = kind < 0 ? (int)kind : 0;

	for (uint32_t i = 0; !err && i < g->lanes_cnt; i++) {
		struct lane *l = &g->lanes[i];
		const struct truth_op op = {
			.id = l->op = gen_id(g),
			.begin = {begin, begin + OP_NS - 1},
			.end = {end, end + OP_NS - 1},
			.kind_str = (uint32_t)kind,
			.begin_tid = l->tid[0],
			.end_tid = l->tid[1],
			.has_begin = true,
			.has_end = true,
		};

		err = truth_stream_begin(f->truth, &op, &l->op_index);
		f->counts.begin++;
	}
	return err;
}

static int end_ops(struct gen *g, struct files *f)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < g->lanes_cnt; i++) {
		err = truth_stream_end(f->truth, g->lanes[i].op_index);
		f->counts.end++;
	}
	return err;
}

/* ---- the run ---- */

static bool straddles(const struct synth_options *o)
{
	return o->handoffs >= 2 && o->share[SYNTH_ONE_ENDED_NAMED] > 0;
}

/* The first round of a run: lane 0 straddles scored[0], or nothing does. */
static int first_round(struct gen *g, struct files *f)
{
	int err = begin_ops(g, f, 0);

	g->scored.t0 = START_NS;
	if (err || !straddles(&g->e.options))
		return err;
	start_case(g, 0, &g->lanes[0], cases[SYNTH_ONE_ENDED_NAMED].types);
	straddle_first(g);
	g->e.cases[SYNTH_ONE_ENDED_NAMED]++;
	return write_round(g, f);
}

static int last_round(struct gen *g, struct files *f, uint64_t round)
{
	int err = 0;

	g->scored.t1 = START_NS + round * ROUND_NS;
	if (straddles(&g->e.options)) {
		start_case(g, round, &g->lanes[0], cases[SYNTH_ONE_ENDED_NAMED].types);
		straddle_last(g);
		g->e.cases[SYNTH_ONE_ENDED_NAMED]++;
		err = write_round(g, f);
	}
	return err ? err : end_ops(g, f);
}

static int make_rounds(struct gen *g, struct files *f)
{
	uint64_t left = g->e.options.handoffs - (straddles(&g->e.options) ? 2 : 0), round;
	int err = first_round(g, f);

	for (round = 1; !err && left; round++) {
		if (round % OP_ROUNDS == 0) {
			err = end_ops(g, f);
			err = err ? err : begin_ops(g, f, round);
		}
		for (uint32_t i = 0; i < g->lanes_cnt && left; i++) {
			uint32_t before = g->handoffs_cnt;

			make_case(g, round, &g->lanes[i], left);
			left -= g->handoffs_cnt - before;
		}
		err = err ? err : write_round(g, f);
	}
	return err ? err : last_round(g, f, round);
}

/* ---- files ---- */

static const char *const spaces[] = {"user_data", "uaddr", "task", "work", "fd", "timerfd"};
enum { SPACES = sizeof(spaces) / sizeof(*spaces) };

static uint32_t *list_threads(const struct synth_options *o)
{
	uint32_t *v = malloc(o->threads * sizeof(*v));

	for (uint32_t i = 0; v && i < o->threads; i++)
		v[i] = FIRST_TID + i;
	return v;
}

static int close_truth(struct gen *g, struct files *f, struct diag *d)
{
	uint32_t key_strs[SPACES], *threads = list_threads(&g->e.options);
	struct truth t = {
		.workload_str = (uint32_t)truth_stream_word(f->truth, "synth"),
		.variant_str = (uint32_t)truth_stream_word(f->truth, "base"),
		.seed = g->e.options.seed,
		.scored = g->scored,
		.threads = threads,
		.threads_cnt = g->e.options.threads,
		.key_strs = key_strs,
		.key_strs_cnt = SPACES,
		.counts = f->counts,
	};
	int err;

	if (!threads)
		return diag_set(d, -ENOMEM, "", 0, NULL, "no memory for the list of threads");
	for (unsigned i = 0; i < SPACES; i++) {
		key_strs[i] = (uint32_t)truth_stream_word(f->truth, spaces[i]);
		t.keys |= 1u << key_ns_parse(spaces[i], strlen(spaces[i]));
	}
	err = truth_stream_close(f->truth, &t, d);
	f->truth = NULL;
	free(threads);
	return err;
}

static int open_files(struct files *f, const struct synth_options *o, const char *truth_path,
		      const char *claims_path, struct diag *d)
{
	struct claims_header h = {.profiler = "synth", .version = "1", .declares = o->types};

	f->truth = truth_stream_open(truth_path, d);
	if (!f->truth)
		return d && d->err ? d->err : -EIO;
	f->claims = claims_writer_open(claims_path, o->text ? CLAIMS_JSON : CLAIMS_BINARY, &h, d);
	return f->claims ? 0 : d && d->err ? d->err : -EIO;
}

/* The packed truth gives way to its text. */
static int into_text(const char *path, struct diag *d)
{
	struct file_out out;
	struct truth t;
	int err = truth_load(path, &t, d);

	if (err)
		return err;
	err = file_out_open(&out, path, d);
	if (!err) {
		err = truth_export(&t, out.f);
		if (err) {
			file_out_abort(&out);
			file_error(d, err, path, "write");
		} else {
			err = file_out_commit(&out, d);
		}
	}
	truth_free(&t);
	return err;
}

static int write_files(struct gen *g, struct files *f, const char *truth_path,
		       const char *claims_path, struct diag *d)
{
	int err = open_files(f, &g->e.options, truth_path, claims_path, d);
	int made = err ? err : make_rounds(g, f);

	/* Either stream keeps its own first error and says it when it is closed. */
	if (!err && f->claims) {
		err = claims_writer_close(f->claims, d);
		f->claims = NULL;
	}
	if (!err)
		err = close_truth(g, f, d);
	if (!err && made)
		err = diag_set(d, made, truth_path, 0, NULL, "cannot be made: %s", strerror(-made));
	if (!err && g->e.options.text)
		err = into_text(truth_path, d);
	if (f->claims)
		claims_writer_close(f->claims, NULL);
	truth_stream_abort(f->truth);
	return err;
}

int synth_write(const struct synth_options *o, const char *truth_path, const char *claims_path,
		struct synth_expect *ret, struct diag *d)
{
	struct files f = {0};
	struct diag own = {0};
	struct gen *g;
	int err = synth_check(o, d);

	if (err)
		return err;
	g = gen_new(o);
	if (!g)
		return diag_set(d, -ENOMEM, truth_path, 0, NULL, "out of memory");
	err = write_files(g, &f, truth_path, claims_path, d ? d : &own);
	g->e.cheating = g->e.all[SYNTH_CONTEXT].decoy_hits > 0;
	if (!err)
		*ret = g->e;
	gen_free(g);
	return err;
}
