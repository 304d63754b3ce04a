/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floor: something in the binary changed. Shown a base build beforehand, it keeps a hash of the
 * code behind every descriptor, but for what every link chooses anew, and calls those stale whose
 * code is another now. It looks at no
 * record but to know when the run has begun.
 */
#include <stdlib.h>

#include "lib/elf_file.h"
#include "lib/formats/manifest.h"
#include "lib/hash.h"
#include "lib/insn.h"
#include "profilers/adapter/joiners.h"

struct changed {
	struct outlet *out;
	const struct manifest *m;
	bool *stale; /* one a descriptor; NULL: nothing to compare */
	bool said;
};

/* ---- code ---- */

static uint64_t hash_function(const struct elf_file *f, const struct elf_symbol *s)
{
	enum { MOST = 1 << 20 };
	size_t size = s->size < MOST ? s->size : MOST, got;
	void *bytes = malloc(size + 1);
	uint64_t hash = 0;

	if (!bytes)
		return 0;
	got = elf_file_bytes(f, s->addr, bytes, size);
	if (!code_blank(bytes, got))
		hash = hash_bytes(bytes, got, got + 1);
	free(bytes);
	return hash;
}

static uint64_t hash_usdt(const struct elf_file *f, const struct manifest_site *site)
{
	size_t cnt;
	const struct elf_usdt *v = elf_file_usdt(f, &cnt);
	uint64_t hash = 0;

	for (size_t i = 0; i < cnt; i++) {
		const struct elf_symbol *s = elf_file_at(f, v[i].addr);

		if (!strcmp(v[i].provider, site->provider) && !strcmp(v[i].name, site->name) && s)
			hash = hash_u64(hash_function(f, s), hash);
	}
	return hash;
}

/* Of all functions of that name, or that hold that probe; 0: there are none. */
static uint64_t hash_site(const struct elf_file *f, const struct manifest_site *site)
{
	const struct elf_symbol *s;
	uint64_t hash = 0;
	size_t cnt = 0;

	if (site->kind == SITE_USDT)
		return hash_usdt(f, site);
	s = elf_file_find(f, site->symbol, &cnt);
	for (size_t i = 0; i < cnt; i++)
		hash = hash_u64(hash_function(f, &s[i]), hash);
	return hash;
}

static bool *compare(const struct manifest *m, const char *base, const char *now)
{
	struct elf_file *a = NULL, *b = NULL;
	bool *stale = NULL;

	if (!elf_file_open(base, &a, NULL) && !elf_file_open(now, &b, NULL))
		stale = calloc(m->descriptors_cnt + 1, sizeof(*stale));
	for (uint32_t i = 0; stale && i < m->descriptors_cnt; i++) {
		const struct manifest_site *site = &m->descriptors[i].site;

		stale[i] = hash_site(a, site) != hash_site(b, site);
	}
	elf_file_close(a);
	elf_file_close(b);
	return stale;
}

/* ---- the joiner ---- */

static void *changed_open(const struct joiner *j, const struct join_setup *setup,
			  struct outlet *out)
{
	struct changed *c = j ? calloc(1, sizeof(*c)) : NULL;

	if (!c)
		return NULL;
	c->out = out;
	c->m = setup->manifest;
	if (setup->manifest && setup->base && setup->exe)
		c->stale = compare(setup->manifest, setup->base, setup->exe);
	return c;
}

static int say(struct changed *c, uint32_t i, uint64_t t, int64_t why)
{
	struct claim v = {.kind = CLAIM_HEALTH, .type = HEALTH_STALE, .has = HAS_P_STALE};

	v.health.t = t;
	v.health.desc = c->m->descriptors[i].id;
	v.health.why_str = (uint32_t)why;
	v.health.p_stale = 0.95;
	return c->out->put(c->out->arg, &v);
}

/* It says so as soon as the program runs: what it knew before would be no fall. */
static int changed_record(void *state, const struct ev_rec *r)
{
	struct changed *c = state;
	int64_t why;
	int err = 0;

	if (c->said || !c->stale || r->kind != EV_APP)
		return 0;
	c->said = true;
	why = c->out->str(c->out->arg, "code-changed");
	if (why < 0)
		return (int)why;
	for (uint32_t i = 0; i < c->m->descriptors_cnt && !err; i++)
		if (c->stale[i])
			err = say(c, i, r->t, why);
	return err;
}

static int changed_finish(void *state)
{
	struct changed *c = state;

	free(c->stale);
	free(c);
	return 0;
}

const struct joiner joiner_changed = {
	.name = "changed",
	.version = "1.0",
	.division = "binary",
	.declares = DECLARES_HEALTH,
	.open = changed_open,
	.record = changed_record,
	.finish = changed_finish,
};
