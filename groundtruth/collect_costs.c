/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What operations cost, derived from the other records once all of them are there (contracts §5.3).
 *
 * cpu: by operation and thread, the CPU time of the thread in the operation's segments on it. Both
 * borders of a segment are readings of the clock by a thread that runs, so nothing of it is a
 * guess; what a switch itself takes, and the few ns between one segment and the next, is nobody's.
 * If a thread was on no CPU at such a reading, switches are missing, and the run has no cpu at all.
 *
 * sched-delay: the time in the same segments in which the thread could have run and was kept from
 * it, as the kernel counted it between its switches.
 *
 * wait:TYPE: of the stretches in which no segment of the operation ran, those that ended with a
 * segment which a handoff of that type started. With what ran they add up to its wall time.
 *
 * io_bytes: what the workload says that I/O of the operation moved. Block I/O that it knows to be
 * an effect of handoffs that the operation sent, or of lives that it acquired, may not be more;
 * where the workload says nothing else, that is it.
 *
 * hold:CLASS: of lives that the operation acquired, from the return of the first acquire to the
 * call of the last release, whoever released it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "groundtruth/collect_join.h"
#include "groundtruth/timeline.h"

/* Kinds in the order in which truth lists them; holds of the class with string id s are KIND_HOLD
 * + s. */
enum {
	KIND_CPU,
	KIND_DELAY,
	KIND_WAIT,
	KIND_IO = KIND_WAIT + HANDOFF_TYPE_CNT, /* by effects */
	KIND_BYTES,				/* as the workload says */
	KIND_HOLD,
};

struct amount {
	uint32_t op, kind, tid; /* op: index; tid: of cpu, else 0 */
	uint64_t v;
};

struct start { /* the segment of a thread that ends at t was started by a handoff */
	uint32_t tid;
	uint8_t type;
	uint64_t t, ready;
};

struct piece { /* a segment */
	uint32_t op, tid;
	struct window t;
};

struct owner { /* of a life */
	uint64_t life;
	uint32_t op; /* index */
	uint32_t class_str;
	uint64_t from, to; /* to: 0 while it has not been released */
};

struct costs {
	struct collect *x;
	struct amount *v;
	size_t cnt, cap;
	struct start *starts;
	size_t starts_cnt;
	struct piece *pieces;
	size_t pieces_cnt;
	struct owner *owners;
	size_t owners_cnt, owners_cap;
	struct idmap lives; /* id: index in owners */
	bool says_bytes;    /* the workload does */
};

static const void *array(const struct costs *c, enum truth_array a, size_t *ret_cnt)
{
	*ret_cnt = c->x->b.cnt[a];
	return c->x->b.store->arrays[a];
}

static int add(struct costs *c, uint32_t op, uint32_t kind, uint32_t tid, uint64_t v)
{
	struct amount *to = collect_more(&c->v, &c->cnt, &c->cap, sizeof(*c->v));

	if (!to)
		return -ENOMEM;
	*to = (struct amount){.op = op, .kind = kind, .tid = tid, .v = v};
	return 0;
}

/* ---- what is looked at ---- */

static int by_end(const void *pa, const void *pb)
{
	const struct start *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->t != b->t)
		return a->t < b->t ? -1 : 1;
	return (int)a->type - (int)b->type;
}

static int find_starts(struct costs *c)
{
	size_t cnt;
	const struct truth_handoff *h = array(c, ARRAY_HANDOFFS, &cnt);

	c->starts = malloc((cnt + 1) * sizeof(*c->starts));
	if (!c->starts)
		return -ENOMEM;
	for (size_t i = 0; i < cnt; i++)
		if (h[i].has & TH_DST)
			c->starts[c->starts_cnt++] = (struct start){.tid = h[i].dst_tid,
								    .type = h[i].type,
								    .t = h[i].dst_t.t1,
								    .ready = h[i].dst_ready.t1};
	qsort(c->starts, c->starts_cnt, sizeof(*c->starts), by_end);
	return 0;
}

