/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 23 of every kind of site in, 23 records out with the right values: entries, returns with what
 * their entry knew, USDT, guards, loads through memory, recursion, capacity; by uprobe.multi and by
 * perf uprobes.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <time.h>
#include <unistd.h>

#include "lib/vocab.h"
#include "profilers/collector/app.h"
#include "tests/live/rig/collector_rig.h"

/* What the compiler may not look into: its arguments stay where the calling convention has them. */
#if defined(__clang__)
#define SITE static __attribute__((noinline))
#else
#define SITE static __attribute__((noipa))
#endif

struct inner {
	uint32_t pad;
	int16_t depth;
};

struct handle {
	uint64_t serial;
	struct inner *inner;
};

SITE void rig_pool_init(uint64_t capacity)
{
	__asm__ volatile("" ::"r"(capacity) : "memory");
}

SITE struct handle *rig_get(struct handle *h, uint64_t units)
{
	__asm__ volatile("" ::"r"(units) : "memory");
	return units ? h : NULL;
}

SITE void rig_use(struct handle *h)
{
	__asm__ volatile("" ::"r"(h) : "memory");
}

SITE void rig_put(struct handle *h, int32_t units)
{
	__asm__ volatile("" ::"r"(h), "r"(units) : "memory");
}

/* Returns its argument on every level, so that each level's return must find its own. */
SITE uint64_t rig_nested(uint64_t level)
{
	uint64_t below = level > 1 ? rig_nested(level - 1) : 0;

	__asm__ volatile("" ::"r"(below) : "memory");
	return level * 100;
}

static void child(void)
{
	struct inner inner = {.depth = -7};
	struct handle h = {.inner = &inner};

	rig_pool_init(64);
	for (unsigned i = 0; i < RIG_OPS; i++) {
		h.serial = 5000 + i;
		rig_get(&h, i + 1);
		rig_get(&h, 0); /* fails: its guard holds it back */
		rig_use(&h);
		DTRACE_PROBE3(rig, touched, &h, i, 9);
		rig_put(&h, -(int32_t)i);
		rig_put(NULL, 0); /* cannot be read */
	}
	rig_nested(RIG_OPS);
}

/* ---- sites ---- */

enum { POOL = 0, ACQUIRE = 1, USE = 2, RELEASE = 3, TOUCH = 4, NESTED = 5, BROKEN = 6, SITES = 7 };

/* Where in its file this program's function lies. */
static uint64_t file_offset(const void *function)
{
	uint64_t from, to, offset, at = (uint64_t)function;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];

	RIG_CHECK(f, "maps");
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && at >= from &&
		    at < to) {
			fclose(f);
			return at - from + offset;
		}
	}
	rig_fail(__FILE__, __LINE__, "file_offset", "%p is not mapped", function);
}

static struct desc_expr arg(uint8_t reg, uint8_t width)
{
	return (struct desc_expr){.kind = EXPR_ARG, .reg = reg, .width = width};
}

static struct desc_expr load(uint8_t loads, int32_t first, int32_t second, uint8_t width)
{
	return (struct desc_expr){.kind = EXPR_ARG,
				  .loads = loads,
				  .width = width,
				  .is_signed = true,
				  .off = {first, second}};
}

static const struct desc_expr retval = {.kind = EXPR_RETVAL, .width = 8};

static void fill_descs(struct app_desc *d)
{
	memset(d, 0, SITES * sizeof(*d));
	d[POOL].prog = (struct desc_prog){.id = 3, .event = DESC_EVENT_CAPACITY};
	d[POOL].prog.instance = arg(0, 8);
	d[ACQUIRE].prog = (struct desc_prog){.id = 11, .event = EVENT_ACQUIRE, .needs_args = 1};
	d[ACQUIRE].prog.instance = retval;
	d[ACQUIRE].prog.units = arg(1, 8);
	d[ACQUIRE].prog.when = (struct desc_when){.lhs = retval, .op = WHEN_NE};
	d[USE].prog = (struct desc_prog){.id = 12, .event = EVENT_USE};
	d[USE].prog.instance = load(1, 0, 0, 8);
	d[USE].prog.units = (struct desc_expr){.kind = EXPR_CONST, .value = 77, .width = 8};
	d[USE].prog.target = load(2, 8, offsetof(struct inner, depth), 2);
	d[RELEASE].prog = (struct desc_prog){.id = 13, .event = EVENT_RELEASE};
	d[RELEASE].prog.instance = load(1, 0, 0, 8);
	d[RELEASE].prog.units = arg(1, 4);
	d[RELEASE].prog.units.is_signed = true;
	d[TOUCH].prog = (struct desc_prog){.id = 14, .event = EVENT_USE};
	d[TOUCH].prog.instance = arg(0, 8);
	d[TOUCH].prog.units = arg(1, 4);
	d[TOUCH].prog.target = arg(2, 4);
	d[TOUCH].prog.when = (struct desc_when){.lhs = arg(1, 4), .op = WHEN_LT, .value = 20};
	d[NESTED].prog = (struct desc_prog){.id = 15, .event = EVENT_END, .needs_args = 1};
	d[NESTED].prog.instance = arg(0, 8);
	d[NESTED].prog.units = retval;
	d[BROKEN].prog = (struct desc_prog){.id = 16, .event = EVENT_USE};
}

