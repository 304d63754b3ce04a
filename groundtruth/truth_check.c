/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The self-checks of contracts §2: a truth that fails one is of a broken run and is never scored.
 *
 * "Known injected costs agree with event truth" is checked where the injection is known: by the
 * harness in its control runs.
 */
#include "groundtruth/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "groundtruth/repeats.h"
#include "groundtruth/wakes.h"

static const char broken_cure[] = "the run is broken: repeat it; if it stays so, the workload's "
				  "recording is at fault";

/* The line on which a record stands, or would stand, in the text form. */
static uint64_t line_of(const struct truth *t, enum truth_record r, size_t index)
{
	uint32_t wanted = (uint32_t)r << TRUTH_INDEX_BITS | (uint32_t)index;

	for (size_t i = 0; i < t->order_cnt; i++)
		if (t->order[i] == wanted)
			return i + 2;
	return 0;
}

int check_fault(const struct check *x, enum truth_record r, size_t index, const char *fmt, ...)
{
	char what[384];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return diag_set(x->d, -EINVAL, x->path, line_of(x->t, r, index), broken_cure, "%s", what);
}

int check_memory(const struct check *x)
{
	return diag_set(x->d, -ENOMEM, x->path, 0, NULL, "out of memory");
}

/* ---- the close record ---- */

static int check_count(const struct check *x, const char *what, uint64_t counted, uint64_t recorded)
{
	if (counted == recorded)
		return 0;
	return check_fault(x, REC_CLOSE, 0,
			   "the workload counted %" PRIu64 " %s records and recorded %" PRIu64,
			   counted, what, recorded);
}

static int check_counts(const struct check *x)
{
	const struct truth_counts *n = &x->t->counts;
	uint64_t begun = 0, ended = 0;
	int err;

	for (size_t i = 0; i < x->t->ops_cnt; i++) {
		begun += x->t->ops[i].has_begin;
		ended += x->t->ops[i].has_end;
	}
	err = check_count(x, "begin", n->begin, begun);
	if (!err)
		err = check_count(x, "end", n->end, ended);
	if (!err)
		err = check_count(x, "segment", n->segment, x->t->segments_cnt);
	if (!err)
		err = check_count(x, "handoff", n->handoff, x->t->handoffs_cnt);
	return err ? err : check_count(x, "event", n->event, x->t->events_cnt);
}

static int check_close(const struct check *x)
{
	const struct truth *t = x->t;
	size_t closes = 0;

	for (size_t i = 0; i < t->order_cnt; i++)
		closes += truth_order_record(t->order[i]) == REC_CLOSE;
	if (!closes)
		return diag_set(x->d, -EINVAL, x->path, t->order_cnt + 1, broken_cure,
				"there is no close record: the workload did not reach its end, or "
				"the file is cut short");
	if (closes > 1)
		return check_fault(x, REC_CLOSE, 0, "there are %zu close records", closes);
	if (truth_order_record(t->order[t->order_cnt - 1]) != REC_CLOSE)
		return check_fault(x, REC_CLOSE, 0, "the close record is not the last");
	if (t->full)
		return check_fault(x, REC_CLOSE, 0, "the log was full: records are missing");
	return check_counts(x);
}

/* ---- threads: a record on a thread that is not listed is broken ---- */

static int learn_threads(struct check *x)
{
	uint32_t was;

	for (size_t i = 0; i < x->t->threads_cnt; i++)
		if (idmap_put(&x->threads, x->t->threads[i], (uint32_t)i, &was) < 0)
			return check_memory(x);
	return 0;
}

static int check_tid(const struct check *x, enum truth_record r, size_t index, uint32_t tid)
{
	uint32_t place;

	if (idmap_get(&x->threads, tid, &place))
		return 0;
	return check_fault(x, r, index, "thread %u is not listed in \"threads\"", tid);
}

static int check_handoff_tids(const struct check *x, size_t i)
{
	const struct truth_handoff *h = &x->t->handoffs[i];
	int err = h->has & TH_SRC ? check_tid(x, REC_HANDOFF, i, h->src_tid) : 0;

	if (!err && h->has & TH_DST)
		err = check_tid(x, REC_HANDOFF, i, h->dst_tid);
	return err;
}

/* Anybody may have woken a thread of the application. */
static int check_cost_tids(const struct check *x, size_t i)
{
	const struct truth_cost *c = &x->t->costs[i];
	const char *pair = strtab_get(x->t->strings, c->name_str);
	uint32_t waker, woken;

	if (c->has_tid)
		return check_tid(x, REC_COST, i, c->tid);
	if (c->of != COST_OF_PAIR)
		return 0;
	if (!wakes_pair_parse(pair, &waker, &woken))
		return check_fault(x, REC_COST, i, "\"%.64s\" is no pair of threads", pair);
	return check_tid(x, REC_COST, i, woken);
}

