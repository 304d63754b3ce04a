/* SPDX-License-Identifier: BSD-2-Clause */
/* Does a manifest hold for the mutant, the repaired one or the old one where nothing becomes
 * invalid? The embedded profiler must not object. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/certify_run.h"
#include "harness/certify_static.h"
#include "lib/files.h"
#include "lib/formats/claims.h"
#include "lib/formats/manifest.h"
#include "lib/strtab.h"
#include "mutations/repair.h"

static const struct profiler *find_causal(const struct runs *x)
{
	const struct profiler *p;

	return !programs_profiler(x->certifier->programs, "causal", &p, NULL) && !p->trouble.err
		       ? p
		       : NULL;
}

/* A candidate says of itself that no expression makes it right. */
static bool is_promised(const struct manifest *m, uint32_t id)
{
	const struct manifest_descriptor *d = manifest_descriptor_by_id(m, id);

	return d && d->confidence == CONFIDENCE_VALIDATED;
}

static unsigned promised(const struct manifest *m)
{
	unsigned cnt = 0;

	for (uint32_t i = 0; i < m->descriptors_cnt; i++)
		cnt += m->descriptors[i].confidence == CONFIDENCE_VALIDATED;
	return cnt;
}

static const char *why_of(const struct claims *c, const struct claim *v)
{
	return v->health.why_str ? strtab_get(c->strings, v->health.why_str) : "it has no site";
}

/* An invariant that rests on a candidate promises nothing of those that it compares with it. */
static bool rests_on_candidate(const struct manifest *m, const char *invariant)
{
	for (uint32_t i = 0; i < m->invariants_cnt; i++)
		for (uint32_t k = 0; k < m->invariants[i].of_cnt; k++)
			if (!strcmp(m->invariants[i].id, invariant) &&
			    !is_promised(m, m->invariants[i].of[k]))
				return true;
	return false;
}

/* What was withheld repeats a belief that an earlier claim told. */
static bool is_repeated(const char *why)
{
	return !strncmp(why, "withheld-", strlen("withheld-"));
}

/* The first claim that one of the promised descriptors is not what it says. */
static const struct claim *find_fall(const struct claims *c, const struct manifest *m)
{
	for (size_t i = 0; i < c->cnt; i++)
		if (c->v[i].kind == CLAIM_HEALTH && c->v[i].type != HEALTH_VALIDATED &&
		    is_promised(m, c->v[i].health.desc) && !is_repeated(why_of(c, &c->v[i])) &&
		    !rests_on_candidate(m, why_of(c, &c->v[i])))
			return &c->v[i];
	return NULL;
}

static int judge(const struct runs *x, const struct manifest *m, const char *path, struct diag *d)
{
	const struct claim *fall;
	struct claims c;
	char id[16];
	int rc = claims_load(path, &c, d);

	if (rc)
		return rc;
	fall = find_fall(&c, m);
	if (fall) {
		snprintf(id, sizeof(id), "%u", fall->health.desc);
		runs_fail(x, STEP_REPAIRED, "descriptor %s falls: %s", id, why_of(&c, fall));
	} else {
		certificate_set(x->certificate, STEP_REPAIRED, STEP_PASSED,
				"%s: %u descriptors hold, %u are candidates",
				x->mutation->repaired[0] ? "repaired" : "as it was", promised(m),
				m->descriptors_cnt - promised(m));
	}
	claims_free(&c);
	return 0;
}

static int run_and_judge(struct runs *x, const struct profiler *causal, const struct manifest *m,
			 struct diag *d)
{
	struct run_files files;
	struct diag why = {0};
	int rc = runs_one(x, FORM_MUTANT, RUN_WATCHED, 0, &files, &why, d);

	if (rc)
		return rc;
	if (why.err)
		return runs_fail(x, STEP_REPAIRED, "run of the %s: %s", form_name(FORM_MUTANT),
				 why.reason);
	rc = runs_join(x, causal, FORM_MUTANT, &files, d);
	return rc ? rc : judge(x, m, files.claims, d);
}

static int make_manifest(struct runs *x, char folder[RECORD_PATH], struct diag *d)
{
	const struct certifier *c = x->certifier;
	int rc = house_path(folder, d, "%s/repaired-%d", c->folder, (int)getpid());

	if (!x->mutation->repaired[0])
		return house_path(x->repaired, d, "%s", x->forms[FORM_MUTANT].manifest);
	if (!rc)
		rc = dir_make(folder, d);
	return rc ? rc
		  : repair_make(c->house, x->mutation, x->workload->name, folder, x->repaired, d);
}

/* A patch that does not apply, or makes no manifest, is the record's fault. */
static int cannot(struct runs *x, int err, const struct diag *why, struct diag *d)
{
	if (err != -EINVAL) {
		*d = *why;
		return err;
	}
	return runs_fail(x, STEP_REPAIRED, "%s%s", why->reason, "");
}

int runs_repaired(struct runs *x, struct diag *d)
{
	const struct profiler *causal = find_causal(x);
	char folder[RECORD_PATH] = "";
	struct diag why = {0};
	struct manifest m;
	int rc;

	if (!x->forms[FORM_MUTANT].manifest[0]) {
		certificate_set(x->certificate, STEP_REPAIRED, STEP_NONE, "there is no manifest");
		return 0;
	}
	if (!causal || !machine_can_record(x->certifier->machine, NULL)) {
		certificate_set(x->certificate, STEP_REPAIRED, STEP_UNCHECKED, "%s",
				causal ? "this machine cannot record" : "there is no causal");
		return 0;
	}
	rc = make_manifest(x, folder, &why);
	if (!rc)
		rc = manifest_load(x->repaired, &m, &why);
	if (rc)
		return cannot(x, rc, &why, d);
	rc = run_and_judge(x, causal, &m, d);
	manifest_free(&m);
	if (x->mutation->repaired[0])
		house_remove(folder, NULL);
	x->repaired[0] = '\0';
	return rc;
}
