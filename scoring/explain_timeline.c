/* SPDX-License-Identifier: BSD-2-Clause */
/* What truth says of a thread around a moment, as text. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/arrays.h"
#include "scoring/explain_parts.h"
#include "scoring/scope.h"

enum { AROUND = 4 }; /* records before and after the moment, beside those that hold it */

struct line {
	struct window w;
	const char *what, *detail;
	uint64_t id;
};

struct lines {
	struct line *v;
	size_t cnt;
};

static void add(struct lines *l, const struct window *w, const char *what, uint64_t id,
		const char *detail)
{
	l->v[l->cnt++] = (struct line){.w = *w, .what = what, .id = id, .detail = detail};
}

static void add_handoffs(const struct truth *t, uint32_t tid, struct lines *l)
{
	for (size_t i = 0; i < t->handoffs_cnt; i++) {
		const struct truth_handoff *h = &t->handoffs[i];
		const char *type = handoff_type_name(h->type);

		if ((h->has & TH_SRC) && h->src_tid == tid)
			add(l, &h->src_t, "sends handoff", h->id, type);
		if (!(h->has & TH_DST) || h->dst_tid != tid)
			continue;
		add(l, &h->dst_ready, "may receive handoff", h->id, type);
		add(l, &h->dst_t, "handles handoff", h->id, type);
	}
}

static void add_work(const struct truth *t, uint32_t tid, struct lines *l)
{
	for (size_t i = 0; i < t->ops_cnt; i++) {
		const struct truth_op *op = &t->ops[i];

		if (op->has_begin && op->begin_tid == tid)
			add(l, &op->begin, "begins operation", op->id,
			    strtab_get(t->strings, op->kind_str));
		if (op->has_end && op->end_tid == tid)
			add(l, &op->end, "ends operation", op->id, "");
	}
	for (size_t i = 0; i < t->segments_cnt; i++)
		if (t->segments[i].tid == tid)
			add(l, &t->segments[i].t, "executes operation", t->segments[i].op, "");
	for (size_t i = 0; i < t->events_cnt; i++)
		if (t->events[i].tid == tid)
			add(l, &t->events[i].t, event_kind_name(t->events[i].kind),
			    t->events[i].instance, strtab_get(t->strings, t->events[i].class_str));
}

static int line_cmp(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	if (a->w.t0 != b->w.t0)
		return CMP3(a->w.t0, b->w.t0);
	if (a->w.t1 != b->w.t1)
		return CMP3(a->w.t1, b->w.t1);
	return strcmp(a->what, b->what);
}

static void print_line(const struct line *l, FILE *out)
{
	fputs("    ", out);
	print_window(out, &l->w);
	fprintf(out, " %s 0x%" PRIx64 "%s%s\n", l->what, l->id, *l->detail ? " " : "", l->detail);
}

/* Those that hold the moment, the last few that begin before it, and the next few. */
static void print_around(const struct lines *l, uint64_t t, FILE *out)
{
	size_t after = 0;

	while (after < l->cnt && l->v[after].w.t0 <= t)
		after++;
	for (size_t i = 0; i < after; i++)
		if (i + AROUND >= after || window_holds(&l->v[i].w, t))
			print_line(&l->v[i], out);
	fprintf(out, "    %" PRIu64 " <- the claim\n", t);
	for (size_t i = after; i < l->cnt && i < after + AROUND; i++)
		print_line(&l->v[i], out);
}

int print_timeline(const struct explain *x, uint32_t tid, uint64_t t, FILE *out)
{
	/* mutant 3 4: equivalent because more room than that does no harm */
	size_t handoffs = 3 * x->t.handoffs_cnt, ops = 2 * x->t.ops_cnt;
	size_t room = handoffs + ops + x->t.segments_cnt + x->t.events_cnt;
	struct lines l = {.v = array_new(room, sizeof(*l.v))};

	if (!l.v)
		return -ENOMEM;
	add_work(&x->t, tid, &l);
	add_handoffs(&x->t, tid, &l);
	qsort(l.v, l.cnt, sizeof(*l.v), line_cmp);
	fprintf(out, "  truth on thread %u around %" PRIu64 ":\n", tid, t);
	print_around(&l, t, out);
	free(l.v);
	return 0;
}
