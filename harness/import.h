/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Claims from what other tools write, for tools that cannot be started by an adapter.
 *
 * Each format is read by the strongest reading that it supports, and no stronger:
 *
 *   folded   "frame;frame;frame COUNT", Brendan Gregg's collapsed stacks: the last frame's own
 *            time, as `profile` claims by function, COUNT times the unit; or by thread, where the
 *            first frame is COMM-TID or COMM-PID/TID (stackcollapse-perf.pl --tid)
 *   chrome   the Trace Event Format's flow events: "s" is the sending end, "f" the receiving one,
 *            bound by (cat, name, id); ts is in microseconds. A flow without its "s" is an orphan
 *   otlp     OTLP/JSON, one request or one a line. A span with a parent, or a link, on another
 *            thread (attribute thread.id) is a handoff whose receiving end is its start. The
 *            sending end is known only where the other span has kind PRODUCER (the span is the
 *            call that sends): its start; otherwise it is an orphan. Unix time becomes
 *            CLOCK_MONOTONIC by the offset
 *   ndjson   a JSON object a line, fields by name: src.tid src.t dst.tid dst.t type conf key.ns
 *            key.v key.scope, or the names that the user gives; without src.tid: an orphan;
 *            a key without key.ns is in the space of the type
 *
 * What a format holds besides is counted, not guessed at. The whole file is read into memory.
 */
#ifndef ASSAY_HARNESS_IMPORT_H
#define ASSAY_HARNESS_IMPORT_H

#include <stdint.h>

#include "lib/diag.h"
#include "lib/formats/claims.h"

enum import_format { IMPORT_CHROME = 0, IMPORT_FOLDED, IMPORT_OTLP, IMPORT_NDJSON, IMPORT_CNT };

enum import_field {
	FIELD_SRC_TID = 0,
	FIELD_SRC_T,
	FIELD_DST_TID,
	FIELD_DST_T,
	FIELD_TYPE,
	FIELD_CONF,
	FIELD_KEY_NS,
	FIELD_KEY_V,
	FIELD_KEY_SCOPE,
	FIELD_CNT,
};
extern const char *const import_fields[FIELD_CNT]; /* the names above */

struct import_options {
	enum import_format format;
	const char *profiler; /* name in the header */
	int type;	      /* enum handoff_type where the file does not say; -1: it must */
	int64_t offset_ns;    /* added to every time */
	uint64_t unit_ns;     /* of a folded count */
	uint8_t by;	      /* of folded stacks: BY_FUNCTION or BY_THREAD */
	const char *path[FIELD_CNT]; /* ndjson: dotted path of a field */
};

/* Why an entry gives no claim. */
enum import_left {
	LEFT_OTHER = 0, /* what the format holds besides */
	LEFT_ROOT,	/* a span without parent or link */
	LEFT_NO_THREAD, /* a span that does not say on which thread it ran */
	LEFT_SAME,	/* a span on the thread of the one that it came from */
	LEFT_NO_END,	/* an object with neither of the two ends */
	LEFT_NO_FRAME,	/* a stack whose frames name nobody */
	LEFT_CNT,
};
extern const char *const import_left_words[LEFT_CNT];

struct import_result {
	uint64_t claims, orphans;
	uint64_t times, whole_us; /* ends, and those at a whole microsecond */
	uint64_t keys_ignored;	  /* of no space that the contract knows */
	uint64_t left[LEFT_CNT];  /* entries of the file that say nothing that could be claimed */
};

/* All of them, and the reason of most. */
uint64_t import_left_cnt(const struct import_result *r, enum import_left *ret_most);

/* -EINVAL: malformed, with file and line; nothing is written then. */
int import_claims(const char *from, const char *to, enum claims_form form,
		  const struct import_options *o, struct import_result *ret, struct diag *d);

/* ---- parts, in import_*.c ---- */

/* Where claims go. The file is read twice: to learn what it declares, then to write it. */
struct import {
	const char *from;
	const struct import_options *o;
	struct claims_writer *w; /* NULL in the first pass */
	uint32_t declares;
	struct import_result result;
	struct diag *d;
};

/* Counts a claim, and writes it in the second pass. */
int import_put(struct import *x, struct claim *c);
/* The id of a word for strN of a claim. */
int64_t import_word(struct import *x, const char *word);
int import_bad(struct import *x, uint64_t line, const char *cure, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* A type by its word, or the one of the options; -EINVAL with the diag. */
int import_type(struct import *x, uint64_t line, const char *word, size_t len);

/* One whole text each. text is NUL-terminated and may be written to. */
int import_folded(struct import *x, char *text, size_t len);
int import_chrome(struct import *x, char *text, size_t len);
int import_otlp(struct import *x, char *text, size_t len);
int import_ndjson(struct import *x, char *text, size_t len);

#endif
