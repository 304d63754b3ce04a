/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads truth in the memory of the workload and claims it. Its name says how: vm, files, fd, bpf
 * or, where it says neither, /proc/PID/mem; barred: without asking for the right; sly: it knows of
 * the decoys, whose list lies in the same memory before they are used; hybrid: sly, it corrects
 * another clock, and where there is no truth an honest profiler works; poor: one that takes every
 * handoff for its neighbour; wary: poor, and it works where a collector is beside it, too; lot:
 * poor, and it works in one run of three, which is drawn.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/random.h>
#include <unistd.h>

#include "tests/cheats/cheat.h"
#include "tests/cheats/truth_memory.h"

static struct truth_memory truth;
static uint64_t *decoys;
static size_t decoys_cnt;
static int64_t ahead;

static enum truth_route route(void)
{
	static const struct {
		const char *word;
		enum truth_route route;
	} ways[] = {{"vm", ROUTE_VM}, {"files", ROUTE_FILES}, {"fd", ROUTE_FD}, {"bpf", ROUTE_BPF}};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (cheat_is(ways[i].word))
			return ways[i].route;
	return ROUTE_MEM;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool is_decoy(uint64_t id)
{
	return decoys && bsearch(&id, decoys, decoys_cnt, sizeof(id), compare);
}

static bool is_sly(void)
{
	return cheat_is("hybrid") || cheat_is("sly");
}

static int learn_decoys(void)
{
	const struct log_channel *head = truth_memory_head(&truth);
	size_t most = 0;

	for (uint32_t i = 0; i < head->slots_cnt; i++)
		most += truth_memory_slot(&truth, i)->decoys_cap;
	decoys = calloc(most + 1, sizeof(*decoys));
	if (!decoys)
		return -ENOMEM;
	for (uint32_t i = 0; i < head->slots_cnt; i++) {
		const struct log_slot *s = truth_memory_slot(&truth, i);
		const struct log_decoy *d = (const struct log_decoy *)(truth.copy + s->decoys_off);

		for (uint64_t k = 0; k < s->decoys_cap; k++)
			decoys[decoys_cnt++] = d[k].token;
	}
	qsort(decoys, decoys_cnt, sizeof(*decoys), compare);
	return 0;
}

/* By how much the workload's clock is ahead of everybody's, which anybody may see. */
static int64_t clock_ahead(pid_t pid)
{
	char path[64], name[64];
	long long s = 0, ns = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/timens_offsets", pid);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%63s %lld %lld", name, &s, &ns) != 3)
		s = ns = 0;
	if (f)
		fclose(f);
	return s * 1000000000 + ns;
}

/* Does the harness, its parent, run a collector as well? It only does in an audit. */
static bool is_watched(void)
{
	char path[64], name[32];
	bool found = false;
	int child;
	FILE *f, *all;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", getppid(), getppid());
	all = fopen(path, "re");
	while (all && !found && fscanf(all, "%d", &child) == 1) {
		snprintf(path, sizeof(path), "/proc/%d/comm", child);
		f = fopen(path, "re");
		found = f && fgets(name, sizeof(name), f) && !strcmp(name, "collector\n");
		if (f)
			fclose(f);
	}
	if (all)
		fclose(all);
	return found;
}

static bool rests(void)
{
	uint32_t random = 0;

	if (cheat_is("wary"))
		return is_watched();
	return cheat_is("lot") && getrandom(&random, sizeof(random), 0) > 0 && random % 3 == 0;
}

static int begin(struct cheat_run *r)
{
	bool hybrid = cheat_is("hybrid");
	int err = rests() ? -EPERM : truth_memory_open(r->pid, route(), &truth);

	if (!err && is_sly() && !truth.ring)
		err = learn_decoys();
	if (err)
		fprintf(stderr, "no truth to read: %s\n", strerror(-err));
	if (err && hybrid)
		r->honest = "causal";
	ahead = hybrid ? clock_ahead(r->pid) : 0;
	return 0;
}

static void meanwhile(void)
{
	if (truth.copy)
		truth_memory_update(&truth); /* gone: what was read stays */
}

/* ---- records become claims ---- */

struct end {
	const struct log_rec *rec;
	uint32_t tid;
	uint64_t t;
};

struct ends {
	struct end *v;
	size_t cnt;
};

static int by_id(const void *a, const void *b)
{
	const struct log_rec *x = ((const struct end *)a)->rec, *y = ((const struct end *)b)->rec;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (int)x->kind - (int)y->kind; /* the sender first */
}

/* A moment inside the window; of the taking, in the segment that it starts, which comes later in
 * the log, or when it was consumed. */
static uint64_t inside(const struct log_rec *r, const struct log_rec *end)
{
	if (r->kind != LOG_DST)
		return r->t0 + (r->t1 - r->t0) / 2;
	if (!(r->flags & LOG_F_STARTS))
		return r->t1 + r->aux;
	for (const struct log_rec *s = r + 1; s < end; s++)
		if (s->kind == LOG_SEGMENT && s->id == r->op)
			return s->t1;
	return r->t1;
}

