/* SPDX-License-Identifier: BSD-2-Clause */
/* assay mutate generate: quads drawn from a seed, written, calibrated and certified. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/calibrate.h"
#include "harness/certify.h"
#include "harness/certify_crew.h"
#include "harness/crew.h"
#include "harness/generated.h"
#include "harness/mutate.h"
#include "lib/clock.h"
#include "lib/files.h"
#include "lib/progress.h"
#include "mutations/frozen.h"
#include "mutations/generate/generator.h"

/* Drawn together, so that their builds keep all processors busy. */
enum { CHUNK = 8, DRAWN_MOST = 4 };

static struct {
	uint64_t seed, want, repeats, least, within_ns;
	const char *out;
	bool draw_only;
} args = {.seed = 1, .want = 24, .repeats = 3, .least = 20};

static const struct opt table[] = {
	{"seed", 0, OPT_U64, "S", "what all is drawn from (1)", &args.seed, 0, 0, NULL},
	{"want", 'n', OPT_COUNT, "N", "certified quads to end with (24)", &args.want, 1, 1000,
	 NULL},
	{"out", 'o', OPT_STR, "DIR", "folder of the quads (generated/S beside the command)",
	 &args.out, 0, 0, NULL},
	{"draw-only", 0, OPT_FLAG, NULL, "write N quads that nobody has looked at", &args.draw_only,
	 0, 0, NULL},
	{"within", 0, OPT_DURATION, "TIME", "draw no more after that", &args.within_ns, 1,
	 UINT64_MAX, NULL},
	{"repeats", 'k', OPT_COUNT, "N", "runs in which a witness has to agree (3)", &args.repeats,
	 1, 100, NULL},
	{"reached", 'N', OPT_COUNT, "N", "how often the changed site must be reached (20)",
	 &args.least, 1, 1000000, NULL},
	LIMIT_OPTS,
	SOURCE_OPT,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay mutate generate",
	.usage = "[--seed S] [-n N] [--out DIR]",
	.purpose = "Draws new quads and keeps those that certify",
	.table = table,
	.examples = {"assay mutate generate --seed 1",
		     "assay mutate generate --seed 2 -n 40 --out /tmp/fresh",
		     "assay bench quads --quads build/generated/1"},
};

struct generating {
	struct house house; /* its records are the folder of the quads */
	struct certifier certifier;
	struct generator *g;
	struct funnel funnel;
	struct frozen_list frozen;
	unsigned drawn, known, unwritten, uncalibrated;
	uint64_t deadline;
	struct generated list;
	struct progress progress;
};

/* A quad on its way; kept: it is still in the running. */
struct candidate {
	struct quad q;
	struct mutation m;
	bool kept;
};

static void drop(struct generating *x, const struct quad *q, const char *step, const char *why)
{
	progress_end(&x->progress);
	printf("  left %-24s %s: %s\n", q->id, step, why);
	generated_add(&x->list, q->id, q->template, step, why);
}

static int folder_of(const struct generating *x, const struct quad *q, char ret[RECORD_PATH],
		     struct diag *d)
{
	return house_path(ret, d, "%s/%s", x->house.records, q->id);
}

/* Written and read again, as anybody reads it. */
static int write_and_load(struct generating *x, struct candidate *c, struct diag *d)
{
	char folder[RECORD_PATH];
	int rc = quad_write(&c->q, x->house.records, d);

	if (!rc)
		rc = folder_of(x, &c->q, folder, d);
	return rc ? rc : mutation_load(folder, &c->m, d);
}

static int remove_quad(struct generating *x, struct candidate *c, struct diag *d)
{
	char folder[RECORD_PATH];
	int rc = folder_of(x, &c->q, folder, d);

	c->kept = false;
	return rc ? rc : house_remove(folder, d);
}

/* ---- drawing ---- */

static int count_certified(struct generating *x, const struct mutation *m,
			   const struct certificate *v, struct diag *d)
{
	struct frozen line;
	int rc;

	funnel_add(&x->funnel, m, v);
	if (!certificate_witnessed(v))
		return 0;
	rc = frozen_line(&x->house, m, &line, d);
	if (!rc && frozen_add(&x->frozen, &line))
		rc = diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	return rc;
}

/* One of an earlier call. */
static int take_known(struct generating *x, struct candidate *c, bool certified, struct diag *d)
{
	struct certificate v;
	char folder[RECORD_PATH];
	int rc = folder_of(x, &c->q, folder, d);

	x->known++;
	if (rc || !certified)
		return rc;
	rc = mutation_load(folder, &c->m, d);
	if (!rc)
		rc = certificate_load(&x->house, c->m.id, &v, d);
	if (rc == -ENOENT)
		return diag_set(d, -EINVAL, folder, 0, "assay mutate verify --quads DIR",
				"its certificate is gone");
	return rc ? rc : count_certified(x, &c->m, &v, d);
}

