/* SPDX-License-Identifier: BSD-2-Clause */
/* Records and patches of generated quads, written. */
#include "mutations/generate/quad.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "mutations/house.h"

void quad_free(struct quad *q)
{
	free(q->mutant);
	free(q->twin);
	free(q->repaired);
	memset(q, 0, sizeof(*q));
}

/* ---- the record ---- */

static void write_bounds(bool has_above, double above, bool has_below, double below, FILE *out)
{
	if (has_above)
		fprintf(out, ", above: %.4g", above);
	if (has_below)
		fprintf(out, ", below: %.4g", below);
	fputs("}\n", out);
}

static void write_witness(const struct witness_spec *w, FILE *out)
{
	if (!w->of_cnt) {
		fputs("witness: none\n", out);
		return;
	}
	fprintf(out, "witness: {measure: %s, of: [", measure_name(w->measure));
	for (uint32_t i = 0; i < w->of_cnt; i++)
		fprintf(out, "%s%u", i ? ", " : "", w->of[i].descriptor);
	fputs("]", out);
	write_bounds(w->has_above, w->above, w->has_below, w->below, out);
}

static void write_reading(const struct reading_spec *r, FILE *out)
{
	if (!r->figure[0])
		return;
	fprintf(out, "reading: {figure: %s, of: \"%s\"", r->figure, r->of);
	write_bounds(r->has_above, r->above, r->has_below, r->below, out);
}

static bool is_switched(const struct quad *q)
{
	return q->onset || q->mode;
}

/* Base, mutant and twin of what is switched are one program each, and the first two the same. */
static void write_forms(const struct quad *q, FILE *out)
{
	if (!is_switched(q)) {
		fputs("mutant: {patch: mutant.patch}\ntwin: {patch: twin.patch}\n", out);
		return;
	}
	fprintf(out,
		"base: {patch: mutant.patch}\n"
		"mutant: {patch: mutant.patch, config: mutant.conf}\n"
		"twin: {patch: %s.patch, config: twin.conf}\n",
		q->mode ? "mutant" : "twin");
}

static void write_record(const struct quad *q, FILE *out)
{
	fprintf(out, "mutation: 1\nid: %s\nclass: %s\nkind: %s\nworkloads: [%s]\n", q->id,
		mutation_class_name(q->class), mutation_kind_name(q->kind), q->workload);
	fprintf(out, "what: \"%s\"\nnaive: \"%s\"\n", q->what, q->naive);
	write_forms(q, out);
	fputs("repaired: repaired.patch\ninvalid:\n", out);
	for (unsigned i = 0; i < q->invalid_cnt; i++)
		fprintf(out, "  - {descriptor: %u, why: \"%s\"}\n", q->invalid[i], q->why);
	if (q->onset)
		fprintf(out, "since: %llu\n", (unsigned long long)q->onset);
	if (q->share != 100)
		fprintf(out, "share: %u\n", q->share);
	fputs("canon: equal\n", out);
	write_witness(&q->witness, out);
	write_reading(&q->reading, out);
	fprintf(out, "reached: {event: %s, class: %s}\n", event_kind_name(q->event), q->resource);
	if (q->symbols)
		fputs("symbols: changed\n", out);
}

/* ---- the folder ---- */

static int write_text(const char *folder, const char *name, const char *text, struct diag *d)
{
	char path[RECORD_PATH];
	int rc = house_path(path, d, "%s/%s", folder, name);

	return rc ? rc : file_write(path, text, strlen(text), d);
}

static int write_settings(const struct quad *q, const char *folder, struct diag *d)
{
	char mutant[48], twin[48];
	int rc;

	if (q->mode) {
		snprintf(mutant, sizeof(mutant), "mode=%u\n", q->mode);
		snprintf(twin, sizeof(twin), "mode=%u\n", q->mode + 1);
	} else {
		snprintf(mutant, sizeof(mutant), "turn=%llu\n", (unsigned long long)q->onset);
		strcpy(twin, mutant);
	}
	rc = write_text(folder, "mutant.conf", mutant, d);
	return rc ? rc : write_text(folder, "twin.conf", twin, d);
}

int quad_write(const struct quad *q, const char *top, struct diag *d)
{
	char folder[RECORD_PATH], path[RECORD_PATH];
	struct file_out o;
	int rc = house_path(folder, d, "%s/%s", top, q->id);

	if (!rc)
		rc = dir_make(folder, d);
	if (!rc)
		rc = write_text(folder, "mutant.patch", q->mutant, d);
	if (!rc && !q->mode)
		rc = write_text(folder, "twin.patch", q->twin, d);
	if (!rc)
		rc = write_text(folder, "repaired.patch", q->repaired, d);
	if (!rc && is_switched(q))
		rc = write_settings(q, folder, d);
	if (!rc)
		rc = house_path(path, d, "%s/record.yaml", folder);
	if (!rc)
		rc = file_out_open(&o, path, d);
	if (rc)
		return rc;
	write_record(q, o.f);
	return file_out_commit(&o, d);
}
