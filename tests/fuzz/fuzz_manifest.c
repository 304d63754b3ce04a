/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a manifest: refused with a place, a reason and a cure, or read as one whose
 * expressions, guards and sites print what parses to the same, and whose build_id can be stamped
 * without another difference.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/formats/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "fuzz_manifest: not so: %s\n", what);
	abort();
}

static void must_expr(const struct desc_expr *e)
{
	struct manifest_fault f;
	struct desc_expr again;

	if (e->kind == EXPR_NONE)
		return;
	must(!manifest_expr_parse(manifest_expr_text(e).s, &again, &f), "an expression reparses");
	must(!memcmp(e, &again, sizeof(again)), "to the same");
}

static void must_site(const struct manifest_site *s)
{
	struct manifest_fault f;
	struct manifest_site again;

	must(!manifest_site_parse(manifest_site_text(s).s, &again, &f), "a site reparses");
	must(again.kind == s->kind && again.offset == s->offset &&
		     !strcmp(again.symbol, s->symbol) && !strcmp(again.provider, s->provider) &&
		     !strcmp(again.name, s->name),
	     "to the same");
}

static void must_descriptor(const struct manifest_descriptor *v)
{
	struct manifest_fault f;
	struct desc_when again;

	must_expr(&v->instance_key);
	must_expr(&v->unit_key);
	must_expr(&v->target_id);
	must_site(&v->site);
	if (v->when.op == WHEN_ALWAYS)
		return;
	must(!manifest_when_parse(manifest_when_text(&v->when).s, &again, &f), "a guard reparses");
	must(!memcmp(&v->when, &again, sizeof(again)), "to the same");
}

static void must_stamp(const char *text, size_t size, const struct manifest *m)
{
	struct manifest again;
	struct diag d = {0};
	char *out, *said;
	size_t len, said_len;
	FILE *f;

	if (manifest_stamp(text, size, "f", "00112233445566778899", &out, &len, &d)) {
		must(d.err == -EINVAL && d.cure[0], "what cannot be stamped has a cure");
		return;
	}
	must(!manifest_parse(out, len, "f", &again, &d), "what is stamped is a manifest");
	strcpy(again.build_id, m->build_id);
	f = open_memstream(&said, &said_len);
	must(!manifest_diff(m, &again, f), "stamping changes the build_id alone");
	fclose(f);
	free(said);
	manifest_free(&again);
	free(out);
}

static void must_be_fault(const struct diag *d)
{
	must(d->err == -EINVAL, "a manifest is refused as one");
	must(!strcmp(d->file, "f") && d->reason[0] && d->cure[0], "file, reason and cure");
	must(d->line && !strncmp(d->reason, "column ", 7), "line and column");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size ? size : 1); /* exact: what is read behind the end is found */
	struct manifest m;
	struct diag d = {0};

	memcpy(text, data, size);
	if (manifest_parse(text, size, "f", &m, &d)) {
		must_be_fault(&d);
	} else {
		for (uint32_t i = 0; i < m.descriptors_cnt; i++)
			must_descriptor(&m.descriptors[i]);
		must_stamp(text, size, &m);
		manifest_free(&m);
	}
	free(text);
	return 0;
}