static int draw_one(struct generating *x, struct candidate *c, struct diag *d)
{
	int rc = generator_next(x->g, &c->q, d);
	const struct generated_line *known;

	if (rc == -ENODATA)
		return rc;
	x->drawn++;
	known = generated_find(&x->list, c->q.id);
	if (known)
		return take_known(x, c, known->certified, d);
	if (rc == -EINVAL) {
		x->unwritten++;
		drop(x, &c->q, "written", d->reason);
		return 0;
	}
	if (!rc)
		rc = write_and_load(x, c, d);
	c->kept = !rc;
	return rc;
}

/* Returns how many there are, or a negative errno. */
static int draw_chunk(struct generating *x, struct candidate *v, unsigned most, struct diag *d)
{
	unsigned cnt = 0;
	int rc = 0;

	while (!rc && cnt < most) {
		memset(&v[cnt], 0, sizeof(v[cnt]));
		rc = draw_one(x, &v[cnt], d);
		cnt += !rc;
	}
	return rc && rc != -ENODATA ? rc : (int)cnt;
}

/* ---- calibrating ---- */

/* What a child found out; in memory that it shares with its parent. */
struct outcome {
	bool made, unbuilt;
	struct calibrated found;
	struct diag why; /* it cannot be calibrated */
};

struct calibrating {
	const struct certifier *certifier;
	const struct candidate *v;
	struct outcome *outcomes;
};

/* What does not compile is found out here. */
static void calibrate_one(void *arg, size_t i)
{
	const struct calibrating *c = arg;
	const struct candidate *v = &c->v[i];
	struct outcome *o = &c->outcomes[i];
	struct diag d = {0};
	int rc = v->kept ? calibrate_bounds(c->certifier, &v->m, v->q.drawn, &o->found, &o->why, &d)
			 : 0;

	o->unbuilt = rc == -EINVAL || rc == -EPERM;
	if (o->unbuilt)
		o->why = d;
	o->made = !rc || o->unbuilt;
}

static const char *left_at(const struct outcome *o)
{
	if (o->unbuilt)
		return "compiles";
	return o->made && o->why.err == -ENODATA ? "calibrated" : "runs";
}

/* A run that was not sound may have been disturbed by those beside it. */
static bool is_disturbed(const struct outcome *o)
{
	return (!o->made || o->why.err) && !strcmp(left_at(o), "runs");
}

static int take_outcome(struct generating *x, struct candidate *c, const struct outcome *o,
			struct diag *d)
{
	if (!c->kept)
		return 0;
	if (!o->made || o->why.err) {
		x->uncalibrated++;
		drop(x, &c->q, left_at(o), o->made ? o->why.reason : "trouble of the machine");
		return remove_quad(x, c, d);
	}
	c->q.witness = o->found.witness;
	c->q.reading = o->found.reading;
	return write_and_load(x, c, d);
}

static int calibrate_chunk(struct generating *x, struct candidate *v, unsigned cnt, struct diag *d)
{
	size_t bytes = CHUNK * sizeof(struct outcome);
	struct calibrating c = {.certifier = &x->certifier, .v = v};
	struct certifier alone = x->certifier;
	int rc;

	alone.alone = true;
	c.outcomes = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c.outcomes == MAP_FAILED)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	rc = crew_run("calibrations", 2, cnt, calibrate_one, &c, 0, d);
	c.certifier = &alone; /* from here on */
	for (unsigned i = 0; !rc && i < cnt; i++) {
		if (v[i].kept && is_disturbed(&c.outcomes[i])) {
			c.outcomes[i] = (struct outcome){.made = false};
			calibrate_one(&c, i);
		}
		rc = take_outcome(x, &v[i], &c.outcomes[i], d);
	}
	munmap(c.outcomes, bytes);
	return rc;
}

/* ---- certifying ---- */

static int take_certificate(struct generating *x, struct candidate *c, bool made, struct diag *d)
{
	struct certifier alone = x->certifier;
	struct certificate v = {.hash = 0};
	enum step s;
	int rc = made ? certificate_load(&x->house, c->m.id, &v, d) : 0;

	alone.alone = true;
	if (!rc && (!made || certify_disturbed(&v))) {
		rc = certify(&alone, &c->m, &v, d);
		if (!rc)
			rc = certificate_save(&x->house, c->m.id, &v, d);
	}
	if (rc)
		return rc;
	s = certificate_failed(&v);
	if (s == STEP_CNT) {
		generated_add(&x->list, c->q.id, c->q.template, "certified", "");
		return count_certified(x, &c->m, &v, d);
	}
	funnel_add(&x->funnel, &c->m, &v);
	drop(x, &c->q, step_name(s), v.text[s]);
	return remove_quad(x, c, d);
}

/* In company first; what failed there by a run is made again alone, and that counts. */
static int certify_chunk(struct generating *x, struct candidate *v, unsigned cnt, struct diag *d)
{
	struct mutation_list l = {.v = calloc(cnt, sizeof(*l.v)), .cnt = cnt};
	bool wanted[CHUNK], made[CHUNK] = {false};
	int rc = 0;

	if (!l.v)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	for (unsigned i = 0; i < cnt; i++) {
		wanted[i] = v[i].kept;
		l.v[i] = v[i].m;
	}
	rc = certify_crew(&x->certifier, &l, wanted, 0, made, d);
	free(l.v);
	progress_start(&x->progress, "certificates", args.want);
	for (unsigned i = 0; !rc && i < cnt; i++) {
		progress_update(&x->progress, x->funnel.certified, v[i].q.id);
		if (v[i].kept)
			rc = take_certificate(x, &v[i], made[i], d);
	}
	progress_end(&x->progress);
	return rc;
}

