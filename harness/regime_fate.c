/* SPDX-License-Identifier: BSD-2-Clause */
/* What a regime makes of each record. */
#include "harness/regime_fate.h"

#include <errno.h>
#include <stdlib.h>

#include <uthash.h>

#include "lib/hash.h"

struct run { /* records of one CPU lost with none of it kept since */
	uint32_t cpu;
	uint64_t cnt, from, to;
	UT_hash_handle hh;
};

struct actor { /* a thread whose next beginning is lost */
	uint32_t tid;
	UT_hash_handle hh;
};

struct stream { /* positions told so far, and what evictions have taken off them */
	uint64_t name;
	uint64_t at[2], base[2]; /* of writes, of reads */
	bool forgotten;
	UT_hash_handle hh;
};

struct fate {
	struct regime regime;
	uint64_t seed;
	struct evidence_writer *out;
	struct regime_tally *tally;
	struct run *runs;
	struct actor *actors;
	struct stream *streams;
};

struct fate *fate_new(const struct regime *r, uint64_t seed, struct evidence_writer *out,
		      struct regime_tally *tally)
{
	struct fate *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->regime = *r;
	f->seed = seed;
	f->out = out;
	f->tally = tally;
	return f;
}

void fate_free(struct fate *f)
{
	struct run *r, *r_next;
	struct actor *a, *a_next;
	struct stream *s, *s_next;

	if (!f)
		return;
	HASH_ITER(hh, f->runs, r, r_next)
	{
		HASH_DEL(f->runs, r);
		free(r);
	}
	HASH_ITER(hh, f->actors, a, a_next)
	{
		HASH_DEL(f->actors, a);
		free(a);
	}
	HASH_ITER(hh, f->streams, s, s_next)
	{
		HASH_DEL(f->streams, s);
		free(s);
	}
	free(f);
}

/* ---- losses ---- */

static int tally_add(struct regime_tally *t, const struct run *r)
{
	if (t->losses_cnt == t->losses_cap) {
		size_t cap = t->losses_cap ? 2 * t->losses_cap : 256;
		struct truth_loss *grown = realloc(t->losses, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		t->losses = grown;
		t->losses_cap = cap;
	}
	t->losses[t->losses_cnt++] =
		(struct truth_loss){.from = r->from, .to = r->to, .lost = r->cnt, .has_lost = 1};
	return 0;
}

/* In its place in the order, as the collector tells what it could not say before. */
static int run_tell(struct fate *f, struct run *r)
{
	int err = tally_add(f->tally, r);

	if (!err && !f->regime.silent)
		err = evidence_writer_put(f->out,
					  &(struct ev_rec){.kind = EV_LOST,
							   .t = r->to,
							   .cpu = (uint16_t)r->cpu,
							   .a = r->cnt,
							   .b = r->from},
					  1);
	r->cnt = 0;
	return err;
}

static int lose(struct fate *f, const struct ev_rec *v)
{
	uint32_t cpu = v->cpu;
	struct run *r;

	HASH_FIND(hh, f->runs, &cpu, sizeof(cpu), r);
	if (!r) {
		r = calloc(1, sizeof(*r));
		if (!r)
			return -ENOMEM;
		r->cpu = cpu;
		HASH_ADD(hh, f->runs, cpu, sizeof(r->cpu), r);
	}
	if (!r->cnt++)
		r->from = r->to = v->t;
	/* times of one CPU may be out of step where an interrupt came in between */
	r->from = v->t < r->from ? v->t : r->from;
	r->to = v->t > r->to ? v->t : r->to;
	f->tally->lost++;
	return 0;
}

static int keep(struct fate *f, const struct ev_rec *v)
{
	uint32_t cpu = v->cpu;
	struct run *r;
	int err = 0;

	HASH_FIND(hh, f->runs, &cpu, sizeof(cpu), r);
	if (r && r->cnt)
		err = run_tell(f, r);
	return err ? err : evidence_writer_put(f->out, v, 1);
}

int fate_finish(struct fate *f)
{
	struct run *r;
	int err = 0;

	for (r = f->runs; r && !err; r = r->hh.next)
		if (r->cnt)
			err = run_tell(f, r);
	return err;
}

/* ---- pairs ---- */

static bool ends(const struct ev_rec *v)
{
	switch (v->kind) {
	case EV_IO_COMPLETE:
	case EV_IO_EXIT:
	case EV_FUTEX_EXIT:
	case EV_STREAM_READ:
	case EV_TIMER_TAKE:
	case EV_WORK_END:
	case EV_APP:
		return true;
	default:
		return false;
	}
}

static bool begins(const struct ev_rec *v)
{
	switch (v->kind) {
	case EV_IO_SUBMIT:
	case EV_IO_ENTER:
	case EV_FUTEX_ENTER:
	case EV_STREAM_WRITE:
	case EV_TIMER_SET:
	case EV_WORK_START:
	case EV_APP:
		return true;
	default:
		return false;
	}
}

static int pair_record(struct fate *f, bool chosen, const struct ev_rec *v)
{
	uint32_t tid = v->tid;
	struct actor *a;

	HASH_FIND(hh, f->actors, &tid, sizeof(tid), a);
	if (a && begins(v)) {
		HASH_DEL(f->actors, a);
		free(a);
		return lose(f, v);
	}
	if (!chosen || !ends(v))
		return keep(f, v);
	if (!a) {
		a = calloc(1, sizeof(*a));
		if (!a)
			return -ENOMEM;
		a->tid = tid;
		HASH_ADD(hh, f->actors, tid, sizeof(a->tid), a);
	}
	return lose(f, v);
}

/* ---- what is cut, what is forgotten ---- */

static int cut_record(struct fate *f, bool chosen, const struct ev_rec *v)
{
	struct ev_rec cut = *v;

	if (!chosen)
		return keep(f, v);
	cut.flags |= EV_F_CUT;
	cut.b = cut.c = cut.d = cut.e = 0;
	f->tally->cut++;
	/* what is gone of it is as good as lost */
	return tally_add(f->tally, &(struct run){.cnt = 1, .from = v->t, .to = v->t})
		       ? -ENOMEM
		       : keep(f, &cut);
}

static int stream_forget(struct fate *f, bool chosen, struct ev_rec *v)
{
	unsigned way = v->kind == EV_STREAM_READ;
	struct stream *s;

	HASH_FIND(hh, f->streams, &v->a, sizeof(v->a), s);
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (!s)
			return -ENOMEM;
		s->name = v->a;
		HASH_ADD(hh, f->streams, name, sizeof(s->name), s);
	}
	if (chosen) { /* this call is the first of the new count */
		s->base[!way] = s->at[!way];
		s->base[way] = v->b;
		s->forgotten = true;
	}
	if (v->b + v->c > s->at[way])
		s->at[way] = v->b + v->c;
	v->b -= s->base[way];
	if (s->forgotten)
		v->e &= ~(uint64_t)(EV_STREAM_BORN << 8);
	return 0;
}

