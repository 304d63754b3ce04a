/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes on an application's sites. */
#include "profilers/collector/app_links.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/collector.h"
#include "bpf/collector.skel.h"

enum { DROPPERS = 7 }; /* threads beside the caller's */

int app_links_new(struct app_links *l, size_t sites)
{
	l->sites = sites;
	l->error = calloc(sites + 1, sizeof(*l->error));
	l->cap = 2 * sites + 3; /* an entry and its return; or three that serve all */
	l->v = calloc(l->cap, sizeof(struct bpf_link *));
	return l->error && l->v ? 0 : -ENOMEM;
}

struct dropping {
	struct app_links *l;
	size_t next; /* of the links, for all threads */
};

static void *drop_some(void *arg)
{
	struct dropping *d = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&d->next, 1, __ATOMIC_RELAXED)) < d->l->apart)
		bpf_link__destroy(d->l->v[i]);
	return NULL;
}

/*
 * Each waits tens of milliseconds for the kernel to be done with its sites
 * (uprobe_unregister_sync), one after the other; together they wait once. Links of USDT sites give
 * numbers back to a list of their object without a lock (libbpf's usdt.c): these take turns.
 */
void app_links_drop(struct app_links *l)
{
	struct dropping d = {.l = l};
	pthread_t helpers[DROPPERS];
	size_t cnt = 0;

	while (cnt < DROPPERS && cnt + 1 < l->apart &&
	       !pthread_create(&helpers[cnt], NULL, drop_some, &d))
		cnt++;
	drop_some(&d);
	for (size_t i = 0; i < cnt; i++)
		pthread_join(helpers[i], NULL);
	for (size_t i = l->apart; i < l->cnt; i++)
		bpf_link__destroy(l->v[i]);
	l->cnt = l->apart = 0;
}

void app_links_free(struct app_links *l)
{
	app_links_drop(l);
	free(l->v);
	free(l->error);
}

/* ---- which programs ---- */

/* "/" is no file to probe: EBADF says that the kernel got as far as to look at it. */
static bool multi_link_fails_well(int prog)
{
	const unsigned long offset = 0;
	LIBBPF_OPTS(bpf_link_create_opts, o, .uprobe_multi.path = "/",
		    .uprobe_multi.offsets = &offset, .uprobe_multi.cnt = 1);
	int link = bpf_link_create(prog, -1, BPF_TRACE_UPROBE_MULTI, &o);

	if (link >= 0)
		close(link);
	return link == -EBADF;
}

bool app_links_multi(void)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, o, .expected_attach_type = BPF_TRACE_UPROBE_MULTI);
	int prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", insns, 2, &o);
	bool can = prog >= 0 && multi_link_fails_well(prog);

	if (prog >= 0)
		close(prog);
	return can;
}

struct uses {
	bool entry, ret, save, usdt;
};

static bool saves(const struct app_options *o, const struct app_site *s)
{
	return s->kind == APP_RETURN && o->descs[s->desc].prog.needs_args;
}

static struct uses uses_of(const struct app_options *o)
{
	struct uses u = {0};

	for (size_t i = 0; o && i < o->sites_cnt; i++) {
		const struct app_site *s = &o->sites[i];

		u.entry |= s->kind == APP_ENTRY;
		u.ret |= s->kind == APP_RETURN;
		u.save |= saves(o, s);
		u.usdt |= s->kind == APP_USDT;
	}
	return u;
}

void app_links_choose(struct collector *skel, const struct app_options *o, bool multi)
{
	struct uses u = o && o->replaced ? (struct uses){true, true, true, true} : uses_of(o);

	bpf_program__set_autoload(skel->progs.app_enter_multi, u.entry && multi);
	bpf_program__set_autoload(skel->progs.app_save_multi, u.save && multi);
	bpf_program__set_autoload(skel->progs.app_return_multi, u.ret && multi);
	bpf_program__set_autoload(skel->progs.app_enter_one, u.entry && !multi);
	bpf_program__set_autoload(skel->progs.app_save_one, u.save && !multi);
	bpf_program__set_autoload(skel->progs.app_return_one, u.ret && !multi);
	bpf_program__set_autoload(skel->progs.app_usdt, u.usdt);
}

/* ---- attach ---- */

