/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples, counted as they come. */
#include "profilers/cpu/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "lib/perf_rings.h"

static const struct perf_rings_size size = {.most = 1 << 19, .least = 1 << 15};
enum { POLL_MS = 200, NAME_LEN = 120 };

struct tally {
	char key[NAME_LEN]; /* the word of the claim */
	uint64_t samples;
	UT_hash_handle hh;
};

struct sampler {
	const struct symbols *symbols;
	struct perf_rings *rings;
	struct tally *by[PROFILE_BY_CNT];
	uint64_t lost;
	int failed;
};

/* PERF_SAMPLE_IP | PERF_SAMPLE_TID */
struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
};

struct lost {
	struct perf_event_header header;
	uint64_t id, lost;
};

static void count(struct sampler *s, unsigned by, const char *key)
{
	struct tally *t;

	HASH_FIND_STR(s->by[by], key, t);
	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t) {
			s->failed = -ENOMEM;
			return;
		}
		strcpy(t->key, key);
		HASH_ADD_STR(s->by[by], key, t);
	}
	t->samples++;
}

static void on_sample(struct sampler *s, const struct sample *x)
{
	bool kernel = (x->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	const char *name = kernel ? "[kernel]" : symbols_at(s->symbols, x->ip);
	char key[NAME_LEN];

	snprintf(key, sizeof(key), "%u", x->tid);
	count(s, BY_THREAD, key);
	snprintf(key, sizeof(key), "%s", name ? name : "[unknown]");
	count(s, BY_FUNCTION, key);
}

static void on_record(void *arg, const struct perf_event_header *h)
{
	struct sampler *s = arg;

	if (h->type == PERF_RECORD_SAMPLE && h->size >= sizeof(struct sample))
		on_sample(s, (const struct sample *)h);
	else if (h->type == PERF_RECORD_LOST)
		s->lost += ((const struct lost *)h)->lost;
}

int sampler_open(pid_t pid, const struct symbols *symbols, struct sampler **ret, struct diag *d)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = SAMPLER_PERIOD_NS,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.inherit = 1,
		.watermark = 1,
		.wakeup_watermark = 1 << 14,
	};
	struct sampler *s = calloc(1, sizeof(*s));
	int err = s ? perf_rings_open(&a, pid, true, size, &s->rings) : -ENOMEM;

	if (!err) {
		s->symbols = symbols;
		*ret = s;
		return 0;
	}
	free(s);
	return diag_set(d, err, NULL, 0, "be root, or set kernel.perf_event_paranoid to 1 or less",
			"cannot sample the CPU: %s", strerror(-err));
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	for (unsigned by = 0; by < PROFILE_BY_CNT; by++)
		while (s->by[by]) {
			struct tally *t = s->by[by];

			HASH_DEL(s->by[by], t);
			free(t);
		}
	perf_rings_free(s->rings);
	free(s);
}

int sampler_run(struct sampler *s, int stop_fd)
{
	while (!s->failed && !perf_rings_wait(s->rings, stop_fd, POLL_MS))
		perf_rings_drain(s->rings, on_record, s);
	perf_rings_stop(s->rings);
	perf_rings_drain(s->rings, on_record, s);
	return s->failed;
}

static int claim(struct claims_writer *w, unsigned by, const struct tally *t)
{
	int64_t key = claims_writer_str(w, t->key), kind = claims_writer_str(w, "cpu");
	struct claim c = {.kind = CLAIM_PROFILE, .type = (uint8_t)by, .has = HAS_IP};

	if (key < 0 || kind < 0)
		return (int)(key < 0 ? key : kind);
	c.profile.key_str = (uint32_t)key;
	c.profile.kind_str = (uint32_t)kind;
	c.profile.v = t->samples;
	c.profile.ip = 1.0 / SAMPLER_PERIOD_NS;
	return claims_writer_put(w, &c);
}

int sampler_claim(const struct sampler *s, struct claims_writer *w)
{
	int err = 0;

	for (unsigned by = 0; by < PROFILE_BY_CNT; by++)
		for (const struct tally *t = s->by[by]; t && !err; t = t->hh.next)
			err = claim(w, by, t);
	return err;
}

uint64_t sampler_lost(const struct sampler *s)
{
	return s->lost;
}
