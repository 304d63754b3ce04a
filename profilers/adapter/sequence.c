/* SPDX-License-Identifier: BSD-2-Clause */
/* What is missing from the evidence without anybody having said so. */
#include "profilers/adapter/sequence.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

enum { NUMBERS = 65535, HOLES = SEQUENCE_PATIENCE + 1 };

struct span {
	uint64_t from, to;
};

struct hole {
	uint16_t first;
	uint32_t cnt; /* still missing */
	uint32_t width;
	uint64_t from, to;
	unsigned age; /* records of the CPU since */
};

struct cpu {
	uint16_t last; /* 0: none yet */
	uint64_t last_t;
	uint64_t told; /* by EV_LOST, and not yet met */
	struct hole holes[HOLES];
	unsigned holes_cnt;
};

struct sequence {
	struct cpu *cpus[SEQUENCE_CPUS];
	unsigned cnt;  /* no CPU from here on */
	unsigned ripe; /* holes that are old enough */
	/* until when all is certain, and the CPU that keeps it from being later */
	uint64_t certain;
	unsigned slowest;
	bool outdated; /* it may be later by now */
};

struct sequence *sequence_new(void)
{
	struct sequence *s = calloc(1, sizeof(*s));

	if (s)
		s->certain = UINT64_MAX;
	return s;
}

void sequence_free(struct sequence *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->cnt; i++)
		free(s->cpus[i]);
	free(s);
}

static struct cpu *cpu_get(struct sequence *s, unsigned i)
{
	if (!s->cpus[i])
		s->cpus[i] = calloc(1, sizeof(*s->cpus[i]));
	if (s->cpus[i] && i >= s->cnt)
		s->cnt = i + 1;
	return s->cpus[i];
}

/* How far b comes after a, in numbers that go round from 1 to NUMBERS. */
static uint32_t distance(uint16_t a, uint16_t b)
{
	return (uint32_t)(b + NUMBERS - a) % NUMBERS;
}

static void hole_remove(struct cpu *c, unsigned i)
{
	c->holes_cnt--;
	for (; i < c->holes_cnt; i++)
		c->holes[i] = c->holes[i + 1];
}

/* A number that was passed over has come after all. */
static void fill(struct cpu *c, uint16_t seq)
{
	for (unsigned i = 0; i < c->holes_cnt; i++) {
		if (distance(c->holes[i].first, seq) >= c->holes[i].width)
			continue;
		if (!--c->holes[i].cnt)
			hole_remove(c, i);
		return;
	}
}

static void age(struct sequence *s, struct cpu *c)
{
	for (unsigned i = 0; i < c->holes_cnt; i++)
		s->ripe += ++c->holes[i].age == SEQUENCE_PATIENCE;
}

/* The time in which the record before r came, given that of an earlier one. */
static struct span before(const struct ev_rec *r, uint64_t earlier)
{
	uint64_t unit = r->ago_scale > 2 ? UINT64_C(1) << ((r->ago_scale - 2) & 63) : 1;
	uint64_t ago = (r->ago_scale > 1 ? 256u + r->ago : r->ago) * unit;
	struct span s = {earlier, r->t};

	if (!r->ago_scale || r->ago_scale > EV_AGO_SCALES || ago > r->t)
		return s;
	s.to = r->t - ago;
	if (s.to - s.from >= unit)
		s.from = s.to - unit + 1;
	return s.to < earlier ? (struct span){earlier, r->t} : s;
}

static void jump(struct cpu *c, uint32_t missing, const struct ev_rec *r)
{
	uint32_t told = missing < c->told ? missing : (uint32_t)c->told;
	struct span last = before(r, c->last_t);

	c->told -= told;
	if (missing == told)
		return;
	c->holes[c->holes_cnt++] = (struct hole){.first = (uint16_t)(c->last % NUMBERS + 1),
						 .cnt = missing - told,
						 .width = missing,
						 .from = missing == 1 ? last.from : c->last_t,
						 .to = last.to};
}

int sequence_record(struct sequence *s, const struct ev_rec *r)
{
	struct cpu *c;
	uint32_t d;

	if (r->cpu >= SEQUENCE_CPUS || (!r->seq && r->kind != EV_LOST))
		return 0;
	c = cpu_get(s, r->cpu);
	if (!c)
		return -ENOMEM;
	if (r->kind == EV_LOST) {
		c->told += c->last ? r->a : 0;
		return 0;
	}
	s->outdated |= !c->last || r->cpu == s->slowest;
	d = c->last ? distance(c->last, r->seq) : 1;
	if (d > NUMBERS / 2) {
		fill(c, r->seq);
		return 0;
	}
	age(s, c);
	if (d > 1)
		jump(c, d - 1, r);
	c->last = r->seq;
	c->last_t = r->t;
	return 0;
}

bool sequence_take(struct sequence *s, bool last, struct ev_rec *ret)
{
	if (!s->ripe && !last)
		return false;
	for (unsigned i = 0; i < s->cnt; i++) {
		struct cpu *c = s->cpus[i];
		struct hole h;

		if (!c || !c->holes_cnt || (!last && c->holes[0].age < SEQUENCE_PATIENCE))
			continue;
		h = c->holes[0];
		hole_remove(c, 0);
		s->ripe -= h.age >= SEQUENCE_PATIENCE;
		s->outdated |= i == s->slowest;
		*ret = (struct ev_rec){.kind = EV_LOST,
				       .t = h.to,
				       .cpu = (uint16_t)i,
				       .a = h.cnt,
				       .b = h.from,
				       .c = 1};
		return true;
	}
	return false;
}

uint64_t sequence_certain(struct sequence *s)
{
	if (!s->outdated)
		return s->certain;
	s->outdated = false;
	s->certain = UINT64_MAX;
	for (unsigned i = 0; i < s->cnt; i++) {
		const struct cpu *c = s->cpus[i];
		uint64_t until = c && c->holes_cnt ? c->holes[0].from : c ? c->last_t : 0;

		if (!c || !c->last || until >= s->certain)
			continue;
		s->certain = until;
		s->slowest = i;
	}
	return s->certain;
}
