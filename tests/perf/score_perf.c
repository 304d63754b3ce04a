/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speed of the handoff scorer from page cache: claims a second a core, and memory.
 *
 *   score_perf [CLAIMS [THREADS [MEMORY_MIB [default|good|hard]]]]
 *
 * 10,000,000 claims, 1 thread, default memory. Three mixes, twice each: that of `assay truth synth`
 * (every case, a decoy hit among them, so the check for cheating is part of it; as many handoffs as
 * CLAIMS), claims of a good profiler (1 % wrong or incomplete, no batches), and hard ones.
 *
 * Truth and claims are written to files in TMPDIR or /tmp, mapped, and read once before the clock
 * starts. The hard mix: io, work, wake and queue handoffs between eight threads, 256 key slots a
 * thread that are used again and again, receptions that begin before the receiver is free; of 100
 * claims about 80 are right, 4 duplicates, 4 false joins, 4 orphans, 4 with a kernel end, 2 half, 1
 * of a key that nobody used, 1 without a key; one wake in eight is one of a batch of four. Claims
 * come in order of their src, as a joiner writes them. CPU time is that of the process, both levels
 * scored.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "groundtruth/synth.h"
#include "scoring/score.h"

enum { FOLDER_LEN = PATH_MAX - 16, TIDS = 8, SLOTS = 256, FIRST_TID = 1000 };

struct synth {
	uint64_t rng, now;
	uint64_t seq;
	unsigned batch; /* wakes left of the present batch */
	bool clean;
	struct truth_handoff last;
};

/* splitmix64, Steele, Lea & Flood 2014. */
static uint64_t next(struct synth *s)
{
	uint64_t z = s->rng += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t below(struct synth *s, uint64_t n)
{
	return next(s) % n;
}

static uint8_t deal_ns(uint8_t type)
{
	return type == HANDOFF_IO ? KEY_USER_DATA : type == HANDOFF_WORK ? KEY_WORK : KEY_UADDR;
}

static void deal_handoff(struct synth *s, struct truth_handoff *h, uint64_t i)
{
	static const uint8_t types[] = {HANDOFF_IO, HANDOFF_WAKE, HANDOFF_WORK, HANDOFF_QUEUE};
	uint64_t wait;

	if (s->batch) { /* woken by the same call, on another thread */
		s->batch--;
		*h = s->last;
		h->dst_tid = FIRST_TID + (h->dst_tid - FIRST_TID + 1) % TIDS;
		h->seq = ++s->seq;
		h->take = h->seq;
		s->last = *h;
		return;
	}
	s->now += 150 + below(s, 300);
	wait = 2000 + below(s, 20000);
	*h = (struct truth_handoff){
		.id = i + 1, .type = types[below(s, 4)], .has = TH_SRC | TH_DST};
	h->has |= TH_SEQ | TH_TAKE;
	h->src_tid = FIRST_TID + (uint32_t)below(s, TIDS);
	h->dst_tid = FIRST_TID + (uint32_t)below(s, TIDS);
	h->key = (struct truth_key){.ns = deal_ns(h->type),
				    .has_scope = 1,
				    .scope = 1,
				    .v = UINT64_C(0x7f0000000000) + h->src_tid * 65536ull +
					 (uint64_t)h->type * 32768 + i % SLOTS * 64};
	h->src_t = (struct window){s->now, s->now + 100};
	h->dst_ready = (struct window){s->now + wait / 2, s->now + wait};
	h->dst_t = (struct window){s->now + wait * 3 / 4, s->now + wait + 500};
	h->seq = h->take = ++s->seq;
	if (!s->clean && h->type == HANDOFF_WAKE && !below(s, 8)) {
		h->marks = 1u << MARK_FANOUT;
		s->batch = 3;
	}
	s->last = *h;
}

static void right_claim(struct synth *s, struct claim *c, const struct truth_handoff *h)
{
	*c = (struct claim){.kind = CLAIM_HANDOFF,
			    .type = h->type,
			    .how = HOW_OBSERVED,
			    .source = SOURCE_KERNEL,
			    .ns = h->key.ns,
			    .has = HAS_SRC | HAS_DST | HAS_KEY | HAS_SCOPE | HAS_CONF};
	c->handoff.src_tid = h->src_tid;
	c->handoff.dst_tid = h->dst_tid;
	c->handoff.src_t = h->src_t.t0 + below(s, 100);
	c->handoff.dst_t = h->dst_ready.t0 + below(s, h->dst_t.t1 - h->dst_ready.t0);
	c->handoff.key_v = h->key.v;
	c->handoff.key_scope = 1;
	c->handoff.conf = below(s, 10) ? 0.99 : 0.8;
}

/* The claim of handoff h, seldom spoilt; `other` is a handoff shortly before. */
static void deal_claim(struct synth *s, struct claim *c, const struct truth_handoff *h,
		       const struct truth_handoff *other)
{
	uint64_t luck = below(s, s->clean ? 2000 : 100);

	right_claim(s, c, luck < 4 ? other : h);
	if (luck >= 4 && luck < 8) {
		c->handoff.dst_tid = other->dst_tid;
		c->handoff.dst_t = other->dst_t.t0;
	} else if (luck < 12 && luck >= 8) {
		c->has &= (uint16_t)(luck & 1 ? ~HAS_SRC : ~HAS_DST);
	} else if (luck < 16 && luck >= 12) {
		c->has |= HAS_DST_KERNEL;
		c->handoff.dst_tid = 7;
		c->handoff.dst_t = h->dst_ready.t1;
	} else if (luck < 18 && luck >= 16) {
		c->handoff.dst_t += 1000000;
	} else if (luck == 18) {
		c->handoff.key_v ^= 1;
	} else if (luck == 19) {
		c->has &= (uint16_t) ~(HAS_KEY | HAS_SCOPE);
		c->ns = KEY_NONE;
	}
}

/* A file of cnt records in the page cache, mapped; it has no name any more. */
static void *map_file(size_t cnt, size_t size)
{
	const char *dir = getenv("TMPDIR");
	int fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	void *p = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, (off_t)(cnt * size)))
		p = mmap(NULL, cnt * size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		perror("score_perf: temporary file");
		exit(2);
	}
	close(fd);
	return p;
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A line of /proc/self/status in KiB, 0 if it is not there. */
static uint64_t status_kib(const char *field)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[128];
	uint64_t kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, field, strlen(field)))
			kib = strtoull(line + strlen(field) + 1, NULL, 10);
	if (f)
		fclose(f);
	return kib;
}

