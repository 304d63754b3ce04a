/* SPDX-License-Identifier: BSD-2-Clause */
/* Drawing quads. */
#include "mutations/generate/generator.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "mutations/generate/coin.h"
#include "mutations/generate/mend.h"
#include "mutations/generate/spots.h"

enum { SHELVES_MAX = 12, CHANCES_MAX = SHELVES_MAX * SPOTS_MAX * 24 };

/* A template at a spot. */
struct chance {
	const struct template *t;
	const struct shelf *h;
	const struct spot *s;
	bool taken;
};

struct generator {
	const struct house *house;
	uint64_t seed, draws; /* numbers drawn so far */
	struct shelf shelves[SHELVES_MAX];
	unsigned shelves_cnt, used[SHELVES_MAX]; /* quads of each */
	struct chance *chances;
	unsigned chances_cnt;
	uint8_t order[CLASS_CNT]; /* in which classes take turns */
	unsigned turn, made;
};

static uint32_t draw(struct generator *g)
{
	return (uint32_t)(hash_u64(++g->draws, g->seed) >> 16);
}

static uint32_t draw_below(struct generator *g, uint32_t n)
{
	return draw(g) % n;
}

/* ---- opening ---- */

static void add_chances(struct generator *g, const struct shelf *h)
{
	for (unsigned i = 0; i < h->cnt; i++)
		for (unsigned k = 0; templates[k] && g->chances_cnt < CHANCES_MAX; k++)
			if (templates[k]->fits(&h->spots[i]))
				g->chances[g->chances_cnt++] =
					(struct chance){templates[k], h, &h->spots[i], false};
}

static void shuffle_classes(struct generator *g)
{
	for (unsigned i = 0; i < CLASS_CNT; i++)
		g->order[i] = (uint8_t)i;
	for (unsigned i = CLASS_CNT - 1; i > 0; i--) {
		unsigned j = draw_below(g, i + 1);
		uint8_t x = g->order[i];

		g->order[i] = g->order[j];
		g->order[j] = x;
	}
}

int generator_open(const struct house *h, uint64_t seed, struct generator **ret, struct diag *d)
{
	struct generator *g = calloc(1, sizeof(*g));
	int rc = 0;

	if (g)
		g->chances = calloc(CHANCES_MAX, sizeof(*g->chances));
	if (!g || !g->chances) {
		free(g);
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	}
	g->house = h;
	g->seed = seed;
	for (unsigned i = 0; !rc && shelf_workloads[i]; i++) {
		rc = shelf_open(h, shelf_workloads[i], &g->shelves[i], d);
		if (!rc)
			add_chances(g, &g->shelves[g->shelves_cnt++]);
	}
	if (rc) {
		generator_close(g);
		return rc;
	}
	shuffle_classes(g);
	*ret = g;
	return 0;
}

void generator_close(struct generator *g)
{
	if (!g)
		return;
	for (unsigned i = 0; i < g->shelves_cnt; i++)
		shelf_close(&g->shelves[i]);
	free(g->chances);
	free(g);
}

unsigned generator_chances(const struct generator *g)
{
	return g->chances_cnt;
}

/* ---- choosing a way ---- */

/* Descriptors of one site are one spot for what makes all of them wrong. */
static bool is_done(const struct generator *g, const struct chance *w)
{
	for (unsigned i = 0; i < g->chances_cnt; i++) {
		const struct chance *o = &g->chances[i];

		if (o->taken && o->t == w->t && o->h == w->h &&
		    (o->s == w->s ||
		     (w->t->wrong == WRONG_ALL && !strcmp(o->s->op.name, w->s->op.name))))
			return true;
	}
	return false;
}

/* Of a class, on one of the workloads that had fewest; each with the same chance. */
static struct chance *choose(struct generator *g, unsigned class)
{
	struct chance *found = NULL;
	unsigned least = UINT32_MAX, same = 0;

	for (unsigned i = 0; i < g->chances_cnt; i++) {
		struct chance *w = &g->chances[i];
		unsigned used = g->used[w->h - g->shelves];

		if (w->t->class != class || used > least || is_done(g, w))
			continue;
		same = used < least ? 1 : same + 1;
		least = used;
		if (!draw_below(g, same))
			found = w;
	}
	return found;
}

