/* SPDX-License-Identifier: BSD-2-Clause */
/* One site: the symbol or probe that it names, and the code that stands there. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/resolve_parts.h"
#include "lib/suggest.h"

enum { CODE_MAX = 1 << 20, ARGS_MAX = 12 };

#define RED_ZONE_CURE "build it with -mno-red-zone, or probe the entry"

/* ---- names ---- */

/* Copies that GCC makes: "pool_get.part.0", "pool_get.constprop.0". */
static const char *find_clone(const struct elf_file *elf, const char *name)
{
	size_t cnt, len = strlen(name);
	const struct elf_symbol *s = elf_file_symbols(elf, &cnt);

	for (size_t i = 0; i < cnt; i++)
		if (!strncmp(s[i].name, name, len) && s[i].name[len] == '.' &&
		    strncmp(s[i].name + len, ".cold", 5))
			return s[i].name;
	return NULL;
}

static const char *find_near(const struct elf_file *elf, const char *name)
{
	size_t cnt;
	const struct elf_symbol *s = elf_file_symbols(elf, &cnt);
	const char *best = NULL, *near;

	/* the nearer of two, again and again: no list of a hundred thousand names */
	for (size_t i = 0; i < cnt; i++) {
		near = suggest(name, (const char *const[]){best, s[i].name}, 2);
		best = near ? near : best;
	}
	return best;
}

static int no_symbol(struct resolving *w)
{
	const char *name = w->site->symbol, *near;
	char cure[160];
	size_t cnt;

	elf_file_symbols(w->elf, &cnt);
	if (!cnt)
		return resolve_fail(w, "an unstripped build, or usdt:provider:name",
				    "%s has no symbols", w->r->exe);
	near = find_clone(w->elf, name);
	if (near) {
		snprintf(cure, sizeof(cure), "%s", near);
		return resolve_fail(w, cure, "%s is gone from %s, the compiler left a copy of it",
				    name, w->r->exe);
	}
	near = find_near(w->elf, name);
	snprintf(cure, sizeof(cure), "%s", near ? near : "nm EXE lists what is there");
	return resolve_fail(w, cure, "there is no function %s in %s", name, w->r->exe);
}

/* ---- code ---- */

static uint8_t *read_code(struct resolving *w, const struct elf_symbol *s, size_t *ret_len)
{
	size_t len = s->size < CODE_MAX ? s->size : CODE_MAX;
	uint8_t *code = malloc(len + 1);

	if (code)
		*ret_len = elf_file_bytes(w->elf, s->addr, code, len);
	return code;
}

static int judge_look(struct resolving *w, const struct elf_symbol *s, uint64_t inside,
		      const struct code_look *l, bool nop5)
{
	if (!l->decoded)
		return resolve_warn(w, "the code of %s cannot be decoded up to +0x%" PRIx64,
				    s->name, inside);
	if (!l->boundary) {
		char cure[160] = "its entry, or an instruction behind it (objdump -d EXE)";

		if (l->begins)
			snprintf(cure, sizeof(cure), "%.100s+0x%x, where the instruction begins",
				 s->name, l->begins);
		return resolve_fail(w, cure, "%s+0x%" PRIx64 " is inside an instruction", s->name,
				    inside);
	}
	if (nop5 && !l->at_entry && l->red_zone)
		return resolve_fail(w, RED_ZONE_CURE,
				    "a nop5 at %s+0x%" PRIx64
				    " while the function uses memory below "
				    "rsp (at +0x%x): an optimised probe would overwrite it",
				    s->name, inside, l->red_zone_at);
	return 0;
}

/* Inside a function: is that an instruction, and may it be probed? The entry is always safe. */
static int judge_place(struct resolving *w, const struct elf_symbol *s,
		       const struct resolved_site *site)
{
	struct code_look look;
	uint8_t *code;
	size_t len = 0;
	int rc;

	if (!site->inside || !elf_file_is_x86_64(w->elf))
		return 0;
	if (site->inside >= CODE_MAX)
		return resolve_warn(w, "%s is too long to be decoded", s->name);
	code = read_code(w, s, &len);
	rc = code ? code_look(code, len, site->inside, &look) : -ENOMEM;
	free(code);
	if (rc)
		return diag_set(w->d, rc, w->r->exe, 0, "free memory", "memory is full");
	return judge_look(w, s, site->inside, &look, site->cost == COST_NOP5);
}

static void look_first(struct resolving *w, struct resolved_site *site)
{
	site->bytes_cnt =
		(uint8_t)elf_file_bytes(w->elf, site->addr, site->bytes, sizeof(site->bytes));
	if (!elf_file_is_x86_64(w->elf))
		return;
	site->cost = (uint8_t)insn_cost(site->bytes, site->bytes_cnt);
	site->insn_len = (uint8_t)insn_len(site->bytes, site->bytes_cnt);
	site->ns = cost_class_ns((enum cost_class)site->cost);
	if (site->on_return && site->ns.low) {
		site->ns.low += COST_RETURN_NS;
		site->ns.high += COST_RETURN_NS;
	}
}

static int append(struct resolving *w, const struct resolved_site *site)
{
	struct resolution *r = w->r;
	struct resolved_site *p = reallocarray(r->sites, r->sites_cnt + 1, sizeof(*p));

	if (!p)
		return diag_set(w->d, -ENOMEM, r->exe, 0, "free memory", "memory is full");
	r->sites = p;
	r->sites[r->sites_cnt++] = *site;
	return 0;
}

