/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run means, without what scheduling decided (contracts §2, Sameness).
 *
 * Per operation: its kind and whether it ended; for each resource life that it touches, the events
 * in their order with class and units; for each handoff that leaves or reaches it, type, key space,
 * lasting marks, other end. "@n" is how many handoffs of the operation lie between its begin and
 * that point on the longest way: the shape of the graph without names of threads. Ids, addresses,
 * times and threads do not appear; lives are told apart by what happened to them. Operations and
 * their lines are sorted and equal ones counted, so the order of concurrent work does not matter.
 *
 * Left out: wake and grant handoffs, handoffs marked stolen or coalesced, marks of timing, segments
 * (parked or not), effects, costs, losses, diagnoses, decoys.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "groundtruth/idmap.h"
#include "groundtruth/lineset.h"
#include "groundtruth/truth.h"

enum {
	MARKS_OF_EDGES = 1u << MARK_STOLEN | 1u << MARK_COALESCED,
	MARKS_OF_MEANING = 1u << MARK_MULTISHOT | 1u << MARK_MESSAGE | 1u << MARK_CANCELLED |
			   1u << MARK_LINKED | 1u << MARK_FANOUT | 1u << MARK_NESTED |
			   1u << MARK_SQPOLL | 1u << MARK_LOST,
};

/* Something that happens to one operation, in the order in which it is looked at. */
enum what { SEND = 0, RECEIVE = 1, HAPPEN = 2 };

struct item {
	uint32_t op; /* index in ops */
	enum what what;
	uint64_t t;
	uint32_t index; /* in handoffs or events */
	uint32_t tid;
	uint32_t depth; /* set when it is looked at */
	bool starts;	/* RECEIVE: a segment starts with it */
};

/* How deep in its operation a thread works. */
struct strand {
	uint32_t tid, depth;
	uint64_t started; /* when a handoff last started a segment here */
};

struct canon {
	const struct truth *t;
	struct idmap ops; /* id: index */
	struct item *items;
	size_t items_cnt;
	uint32_t *sent_at;	/* by handoff: depth of its src */
	uint32_t *by_end;	/* segments, by thread and end */
	struct strand *strands; /* of the operation being looked at */
	size_t strands_cnt, strands_cap;
	struct item *events; /* of one operation, by life */
	size_t events_cnt;
	struct lineset lines, blocks;
};

/* ---- items ---- */

static bool is_kept(const struct truth_handoff *h)
{
	return h->type != HANDOFF_WAKE && h->type != HANDOFF_GRANT && !(h->marks & MARKS_OF_EDGES);
}

static int by_thread_and_end(const void *a, const void *b, void *arg)
{
	const struct truth *t = arg;
	const struct truth_segment *p = &t->segments[*(const uint32_t *)a];
	const struct truth_segment *q = &t->segments[*(const uint32_t *)b];

	if (p->tid != q->tid)
		return p->tid < q->tid ? -1 : 1;
	if (p->t.t1 != q->t.t1)
		return p->t.t1 < q->t.t1 ? -1 : 1;
	return p->op < q->op ? -1 : p->op > q->op;
}

