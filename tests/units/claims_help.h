/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Claims in files of a folder of the test's own, and both forms compared.
 *
 * Header only, for the programs tests/units/test_claims_*.c: `.init = setup, .fini = teardown`.
 */
#ifndef ASSAY_TESTS_CLAIMS_HELP_H
#define ASSAY_TESTS_CLAIMS_HELP_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "lib/formats/claims_file.h"

#define CLAIMS_HELP static inline __attribute__((unused))

static char dir[] = "/tmp/assay-claims-XXXXXX";
static char a[64], b[64], c[64];

CLAIMS_HELP void setup(void)
{
	cr_assert_not_null(mkdtemp(dir));
	snprintf(a, sizeof(a), "%s/a", dir);
	snprintf(b, sizeof(b), "%s/b", dir);
	snprintf(c, sizeof(c), "%s/c", dir);
}

CLAIMS_HELP void teardown(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	cr_assert_eq(system(cmd), 0);
}

static const char every_kind[] =
	"{\"claims\":1,\"profiler\":\"causal\",\"version\":\"1.0\",\"clock\":\"monotonic\","
	"\"declares\":[\"handoff:io\",\"handoff:wake\",\"event\",\"health\",\"effect\",\"cost\","
	"\"profile\",\"gap\",\"diagnosis\"]}\n"
	"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":101,\"t\":215},\"dst\":{\"tid\":102,"
	"\"t\":640},\"key\":{\"ns\":\"user_data\",\"scope\":1,\"v\":\"0xffffffffffffffff\"},"
	"\"gen\":3,\"conf\":0.98,\"how\":\"observed\",\"source\":\"kernel\"}\n"
	"{\"c\":\"handoff\",\"type\":\"wake\",\"src\":null,\"dst\":{\"tid\":102,\"t\":"
	"9007199254740993},\"conf\":0}\n"
	"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":0,\"t\":0},\"dst\":null,\"key\":{"
	"\"ns\":\"uaddr\",\"v\":\"0x0\"}}\n"
	"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":1,\"t\":2},\"dst\":{\"tid\":77,\"t\":"
	"300,\"kernel\":true},\"conf\":0.1,\"how\":\"unknown\",\"source\":\"inferred\"}\n"
	"{\"c\":\"event\",\"event\":\"ACQUIRE\",\"class\":\"pool.frame\",\"instance\":\"0x55\","
	"\"gen\":4,\"units\":1,\"tid\":101,\"t\":301,\"desc\":1,\"conf\":0.99}\n"
	"{\"c\":\"health\",\"desc\":2,\"state\":\"stale\",\"t\":2500,\"why\":\"a \\\"b\\\" "
	"\\\\\\u0001\\n\xc3\xa9\",\"evidence\":41,\"p_stale\":0.97}\n"
	"{\"c\":\"effect\",\"cause\":{\"tid\":101,\"t\":215},\"kind\":\"block-io\",\"tid\":102,"
	"\"t\":450,\"v\":4096,\"conf\":0.5}\n"
	"{\"c\":\"cost\",\"root\":{\"tid\":101,\"t\":105},\"kind\":\"cpu\",\"v\":240,\"ip\":1}\n"
	"{\"c\":\"cost\",\"root\":null,\"kind\":\"wait:io\",\"v\":18446744073709551615}\n"
	"{\"c\":\"profile\",\"by\":\"pair\",\"key\":\"102\",\"kind\":\"cpu\",\"v\":990,\"ip\":"
	"0.30000000000000004}\n"
	"{\"c\":\"gap\",\"from\":495,\"to\":610,\"lost\":12,\"scope\":\"ring\"}\n"
	"{\"c\":\"diagnosis\",\"label\":\"pool-thrash\",\"subject\":\"pool.frame\",\"t\":5000,"
	"\"conf\":5e-324}\n";

CLAIMS_HELP void convert(const char *from, const char *to, enum claims_form form)
{
	struct diag d = {0};

	cr_assert_eq(claims_convert_file(from, to, form, &d), 0, "%s: %s", d.file, d.reason);
}

CLAIMS_HELP void same_claims(const char *one, const char *other)
{
	struct claims x, y;
	struct diag d;

	cr_assert_eq(claims_load(one, &x, &d), 0);
	cr_assert_eq(claims_load(other, &y, &d), 0);
	cr_assert_eq(memcmp(&x.header, &y.header, sizeof(x.header)), 0);
	cr_assert_eq(x.cnt, y.cnt);
	for (size_t i = 0; i < x.cnt; i++) {
		char *xs = NULL, *ys = NULL;
		size_t xlen, ylen;
		FILE *f;

		f = open_memstream(&xs, &xlen);
		cr_assert_eq(claim_print(f, &x.v[i], x.strings), 0);
		fclose(f);
		f = open_memstream(&ys, &ylen);
		cr_assert_eq(claim_print(f, &y.v[i], y.strings), 0);
		fclose(f);
		cr_assert_str_eq(xs, ys);
		free(xs);
		free(ys);
	}
	claims_free(&x);
	claims_free(&y);
}

#endif