static int make_chunk(struct generating *x, struct candidate *v, unsigned cnt, struct diag *d)
{
	int rc = calibrate_chunk(x, v, cnt, d);

	return rc ? rc : certify_chunk(x, v, cnt, d);
}

/* ---- the whole ---- */

static bool is_enough(const struct generating *x)
{
	unsigned have = args.draw_only ? x->drawn : x->funnel.certified;

	return have >= args.want || x->drawn >= DRAWN_MOST * args.want ||
	       (x->deadline && now_ns() >= x->deadline);
}

static unsigned next_chunk(const struct generating *x)
{
	uint64_t left = args.want - (args.draw_only ? x->drawn : x->funnel.certified);

	return left < CHUNK ? (unsigned)left : CHUNK;
}

static int generate_all(struct generating *x, struct diag *d)
{
	struct candidate *v = calloc(CHUNK, sizeof(*v));
	int rc = v ? 0 : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory"), cnt = 1;

	while (!rc && cnt && !is_enough(x)) {
		cnt = rc = draw_chunk(x, v, next_chunk(x), d);
		if (rc > 0)
			rc = args.draw_only ? 0 : make_chunk(x, v, (unsigned)cnt, d);
		for (unsigned i = 0; i < CHUNK; i++)
			quad_free(&v[i].q);
	}
	free(v);
	return rc;
}

/* A seed has a folder of its own. */
static int open_folder(struct generating *x, const struct shop *s, struct diag *d)
{
	char path[RECORD_PATH];
	int rc = args.out ? house_path(path, d, "%s", args.out)
			  : house_path(path, d, "%s/generated/%llu", s->house.build,
				       (unsigned long long)args.seed);

	if (!rc)
		rc = dir_make(path, d);
	if (!rc)
		rc = house_open(&x->house, s->house.build, s->house.source, path, d);
	return rc ? rc : generated_open(x->house.records, args.seed, &x->list, d);
}

static int close_folder(struct generating *x, int rc, struct diag *d)
{
	int err = generated_close(&x->list, rc ? NULL : d);

	rc = rc ? rc : err;
	if (!rc && !args.draw_only)
		rc = frozen_save(&x->house, &x->frozen, d);
	return rc;
}

static int report(const struct generating *x)
{
	printf("%-10s %4u  of %u that could be\n", "drawn", x->drawn, generator_chances(x->g));
	if (args.draw_only)
		return EXIT_GOOD;
	if (x->known)
		printf("%-10s %4u  in earlier calls\n", "", x->known);
	if (x->unwritten)
		printf("%-10s %4u  could not be written\n", "", x->unwritten);
	if (x->uncalibrated)
		printf("%-10s %4u  did not compile or run, or nothing told\n", "", x->uncalibrated);
	funnel_print(&x->funnel, 0, stdout);
	printf("%s: assay bench quads --quads %s\n", x->house.records, x->house.records);
	return x->funnel.certified >= args.want ? EXIT_GOOD : EXIT_FAILED;
}

static int generate(struct generating *x, struct shop *s, struct diag *d)
{
	char scratch[RECORD_PATH];
	int rc = generator_open(&x->house, args.seed, &x->g, d);

	if (!rc)
		rc = house_scratch(&x->house, scratch, d);
	if (rc)
		return rc;
	x->certifier = (struct certifier){.house = &x->house,
					  .programs = &s->w.programs,
					  .machine = &s->w.machine,
					  .folder = scratch,
					  .limits = make_limits(),
					  .repeats = (unsigned)args.repeats,
					  .least = args.least};
	rc = certify_tools(&x->certifier, d);
	if (!rc)
		rc = generate_all(x, d);
	house_remove(scratch, NULL);
	return rc;
}

static int run_generate(struct shop *s, int argc, char **argv)
{
	struct generating *x;
	struct diag d = {0};
	int rc;

	if (!args.draw_only && !machine_can_record(&s->w.machine, &d)) {
		diag_print(&d, stderr);
		return EXIT_MISSING;
	}
	x = calloc(1, sizeof(*x));
	rc = x ? open_folder(x, s, &d) : diag_set(&d, -ENOMEM, NULL, 0, NULL, "out of memory");
	if (rc) {
		free(x);
		return rc == -EINVAL ? mutate_usage(&d) : command_error(&d);
	}
	x->deadline = args.within_ns ? now_ns() + args.within_ns : 0;
	rc = close_folder(x, generate(x, s, &d), &d);
	rc = rc == -EINVAL ? mutate_usage(&d) : rc ? command_error(&d) : report(x);
	generator_close(x->g);
	frozen_free(&x->frozen);
	free(x);
	return rc;
}

int mutate_generate(int argc, char **argv)
{
	return mutate_with_shop(&opts, argc, argv, run_generate);
}