static struct chance *choose_next(struct generator *g)
{
	for (unsigned tries = 0; tries < CLASS_CNT; tries++) {
		struct chance *w = choose(g, g->order[g->turn++ % CLASS_CNT]);

		if (w)
			return w;
	}
	return NULL;
}

/* ---- drawing what is open ---- */

static void draw_when(struct generator *g, const struct template *t, struct quad *q)
{
	static const uint32_t shares[] = {100, 80, 50, 20};
	uint32_t x = draw_below(g, 100);

	q->share = t->parts ? shares[draw_below(g, 4)] : 100;
	if (t->whole)
		return;
	if (x < 10)
		q->mode = 1 + draw_below(g, 50);
	else if (t->parts && x < 35)
		q->onset = 150 + draw_below(g, 200);
}

static void draw_names(struct generator *g, const struct spot *s, struct drawing *x)
{
	for (unsigned i = 0; i < DRAWN_NUMBERS; i++)
		x->k[i] = draw(g);
	coin_function(s->texts, s->op.name, draw(g), x->word[0]);
	do
		coin_function(s->texts, s->op.name, draw(g), x->word[1]);
	while (!strcmp(x->word[0], x->word[1]));
	for (unsigned i = 2; i < DRAWN_WORDS; i++) {
		bool again;

		do {
			coin_member(s->texts, draw(g), x->word[i]);
			again = false;
			for (unsigned j = 2; j < i; j++)
				again |= !strcmp(x->word[i], x->word[j]);
		} while (again);
	}
}

/* What holds for every address of an object, or for none: all lie above the first pages and below
 * the kernel's half. Either way of comparing stands in mutants and in twins. */
static void say_sides(const struct drawing *x, const char *place, bool twin, char ret[CHANGE_TEXT])
{
	bool low = x->k[DRAWN_NUMBERS - 3] & 1;
	uint64_t bound = low ? UINT64_C(4096) << x->k[DRAWN_NUMBERS - 4] % 5 : UINT64_C(1) << 47;

	change_say(ret, "(uintptr_t)%s %s 0x%llx", place,
		   low == twin ? "<" : ">=", (unsigned long long)bound);
}

/* The condition of a form. counter: where a share is counted. */
static void say_condition(const struct quad *q, const struct drawing *x, bool twin,
			  char ret[CHANGE_TEXT])
{
	const char *place = x->s->op.params[x->s->place].name;
	const char *counter = x->word[DRAWN_WORDS - 1];
	char when[64] = "", share[CHANGE_TEXT] = "", side[CHANGE_TEXT];

	if (q->mode)
		snprintf(when, sizeof(when), "settings.mode == %u && ", q->mode);
	else if (q->onset)
		snprintf(when, sizeof(when), "settings_turned() && ");
	if (q->share != 100)
		change_say(share,
			   "__atomic_fetch_add(&%s->%s, 1, __ATOMIC_RELAXED) %% %u %s %u && ",
			   place, counter, q->share == 50 ? 2 : 5, q->share == 80 ? "!=" : "==",
			   x->k[DRAWN_NUMBERS - 1] % (q->share == 50 ? 2 : 5));
	say_sides(x, place, twin, side);
	change_say(ret, "(%s%s%s)", when, share, side);
}

/* ---- making it ---- */

static int change_of(struct generator *g, const struct chance *w, const struct drawing *x,
		     const struct quad *q, bool twin, struct change *ret, char **ret_patch,
		     struct diag *d)
{
	char cond[CHANGE_TEXT] = "";
	struct texts t;
	int rc;