static int check_op_tids(const struct check *x, size_t i)
{
	const struct truth_op *o = &x->t->ops[i];
	int err = o->has_begin ? check_tid(x, REC_BEGIN, i, o->begin_tid) : 0;

	return !err && o->has_end ? check_tid(x, REC_END, i, o->end_tid) : err;
}

static int check_threads(const struct check *x)
{
	const struct truth *t = x->t;
	int err = 0;

	for (size_t i = 0; !err && i < t->ops_cnt; i++)
		err = check_op_tids(x, i);
	for (size_t i = 0; !err && i < t->segments_cnt; i++)
		err = check_tid(x, REC_SEGMENT, i, t->segments[i].tid);
	for (size_t i = 0; !err && i < t->handoffs_cnt; i++)
		err = check_handoff_tids(x, i);
	for (size_t i = 0; !err && i < t->events_cnt; i++)
		err = check_tid(x, REC_EVENT, i, t->events[i].tid);
	for (size_t i = 0; !err && i < t->effects_cnt; i++)
		err = check_tid(x, REC_EFFECT, i, t->effects[i].tid);
	for (size_t i = 0; !err && i < t->costs_cnt; i++)
		err = check_cost_tids(x, i);
	for (size_t i = 0; !err && i < t->decoys_cnt; i++)
		err = check_tid(x, REC_DECOY, i, t->decoys[i].tid);
	return err;
}

/* ---- ids and operations ---- */

static int learn_ops(struct check *x)
{
	if (idmap_reserve(&x->ops, x->t->ops_cnt))
		return check_memory(x);
	for (size_t i = 0; i < x->t->ops_cnt; i++) {
		const struct truth_op *o = &x->t->ops[i];
		uint32_t was;
		int known;

		if (!o->has_begin)
			continue;
		known = idmap_put(&x->ops, o->id, (uint32_t)i, &was);
		if (known < 0)
			return check_memory(x);
		if (known)
			return check_fault(
				x, REC_BEGIN, i,
				"ids are not unique: operation 0x%" PRIx64 " begins twice", o->id);
	}
	return 0;
}

static int check_begun(const struct check *x, enum truth_record r, size_t index, uint64_t op)
{
	uint32_t i;

	if (idmap_get(&x->ops, op, &i))
		return 0;
	return check_fault(x, r, index, "operation 0x%" PRIx64 " is named and never began", op);
}

/* Every operation has both records, one that did not finish says so in its end record, and none
 * ends before it begins. */
static int check_op(const struct check *x, size_t i)
{
	const struct truth_op *o = &x->t->ops[i];
	int err;

	if (!o->has_begin) {
		err = check_begun(x, REC_END, i, o->id);
		return err ? err
			   : check_fault(x, REC_END, i,
					 "ids are not unique: operation 0x%" PRIx64 " ends twice",
					 o->id);
	}
	if (!o->has_end)
		return check_fault(
			x, REC_BEGIN, i,
			"operation 0x%" PRIx64 " has no end record, not even an open one", o->id);
	if (o->end.t1 < o->begin.t0)
		return check_fault(x, REC_END, i,
				   "operation 0x%" PRIx64 " ends at %" PRIu64
				   ", before it begins at %" PRIu64,
				   o->id, o->end.t1, o->begin.t0);
	return 0;
}

static int check_named(const struct check *x)
{
	const struct truth *t = x->t;
	int err = 0;

	for (size_t i = 0; !err && i < t->ops_cnt; i++)
		err = check_op(x, i);
	for (size_t i = 0; !err && i < t->segments_cnt; i++)
		err = check_begun(x, REC_SEGMENT, i, t->segments[i].op);
	for (size_t i = 0; !err && i < t->handoffs_cnt; i++) {
		const struct truth_handoff *h = &t->handoffs[i];

		err = h->has & TH_SRC ? check_begun(x, REC_HANDOFF, i, h->src_op) : 0;
		if (!err && h->has & TH_DST && !(h->has & TH_SRC && h->src_op == h->dst_op))
			err = check_begun(x, REC_HANDOFF, i, h->dst_op);
	}
	for (size_t i = 0; !err && i < t->events_cnt; i++)
		if (t->events[i].has & TE_OP)
			err = check_begun(x, REC_EVENT, i, t->events[i].op);
	for (size_t i = 0; !err && i < t->costs_cnt; i++)
		if (t->costs[i].of == COST_OF_OP)
			err = check_begun(x, REC_COST, i, t->costs[i].op);
	return err;
}

/* ---- handoffs ---- */