static void fill_usdt(struct resolving *w, const struct elf_usdt *u, struct resolved_site *site)
{
	snprintf(site->args, sizeof(site->args), "%s", u->args);
	if (u->semaphore && elf_file_offset(w->elf, u->semaphore, &site->semaphore))
		site->semaphore = 0;
}

int resolve_add(struct resolving *w, uint64_t addr, const struct elf_usdt *usdt)
{
	const struct elf_symbol *s = elf_file_at(w->elf, addr);
	struct resolved_site site = {.is_capacity = w->is_capacity,
				     .index = w->index,
				     .addr = addr,
				     .on_return = w->site->kind == SITE_RETURN};
	int rc;

	if (elf_file_offset(w->elf, addr, &site.offset))
		return resolve_fail(w, "an undamaged build",
				    "0x%" PRIx64 " lies in no segment of %s", addr, w->r->exe);
	site.needs_args = site.on_return &&
			  (w->is_capacity || manifest_needs_args(&w->m->descriptors[w->index]));
	if (s) {
		snprintf(site.symbol, sizeof(site.symbol), "%s", s->name);
		site.inside = addr - s->addr;
	}
	if (usdt)
		fill_usdt(w, usdt, &site);
	look_first(w, &site);
	if (s)
		rc = judge_place(w, s, &site);
	else
		rc = site.cost != COST_NOP5
			     ? 0
			     : resolve_warn(w,
					    "a nop5 at 0x%" PRIx64 " in a function without a "
					    "symbol: whether it uses the red zone is unknown",
					    addr);
	return rc ? rc : append(w, &site);
}

/* ---- the two kinds ---- */

static int check_offset(struct resolving *w, const struct elf_symbol *s)
{
	char cure[160];

	if (w->site->offset < s->size)
		return 0;
	snprintf(cure, sizeof(cure), "an offset below 0x%" PRIx64, s->size);
	return resolve_fail(w, cure, "%s has 0x%" PRIx64 " bytes, +0x%" PRIx64 " is outside",
			    s->name, s->size, w->site->offset);
}

static int warn_copies(struct resolving *w, size_t cnt)
{
	const char *clone = find_clone(w->elf, w->site->symbol);
	int rc = 0;

	if (cnt > 1)
		rc = resolve_warn(w, "%s stands %zu times in %s: all of them are probed",
				  w->site->symbol, cnt, w->r->exe);
	if (!rc && clone)
		rc = resolve_warn(w, "part of %s is in %s, which is not probed", w->site->symbol,
				  clone);
	return rc;
}

int resolve_symbol(struct resolving *w)
{
	size_t cnt;
	const struct elf_symbol *s = elf_file_find(w->elf, w->site->symbol, &cnt);
	int rc = s ? warn_copies(w, cnt) : no_symbol(w);

	for (size_t i = 0; s && i < cnt && !rc && !w->failed; i++) {
		rc = check_offset(w, &s[i]);
		if (!rc && !w->failed)
			rc = resolve_add(w, s[i].addr + w->site->offset, NULL);
	}
	return rc;
}

/* The highest argument that the descriptor names, -1: none. */
static int last_arg(const struct resolving *w)
{
	const struct manifest_descriptor *v = &w->m->descriptors[w->index];
	const struct desc_expr *e[] = {&v->instance_key, &v->unit_key, &v->target_id, &v->when.lhs};
	int last = -1;

	if (w->is_capacity)
		return w->m->resources[w->index].capacity_arg;
	for (size_t i = 0; i < sizeof(e) / sizeof(e[0]); i++)
		if (e[i]->kind == EXPR_ARG && e[i]->reg > last)
			last = e[i]->reg;
	return last;
}

static int check_args(struct resolving *w, const struct elf_usdt *u)
{
	int8_t sizes[ARGS_MAX];
	int cnt = elf_usdt_args(u->args, sizes, ARGS_MAX), last = last_arg(w);

	if (cnt < 0)
		return resolve_fail(w, "a build with a sound .note.stapsdt",
				    "the arguments of %s:%s cannot be read: %.100s", u->provider,
				    u->name, u->args);
	if (last < cnt)
		return 0;
	return resolve_fail(w, "an argument that is there", "%s:%s has %d arguments, arg%d is none",
			    u->provider, u->name, cnt, last);
}

static int no_probe(struct resolving *w, size_t cnt, const struct elf_usdt *u)
{
	const char *near = NULL;
	char cure[160] = "readelf -n EXE lists what is there";

	for (size_t i = 0; i < cnt; i++) {
		const char *name;

		if (strcmp(u[i].provider, w->site->provider))
			continue;
		name = suggest(w->site->name, (const char *const[]){near, u[i].name}, 2);
		near = name ? name : near;
	}
	if (near)
		snprintf(cure, sizeof(cure), "usdt:%s:%.80s", w->site->provider, near);
	if (!cnt)
		return resolve_fail(w, "a build with USDT probes (sys/sdt.h)",
				    "there are no USDT probes in %s", w->r->exe);
	return resolve_fail(w, cure, "there is no USDT probe %s:%s in %s", w->site->provider,
			    w->site->name, w->r->exe);
}

int resolve_usdt(struct resolving *w)
{
	size_t cnt, found = 0;
	const struct elf_usdt *u = elf_file_usdt(w->elf, &cnt);
	int rc = 0;

	for (size_t i = 0; i < cnt && !rc && !w->failed; i++) {
		if (strcmp(u[i].provider, w->site->provider) || strcmp(u[i].name, w->site->name))
			continue;
		found++;
		rc = check_args(w, &u[i]);
		if (!rc && !w->failed)
			rc = resolve_add(w, u[i].addr, &u[i]);
	}
	return rc || found ? rc : no_probe(w, cnt, u);
}