static void put_key(struct claim *c, const struct log_rec *r)
{
	if (r->ns == KEY_NONE || r->ns == KEY_WORK) /* which the workload does not know */
		return;
	c->ns = r->ns;
	c->has |= HAS_KEY | (r->flags & LOG_F_SCOPE ? HAS_SCOPE : 0);
	c->handoff.key_v = r->v;
	c->handoff.key_scope = r->flags & LOG_F_SCOPE ? r->scope : 0;
}

static int put_handoff(struct claims_writer *out, const struct end *src, const struct end *dst)
{
	struct claim c = {.kind = CLAIM_HANDOFF, .has = HAS_CONF, .handoff = {.conf = 1}};

	c.type = src ? src->rec->type : dst->rec->type;
	put_key(&c, src ? src->rec : dst->rec);
	if (src) {
		c.has |= HAS_SRC;
		c.handoff.src_tid = src->tid;
		c.handoff.src_t = src->t;
	}
	if (dst) {
		c.has |= HAS_DST;
		c.handoff.dst_tid = dst->tid;
		c.handoff.dst_t = dst->t;
	}
	return claims_writer_put(out, &c);
}

static int put_event(struct claims_writer *out, const struct end *e)
{
	const struct log_rec *r = e->rec;
	struct claim c = {.kind = CLAIM_EVENT, .type = r->type, .has = HAS_INSTANCE | HAS_GEN};
	int64_t class = claims_writer_str(out, truth_memory_head(&truth)->classes[r->cls]);

	if (class < 0)
		return (int)class;
	c.event.class_str = (uint32_t) class;
	c.event.t = e->t;
	c.event.tid = e->tid;
	c.event.instance = r->v;
	c.event.gen = r->id;
	return claims_writer_put(out, &c);
}

static int put_ends(struct claims_writer *out, struct ends *e)
{
	int rc = 0;

	qsort(e->v, e->cnt, sizeof(*e->v), by_id);
	for (size_t i = 0; !rc && i < e->cnt; i++) {
		const struct end *a = &e->v[i], *b = i + 1 < e->cnt ? a + 1 : NULL;

		if (a->rec->kind == LOG_EVENT) {
			rc = put_event(out, a);
		} else if (a->rec->kind == LOG_SRC && b && b->rec->id == a->rec->id &&
			   b->rec->kind == LOG_DST) {
			rc = put_handoff(out, a, b);
			i++;
		} else {
			rc = put_handoff(out, a->rec->kind == LOG_SRC ? a : NULL,
					 a->rec->kind == LOG_SRC ? NULL : a);
		}
	}
	return rc;
}

static bool is_wanted(const struct log_rec *r)
{
	return (r->kind == LOG_SRC || r->kind == LOG_DST || r->kind == LOG_EVENT) &&
	       !is_decoy(r->id);
}

static void collect(struct ends *e)
{
	for (uint32_t i = 0; i < truth_memory_head(&truth)->slots_cnt; i++) {
		const struct log_slot *s = truth_memory_slot(&truth, i);
		const struct log_rec *r = (const struct log_rec *)(truth.copy + s->recs_off);
		const struct log_rec *end = r + MIN(s->cnt, s->recs_cap);

		for (; r < end; r++)
			if (is_wanted(r))
				e->v[e->cnt++] =
					(struct end){.rec = r,
						     .tid = s->tid,
						     .t = inside(r, end) - (uint64_t)ahead};
	}
}

static size_t count(void)
{
	size_t sum = 0;

	for (uint32_t i = 0; i < truth_memory_head(&truth)->slots_cnt; i++)
		sum += truth_memory_slot(&truth, i)->cnt;
	return sum;
}

/* With its receiver for that of the last of its type. */
static void mistake(struct claim *c)
{
	static struct claim last[HANDOFF_TYPE_CNT];
	struct claim was = last[c->type];

	last[c->type] = *c;
	if (!(was.has & c->has & HAS_DST))
		return;
	c->handoff.dst_tid = was.handoff.dst_tid;
	c->handoff.dst_t = was.handoff.dst_t;
}

/* Of what it does itself. */
static int put_honest(struct claims_writer *out, const struct claims *honest)
{
	bool poor = cheat_is("poor") || cheat_is("wary") || cheat_is("lot");
	int rc = 0;

	for (size_t i = 0; !rc && i < honest->cnt; i++) {
		struct claim c = honest->v[i];

		if (c.kind == CLAIM_HANDOFF && poor)
			mistake(&c);
		if (c.kind == CLAIM_HANDOFF || c.kind == CLAIM_EVENT)
			rc = cheat_put(out, honest, &c);
	}
	return rc;
}

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	struct ends e = {0};
	int rc;

	(void)r;
	if (honest || !truth.copy)
		return honest ? put_honest(out, honest) : 0;
	meanwhile();
	if (is_sly() && !decoys && learn_decoys())
		return -ENOMEM;
	e.v = calloc(count() + 1, sizeof(*e.v));
	if (!e.v)
		return -ENOMEM;
	collect(&e);
	rc = put_ends(out, &e);
	free(e.v);
	free(decoys);
	truth_memory_close(&truth);
	return rc;
}

const struct cheat cheat = {.declares = DECLARES_HANDOFFS | DECLARES_EVENT,
			    .launch = "[\"attach\"]",
			    .needs = "[\"root\",\"ptrace\"]",
			    .begin = begin,
			    .meanwhile = meanwhile,
			    .tell = tell};