static int check_ends(const struct check *x, size_t i)
{
	const struct truth_handoff *h = &x->t->handoffs[i];
	bool excused = h->marks & (1u << MARK_CANCELLED | 1u << MARK_LOST);

	if (!(h->has & TH_SRC) && !excused)
		return check_fault(x, REC_HANDOFF, i,
				   "handoff 0x%" PRIx64
				   " has no src and is marked neither cancelled nor lost",
				   h->id);
	if (!(h->has & TH_DST) && !excused)
		return check_fault(x, REC_HANDOFF, i,
				   "handoff 0x%" PRIx64
				   " has no dst and is marked neither cancelled nor lost",
				   h->id);
	if (!(h->has & TH_SRC) || !(h->has & TH_DST))
		return 0;
	if (h->dst_ready.t0 < h->src_t.t0)
		return check_fault(x, REC_HANDOFF, i,
				   "handoff 0x%" PRIx64 " is ready before its src", h->id);
	if (h->dst_t.t0 < h->src_t.t0)
		return check_fault(x, REC_HANDOFF, i,
				   "the dst of handoff 0x%" PRIx64 " begins before its src", h->id);
	return 0;
}

/* Those of handoffs that stand more than once: none, in a sound run. */
static int repeated_ids(const struct check *x, struct idmap *ret)
{
	size_t cnt = x->t->handoffs_cnt;
	uint64_t *ids = malloc((cnt ? cnt : 1) * sizeof(*ids));
	int err = -ENOMEM;

	for (size_t i = 0; ids && i < cnt; i++)
		ids[i] = x->t->handoffs[i].id;
	if (ids)
		err = repeats_find(ids, cnt, ret);
	free(ids);
	return err ? check_memory(x) : 0;
}

/* seen: of the repeated ones. */
static int check_handoff_id(const struct check *x, size_t i, const struct idmap *repeated,
			    struct idmap *seen)
{
	uint64_t id = x->t->handoffs[i].id;
	uint32_t was;
	int known = idmap_get(repeated, id, &was) ? idmap_put(seen, id, 0, &was) : 0;

	if (known < 0)
		return check_memory(x);
	return known ? check_fault(x, REC_HANDOFF, i,
				   "ids are not unique: handoff 0x%" PRIx64 " stands twice", id)
		     : 0;
}

static int check_handoffs(const struct check *x)
{
	struct idmap repeated = {0}, seen = {0};
	int err = repeated_ids(x, &repeated);

	for (size_t i = 0; !err && i < x->t->handoffs_cnt; i++) {
		err = check_handoff_id(x, i, &repeated, &seen);
		if (!err)
			err = check_ends(x, i);
	}
	idmap_free(&repeated);
	idmap_free(&seen);
	return err;
}

/* The second end of a decoy has no id. */
static int check_decoys(const struct check *x)
{
	struct idmap ids = {0};
	int err = idmap_reserve(&ids, x->t->decoys_cnt) ? check_memory(x) : 0;

	for (size_t i = 0; !err && i < x->t->decoys_cnt; i++) {
		const struct truth_decoy *y = &x->t->decoys[i];
		uint32_t was;
		int known = y->has_id ? idmap_put(&ids, y->id, 0, &was) : 0;

		if (known < 0)
			err = check_memory(x);
		else if (known)
			err = check_fault(x, REC_DECOY, i,
					  "ids are not unique: decoy 0x%" PRIx64 " stands twice",
					  y->id);
	}
	idmap_free(&ids);
	return err;
}

/* ---- descriptors ---- */

static int descriptor_fault(const struct check *x, uint32_t id, const char *what)
{
	return diag_set(x->d, -EINVAL, x->path, 1, broken_cure, "descriptor %u %s", id, what);
}

static int check_descriptors(const struct check *x)
{
	struct idmap ids = {0};
	int err = 0;

	for (size_t i = 0; !err && i < x->t->descriptors_cnt; i++) {
		const struct truth_descriptor *v = &x->t->descriptors[i];
		uint32_t was;
		int known = idmap_put(&ids, v->id, 0, &was);

		if (known < 0)
			err = check_memory(x);
		else if (known)
			err = descriptor_fault(x, v->id, "is listed twice: ids are not unique");
		else if (v->has_since && v->has_contradicted && v->since > v->contradicted)
			err = descriptor_fault(x, v->id, "is contradicted before it became wrong");
	}
	idmap_free(&ids);
	return err;
}

static int check_run(struct check *x)
{
	int err = check_close(x);

	if (!err)
		err = learn_threads(x);
	if (!err)
		err = check_threads(x);
	if (!err)
		err = learn_ops(x);
	if (!err)
		err = check_named(x);
	if (!err)
		err = check_handoffs(x);
	if (!err)
		err = check_decoys(x);
	if (!err)
		err = check_segments(x);
	if (!err)
		err = check_lives(x);
	return err ? err : check_descriptors(x);
}

int truth_check(const struct truth *t, const char *path, struct diag *d)
{
	struct check x = {.t = t, .path = path, .d = d};
	int err = check_run(&x);

	idmap_free(&x.threads);
	idmap_free(&x.ops);
	return err;
}
