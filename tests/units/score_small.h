/* SPDX-License-Identifier: BSD-2-Clause */
/* A small run with something of everything, as text, for tests of what is printed. */
#ifndef ASSAY_TESTS_SCORE_SMALL_H
#define ASSAY_TESTS_SCORE_SMALL_H

#include <stdint.h>

#include "tests/units/score_text.h"

#define TRUTH_HEAD                                                                                 \
	"{\"truth\":1,\"workload\":\"x\",\"variant\":\"base\",\"seed\":1,\"clock\":\"monotonic\"," \
	"\"scored\":[0,10000],\"threads\":[101,102],\"keys\":[\"user_data\"],\"descriptors\":["    \
	"{\"id\":1,\"resource\":\"pool.frame\",\"valid\":false,\"since\":400,"                     \
	"\"contradicted\":500},{\"id\":2,\"resource\":\"pool.page\",\"valid\":true}]}\n"
#define TRUTH_CLOSE                                                                                \
	"{\"r\":\"close\",\"counts\":{\"begin\":1,\"end\":1,\"segment\":1,\"handoff\":1,"          \
	"\"event\":2},\"full\":false}\n"
#define TRUTH_NOTHING                                                                              \
	"{\"r\":\"close\",\"counts\":{\"begin\":0,\"end\":0,\"segment\":0,\"handoff\":0,"          \
	"\"event\":0},\"full\":false}\n"
#define CLAIMS_HEAD                                                                                \
	"{\"claims\":1,\"profiler\":\"x\",\"version\":\"1\",\"clock\":\"monotonic\","              \
	"\"declares\":[\"handoff:io\",\"event\"]}\n"

static const char truth[] = TRUTH_HEAD
	"{\"r\":\"begin\",\"op\":\"0x1\",\"kind\":\"get\",\"tid\":101,\"t\":[100,110]}\n"
	"{\"r\":\"segment\",\"op\":\"0x1\",\"tid\":101,\"t\":[110,400]}\n"
	"{\"r\":\"handoff\",\"id\":\"0xa1\",\"type\":\"io\",\"seq\":1,\"key\":{\"ns\":\"user_"
	"data\","
	"\"v\":\"0x7f10\"},\"src\":{\"op\":\"0x1\",\"tid\":101,\"t\":[200,230]},\"dst\":{\"op\":"
	"\"0x1\",\"tid\":102,\"take\":1,\"ready\":[200,590],\"t\":[200,700]},\"marks\":[\"inline\"]"
	"}\n"
	"{\"r\":\"event\",\"event\":\"ACQUIRE\",\"class\":\"pool.frame\",\"instance\":\"0x55\","
	"\"life\":\"0xb1\",\"units\":1,\"op\":\"0x1\",\"tid\":101,\"t\":[300,302],\"desc\":1}\n"
	"{\"r\":\"event\",\"event\":\"RELEASE\",\"class\":\"pool.frame\",\"instance\":\"0x55\","
	"\"life\":\"0xb1\",\"units\":1,\"op\":\"0x1\",\"tid\":101,\"t\":[600,602],\"desc\":1}\n"
	"{\"r\":\"end\",\"op\":\"0x1\",\"tid\":102,\"t\":[700,705]}\n"
	"{\"r\":\"cost\",\"op\":\"0x1\",\"tid\":101,\"kind\":\"cpu\",\"v\":250}\n"
	"{\"r\":\"loss\",\"from\":900,\"to\":910,\"lost\":3}\n" TRUTH_CLOSE;

static const char *const lines[] = {
	"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":101,\"t\":215},\"dst\":{\"tid\":102,"
	"\"t\":640},\"key\":{\"ns\":\"user_data\",\"v\":\"0x7f10\"},\"conf\":0.9,"
	"\"source\":\"kernel\"}\n",
	"{\"c\":\"handoff\",\"type\":\"io\",\"src\":null,\"dst\":{\"tid\":102,\"t\":640}}\n",
	"{\"c\":\"event\",\"event\":\"ACQUIRE\",\"class\":\"pool.frame\",\"instance\":\"0x55\","
	"\"gen\":1,\"units\":1,\"tid\":101,\"t\":301,\"desc\":1}\n",
	"{\"c\":\"event\",\"event\":\"RELEASE\",\"class\":\"pool.frame\",\"instance\":\"0x55\","
	"\"gen\":1,\"units\":1,\"tid\":101,\"t\":601,\"desc\":1}\n",
	"{\"c\":\"health\",\"desc\":1,\"state\":\"stale\",\"t\":600,\"why\":\"balance\","
	"\"p_stale\":0.97}\n",
	"{\"c\":\"cost\",\"root\":{\"tid\":101,\"t\":105},\"kind\":\"cpu\",\"v\":240}\n",
	"{\"c\":\"profile\",\"by\":\"thread\",\"key\":\"101\",\"kind\":\"cpu\",\"v\":9,\"ip\":0.01}"
	"\n",
	"{\"c\":\"profile\",\"by\":\"function\",\"key\":\"f\",\"kind\":\"cpu\",\"v\":9}\n",
	"{\"c\":\"gap\",\"from\":900,\"to\":910,\"lost\":2}\n",
	"{\"c\":\"diagnosis\",\"label\":\"thrash\",\"subject\":\"pool.frame\",\"t\":700}\n",
};
enum { LINES = sizeof(lines) / sizeof(lines[0]) };

/* All lines, beginning at `first` and going round. */
static inline void claims_from(char *ret, size_t size, unsigned first)
{
	size_t len = (size_t)snprintf(ret, size, "%s", CLAIMS_HEAD);

	for (unsigned i = 0; i < LINES; i++)
		len += (size_t)snprintf(ret + len, size - len, "%s", lines[(first + i) % LINES]);
	cr_assert_lt(len, size);
}

#endif