/* One a descriptor, in the same order. */
static void fill_sites(struct app_site *s)
{
	memset(s, 0, SITES * sizeof(*s));
	for (uint32_t i = 0; i < SITES; i++)
		s[i].desc = i;
	s[POOL].offset = file_offset(rig_pool_init);
	s[ACQUIRE].offset = file_offset(rig_get);
	s[ACQUIRE].kind = APP_RETURN;
	s[USE].offset = file_offset(rig_use);
	s[RELEASE].offset = file_offset(rig_put);
	s[NESTED].offset = file_offset(rig_nested);
	s[NESTED].kind = APP_RETURN;
	s[TOUCH].kind = s[BROKEN].kind = APP_USDT;
	strcpy(s[TOUCH].provider, "rig");
	strcpy(s[TOUCH].name, "touched");
	strcpy(s[BROKEN].provider, "rig");
	strcpy(s[BROKEN].name, "nowhere");
}

/* ---- checks ---- */

static size_t count_desc(const struct rig *r, uint32_t id)
{
	size_t n = 0;

	for (size_t i = 0; i < r->cnt; i++)
		n += r->v[i].kind == EV_APP && (uint32_t)r->v[i].e == id;
	return n;
}

static void check_value(const struct ev_rec *v, unsigned i, bool faults)
{
	switch ((uint32_t)v->e) {
	case 11:
		RIG_CHECK(v->a && v->b == i + 1, "acquire %u: units %llu", i, v->b);
		break;
	case 12:
		RIG_CHECK(v->a == 5000 + i && v->b == 77 && (int64_t)v->c == -7,
			  "use %u: %llu %llu %lld", i, v->a, v->b, (long long)v->c);
		break;
	case 13:
		i /= 2;
		RIG_CHECK(faults == !v->a, "release %u: %#llx", i, v->a);
		RIG_CHECK(faults || (v->a == 5000 + i && (int64_t)v->b == -(int64_t)i),
			  "release %u: %lld", i, (long long)v->b);
		break;
	case 14:
		RIG_CHECK(v->b == i && v->c == 9, "usdt %u: %llu %llu", i, v->b, v->c);
		break;
	case 15: /* the deepest returns first */
		RIG_CHECK(v->a == i + 1 && v->b == 100 * v->a, "level %u: %llu", i, v->a);
		break;
	default:
		RIG_CHECK(false, "descriptor %u", (uint32_t)v->e);
	}
}

static void check_values(const struct rig *r)
{
	unsigned seen[32] = {0}, faulty = 0, capacity = 0;

	for (size_t i = 0; i < r->cnt; i++) {
		const struct ev_rec *v = &r->v[i];
		bool faults = v->flags & EV_F_FAULT;

		if (v->kind == EV_APP_CAPACITY) {
			RIG_CHECK(v->a == 64 && (uint32_t)v->e == 3, "capacity %llu", v->a);
			capacity++;
		}
		if (v->kind != EV_APP)
			continue;
		RIG_CHECK(v->tgid == r->pid && v->d, "record %zu", i);
		RIG_CHECK(faults == (v->e >> 48 != 0), "flags of record %zu", i);
		check_value(v, seen[v->e & 31]++, faults);
		faulty += faults;
	}
	RIG_CHECK(faulty == RIG_OPS && capacity == 1, "%u faults, %u capacities", faulty, capacity);
}

static const struct ev_rec *last_hits(const struct rig *r, uint32_t id)
{
	const struct ev_rec *last = NULL;

	for (size_t i = 0; i < r->cnt; i++)
		if (r->v[i].kind == EV_APP_HITS && r->v[i].a == id)
			last = &r->v[i];
	RIG_CHECK(last, "nothing is told of descriptor %u", id);
	return last;
}

