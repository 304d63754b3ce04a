/* SPDX-License-Identifier: BSD-2-Clause */
/* A join: records in, a file of claims out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profilers/adapter/adapter.h"

struct adapter_join {
	const struct joiner *joiner;
	struct claims_writer *writer;
	struct outlet outlet;
	void *state;
};

static int put(void *arg, const struct claim *c)
{
	return claims_writer_put(arg, c);
}

static int64_t str(void *arg, const char *word)
{
	return claims_writer_str(arg, word);
}

static void forget(void *arg, uint32_t id)
{
	claims_writer_forget(arg, id);
}

struct adapter_join *adapter_join_open(const struct joiner *j, const struct join_setup *setup,
				       const char *claims, struct diag *d)
{
	struct claims_header h = {.declares =
					  j->declares_of ? j->declares_of(j, setup) : j->declares};
	struct adapter_join *join = calloc(1, sizeof(*join));

	if (!join) {
		diag_set(d, -ENOMEM, NULL, 0, NULL, "no memory");
		return NULL;
	}
	snprintf(h.profiler, sizeof(h.profiler), "%s", j->name);
	snprintf(h.version, sizeof(h.version), "%s", j->version);
	join->joiner = j;
	join->writer = claims_writer_open(claims, claims_form_of(claims), &h, d);
	if (!join->writer) {
		free(join);
		return NULL;
	}
	join->outlet =
		(struct outlet){.put = put, .str = str, .arg = join->writer, .forget = forget};
	join->state = j->open(j, setup, &join->outlet);
	if (join->state)
		return join;
	claims_writer_close(join->writer, NULL);
	free(join);
	diag_set(d, -ENOMEM, NULL, 0, NULL, "no memory");
	return NULL;
}

int adapter_join_record(void *join, const struct ev_rec *r)
{
	struct adapter_join *j = join;

	return j->joiner->record(j->state, r);
}

int adapter_join_reload(struct adapter_join *join, const struct join_setup *setup, uint64_t from,
			uint64_t to)
{
	return join->joiner->reload(join->state, setup, from, to);
}

int adapter_join_close(struct adapter_join *join, int failed, struct diag *d)
{
	int err = join->joiner->finish(join->state), close_err;

	if (failed)
		err = failed;
	close_err = claims_writer_close(join->writer, d);
	if (!close_err && err)
		diag_set(d, err, NULL, 0, NULL, "%s broke off: %s", join->joiner->name,
			 strerror(-err));
	free(join);
	return close_err ? close_err : err;
}
