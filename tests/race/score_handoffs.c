/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scorer's workers: whatever their number, and whoever judges what, the score of a run is the
 * same. The run has every kind of claim, competing ones above all, and is cut into many stretches;
 * under TSan (make race) an access that nothing orders is a failure as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "groundtruth/synth.h"
#include "scoring/score.h"

enum { HANDOFFS = 40000, MOST_WORKERS = 4 };

struct files {
	char truth[64], claims[64];
};

static int fail(const char *what, const struct diag *d)
{
	fprintf(stderr, "score_handoffs: %s: %s\n", what, d ? d->reason : "");
	return 1;
}

static int score_with(const struct truth *t, const struct claims *c, unsigned workers,
		      struct handoff_score *ret)
{
	const struct score_options o = {.threads = workers};

	memset(ret, 0, sizeof(*ret));
	return score_handoffs_with(t, c, &o, ret, NULL);
}

static int check(const struct truth *t, const struct claims *c)
{
	static struct handoff_score alone, together;

	if (score_with(t, c, 1, &alone))
		return fail("one worker failed", NULL);
	for (unsigned workers = 2; workers <= MOST_WORKERS; workers++) {
		if (score_with(t, c, workers, &together))
			return fail("several workers failed", NULL);
		if (memcmp(&alone, &together, sizeof(alone)))
			return fail("several workers score otherwise than one", NULL);
	}
	return alone.level[LEVEL_CONTEXT].all.duplicate ? 0 : fail("nobody competed", NULL);
}

static int run(const struct synth_options *o, const struct files *f)
{
	struct synth_expect expect;
	struct diag d = {0};
	struct truth t;
	struct claims c;
	int failed;

	if (synth_write(o, f->truth, f->claims, &expect, &d) || truth_load(f->truth, &t, &d))
		return fail("truth", &d);
	if (claims_load(f->claims, &c, &d)) {
		truth_free(&t);
		return fail("claims", &d);
	}
	failed = check(&t, &c);
	claims_free(&c);
	truth_free(&t);
	return failed;
}

int main(void)
{
	struct synth_options o;
	struct files f;
	int failed;

	snprintf(f.truth, sizeof(f.truth), "/tmp/assay-race-%d.truth", (int)getpid());
	snprintf(f.claims, sizeof(f.claims), "/tmp/assay-race-%d.claims", (int)getpid());
	synth_defaults(&o);
	o.handoffs = HANDOFFS;
	failed = run(&o, &f);
	o.threads = 2048; /* many in flight: by an index */
	o.seed = 2;
	failed = failed || run(&o, &f);
	unlink(f.truth);
	unlink(f.claims);
	return failed;
}
