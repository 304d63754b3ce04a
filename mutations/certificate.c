/* SPDX-License-Identifier: BSD-2-Clause */
/* Certificates on disk. */
#include "mutations/certificate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"

static const char *const step_names[STEP_CNT] = {"compiles", "symbols", "signatures", "code",
						 "leaks",    "canon",	"process",    "reached",
						 "witness",  "reading", "repaired"};
static const char *const state_names[STEP_STATE_CNT] = {"open", "passed", "failed", "unchecked",
							"none"};

const char *step_name(unsigned v)
{
	return step_names[v];
}

const char *step_state_name(unsigned v)
{
	return state_names[v];
}

bool certificate_holds(const struct certificate *c, unsigned *ret_unchecked)
{
	unsigned unchecked = 0;

	for (unsigned s = 0; s < STEP_CNT; s++) {
		if (c->state[s] == STEP_FAILED || c->state[s] == STEP_OPEN)
			return false;
		unchecked += c->state[s] == STEP_UNCHECKED;
	}
	if (ret_unchecked)
		*ret_unchecked = unchecked;
	return true;
}

enum step certificate_failed(const struct certificate *c)
{
	unsigned s = 0;

	while (s < STEP_CNT && c->state[s] != STEP_FAILED)
		s++;
	return s;
}

bool certificate_witnessed(const struct certificate *c)
{
	return certificate_holds(c, NULL) && c->state[STEP_WITNESS] == STEP_PASSED;
}

void certificate_set(struct certificate *c, enum step s, enum step_state state, const char *fmt,
		     ...)
{
	va_list ap;

	c->state[s] = (uint8_t)state;
	va_start(ap, fmt);
	vsnprintf(c->text[s], sizeof(c->text[s]), fmt, ap);
	va_end(ap);
	for (char *p = c->text[s]; *p; p++)
		if (*p == '\n')
			*p = ' ';
}

static int file_of(const struct house *h, const char *id, char ret[RECORD_PATH], struct diag *d)
{
	return house_path(ret, d, "%s/c/%s", h->variants, id);
}

static int word_of(const char *const *names, unsigned cnt, const char *word)
{
	for (unsigned i = 0; i < cnt; i++)
		if (!strcmp(names[i], word))
			return (int)i;
	return -1;
}

static bool read_step(char *line, struct certificate *c)
{
	char *save = NULL, *step = strtok_r(line, " ", &save), *state = strtok_r(NULL, " ", &save);
	int s = step ? word_of(step_names, STEP_CNT, step) : -1;
	int v = state ? word_of(state_names, STEP_STATE_CNT, state) : -1;

	if (s < 0 || v < 0)
		return false;
	certificate_set(c, (enum step)s, (enum step_state)v, "%s", save ? save : "");
	return true;
}

static bool read_text(char *text, struct certificate *ret)
{
	struct certificate c = {.hash = 0};
	char *save = NULL, *line = strtok_r(text, "\n", &save);

	if (!line || sscanf(line, "certificate %" SCNx64, &c.hash) != 1)
		return false;
	while ((line = strtok_r(NULL, "\n", &save)))
		if (!read_step(line, &c))
			return false;
	*ret = c;
	return true;
}

int certificate_load(const struct house *h, const char *id, struct certificate *ret, struct diag *d)
{
	char path[RECORD_PATH], *text;
	int rc = file_of(h, id, path, d);

	if (rc)
		return rc;
	if (access(path, F_OK))
		return -ENOENT;
	rc = file_read(path, 1 << 16, &text, NULL, d);
	if (rc)
		return rc;
	if (!read_text(text, ret))
		rc = diag_set(d, -EINVAL, path, 0, "remove it; assay mutate verify makes it anew",
			      "it is no certificate");
	free(text);
	return rc;
}

int certificate_save(const struct house *h, const char *id, const struct certificate *c,
		     struct diag *d)
{
	char path[RECORD_PATH];
	struct file_out o;
	int rc = house_path(path, d, "%s/c", h->variants);

	if (!rc)
		rc = dir_make(path, d);
	if (!rc)
		rc = file_of(h, id, path, d);
	if (!rc)
		rc = file_out_open(&o, path, d);
	if (rc)
		return rc;
	fprintf(o.f, "certificate %016" PRIx64 "\n", c->hash);
	for (unsigned s = 0; s < STEP_CNT; s++)
		fprintf(o.f, "%s %s %s\n", step_names[s], state_names[c->state[s]], c->text[s]);
	return file_out_commit(&o, d);
}
