/* SPDX-License-Identifier: BSD-2-Clause */
/* The two ends of a handoff, found in the slots of two threads, and the windows they span. */
#include "groundtruth/collect_join.h"

#include <errno.h>
#include <string.h>

static int add_pending(struct collect *x, unsigned slot, uint64_t rec, const struct log_rec *r,
		       uint32_t *ret)
{
	struct collect_pending *p;
	int known;

	if (x->pending_cnt >> TRUTH_INDEX_BITS)
		return collect_fault(x, -E2BIG);
	known = idmap_put(&x->handoffs, r->id, (uint32_t)x->pending_cnt, ret);
	if (known < 0)
		return collect_fault(x, known);
	if (known)
		return 0;
	p = collect_more(&x->pending, &x->pending_cnt, &x->pending_cap, sizeof(*x->pending));
	if (!p)
		return collect_fault(x, -ENOMEM);
	p->slot = slot;
	p->rec = rec;
	p->h.id = r->id;
	p->h.type = r->type;
	return 0;
}

/* One end may know the key, or its scope, better than the other; they may not disagree. */
static bool merge_key(struct truth_key *k, const struct log_rec *r)
{
	if (r->ns == KEY_NONE)
		return true;
	if (k->ns != KEY_NONE && (k->ns != r->ns || k->v != r->v))
		return false;
	k->ns = r->ns;
	k->v = r->v;
	if (!(r->flags & LOG_F_SCOPE))
		return true;
	if (k->has_scope && k->scope != r->scope)
		return false;
	k->has_scope = 1;
	k->scope = r->scope;
	return true;
}

/* What both ends say about the handoff as a whole. */
static int merge_end(struct collect *x, unsigned slot, uint64_t rec, const struct log_rec *r,
		     uint8_t end, uint32_t *ret)
{
	struct collect_pending *p;
	int err = add_pending(x, slot, rec, r, ret);

	if (err)
		return err;
	p = &x->pending[*ret];
	if (p->h.has & end)
		return collect_reject(x, slot, rec, "handoff 0x%llx has two %s records",
				      (unsigned long long)r->id, end == TH_SRC ? "src" : "dst");
	if (p->h.type != r->type)
		return collect_reject(x, slot, rec,
				      "handoff 0x%llx is %s at one end and %s at the "
				      "other",
				      (unsigned long long)r->id, handoff_type_name(p->h.type),
				      handoff_type_name(r->type));
	if (!merge_key(&p->h.key, r))
		return collect_reject(x, slot, rec, "the ends of handoff 0x%llx have two keys",
				      (unsigned long long)r->id);
	p->h.has |= end;
	p->h.marks |= r->marks;
	return 0;
}

int collect_src(struct collect *x, unsigned slot, uint64_t rec, const struct log_rec *r)
{
	struct truth_handoff *h;
	uint32_t i;
	int err = merge_end(x, slot, rec, r, TH_SRC, &i);

	if (err)
		return err;
	h = &x->pending[i].h;
	h->src_op = r->op;
	h->src_tid = x->c->slots[slot].shared->tid;
	h->src_t = (struct window){r->t0, r->t1};
	if (r->flags & LOG_F_SEQ) {
		h->seq = r->seq;
		h->has |= TH_SEQ;
	}
	return 0;
}

static int wait_for_segment(struct collect *x, uint32_t pending)
{
	uint32_t *to =
		collect_more(&x->waiting, &x->waiting_cnt, &x->waiting_cap, sizeof(*x->waiting));

	if (!to)
		return collect_fault(x, -ENOMEM);
	*to = pending;
	return 0;
}

int collect_dst(struct collect *x, unsigned slot, uint64_t rec, const struct log_rec *r)
{
	struct collect_pending *p;
	uint32_t i;
	int err = merge_end(x, slot, rec, r, TH_DST, &i);

	if (err)
		return err;
	p = &x->pending[i];
	p->h.dst_op = r->op;
	p->h.dst_tid = x->c->slots[slot].shared->tid;
	p->h.dst_ready = (struct window){r->t0, r->t1};
	p->free_since = x->free_since;
	if (r->flags & LOG_F_SEQ) {
		p->h.take = r->seq;
		p->h.has |= TH_TAKE;
	}
	if (r->flags & LOG_F_STARTS)
		return wait_for_segment(x, i);
	p->h.dst_t.t1 = r->t1 + r->aux;
	return 0;
}