static int by_op(const void *pa, const void *pb)
{
	const struct piece *a = pa, *b = pb;

	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	if (a->t.t0 != b->t.t0)
		return a->t.t0 < b->t.t0 ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Segments of operations that never began are for the self-checks to find. */
static int find_pieces(struct costs *c)
{
	size_t cnt;
	const struct truth_segment *s = array(c, ARRAY_SEGMENTS, &cnt);
	uint32_t op;

	c->pieces = malloc((cnt + 1) * sizeof(*c->pieces));
	if (!c->pieces)
		return -ENOMEM;
	for (size_t i = 0; i < cnt; i++)
		if (idmap_get(&c->x->b.ops, s[i].op, &op))
			c->pieces[c->pieces_cnt++] =
				(struct piece){.op = op, .tid = s[i].tid, .t = s[i].t};
	qsort(c->pieces, c->pieces_cnt, sizeof(*c->pieces), by_op);
	return 0;
}

/* ---- cpu ---- */

static int add_cpu(struct costs *c)
{
	const struct timeline *when = c->x->info->timeline;
	bool delays = when && timeline_knows_delays(when);
	size_t before = c->cnt;
	int err = 0;

	for (size_t i = 0; when && !err && i < c->pieces_cnt; i++) {
		const struct piece *p = &c->pieces[i];
		uint64_t cpu;

		if (timeline_cpu(when, p->tid, p->t.t0, p->t.t1, &cpu)) {
			err = add(c, p->op, KIND_CPU, p->tid, cpu);
			if (!err && delays)
				err = add(c, p->op, KIND_DELAY, 0,
					  timeline_delay(when, p->tid, p->t.t0, p->t.t1));
			continue;
		}
		c->cnt = before;
		if (c->x->info->no_cpu)
			diag_set(c->x->info->no_cpu, -ENODATA, NULL, 0, NULL,
				 "thread %u read the clock at %llu or %llu, when by its context "
				 "switches it was on no CPU",
				 p->tid, (unsigned long long)p->t.t0, (unsigned long long)p->t.t1);
		break;
	}
	return err;
}

/* ---- wait ---- */

/* The handoff that started a segment, or NULL. */
static const struct start *start_of(const struct costs *c, const struct piece *p)
{
	size_t low = 0, high = c->starts_cnt;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct start *s = &c->starts[mid];

		if (s->tid < p->tid || (s->tid == p->tid && s->t < p->t.t1))
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < c->starts_cnt; low++) {
		const struct start *s = &c->starts[low];

		if (s->tid != p->tid || s->t != p->t.t1)
			return NULL;
		if (s->ready <= p->t.t0)
			return s;
	}
	return NULL;
}

static int add_waits(struct costs *c)
{
	size_t ops_cnt;
	const struct truth_op *ops = array(c, ARRAY_OPS, &ops_cnt);
	uint64_t busy = 0; /* until when something of the operation has run */
	int err = 0;

	for (size_t i = 0; !err && i < c->pieces_cnt; i++) {
		const struct piece *p = &c->pieces[i];
		const struct start *s;

		if (!i || p[-1].op != p->op)
			busy = ops[p->op].begin.t1;
		if (p->t.t0 > busy) {
			s = start_of(c, p);
			if (s)
				err = add(c, p->op, KIND_WAIT + s->type, 0, p->t.t0 - busy);
		}
		if (p->t.t1 > busy)
			busy = p->t.t1;
	}
	return err;
}

/* ---- hold and io_bytes ---- */

static struct owner *owner_new(struct costs *c, const struct truth_event *e, uint32_t op)
{
	struct owner *o = collect_more(&c->owners, &c->owners_cnt, &c->owners_cap, sizeof(*o));

	if (o)
		*o = (struct owner){
			.life = e->life, .op = op, .class_str = e->class_str, .from = e->t.t1};
	return o;
}

/* A life that was there at the start is nobody's: its first acquire was not seen. */
static bool was_there(const struct costs *c, uint64_t life)
{
	size_t cnt;
	const struct truth_live *l = array(c, ARRAY_LIVES, &cnt);

	for (size_t i = 0; i < cnt && l[i].at_start; i++)
		if (l[i].life == life)
			return true;
	return false;
}

static int own(struct costs *c, const struct truth_event *e)
{
	uint32_t i, op;
	int known;

	if (e->kind != EVENT_ACQUIRE && e->kind != EVENT_RELEASE)
		return 0;
	if (idmap_get(&c->lives, e->life, &i)) {
		if (e->kind == EVENT_RELEASE)
			c->owners[i].to = e->t.t0;
		return 0;
	}
	if (e->kind == EVENT_RELEASE || !idmap_get(&c->x->b.ops, e->op, &op) ||
	    was_there(c, e->life))
		return 0;
	known = idmap_put(&c->lives, e->life, (uint32_t)c->owners_cnt, &i);
	return known < 0 || !owner_new(c, e, op) ? -ENOMEM : 0;
}

static int add_holds(struct costs *c)
{
	size_t cnt;
	const struct truth_event *e = array(c, ARRAY_EVENTS, &cnt);
	int err = 0;

	for (size_t i = 0; !err && i < cnt; i++)
		err = own(c, &e[i]);
	for (size_t i = 0; !err && i < c->owners_cnt; i++) {
		const struct owner *o = &c->owners[i];

		if (o->to > o->from)
			err = add(c, o->op, KIND_HOLD + o->class_str, 0, o->to - o->from);
	}
	return err;
}