static void check_tally(const struct rig *r, uint32_t id, unsigned hits, unsigned passed)
{
	const struct ev_rec *v = last_hits(r, id);

	RIG_CHECK(v->b == hits && v->c == passed && !v->d,
		  "descriptor %u: %llu hits, %llu passed, %llu unsaved", id, v->b, v->c, v->d);
	RIG_CHECK(count_desc(r, id) == passed, "descriptor %u: %zu records", id, count_desc(r, id));
}

static void check_sites(const struct rig *r, unsigned how)
{
	unsigned bad = 0, good = 0;

	for (size_t i = 0; i < r->cnt; i++) {
		const struct ev_rec *v = &r->v[i];

		if (v->kind != EV_APP_SITE)
			continue;
		bad += v->a == 16 && v->b;
		good += v->a != 16 && !v->b && v->e == (v->a == 14 ? EV_APP_USDT : how);
	}
	RIG_CHECK(bad == 1 && good == 5, "%u attached, %u not", good, bad);
}

static void sites(bool perf)
{
	struct app_desc descs[SITES];
	struct app_site s[SITES];
	char exe[PATH_MAX] = "";
	struct app_options app = {.exe = exe,
				  .descs = descs,
				  .descs_cnt = SITES,
				  .sites = s,
				  .sites_cnt = SITES,
				  .perf = perf};
	struct collect_options o = {.want = COLLECT_PROC, .app = &app};
	struct rig r;

	RIG_CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0, "readlink");
	fill_descs(descs);
	fill_sites(s);
	rig_record(&r, child, &o, false);
	check_sites(&r, perf ? EV_APP_PERF : EV_APP_MULTI);
	check_values(&r);
	check_tally(&r, 11, 2 * RIG_OPS, RIG_OPS);
	check_tally(&r, 12, RIG_OPS, RIG_OPS);
	check_tally(&r, 13, 2 * RIG_OPS, 2 * RIG_OPS);
	check_tally(&r, 14, RIG_OPS, 20);
	check_tally(&r, 15, RIG_OPS, RIG_OPS);
	RIG_CHECK(!r.stats.lost && !r.stats.unsaved, "losses");
	rig_free(&r);
}

/* Without a pause, so that hits come while the records are read. */
static void busy_child(void)
{
	struct timespec from, now;
	struct handle h = {0};

	clock_gettime(CLOCK_MONOTONIC, &from);
	do {
		for (unsigned i = 0; i < 1000; i++)
			rig_use(&h);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < 300);
}

/*
 * A tally that was older than the records before it would hide what is lost: 32 hits old, it made
 * nothing of a loss of 5 % among 400. By what comes in 0.3 ms it may be, and a handful: it is told
 * too few rather than too many. Who waits 3 ms on the way tells ten times that.
 */
static void tallies_are_of_the_time_they_are_told(void)
{
	enum { HANDFUL = 16, EARLY = 1000 };
	struct app_desc desc = {0};
	struct app_site site = {.kind = APP_ENTRY, .offset = file_offset((void *)rig_use)};
	char exe[PATH_MAX] = "";
	struct app_options app = {
		.exe = exe, .descs = &desc, .descs_cnt = 1, .sites = &site, .sites_cnt = 1};
	struct collect_options o = {.want = COLLECT_PROC, .app = &app};
	size_t seen = 0, told = 0, close_by = 0, hits;
	struct rig r;

	RIG_CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0, "readlink");
	desc.prog.id = 11;
	rig_pause(3000);
	rig_record(&r, busy_child, &o, false);
	rig_pause(0);
	hits = rig_count(&r, EV_APP); /* in 300 ms */
	for (size_t i = 0; i < r.cnt; i++) {
		const struct ev_rec *v = &r.v[i];

		seen += v->kind == EV_APP;
		if (v->kind != EV_APP_HITS || v->b < EARLY)
			continue;
		told++;
		RIG_CHECK(v->c <= seen + r.stats.lost, "%llu of %zu", v->c, seen);
		close_by += seen <= v->c + HANDFUL + hits / 1000;
	}
	RIG_CHECK(close_by > told / 2, "%zu of %zu tallies", close_by, told);
	rig_free(&r);
}

int main(void)
{
	sites(false);
	tallies_are_of_the_time_they_are_told();
	sites(true);
	puts("ok: collector_app");
	return 0;
}
