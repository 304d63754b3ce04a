/* SPDX-License-Identifier: BSD-2-Clause */
/* What `assay explain` says, as strings that the caller frees. Every function asserts. */
#ifndef ASSAY_TESTS_SCORE_EXPLAINED_H
#define ASSAY_TESTS_SCORE_EXPLAINED_H

#include "scoring/explain.h"
#include "tests/units/score_text.h"

#define SAMPLES "tests/units/data/scoring/"

static inline struct explain *open_sample(const char *name)
{
	char truth[128], claims[128];
	struct diag d = {0};
	struct explain *x;

	snprintf(truth, sizeof(truth), SAMPLES "%s/truth.jsonl", name);
	snprintf(claims, sizeof(claims), SAMPLES "%s/claims.jsonl", name);
	x = explain_open(truth, claims, &d);
	cr_assert(x, "%s: %s", d.file, d.reason);
	return x;
}

/* Cells made up for one question each: one operation on thread 101, handoffs to 102. */
#define HEAD                                                                                       \
	"{\"truth\":1,\"workload\":\"x\",\"variant\":\"base\",\"seed\":1,\"clock\":\"monotonic\"," \
	"\"scored\":[0,10000],\"threads\":[101,102],\"keys\":[\"user_data\"],\"descriptors\":[]}"  \
	"\n"                                                                                       \
	"{\"r\":\"begin\",\"op\":\"0x1\",\"kind\":\"get\",\"tid\":101,\"t\":[10,12]}\n"
#define CLOSE(handoffs, events)                                                                    \
	"{\"r\":\"end\",\"op\":\"0x1\",\"tid\":101,\"t\":[9000,9005]}\n{\"r\":\"close\","          \
	"\"counts\":{\"begin\":1,\"end\":1,\"segment\":0,\"handoff\":" #handoffs                   \
	",\"event\":" #events "},\"full\":false}\n"
#define SENT(id, seq, key, src, ready, dst)                                                        \
	"{\"r\":\"handoff\",\"id\":\"" id "\",\"type\":\"io\",\"seq\":" #seq                       \
	",\"key\":{\"ns\":\"user_data\",\"v\":\"" key "\"},\"src\":{\"op\":\"0x1\",\"tid\":101,"   \
	"\"t\":" src "},\"dst\":{\"op\":\"0x1\",\"tid\":102,\"take\":" #seq ",\"ready\":" ready    \
	",\"t\":" dst "},\"marks\":[]}\n"
#define CLAIMS                                                                                     \
	"{\"claims\":1,\"profiler\":\"x\",\"version\":\"1\",\"clock\":\"monotonic\",\"declares\":" \
	"[\"handoff:io\",\"event\"]}\n"
#define JOINED(src, dst, key)                                                                      \
	"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":101,\"t\":" #src                      \
	"},\"dst\":{\"tid\":102,\"t\":" #dst "},\"key\":{\"ns\":\"user_data\",\"v\":\"" key        \
	"\"}}\n"

static inline struct explain *open_text(const char *truth, const char *claims)
{
	char truth_path[64], claims_path[64];
	struct diag d = {0};
	struct explain *x;

	text_file(truth_path, truth);
	text_file(claims_path, claims);
	x = explain_open(truth_path, claims_path, &d);
	unlink(truth_path);
	unlink(claims_path);
	cr_assert(x, "%s:%lu: %s", d.file, d.line, d.reason);
	return x;
}

static inline char *claim_text(const struct explain *x, size_t number)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	cr_assert_eq(explain_claim(x, number, f), 0);
	fclose(f);
	return text;
}

static inline char *cell_text(const struct explain *x)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	cr_assert_eq(explain_cell(x, f), 0);
	fclose(f);
	return text;
}

#endif
