/* SPDX-License-Identifier: BSD-2-Clause */
/* Regimes: their words, what they do to a file, and what truth is told. */
#include "harness/regime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/regime_fate.h"
#include "lib/formats/evidence.h"

static const char *const words[] = {
	[REGIME_CLEAN] = "clean",
	[REGIME_DROP] = "drop",
	[REGIME_PAIR_DROP] = "pair-drop",
	[REGIME_TRUNCATE] = "truncate",
	[REGIME_EVICT] = "evict",
	[REGIME_SMALL_BUFFERS] = "small-buffers",
	[REGIME_LATE_ATTACH] = "late-attach",
	[REGIME_PRESSURE] = "pressure",
	[REGIME_CANDIDATES] = "candidates",
};
enum { KINDS = sizeof(words) / sizeof(words[0]) };

static int refuse(const char *word, struct diag *d)
{
	return diag_set(
		d, -EINVAL, NULL, 0,
		"give clean, drop:P, pair-drop:P, truncate:P or evict:P with 0 < P <= 100 (the "
		"first two perhaps with :silent), small-buffers, late-attach, pressure or "
		"candidates:F with 0 < F < 1",
		"there is no regime %s", word);
}

/* A number up to `most`, which stands for 2^32. */
static bool parse_share(const char *s, double most, char **end, uint64_t *ret)
{
	double p;

	if (*s < '0' || *s > '9')
		return false;
	p = strtod(s, end);
	if (!(p > 0 && p <= most))
		return false;
	*ret = (uint64_t)(p / most * 4294967296.0);
	return true;
}

/* What stands behind the kind's word. */
static bool parse_rest(const char *rest, struct regime *r)
{
	double most = r->kind == REGIME_CANDIDATES ? 1 : 100;
	char *end;

	if (r->kind == REGIME_CLEAN || (regime_is_live(r->kind) && most > 1))
		return !*rest;
	if (*rest != ':' || !parse_share(rest + 1, most, &end, &r->share))
		return false;
	if (r->kind == REGIME_CANDIDATES)
		return !*end && r->share >> 32 == 0;
	r->silent = r->kind <= REGIME_PAIR_DROP && !strcmp(end, ":silent");
	return !*end || r->silent;
}

int regime_parse(const char *word, struct regime *ret, struct diag *d)
{
	size_t len = strcspn(word, ":");

	for (int k = 0; k < KINDS; k++) {
		struct regime r = {.kind = (enum regime_kind)k};

		if (strlen(words[k]) != len || strncmp(word, words[k], len) != 0)
			continue;
		if (!parse_rest(word + len, &r))
			break;
		*ret = r;
		return 0;
	}
	return refuse(word, d);
}

/* ---- evidence ---- */

static int write_all(const struct regime *r, uint64_t seed, const struct evidence *e,
		     struct evidence_writer *w, struct regime_tally *tally)
{
	struct fate *f = fate_new(r, seed, w, tally);
	int err = f ? 0 : -ENOMEM;

	for (size_t i = 0; i < e->cnt && !err; i++)
		err = fate_record(f, i, &e->v[i]);
	if (!err)
		err = fate_finish(f);
	fate_free(f);
	return err;
}

int regime_apply(const struct regime *r, uint64_t seed, const char *from, const char *to,
		 struct regime_tally *ret, struct diag *d)
{
	struct regime_tally tally = {0};
	struct evidence_writer *w;
	struct evidence e;
	int err = evidence_load(from, &e, d), close_err;

	if (err)
		return err;
	w = evidence_writer_open(to, &e.header, d);
	if (!w) {
		evidence_free(&e);
		return d->err;
	}
	err = write_all(r, seed, &e, w, &tally);
	if (!r->silent)
		e.header.lost += tally.lost;
	close_err = evidence_writer_close(w, &e.header, d);
	evidence_free(&e);
	if (err && !close_err)
		diag_set(d, err, to, 0, NULL, "cannot apply the regime: %s", strerror(-err));
	err = err ? err : close_err;
	if (err)
		regime_tally_free(&tally);
	else
		*ret = tally;
	return err;
}

void regime_tally_free(struct regime_tally *t)
{
	free(t->losses);
	*t = (struct regime_tally){0};
}

/* ---- truth ---- */

int regime_told(const char *path, struct regime_tally *ret, struct diag *d)
{
	struct regime_tally t = {0};
	struct evidence e;
	size_t told = 0;
	int rc = evidence_load(path, &e, d);

	if (rc)
		return rc;
	for (size_t i = 0; i < e.cnt; i++)
		told += e.v[i].kind == EV_LOST;
	t.losses = calloc(told + 1, sizeof(*t.losses));
	if (!t.losses)
		rc = diag_set(d, -ENOMEM, path, 0, NULL, "no memory");
	for (size_t i = 0; !rc && i < e.cnt; i++) {
		const struct ev_rec *r = &e.v[i];

		if (r->kind != EV_LOST)
			continue;
		t.losses[t.losses_cnt++] =
			(struct truth_loss){.from = r->b, .to = r->t, .lost = r->a, .has_lost = 1};
		t.lost += r->a;
	}
	t.losses_cap = told + 1;
	evidence_free(&e);
	if (!rc)
		*ret = t;
	return rc;
}

/* The old records in their order, then the losses; the close record is the last. */
static void append_losses(const struct truth *t, const struct regime_tally *tally,
			  struct truth_loss *losses, uint32_t *order)
{
	size_t n = t->order_cnt;
	bool closed = n && truth_order_record(t->order[n - 1]) == REC_CLOSE;

	if (t->losses_cnt)
		memcpy(losses, t->losses, t->losses_cnt * sizeof(*losses));
	if (tally->losses_cnt)
		memcpy(losses + t->losses_cnt, tally->losses, tally->losses_cnt * sizeof(*losses));
	if (n)
		memcpy(order, t->order, n * sizeof(*order));
	n -= closed;
	for (size_t i = 0; i < tally->losses_cnt; i++)
		order[n++] = (uint32_t)REC_LOSS << TRUTH_INDEX_BITS | (uint32_t)(t->losses_cnt + i);
	if (closed)
		order[n] = t->order[t->order_cnt - 1];
}

int regime_tell_truth(const struct regime_tally *tally, const char *from, const char *to,
		      struct diag *d)
{
	struct truth_loss *losses;
	struct truth t, told;
	uint32_t *order;
	int err = truth_load(from, &t, d);

	if (err)
		return err;
	losses = calloc(t.losses_cnt + tally->losses_cnt + 1, sizeof(*losses));
	order = calloc(t.order_cnt + tally->losses_cnt + 1, sizeof(*order));
	if (losses && order) {
		append_losses(&t, tally, losses, order);
		told = t;
		told.losses = losses;
		told.losses_cnt += tally->losses_cnt;
		told.order = order;
		told.order_cnt += tally->losses_cnt;
		err = truth_save(&told, to, d);
	} else {
		err = diag_set(d, -ENOMEM, to, 0, NULL, "no memory");
	}
	free(losses);
	free(order);
	truth_free(&t);
	return err;
}