static int evict_record(struct fate *f, bool chosen, const struct ev_rec *v)
{
	struct ev_rec left = *v;
	int err = 0;

	switch (v->kind) {
	case EV_STREAM_WRITE:
	case EV_STREAM_READ:
		err = stream_forget(f, chosen, &left);
		break;
	case EV_IO_SUBMIT:
	case EV_IO_COMPLETE:
		left.e &= chosen ? (UINT64_C(1) << EV_IO_STAMP) - 1 : UINT64_MAX;
		break;
	case EV_APP:
		left.e &= chosen ? ~(UINT64_C(0xff) << 40) : UINT64_MAX;
		break;
	case EV_TIMER_TAKE:
	case EV_TIMER_EXPIRE:
		left.c = chosen ? 0 : left.c;
		left.e &= chosen ? UINT32_MAX : UINT64_MAX;
		break;
	default: /* nothing that a table keeps */
		return keep(f, v);
	}
	f->tally->evicted += chosen;
	return err ? err : keep(f, &left);
}

/* ---- all ---- */

/* Of the kernel side's own; what user space tells is not lost with a ring buffer. */
static bool is_touchable(const struct ev_rec *v)
{
	switch (v->kind) {
	case EV_LOST:
	case EV_APP_HITS:
	case EV_APP_SITE:
	case EV_PROC_CPU:
		return false;
	case EV_PROC_FORK:
		return v->tid;
	default:
		return true;
	}
}

int fate_record(struct fate *f, uint64_t number, const struct ev_rec *v)
{
	bool chosen = (hash_u64(number, f->seed) >> 32) < f->regime.share;

	if (!is_touchable(v))
		return evidence_writer_put(f->out, v, 1);
	switch (f->regime.kind) {
	case REGIME_DROP:
		return chosen ? lose(f, v) : keep(f, v);
	case REGIME_PAIR_DROP:
		return pair_record(f, chosen, v);
	case REGIME_TRUNCATE:
		return cut_record(f, chosen, v);
	case REGIME_EVICT:
		return evict_record(f, chosen, v);
	default:
		return keep(f, v);
	}
}