static int add_io(struct costs *c)
{
	size_t cnt, handoffs_cnt;
	const struct truth_effect *e = array(c, ARRAY_EFFECTS, &cnt);
	const struct truth_handoff *h = array(c, ARRAY_HANDOFFS, &handoffs_cnt);
	struct idmap sent = {0};
	uint32_t op, i;
	int err = 0;

	for (size_t k = 0; cnt && err >= 0 && k < handoffs_cnt; k++)
		if (h[k].has & TH_SRC)
			err = idmap_put(&sent, h[k].id, (uint32_t)k, &i);
	for (size_t k = 0; err >= 0 && k < cnt; k++) {
		if (e[k].kind != EFFECT_BLOCK_IO)
			continue;
		if (idmap_get(&c->lives, e[k].cause, &i))
			err = add(c, c->owners[i].op, KIND_IO, 0, e[k].v);
		else if (idmap_get(&sent, e[k].cause, &i) &&
			 idmap_get(&c->x->b.ops, h[i].src_op, &op))
			err = add(c, op, KIND_IO, 0, e[k].v);
	}
	idmap_free(&sent);
	return err < 0 ? err : 0;
}

static int add_bytes(struct costs *c)
{
	int err = 0;

	for (size_t i = 0; !err && i < c->x->known_cnt; i++) {
		const struct log_rec *r = c->x->known[i];
		uint32_t op;

		if (r->type != LOG_COST_BYTES || !idmap_get(&c->x->b.ops, r->id, &op))
			continue;
		c->says_bytes = true;
		err = add(c, op, KIND_BYTES, 0, r->v);
	}
	return err;
}

/* ---- records ---- */

static int by_kind(const void *pa, const void *pb)
{
	const struct amount *a = pa, *b = pb;

	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static int64_t word_of(struct costs *c, uint32_t kind)
{
	struct truth_build *b = &c->x->b;
	const char *class;
	char word[LOG_NAME_LEN + 8] = "cpu";

	if (kind >= KIND_HOLD) {
		class = strtab_get(b->store->strings, kind - KIND_HOLD);
		snprintf(word, sizeof(word), "hold:%s", class);
	} else if (kind == KIND_IO || kind == KIND_BYTES) {
		strcpy(word, "io_bytes");
	} else if (kind == KIND_DELAY) {
		strcpy(word, effect_kind_name(EFFECT_SCHED_DELAY));
	} else if (kind >= KIND_WAIT) {
		snprintf(word, sizeof(word), "wait:%s", handoff_type_name(kind - KIND_WAIT));
	}
	return truth_build_str(b, word, strlen(word));
}

/* What effects moved for an operation was moved for it by what the workload says, which is next. */
static int check_bytes(struct costs *c, size_t i, uint64_t op, uint64_t effects)
{
	const struct amount *io = &c->v[i - 1];
	uint64_t says = 0;

	for (; i < c->cnt && c->v[i].kind == KIND_BYTES && c->v[i].op == io->op; i++)
		says += c->v[i].v;
	if (effects <= says)
		return 0;
	return diag_set(c->x->d, -EINVAL, "", 0, "the workload's recording is at fault",
			"block I/O moved %llu bytes for operation 0x%llx, all its I/O %llu",
			(unsigned long long)effects, (unsigned long long)op,
			(unsigned long long)says);
}

static int emit(struct costs *c)
{
	size_t ops_cnt;
	const struct truth_op *ops = array(c, ARRAY_OPS, &ops_cnt);
	int err = 0;

	if (c->cnt)
		qsort(c->v, c->cnt, sizeof(*c->v), by_kind);
	for (size_t i = 0, next; !err && i < c->cnt; i = next) {
		int64_t word = word_of(c, c->v[i].kind);
		struct truth_cost cost = {.op = ops[c->v[i].op].id,
					  .tid = c->v[i].tid,
					  .has_tid = c->v[i].kind == KIND_CPU};

		if (word < 0)
			return (int)word;
		cost.kind_str = (uint32_t)word;
		for (next = i; next < c->cnt && !by_kind(&c->v[i], &c->v[next]); next++)
			cost.v += c->v[next].v;
		if (c->says_bytes && c->v[i].kind == KIND_IO) {
			err = check_bytes(c, next, cost.op, cost.v);
			continue;
		}
		err = truth_build_record(&c->x->b, ARRAY_COSTS, REC_COST, &cost);
	}
	return err;
}

int collect_costs(struct collect *x)
{
	struct costs c = {.x = x};
	int err = find_starts(&c);

	if (!err)
		err = find_pieces(&c);
	if (!err)
		err = add_cpu(&c);
	if (!err)
		err = add_waits(&c);
	if (!err)
		err = add_holds(&c);
	if (!err)
		err = add_io(&c);
	if (!err)
		err = add_bytes(&c);
	if (!err)
		err = emit(&c);
	free(c.v);
	free(c.starts);
	free(c.pieces);
	free(c.owners);
	idmap_free(&c.lives);
	return err && err != -EINVAL ? collect_fault(x, err) : err;
}