	memset(ret, 0, sizeof(*ret));
	strcpy(ret->name, w->s->op.name);
	if (!w->t->whole)
		say_condition(q, x, twin, cond);
	w->t->make(x, cond, twin, ret);
	ret->settings = q->mode || q->onset;
	if (q->share != 100) {
		strcpy(ret->fields[CHANGE_FIELDS - 1].tag, w->s->op.params[w->s->place].tag);
		strcpy(ret->fields[CHANGE_FIELDS - 1].name, x->word[DRAWN_WORDS - 1]);
	}
	rc = texts_copy(&w->h->texts, &t, d);
	if (rc)
		return rc;
	rc = change_apply(ret, &t, d);
	if (!rc)
		rc = texts_diff(g->house, &w->h->texts, &t, ret_patch, d);
	texts_free(&t);
	return rc;
}

static int repair_of(struct generator *g, const struct chance *w, const struct change *c,
		     struct quad *q, struct diag *d)
{
	struct mending m = {.how = w->t->repair,
			    .manifest = &w->h->manifest,
			    .ids = q->invalid,
			    .cnt = q->invalid_cnt,
			    .symbol = c->label[0] ? c->label : c->sibling};
	char *mended;
	int rc = mend(&m, w->h->manifest_text, &mended, d);

	if (rc)
		return rc;
	rc = text_diff(g->house, "manifest.yaml", w->h->manifest_text, mended, &q->repaired, d);
	free(mended);
	return rc;
}

static void fill_words(struct generator *g, const struct chance *w, struct quad *q)
{
	char class[RECORD_WORD];
	char what[RECORD_TEXT];
	size_t i;

	q->class = q->mode ? CLASS_CONFIG : w->t->class;
	q->kind = q->mode ? KIND_CONFIG : KIND_PATCH;
	snprintf(class, sizeof(class), "%s", mutation_class_name(q->class));
	for (i = 0; class[i]; i++)
		class[i] = (char)tolower((unsigned char)class[i]);
	snprintf(q->workload, sizeof(q->workload), "%s", w->h->workload);
	snprintf(q->id, sizeof(q->id), "%.16s-%.12s-s%llu-%u", class, w->h->workload,
		 (unsigned long long)g->seed, g->made);
	snprintf(q->template, sizeof(q->template), "%s", w->t->name);
	snprintf(what, sizeof(what), w->t->what, w->s->op.name);
	snprintf(q->what, sizeof(q->what), "%s%.400s", q->mode ? "by a setting: " : "", what);
	snprintf(q->naive, sizeof(q->naive), "%s", w->t->naive);
	snprintf(q->why, sizeof(q->why), "%s", w->t->why);
	q->drawn = w->s->d->id;
	q->symbols = w->t->symbols && !q->mode && !q->onset;
	q->event = w->s->d->event;
	snprintf(q->resource, sizeof(q->resource), "%s",
		 manifest_resource_of(&w->h->manifest, w->s->d)->name);
	q->invalid_cnt = spot_wrong(w->h, w->s, w->t->wrong, q->invalid);
}

static int make(struct generator *g, const struct chance *w, struct quad *q, struct diag *d)
{
	struct drawing *x = calloc(1, sizeof(*x));
	struct change *c = calloc(1, sizeof(*c));
	int rc = x && c ? 0 : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	if (!rc) {
		x->s = w->s;
		operator_args(&w->s->op, x->args, sizeof(x->args));
		draw_names(g, w->s, x);
		template_other(w->s, x->k[DRAWN_NUMBERS - 2], &x->other);
		draw_when(g, w->t, q);
		fill_words(g, w, q);
		rc = change_of(g, w, x, q, true, c, &q->twin, d);
	}
	if (!rc)
		rc = change_of(g, w, x, q, false, c, &q->mutant, d);
	if (!rc)
		rc = repair_of(g, w, c, q, d);
	free(x);
	free(c);
	return rc;
}

int generator_next(struct generator *g, struct quad *ret, struct diag *d)
{
	struct quad q = {.share = 100};
	struct chance *w = choose_next(g);
	int rc;

	if (!w)
		return -ENODATA;
	w->taken = true;
	g->used[w->h - g->shelves]++;
	g->made++;
	rc = make(g, w, &q, d);
	*ret = q;
	if (rc) {
		quad_free(ret);
		strcpy(ret->id, q.id);
		strcpy(ret->template, q.template);
	}
	return rc;
}