/* Every handoff that was received since the segment before starts this one. */
int collect_segment(struct collect *x, unsigned slot, uint64_t rec, const struct log_rec *r)
{
	for (size_t i = 0; i < x->waiting_cnt; i++) {
		struct collect_pending *p = &x->pending[x->waiting[i]];

		if (p->h.dst_op != r->id)
			return collect_reject(x, slot, rec,
					      "handoff 0x%llx to operation 0x%llx starts a segment "
					      "of 0x%llx",
					      (unsigned long long)p->h.id,
					      (unsigned long long)p->h.dst_op,
					      (unsigned long long)r->id);
		p->h.dst_t.t1 = r->t1;
	}
	x->waiting_cnt = 0;
	x->free_since = r->t1;
	return collect_place(x, r->t0, RANK_SEGMENT, slot, rec, 0);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * contracts §2, "Ends of a handoff". A receiver that never looked before begins at the src; so does
 * kernel work, whose receiver cannot look. Without a src the receiver's own moments are the bounds.
 */
static void settle_dst(struct collect_pending *p)
{
	struct truth_handoff *h = &p->h;
	bool has_src = h->has & TH_SRC;

	if (has_src && h->type == HANDOFF_WORK)
		h->dst_ready.t0 = h->src_t.t0;
	if (has_src)
		h->dst_ready.t0 = later(h->dst_ready.t0, h->src_t.t0);
	else if (!h->dst_ready.t0)
		h->dst_ready.t0 = p->free_since ? p->free_since : h->dst_ready.t1;
	h->dst_t.t0 = has_src	      ? later(p->free_since, h->src_t.t0)
		      : p->free_since ? p->free_since
				      : h->dst_ready.t0;
}

static int finish_handoff(struct collect *x, struct collect_pending *p)
{
	struct truth_handoff *h = &p->h;

	if (collect_name_key(x, &h->key))
		return collect_reject(x, p->slot, p->rec,
				      "handoff 0x%llx names work item %llu of %zu",
				      (unsigned long long)h->id, (unsigned long long)h->key.v,
				      x->info->work_items_cnt);
	h->has |= TH_MARKS;
	if (!(h->has & TH_SRC))
		h->has |= TH_SRC_NULL;
	if (!(h->has & TH_DST)) {
		h->has |= TH_DST_NULL;
		return 0;
	}
	settle_dst(p);
	if (h->dst_ready.t0 > h->dst_ready.t1)
		return collect_reject(x, p->slot, p->rec,
				      "handoff 0x%llx was received before it was sent",
				      (unsigned long long)h->id);
	if (h->dst_t.t0 > h->dst_t.t1)
		return collect_reject(x, p->slot, p->rec,
				      "handoff 0x%llx was over before its receiver was free",
				      (unsigned long long)h->id);
	return 0;
}

static int apply_late(struct collect *x, const struct log_rec *r)
{
	struct truth_handoff *h;
	uint32_t i;

	if (!idmap_get(&x->handoffs, r->id, &i))
		return diag_set(
			x->d, -EINVAL, "", 0, "the workload's recording is at fault",
			"a mark or an amb group names handoff 0x%llx, which is not recorded",
			(unsigned long long)r->id);
	h = &x->pending[i].h;
	if (r->kind == LOG_MARK) {
		h->marks |= r->marks;
		return 0;
	}
	if (h->has & TH_AMB && h->amb != r->v)
		return diag_set(x->d, -EINVAL, "", 0, "the workload's recording is at fault",
				"handoff 0x%llx is in two amb groups", (unsigned long long)r->id);
	h->amb = r->v;
	h->has |= TH_AMB;
	return 0;
}

int collect_finish_handoffs(struct collect *x)
{
	int err = 0;

	for (size_t i = 0; !err && i < x->late_cnt; i++)
		err = apply_late(x, x->late[i]);
	for (size_t i = 0; !err && i < x->pending_cnt; i++)
		err = finish_handoff(x, &x->pending[i]);
	return err;
}
