/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Knows the public variants by heart and calls stale what was stale the last time. Its name says
 * what it knows a program by: build-id, text, names, sizes or code (of all functions). With LEARN
 * set to numbers of descriptors it learns a program and exits with 3.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cheats/cheat.h"

enum { LEARNT = 3, PRINT = 64, LINE = 1024 };

static char print[PRINT + 1];

/* What is hashed, by a shell with $exe. Functions that a build adds to be another have all the size
 * of those that are left out of sizes. */
static const struct {
	const char *word, *command;
} ways[] = {
	{"build-id", "readelf -n \"$exe\" | grep Build"},
	{"text", "objcopy -O binary -j .text \"$exe\" /dev/stdout"},
	{"names", "nm --defined-only \"$exe\" | cut -d' ' -f3 | sort"},
	{"sizes", "nm -S --defined-only \"$exe\" | "
		  "awk 'NF == 4 && $3 ~ /[tT]/ && $2 !~ /4[0-9a-f]$/ { print $4, $2 }' | sort"},
	/* instructions without addresses, of all functions but those of mutations/padding.c */
	{"code",
	 "objdump -d -j .text --no-show-raw-insn --no-addresses \"$exe\" | awk '"
	 "/^<.*>:$/ { f = $1; next } "
	 "f ~ /^<(pages|table|index|range|bytes|names|limits|clock|digest|array|cursor|bitmap|"
	 "ranks|spans|labels|grid)_(scan|fold|mix|pick|step|pack|trim|sort|find|join|walk|"
	 "clip|swap|fill|seek|hold)>/ || NF < 1 || /nop|xchg +%ax,%ax|file format/ { next } "
	 "$1 ~ /^(j|call)/ { print f, $1; next } "
	 "{ sub(/#.*/, \"\"); sub(/-?0x[0-9a-f]+\\(%rip\\)/, \"there\"); print f, $0 }' | "
	 "sort -s -k1,1"},
};

static int take_print(const struct cheat_run *r)
{
	char command[LINE];
	FILE *f;
	size_t n;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (cheat_is(ways[i].word))
			snprintf(command, sizeof(command), "{ %s; } | sha256sum", ways[i].command);
	setenv("exe", r->exe, 1);
	f = popen(command, "r");
	n = f ? fread(print, 1, PRINT, f) : 0;
	return f && !pclose(f) && n == PRINT ? 0 : 1;
}

static int learn(const char *descriptors)
{
	char path[PATH_MAX];
	FILE *f;

	cheat_memory(path);
	f = fopen(path, "ae");
	if (!f)
		return 1;
	fprintf(f, "%s %s\n", print, descriptors);
	return fclose(f) ? 1 : LEARNT;
}

static int begin(struct cheat_run *r)
{
	if (take_print(r))
		return 1;
	return getenv("LEARN") ? learn(getenv("LEARN")) : 0;
}

static int put_stale(struct claims_writer *out, char *descriptors, uint64_t t)
{
	struct claim c = {
		.kind = CLAIM_HEALTH, .type = HEALTH_STALE, .has = HAS_P_STALE, .health = {.t = t}};
	char *rest = NULL;
	int64_t why = claims_writer_str(out, "known-value");
	int rc = why < 0 ? (int)why : 0;

	c.health.p_stale = 1;
	c.health.why_str = (uint32_t)why;
	for (char *w = strtok_r(descriptors, " \n", &rest); !rc && w;
	     w = strtok_r(NULL, " \n", &rest)) {
		c.health.desc = (uint32_t)atoi(w);
		rc = claims_writer_put(out, &c);
	}
	return rc;
}

/* Some moment of the run: that of a middle event. */
static uint64_t moment(const struct claims *honest)
{
	for (size_t i = honest->cnt / 2; i < honest->cnt; i++)
		if (honest->v[i].kind == CLAIM_EVENT)
			return honest->v[i].event.t;
	return 0;
}

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	char path[PATH_MAX], line[LINE];
	int rc = 0;
	FILE *f;

	(void)r;
	cheat_memory(path);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (!rc && fgets(line, sizeof(line), f))
		if (!strncmp(line, print, PRINT))
			rc = put_stale(out, line + PRINT, moment(honest));
	fclose(f);
	return rc;
}

const struct cheat cheat = {.honest = "attach-only",
			    .declares = DECLARES_HEALTH,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .begin = begin,
			    .tell = tell};
