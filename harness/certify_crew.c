/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutations dealt out to children; what each made is marked in memory that they share. */
#include "harness/certify_crew.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/crew.h"

enum { A_PROCESSOR = 2, BUILD_NICE = 10 };

struct batch {
	struct certifier certifier;
	const struct mutation_list *list;
	size_t *which; /* of the list */
	size_t cnt;
	bool *made; /* shared, of the list's length */
};

static void make_one(void *arg, size_t i)
{
	const struct batch *b = arg;
	const struct mutation *m = &b->list->v[b->which[i]];
	struct certificate c;
	struct diag why = {0}; /* it is met again by who makes it alone */

	b->made[b->which[i]] = !certify(&b->certifier, m, &c, &why) &&
			       !certificate_save(b->certifier.house, m->id, &c, &why);
}

static int run_batch(struct batch *b, const bool *wanted, uint64_t deadline, struct diag *d)
{
	for (size_t i = 0; i < b->list->cnt; i++)
		if (wanted[i])
			b->which[b->cnt++] = i;
	return crew_run("certificates", A_PROCESSOR, b->cnt, make_one, b, deadline, d);
}

int certify_crew(const struct certifier *c, const struct mutation_list *l, const bool *wanted,
		 uint64_t deadline, bool *made, struct diag *d)
{
	struct batch b = {.certifier = *c, .list = l};
	size_t bytes = (l->cnt + 1) * sizeof(*b.made);
	int rc = -ENOMEM;

	b.certifier.build_nice = BUILD_NICE;
	b.which = calloc(l->cnt + 1, sizeof(*b.which));
	b.made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (b.which && b.made != MAP_FAILED) {
		rc = run_batch(&b, wanted, deadline, d);
		memcpy(made, b.made, l->cnt * sizeof(*made));
	} else {
		diag_set(d, rc, NULL, 0, NULL, "out of memory");
	}
	if (b.made != MAP_FAILED)
		munmap(b.made, bytes);
	free(b.which);
	return rc;
}

bool certify_disturbed(const struct certificate *c)
{
	enum step s = certificate_failed(c);

	return s == STEP_COMPILES || (s >= STEP_CANON && s != STEP_CNT);
}
