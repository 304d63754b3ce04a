/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments and settings of a workload, from its cell. */
#include "harness/trial_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/folder.h"
#include "lib/files.h"
#include "lib/vocab.h"

enum { SETTINGS_MAX = 65536 };

uint64_t load_records_per_op(const struct trial_spec *s)
{
	const struct workload *w = s->workload;
	uint64_t fanout = cell_param(s->cell, "fanout", 1);
	uint64_t usual = 24 + 8 * fanout, said = w->records;

	if (w->fanout && fanout > w->fanout)
		said = said * fanout / w->fanout;
	return said > usual ? said : usual;
}

static void add_word(struct load_arguments *a, const char *word)
{
	a->v[a->cnt++] = (char *)word;
}

static void add_number(struct load_arguments *a, const char *option, uint64_t value)
{
	add_word(a, option);
	snprintf(a->text[a->cnt], sizeof(a->text[0]), "%llu", (unsigned long long)value);
	a->v[a->cnt] = a->text[a->cnt];
	a->cnt++;
}

bool load_is_calibrated(const struct trial_spec *s)
{
	return s->workload->keys & 1u << KEY_WORK;
}

void load_arguments(const struct trial_spec *s, const char *settings, struct load_arguments *a)
{
	static const struct {
		const char *param, *option;
	} knobs[] = {{"ops", "--ops"},
		     {"rate", "--rate"},
		     {"depth", "--depth"},
		     {"workers", "--workers"},
		     {"queue_depth", "--queue-depth"},
		     {"fanout", "--fanout"},
		     {"cost", "--cost"}};

	add_word(a, s->exe ? s->exe : s->workload->path);
	add_word(a, "run");
	for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++) {
		uint64_t value = cell_param(s->cell, knobs[i].param, 0);

		if (value)
			add_number(a, knobs[i].option, value);
	}
	if (cell_param(s->cell, "cpus", 0) == 1) {
		add_word(a, "--cpus");
		add_word(a, "0");
	}
	add_number(a, "--seed", s->cell->seed);
	add_word(a, "--data");
	add_word(a, s->data);
	add_word(a, "--config");
	add_word(a, settings);
	if (cell_param(s->cell, "serial", 0))
		add_word(a, "--serial");
	if (load_is_calibrated(s))
		add_word(a, "--calibrate");
	add_word(a, "--stop");
}

static void add_lent(struct load_arguments *a, const char *option, int fd)
{
	if (fd < 0)
		return;
	add_word(a, option);
	snprintf(a->text[a->cnt], sizeof(a->text[0]), "/proc/%d/fd/%d", getpid(), fd);
	a->v[a->cnt] = a->text[a->cnt];
	a->cnt++;
}

void load_arguments_lend(struct load_arguments *a, int channel_fd, int out_fd)
{
	add_lent(a, "--channel", channel_fd);
	add_lent(a, "--output", out_fd);
}

/* Behind what there is. */
static int add_ailment(const struct trial_spec *s, char **text, size_t *len, struct diag *d)
{
	char *more;
	int n = asprintf(&more, "%sail=%u\nturn=%llu\n", *text ? *text : "", s->ail,
			 (unsigned long long)s->turn);

	if (n < 0)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	free(*text);
	*text = more;
	*len = (size_t)n;
	return 0;
}

int load_settings(const struct trial_spec *s, char ret[PATH_LEN], struct diag *d)
{
	char *text = NULL;
	size_t len = 0;
	int rc = path_format(ret, d, "%s/settings", s->data);

	if (!rc && s->config)
		rc = file_read(s->config, SETTINGS_MAX, &text, &len, d);
	if (!rc && s->ail && s->ail != DIAGNOSIS_CPU_CONTENTION) /* which comes from outside */
		rc = add_ailment(s, &text, &len, d);
	if (!rc)
		rc = file_write(ret, text ? text : "", len, d);
	free(text);
	return rc;
}
