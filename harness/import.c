/* SPDX-License-Identifier: BSD-2-Clause */
/* What all formats share, and the two passes. */
#include "harness/import.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"

enum { IMPORT_MAX_BYTES = 1 << 30 };

const char *const import_fields[FIELD_CNT] = {"src.tid", "src.t",  "dst.tid", "dst.t",	  "type",
					      "conf",	 "key.ns", "key.v",   "key.scope"};

int import_bad(struct import *x, uint64_t line, const char *cure, const char *fmt, ...)
{
	char reason[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	return diag_set(x->d, -EINVAL, x->from, line, cure, "%s", reason);
}

int import_type(struct import *x, uint64_t line, const char *word, size_t len)
{
	int type = word ? handoff_type_parse(word, len) : -1;

	if (type < 0)
		type = x->o->type;
	if (type < 0)
		return import_bad(x, line, "say what kind of handoff it is: --type wake",
				  "nothing says of which type the handoff is%s%.*s",
				  word ? "; no type is called " : "", word ? (int)len : 0,
				  word ? word : "");
	return type;
}

int64_t import_word(struct import *x, const char *word)
{
	return x->w ? claims_writer_str(x->w, word) : 1;
}

static void count_time(struct import_result *r, uint64_t t)
{
	r->times++;
	r->whole_us += t % 1000 == 0;
}

int import_put(struct import *x, struct claim *c)
{
	if (c->kind == CLAIM_HANDOFF && (c->has & HAS_SRC))
		count_time(&x->result, c->handoff.src_t);
	if (c->kind == CLAIM_HANDOFF && (c->has & HAS_DST))
		count_time(&x->result, c->handoff.dst_t);
	x->declares |= claim_declares(c);
	x->result.claims++;
	x->result.orphans += c->kind == CLAIM_HANDOFF && !(c->has & HAS_SRC);
	return x->w ? claims_writer_put(x->w, c) : 0;
}

const char *const import_left_words[LEFT_CNT] = {
	[LEFT_OTHER] = "of other kinds, which say nothing of where work went",
	[LEFT_ROOT] = "spans without a parent or a link",
	[LEFT_NO_THREAD] = "spans without an attribute thread.id of kind intValue",
	[LEFT_SAME] = "spans on the thread of the span that they came from",
	[LEFT_NO_END] = "objects without src.tid or dst.tid",
	[LEFT_NO_FRAME] = "stacks whose first frame is not COMM-TID, or whose last is empty",
};
static const char *const left_cures[LEFT_CNT] = {
	[LEFT_OTHER] = "is it this format?",
	[LEFT_ROOT] = "a handoff is a span with a parentSpanId or links, on another thread",
	[LEFT_NO_THREAD] = "write the kernel's thread id as attribute thread.id",
	[LEFT_SAME] = "a handoff is a span on another thread than its parent",
	[LEFT_NO_END] = "name the fields: --field src.tid=PATH --field src.t=PATH, dst alike",
	[LEFT_NO_FRAME] = "--by function, or stackcollapse-perf.pl --tid",
};

uint64_t import_left_cnt(const struct import_result *r, enum import_left *ret_most)
{
	unsigned most = 0;
	uint64_t cnt = 0;

	for (unsigned i = 0; i < LEFT_CNT; i++) {
		cnt += r->left[i];
		most = r->left[i] > r->left[most] ? i : most;
	}
	*ret_most = (enum import_left)most;
	return cnt;
}

static int pass(struct import *x, const char *text, size_t len)
{
	static int (*const readers[IMPORT_CNT])(struct import *, char *,
						size_t) = {[IMPORT_CHROME] = import_chrome,
							   [IMPORT_FOLDED] = import_folded,
							   [IMPORT_OTLP] = import_otlp,
							   [IMPORT_NDJSON] = import_ndjson};
	char *copy = malloc(len + 1);
	int rc;

	if (!copy)
		return diag_set(x->d, -ENOMEM, x->from, 0, NULL, "out of memory");
	memcpy(copy, text, len + 1);
	x->result = (struct import_result){0};
	rc = readers[x->o->format](x, copy, len);
	free(copy);
	return rc;
}

static int write_pass(struct import *x, const char *text, size_t len, const char *to,
		      enum claims_form form)
{
	struct claims_header h = {.version = "1", .declares = x->declares};
	int rc, closed;

	snprintf(h.profiler, sizeof(h.profiler), "%s", x->o->profiler);
	x->w = claims_writer_open(to, form, &h, x->d);
	if (!x->w)
		return x->d->err;
	rc = pass(x, text, len);
	closed = claims_writer_close(x->w, rc ? NULL : x->d);
	return rc ? rc : closed;
}

static int nothing(struct import *x)
{
	enum import_left most;
	uint64_t cnt = import_left_cnt(&x->result, &most);

	return import_bad(x, 0, left_cures[most],
			  "it holds nothing that can be claimed: %llu entries, %llu of them %s",
			  (unsigned long long)cnt, (unsigned long long)x->result.left[most],
			  import_left_words[most]);
}

int import_claims(const char *from, const char *to, enum claims_form form,
		  const struct import_options *o, struct import_result *ret, struct diag *d)
{
	struct import x = {.from = from, .o = o, .d = d};
	size_t len;
	char *text;
	int rc = file_read(from, IMPORT_MAX_BYTES, &text, &len, d);

	if (rc)
		return rc;
	rc = pass(&x, text, len);
	if (!rc && !x.result.claims)
		rc = nothing(&x);
	if (!rc)
		rc = write_pass(&x, text, len, to, form);
	free(text);
	if (!rc)
		*ret = x.result;
	return rc;
}