/* The kernel keeps no peak of anonymous memory: it is sampled. */
struct sampler {
	pthread_t thread;
	atomic_bool done;
	uint64_t peak_kib;
};

static void *sample(void *arg)
{
	struct sampler *s = arg;
	const struct timespec pause = {.tv_nsec = 20000000};

	while (!atomic_load(&s->done)) {
		uint64_t now = status_kib("RssAnon:");

		s->peak_kib = now > s->peak_kib ? now : s->peak_kib;
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void print_counts(const char *name, const struct handoff_counts *k)
{
	printf("  %-9s truth %" PRIu64 " claims %" PRIu64 " right %" PRIu64 " duplicate %" PRIu64
	       " false join %" PRIu64 " half %" PRIu64 " spurious %" PRIu64 " orphan %" PRIu64
	       " out of scope %" PRIu64 "\n",
	       name, k->truth, k->claims, k->right, k->duplicate, k->false_join, k->half,
	       k->spurious, k->orphan, k->out_of_scope);
}

static int measure(const struct truth *t, const struct claims *c, const struct score_options *o)
{
	static struct handoff_score s;
	struct sampler peak = {0};
	bool sampled = !pthread_create(&peak.thread, NULL, sample, &peak);
	double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
	int err = score_handoffs_with(t, c, o, &s, NULL);

	atomic_store(&peak.done, true);
	if (sampled)
		pthread_join(peak.thread, NULL);
	if (err) {
		fprintf(stderr, "score_perf: %s\n", strerror(-err));
		return 1;
	}
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = seconds(CLOCK_MONOTONIC) - wall;
	printf("score: %zu claims, %zu handoffs, %u threads: %.2f s wall, %.2f s CPU, "
	       "%.2f M claims/s a core, peak %" PRIu64 " MiB anonymous\n",
	       c->cnt, t->handoffs_cnt, o->threads, wall, cpu, (double)c->cnt / cpu / 1e6,
	       peak.peak_kib / 1024);
	print_counts("context", &s.level[LEVEL_CONTEXT].all);
	print_counts("identity", &s.level[LEVEL_IDENTITY].all);
	return 0;
}

static int measure_twice(const char *what, const struct truth *t, const struct claims *c,
			 const struct score_options *o)
{
	printf("%s:\n", what);
	return measure(t, c, o) || measure(t, c, o);
}

static int run(const char *what, size_t cnt, bool clean, const struct score_options *o)
{
	struct synth s = {.rng = 1, .now = 1000000, .clean = clean};
	struct truth_handoff *h = map_file(cnt, sizeof(*h));
	struct claim *v = map_file(cnt, sizeof(*v));
	uint32_t threads[TIDS];
	struct truth t = {
		.threads = threads, .threads_cnt = TIDS, .handoffs = h, .handoffs_cnt = cnt};
	struct claims c = {.v = v, .cnt = cnt};
	int failed;

	for (uint32_t i = 0; i < TIDS; i++)
		threads[i] = FIRST_TID + i;
	for (size_t i = 0; i < cnt; i++) {
		deal_handoff(&s, &h[i], i);
		deal_claim(&s, &v[i], &h[i], i < 8 ? &h[i] : &h[i - 1 - below(&s, 8)]);
	}
	t.scored = (struct window){0, s.now + 2000000};
	t.keys = 1u << KEY_USER_DATA | 1u << KEY_UADDR | 1u << KEY_WORK;
	c.header.declares = DECLARES_HANDOFFS;
	failed = measure_twice(what, &t, &c, o);
	munmap(h, cnt * sizeof(*h));
	munmap(v, cnt * sizeof(*v));
	return failed;
}

/* Makes the files of a default run in a folder and loads them; they have no name any more. */
static int load_default(const char folder[FOLDER_LEN], size_t cnt, struct truth *t,
			struct claims *c, struct diag *d)
{
	char truth[PATH_MAX], claims[PATH_MAX];
	struct synth_options o;
	struct synth_expect e;
	int err;

	synth_defaults(&o);
	o.handoffs = cnt;
	snprintf(truth, sizeof(truth), "%.*s/truth.bin", FOLDER_LEN, folder);
	snprintf(claims, sizeof(claims), "%.*s/claims.bin", FOLDER_LEN, folder);
	err = synth_write(&o, truth, claims, &e, d);
	if (!err)
		err = truth_load(truth, t, d);
	if (!err) {
		err = claims_load(claims, c, d);
		if (err)
			truth_free(t);
	}
	unlink(truth);
	unlink(claims);
	return err;
}

static int run_default(size_t cnt, const struct score_options *o)
{
	const char *dir = getenv("TMPDIR");
	char folder[FOLDER_LEN];
	struct diag d = {0};
	struct claims c;
	struct truth t;
	int failed;

	snprintf(folder, sizeof(folder), "%s/score-perf-XXXXXX", dir && *dir ? dir : "/tmp");
	if (!mkdtemp(folder)) {
		perror("score_perf: temporary folder");
		return 2;
	}
	failed = load_default(folder, cnt, &t, &c, &d);
	rmdir(folder);
	if (failed) {
		diag_print(&d, stderr);
		return 1;
	}
	failed = measure_twice("the default mix", &t, &c, o);
	claims_free(&c);
	truth_free(&t);
	return failed;
}

int main(int argc, char **argv)
{
	size_t cnt = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	struct score_options o = {.threads = argc > 2 ? (unsigned)atoi(argv[2]) : 1,
				  .memory = argc > 3 ? strtoull(argv[3], NULL, 10) << 20 : 0};
	const char *mix = argc > 4 ? argv[4] : NULL;

	return ((!mix || !strcmp(mix, "default")) && run_default(cnt, &o)) ||
	       ((!mix || !strcmp(mix, "good")) &&
		run("claims of a good profiler", cnt, true, &o)) ||
	       ((!mix || !strcmp(mix, "hard")) && run("hard claims", cnt, false, &o));
}