static int keep(struct app_links *l, struct bpf_link *link)
{
	if (!link)
		return errno;
	l->v[l->cnt++] = link;
	return 0;
}

/* One program on some of the sites: index lists them. */
struct batch {
	struct bpf_program *prog;
	bool ret;
	const struct app_options *o;
	uint32_t *index;
	size_t cnt;
};

static int attach_multi(struct app_links *l, const struct batch *b, const uint32_t *index,
			size_t cnt)
{
	unsigned long *offsets = calloc(cnt, sizeof(*offsets));
	__u64 *cookies = calloc(cnt, sizeof(*cookies));
	LIBBPF_OPTS(bpf_uprobe_multi_opts, o, .offsets = offsets, .cookies = cookies, .cnt = cnt,
		    .retprobe = b->ret);
	int err = ENOMEM;

	if (offsets && cookies) {
		for (size_t i = 0; i < cnt; i++) {
			offsets[i] = b->o->sites[index[i]].offset;
			cookies[i] = b->o->sites[index[i]].desc;
		}
		err = keep(l, bpf_program__attach_uprobe_multi(b->prog, -1, b->o->exe, NULL, &o));
	}
	free(offsets);
	free(cookies);
	return err;
}

static int attach_one(struct app_links *l, const struct batch *b, uint32_t i)
{
	LIBBPF_OPTS(bpf_uprobe_opts, o, .bpf_cookie = b->o->sites[i].desc, .retprobe = b->ret);

	return keep(l, bpf_program__attach_uprobe_opts(b->prog, -1, b->o->exe,
						       b->o->sites[i].offset, &o));
}

/* All at once; if one of them spoils that, one by one, so that the bad ones are known. */
static void attach_batch(struct app_links *l, const struct batch *b)
{
	if (!b->cnt || (l->multi && !attach_multi(l, b, b->index, b->cnt)))
		return;
	for (size_t i = 0; i < b->cnt; i++) {
		uint32_t site = b->index[i];
		int err = l->multi ? attach_multi(l, b, &site, 1) : attach_one(l, b, site);

		if (err)
			l->error[site] = err;
	}
}

/* The sites that a program serves; the saving entry of a return comes before it. */
static void batch_fill(struct batch *b, const struct app_links *l,
		       bool (*serves)(const struct app_options *o, const struct app_site *s))
{
	b->cnt = 0;
	for (uint32_t i = 0; i < b->o->sites_cnt; i++)
		if (!l->error[i] && serves(b->o, &b->o->sites[i]))
			b->index[b->cnt++] = i;
}

static bool is_entry(const struct app_options *o, const struct app_site *s)
{
	return s->kind == APP_ENTRY;
}

static bool is_return(const struct app_options *o, const struct app_site *s)
{
	return s->kind == APP_RETURN;
}

static void attach_usdt(struct app_links *l, struct collector *skel, const struct app_options *o)
{
	for (size_t i = 0; i < o->sites_cnt; i++) {
		const struct app_site *s = &o->sites[i];
		LIBBPF_OPTS(bpf_usdt_opts, u, .usdt_cookie = s->desc);

		if (s->kind == APP_USDT && !l->error[i])
			l->error[i] =
				keep(l, bpf_program__attach_usdt(skel->progs.app_usdt, -1, o->exe,
								 s->provider, s->name, &u));
	}
}

int app_links_attach(struct app_links *l, struct collector *skel, const struct app_options *o)
{
	struct batch b = {.o = o, .index = calloc(o->sites_cnt + 1, sizeof(*b.index))};

	if (!b.index)
		return -ENOMEM;
	b.prog = l->multi ? skel->progs.app_save_multi : skel->progs.app_save_one;
	batch_fill(&b, l, saves);
	attach_batch(l, &b);
	b.prog = l->multi ? skel->progs.app_enter_multi : skel->progs.app_enter_one;
	batch_fill(&b, l, is_entry);
	attach_batch(l, &b);
	b.prog = l->multi ? skel->progs.app_return_multi : skel->progs.app_return_one;
	b.ret = true;
	batch_fill(&b, l, is_return);
	attach_batch(l, &b);
	l->apart = l->cnt;
	attach_usdt(l, skel, o);
	free(b.index);
	return 0;
}
