/* SPDX-License-Identifier: BSD-2-Clause */
/* What was left out, in as few lines as say it all. */
#include "harness/provenance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/folder.h"

/* why "": whatever is said of it already. */
static struct skip *add(struct skips *s, const char *what, const char *why, const char *cure)
{
	struct skip *v;

	for (size_t i = 0; i < s->cnt; i++)
		if (!strcmp(s->v[i].what, what) && (!*why || !strcmp(s->v[i].why, why)))
			return &s->v[i];
	v = realloc(s->v, (s->cnt + 1) * sizeof(*v));
	if (!v)
		return NULL;
	s->v = v;
	v += s->cnt++;
	*v = (struct skip){0};
	snprintf(v->what, sizeof(v->what), "%s", what);
	snprintf(v->why, sizeof(v->why), "%s", why);
	snprintf(v->cure, sizeof(v->cure), "%s", cure);
	return v;
}

/* The stored run that a cell is or is made from; NULL: none. */
static const struct cell *stored_run(const struct plan *p, const struct cell *c)
{
	if (c->kind != KIND_REFERENCE)
		c = plan_find(p, c->from);
	return c && c->kind == KIND_REFERENCE ? c : NULL;
}

static bool is_unsupported(const char *run, const struct cell *c)
{
	struct cell_status st;

	return !status_read(run, c->name, &st, NULL) && st.state == CELL_UNSUPPORTED;
}

/* Stored runs that are missing go into one line, with all that would be made from them. */
static int add_stored(struct skips *s, const struct cell *c)
{
	static const char cure[] = "as root, assay record WORKLOAD --store DIR";
	struct skip *v = add(s, "stored runs, and what is made from them", "", cure);
	size_t len;

	if (!v)
		return -ENOMEM;
	v->cells++;
	len = strlen(v->why);
	if (c->kind == KIND_REFERENCE && len + 2 < sizeof(v->why))
		snprintf(v->why + len, sizeof(v->why) - len, "%s%s",
			 len ? ", " : "there is none of ", c->workload);
	return 0;
}

static int add_cell(struct skips *s, const struct cell *c, const struct cell_status *st)
{
	char what[128];
	struct skip *v;

	switch (c->kind) {
	case KIND_RECORD:
		snprintf(what, sizeof(what), "recording");
		break;
	default:
		snprintf(what, sizeof(what), "%s %.90s", cell_kind_name(c->kind), c->profiler);
	}
	v = add(s, what, st->reason, st->cure);
	if (!v)
		return -ENOMEM;
	v->cells++;
	return 0;
}

/* Stored runs stand in for recordings: say why nothing was recorded. */
static int add_reference(struct skips *s, const struct plan *p, const struct machine *m)
{
	struct diag why = {0};
	unsigned cells = 0;
	struct skip *v;

	for (size_t i = 0; i < p->cnt; i++)
		cells += p->v[i].kind == KIND_REFERENCE;
	if (!cells)
		return 0;
	if (machine_can_record(m, &why))
		diag_set(&why, 0, NULL, 0, NULL, "the plan asks for stored runs");
	v = add(s, "recording (stored runs are scored instead)", why.reason, why.cure);
	if (!v)
		return -ENOMEM;
	v->cells = cells;
	return 0;
}

int skips_collect(const char *run, const struct plan *p, const struct machine *m, struct skips *ret,
		  struct diag *d)
{
	struct skips s = {0};
	int rc = add_reference(&s, p, m);

	for (size_t i = 0; !rc && i < p->cnt; i++) {
		const struct cell *stored = stored_run(p, &p->v[i]);
		struct cell_status st;

		if (status_read(run, p->v[i].name, &st, NULL))
			continue;
		s.beside_builds += st.beside_builds;
		if (st.state != CELL_UNSUPPORTED)
			continue;
		if (stored && is_unsupported(run, stored))
			rc = add_stored(&s, &p->v[i]);
		else
			rc = add_cell(&s, &p->v[i], &st);
	}
	if (rc) {
		free(s.v);
		return diag_set(d, rc, NULL, 0, NULL, "out of memory");
	}
	*ret = s;
	return 0;
}