/* The segment that a handoff starts ends with dst.t; NULL: it was consumed. */
static const struct truth_segment *started_by(const struct canon *x, const struct truth_handoff *h)
{
	size_t lo = 0, hi = x->t->segments_cnt;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct truth_segment *s = &x->t->segments[x->by_end[mid]];

		if (s->tid == h->dst_tid && s->t.t1 == h->dst_t.t1 && s->op == h->dst_op)
			return s;
		if (s->tid != h->dst_tid     ? s->tid < h->dst_tid
		    : s->t.t1 != h->dst_t.t1 ? s->t.t1 < h->dst_t.t1
					     : s->op < h->dst_op)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* Operations that never began are truth_check's to find; here they count as the first. */
static void add_item(struct canon *x, uint64_t op, struct item it)
{
	idmap_get(&x->ops, op, &it.op);
	x->items[x->items_cnt++] = it;
}

static void add_handoff(struct canon *x, uint32_t i)
{
	const struct truth_handoff *h = &x->t->handoffs[i];
	const struct truth_segment *s;

	if (h->has & TH_SRC)
		add_item(x, h->src_op,
			 (struct item){
				 .what = SEND, .t = h->src_t.t0, .index = i, .tid = h->src_tid});
	if (!(h->has & TH_DST))
		return;
	s = started_by(x, h);
	add_item(x, h->dst_op,
		 (struct item){.what = RECEIVE,
			       .t = s ? s->t.t0 : h->dst_t.t1,
			       .index = i,
			       .tid = h->dst_tid,
			       .starts = s != NULL});
}

static int by_op_and_time(const void *a, const void *b)
{
	const struct item *p = a, *q = b;

	if (p->op != q->op)
		return p->op < q->op ? -1 : 1;
	if (p->t != q->t)
		return p->t < q->t ? -1 : 1;
	if (p->what != q->what)
		return p->what < q->what ? -1 : 1;
	return p->index < q->index ? -1 : p->index > q->index;
}

static int learn_ops(struct canon *x)
{
	uint32_t was;

	for (size_t i = 0; i < x->t->ops_cnt; i++)
		if (idmap_put(&x->ops, x->t->ops[i].id, (uint32_t)i, &was) < 0)
			return -ENOMEM;
	return 0;
}

static int gather(struct canon *x)
{
	const struct truth *t = x->t;
	size_t most = 2 * t->handoffs_cnt + t->events_cnt + 1;

	x->items = malloc(most * sizeof(*x->items));
	x->events = malloc((t->events_cnt + 1) * sizeof(*x->events));
	x->sent_at = calloc(t->handoffs_cnt + 1, sizeof(*x->sent_at));
	x->by_end = malloc((t->segments_cnt + 1) * sizeof(*x->by_end));
	if (!x->items || !x->events || !x->sent_at || !x->by_end)
		return -ENOMEM;
	for (size_t i = 0; i < t->segments_cnt; i++)
		x->by_end[i] = (uint32_t)i;
	qsort_r(x->by_end, t->segments_cnt, sizeof(*x->by_end), by_thread_and_end, (void *)t);
	for (size_t i = 0; i < t->handoffs_cnt; i++)
		if (is_kept(&t->handoffs[i]))
			add_handoff(x, (uint32_t)i);
	for (size_t i = 0; i < t->events_cnt; i++)
		add_item(x, t->events[i].op,
			 (struct item){.what = HAPPEN,
				       .t = t->events[i].t.t0,
				       .index = (uint32_t)i,
				       .tid = t->events[i].tid});
	qsort(x->items, x->items_cnt, sizeof(*x->items), by_op_and_time);
	return 0;
}

/* ---- depth ---- */

static struct strand *strand_of(struct canon *x, uint32_t tid)
{
	struct strand *v;

	for (size_t i = 0; i < x->strands_cnt; i++)
		if (x->strands[i].tid == tid)
			return &x->strands[i];
	if (x->strands_cnt == x->strands_cap) {
		v = realloc(x->strands, (x->strands_cap * 2 + 8) * sizeof(*v));
		if (!v)
			return NULL;
		x->strands = v;
		x->strands_cap = x->strands_cap * 2 + 8;
	}
	x->strands[x->strands_cnt] = (struct strand){.tid = tid, .started = UINT64_MAX};
	return &x->strands[x->strands_cnt++];
}

/* A new segment forgets what the thread did for the operation before; consuming does not. */
static void receive(const struct canon *x, struct strand *s, const struct item *it)
{
	const struct truth_handoff *h = &x->t->handoffs[it->index];
	bool own = h->has & TH_SRC && h->src_op == h->dst_op;
	uint32_t depth = own ? x->sent_at[it->index] + 1 : s->depth + 1;

	if ((it->starts && s->started != it->t) || depth > s->depth)
		s->depth = depth;
	if (it->starts)
		s->started = it->t;
}

static int measure(struct canon *x, struct item *v, size_t cnt)
{
	x->strands_cnt = 0;
	for (size_t i = 0; i < cnt; i++) {
		struct strand *s = strand_of(x, v[i].tid);

		if (!s)
			return -ENOMEM;
		if (v[i].what == RECEIVE)
			receive(x, s, &v[i]);
		v[i].depth = s->depth;
		if (v[i].what == SEND)
			x->sent_at[v[i].index] = s->depth;
	}
	return 0;
}

/* ---- text ---- */

static const char *kind_of(const struct canon *x, uint64_t op)
{
	uint32_t i;

	if (!idmap_get(&x->ops, op, &i))
		return "?";
	return strtab_get(x->t->strings, x->t->ops[i].kind_str);
}

/* Said where it was sent; where it came from another operation, or from nowhere, there as well. */
static void write_handoff(struct canon *x, const struct item *it)
{
	const struct truth_handoff *h = &x->t->handoffs[it->index];
	bool own = h->has & TH_SRC && h->has & TH_DST && h->src_op == h->dst_op;

	if (it->what == RECEIVE && own)
		return;
	lineset_add(&x->lines, "handoff %s", handoff_type_name(h->type));
	if (h->key.ns != KEY_NONE)
		lineset_add(&x->lines, " by %s", key_ns_name(h->key.ns));
	for (unsigned bit = 0; bit < MARK_CNT; bit++)
		if (h->marks & MARKS_OF_MEANING & 1u << bit)
			lineset_add(&x->lines, " %s", mark_name(bit));
	lineset_add(&x->lines, " @%u", it->depth);
	if (own)
		lineset_add(&x->lines, " to itself");
	else if (it->what == SEND)
		lineset_add(&x->lines, " to %s",
			    h->has & TH_DST ? kind_of(x, h->dst_op) : "nowhere");
	else
		lineset_add(&x->lines, " from %s",
			    h->has & TH_SRC ? kind_of(x, h->src_op) : "nowhere");
	lineset_next(&x->lines);
}

static int by_life_and_time(const void *a, const void *b, void *arg)
{
	const struct truth *t = arg;
	const struct item *p = a, *q = b;
	uint64_t life_p = t->events[p->index].life, life_q = t->events[q->index].life;

	if (life_p != life_q)
		return life_p < life_q ? -1 : 1;
	return by_op_and_time(a, b);
}

/* One line a life, since lives are what objects are. */
static void write_lives(struct canon *x)
{
	const struct truth *t = x->t;

	if (x->events_cnt)
		qsort_r(x->events, x->events_cnt, sizeof(*x->events), by_life_and_time, (void *)t);
	for (size_t i = 0; i < x->events_cnt; i++) {
		const struct truth_event *e = &t->events[x->events[i].index];
		bool last =
			i + 1 == x->events_cnt || t->events[x->events[i + 1].index].life != e->life;

		if (!i || t->events[x->events[i - 1].index].life != e->life)
			lineset_add(&x->lines, "%s:", strtab_get(t->strings, e->class_str));
		lineset_add(&x->lines, " %s %" PRIu64 " @%u", event_kind_name(e->kind), e->units,
			    x->events[i].depth);
		if (last)
			lineset_next(&x->lines);
	}
}

static void add_line(const char *text, size_t cnt, void *arg)
{
	struct lineset *blocks = arg;

	lineset_add(blocks, "\t%s", text);
	if (cnt > 1)
		lineset_add(blocks, " x%zu", cnt);
	lineset_add(blocks, "\n");
}

static int write_op(struct canon *x, uint32_t op, struct item *v, size_t cnt)
{
	const struct truth_op *o = &x->t->ops[op];
	int err = measure(x, v, cnt);

	if (err)
		return err;
	lineset_clear(&x->lines);
	x->events_cnt = 0;
	for (size_t i = 0; i < cnt; i++)
		if (v[i].what == HAPPEN)
			x->events[x->events_cnt++] = v[i];
		else
			write_handoff(x, &v[i]);
	write_lives(x);
	lineset_add(&x->blocks, "op %s %s\n", strtab_get(x->t->strings, o->kind_str),
		    o->open	 ? "open"
		    : o->has_end ? "ended"
				 : "without end");
	lineset_each(&x->lines, add_line, &x->blocks);
	lineset_next(&x->blocks);
	return x->lines.err ? x->lines.err : x->blocks.err;
}

/* What is alive at the start and at the end, by class. */
static int write_live(struct canon *x)
{
	const struct truth *t = x->t;
	struct idmap class_of = {0};
	int err = 0;

	for (size_t i = 0; err >= 0 && i < t->events_cnt; i++) {
		uint32_t was;

		err = idmap_put(&class_of, t->events[i].life, t->events[i].class_str, &was);
	}
	for (size_t i = 0; err >= 0 && i < t->lives_cnt; i++) {
		uint32_t class = 0;

		idmap_get(&class_of, t->lives[i].life, &class);
		lineset_add(&x->blocks, "live %s %" PRIu64 " at the %s\n",
			    class ? strtab_get(t->strings, class) : "?", t->lives[i].units,
			    t->lives[i].at_start ? "start" : "end");
		lineset_next(&x->blocks);
	}
	idmap_free(&class_of);
	return err < 0 ? err : x->blocks.err;
}

static int write_ops(struct canon *x)
{
	size_t at = 0;
	int err = 0;

	for (uint32_t op = 0; !err && op < x->t->ops_cnt; op++) {
		size_t from = at;

		while (at < x->items_cnt && x->items[at].op == op)
			at++;
		err = write_op(x, op, x->items + from, at - from);
	}
	return err ? err : write_live(x);
}

static void print_block(const char *text, size_t cnt, void *out)
{
	fprintf(out, "%zu %s", cnt, text);
}

int truth_canon(const struct truth *t, FILE *out)
{
	struct canon x = {.t = t};
	int err = learn_ops(&x);

	if (!err)
		err = gather(&x);
	if (!err)
		err = write_ops(&x);
	if (!err)
		lineset_each(&x.blocks, print_block, out);
	if (!err && ferror(out))
		err = errno ? -errno : -EIO;
	idmap_free(&x.ops);
	free(x.items);
	free(x.events);
	free(x.sent_at);
	free(x.by_end);
	free(x.strands);
	lineset_free(&x.lines);
	lineset_free(&x.blocks);
	return err;
}
