/* SPDX-License-Identifier: BSD-2-Clause */
/* Packed truth written record by record says what the whole said. */
#include "tests/units/truth_help.h"

#include <signal.h>
#include <sys/resource.h>

#include "groundtruth/truth_stream.h"

/* Word ids are dealt in order of first use, so all words in order have the ids of the original. */
static void repeat_words(const struct truth *t, struct truth_stream *s)
{
	for (uint32_t i = 1; i < strtab_count(t->strings); i++)
		cr_assert_eq(truth_stream_word(s, strtab_get(t->strings, i)), i);
}

static int repeat_record(const struct truth *t, struct truth_stream *s, uint32_t order)
{
	uint32_t i = truth_order_index(order), index = UINT32_MAX;

	switch (truth_order_record(order)) {
	case REC_BEGIN:
		cr_assert_eq(truth_stream_begin(s, &t->ops[i], &index), 0);
		cr_assert_eq(index, i);
		return 0;
	case REC_END:
		return truth_stream_end(s, i);
	case REC_SEGMENT:
		return truth_stream_put(s, REC_SEGMENT, &t->segments[i]);
	case REC_HANDOFF:
		return truth_stream_put(s, REC_HANDOFF, &t->handoffs[i]);
	case REC_EVENT:
		return truth_stream_put(s, REC_EVENT, &t->events[i]);
	case REC_EFFECT:
		return truth_stream_put(s, REC_EFFECT, &t->effects[i]);
	case REC_COST:
		return truth_stream_put(s, REC_COST, &t->costs[i]);
	case REC_LOSS:
		return truth_stream_put(s, REC_LOSS, &t->losses[i]);
	case REC_LIVE:
		return truth_stream_put(s, REC_LIVE, &t->lives[i]);
	case REC_DIAGNOSIS:
		return truth_stream_put(s, REC_DIAGNOSIS, &t->diagnoses[i]);
	case REC_DECOY:
		return truth_stream_put(s, REC_DECOY, &t->decoys[i]);
	default:
		return 0; /* written by close */
	}
}

static struct truth_stream *repeat(const struct truth *t, const char *path)
{
	struct diag d = {0};
	struct truth_stream *s = truth_stream_open(path, &d);

	cr_assert(s, "%s", d.reason);
	repeat_words(t, s);
	for (size_t i = 0; i < t->order_cnt; i++)
		cr_assert_eq(repeat_record(t, s, t->order[i]), 0);
	return s;
}

static void contract(struct truth *t)
{
	struct diag d = {0};

	cr_assert_eq(truth_load("tests/units/data/truth/contract.jsonl", t, &d), 0, "%s", d.reason);
}

Test(truth_stream, says_what_the_whole_said)
{
	const char *path = scratch("bin");
	struct truth t, again;
	struct diag d = {0};
	char *before, *after;

	contract(&t);
	cr_assert_eq(truth_stream_close(repeat(&t, path), &t, &d), 0, "%s", d.reason);
	cr_assert_eq(truth_load(path, &again, &d), 0, "%s", d.reason);
	cr_expect_eq(truth_check(&again, path, &d), 0, "%s", d.reason);
	before = export_text(&t);
	after = export_text(&again);
	cr_expect_str_eq(before, after);
	truth_free(&t);
	truth_free(&again);
	free(before);
	free(after);
	unlink(path);
}

Test(truth_stream, is_an_empty_truth_when_nothing_is_put)
{
	const char *path = scratch("bin");
	const struct truth header = {.seed = 7};
	struct truth t;
	struct diag d = {0};

	cr_assert_eq(truth_stream_close(truth_stream_open(path, &d), &header, &d), 0);
	cr_assert_eq(truth_load(path, &t, &d), 0, "%s", d.reason);
	cr_expect(t.seed == 7 && !t.handoffs_cnt && t.order_cnt == 1);
	cr_expect_eq(truth_check(&t, path, &d), 0, "%s", d.reason);
	truth_free(&t);
	unlink(path);
}

Test(truth_stream, leaves_nothing_when_aborted)
{
	const char *path = scratch("bin");
	char part[160];
	struct truth t;

	contract(&t);
	snprintf(part, sizeof(part), "%s.part", path);
	truth_stream_abort(repeat(&t, path));
	cr_expect(access(path, F_OK) && access(part, F_OK));
	truth_stream_abort(NULL);
	truth_free(&t);
}

/* The limit on the size of files, as a disk that is full. */
static void until_full(void)
{
	const char *path = scratch("bin");
	const struct truth header = {0};
	const struct truth_handoff h = {.has = TH_SRC};
	struct truth_stream *s = truth_stream_open(path, NULL);
	struct diag d = {0};
	int err = 0;

	for (int i = 0; i < 100000 && !err; i++)
		err = truth_stream_put(s, REC_HANDOFF, &h);
	cr_expect_eq(err, -EFBIG);
	cr_expect_eq(truth_stream_put(s, REC_HANDOFF, &h), -EFBIG, "errors stick");
	cr_expect_eq(truth_stream_close(s, &header, &d), -EFBIG);
	cr_expect_str_eq(d.file, path);
	cr_expect(access(path, F_OK));
}

Test(truth_stream, reports_a_full_disk_and_leaves_nothing)
{
	const struct rlimit limit = {1 << 20, RLIM_INFINITY};

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	until_full();
}
