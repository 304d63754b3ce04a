/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Truth from its text form (contracts §2): JSON Lines, one record a line, the header first.
 *
 * Fields may stand in any order and unknown ones are ignored; an unknown record, a missing required
 * field, an impossible value or a blank line is malformed. What the records mean together is
 * truth_check's to judge.
 */
#include "groundtruth/truth_fields.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/lines.h"

static void read_key(struct truth_line *x, const struct json_value *o, struct truth_key *ret)
{
	struct json_value key = {0};

	if (x->err || !json_get(o, "key", &key) || key.kind == JSON_NULL)
		return;
	line_object(x, o, "key", &key);
	line_word(x, &key, "ns", key_ns_parse, "key space", &ret->ns);
	if (ret->ns == KEY_OTHER)
		line_str(x, &key, "ns", &ret->ns_str);
	ret->has_scope = line_u64_maybe(x, &key, "scope", &ret->scope);
	line_u64(x, &key, "v", &ret->v);
}

static int read_begin(struct truth_line *x, const struct json_value *o)
{
	struct truth_op op = {0};

	line_u64(x, o, "op", &op.id);
	line_str(x, o, "kind", &op.kind_str);
	line_u32(x, o, "tid", &op.begin_tid);
	line_window(x, o, "t", &op.begin);
	return x->err ? x->err : truth_build_begin(x->b, &op);
}

static int read_end(struct truth_line *x, const struct json_value *o)
{
	struct truth_op op = {0};
	struct json_value v;

	line_u64(x, o, "op", &op.id);
	line_u32(x, o, "tid", &op.end_tid);
	line_window(x, o, "t", &op.end);
	if (json_get(o, "open", &v))
		line_bool(x, o, "open", &op.open);
	return x->err ? x->err : truth_build_end(x->b, &op);
}

static int read_segment(struct truth_line *x, const struct json_value *o)
{
	struct truth_segment s = {0};

	line_u64(x, o, "op", &s.op);
	line_u32(x, o, "tid", &s.tid);
	line_window(x, o, "t", &s.t);
	return x->err ? x->err : truth_build_record(x->b, ARRAY_SEGMENTS, REC_SEGMENT, &s);
}

/* An end that is null or missing is none; the self-checks know when that may be. */
static bool has_end(struct truth_line *x, const struct json_value *o, const char *name,
		    uint8_t null_bit, struct truth_handoff *h, struct json_value *ret)
{
	if (x->err || !json_get(o, name, ret))
		return false;
	if (ret->kind == JSON_NULL) {
		h->has |= null_bit;
		return false;
	}
	line_object(x, o, name, ret);
	return !x->err;
}

static void read_ends(struct truth_line *x, const struct json_value *o, struct truth_handoff *h)
{
	struct json_value src, dst;

	if (has_end(x, o, "src", TH_SRC_NULL, h, &src)) {
		h->has |= TH_SRC;
		line_u64(x, &src, "op", &h->src_op);
		line_u32(x, &src, "tid", &h->src_tid);
		line_window(x, &src, "t", &h->src_t);
	}
	if (has_end(x, o, "dst", TH_DST_NULL, h, &dst)) {
		h->has |= TH_DST;
		line_u64(x, &dst, "op", &h->dst_op);
		line_u32(x, &dst, "tid", &h->dst_tid);
		if (line_u64_maybe(x, &dst, "take", &h->take))
			h->has |= TH_TAKE;
		line_window(x, &dst, "ready", &h->dst_ready);
		line_window(x, &dst, "t", &h->dst_t);
	}
	if (!(h->has & (TH_SRC | TH_DST)))
		line_fault(x, "give it a src, a dst or both", "%s has neither \"src\" nor \"dst\"",
			   x->record);
}

static void read_marks(struct truth_line *x, const struct json_value *o, struct truth_handoff *h)
{
	struct json_value v;
	struct json_iter it;

	if (x->err || !json_get(o, "marks", &v) || !line_array(x, o, "marks", &it))
		return;
	h->has |= TH_MARKS;
	while (!x->err && json_iter_next(&it, NULL, &v)) {
		int bit = v.kind == JSON_STRING ? mark_parse(v.str.s, v.str.len) : -1;

		if (bit < 0)
			line_fault(x, "use a word of the contract",
				   "\"marks\" of %s holds something that is no mark", x->record);
		else
			h->marks |= (uint16_t)(1u << bit);
	}
}

static int read_handoff(struct truth_line *x, const struct json_value *o)
{
	struct truth_handoff h = {0};

	line_u64(x, o, "id", &h.id);
	line_word(x, o, "type", handoff_type_parse, "handoff type", &h.type);
	if (line_u64_maybe(x, o, "seq", &h.seq))
		h.has |= TH_SEQ;
	read_key(x, o, &h.key);
	read_ends(x, o, &h);
	read_marks(x, o, &h);
	if (line_u64_maybe(x, o, "amb", &h.amb))
		h.has |= TH_AMB;
	return x->err ? x->err : truth_build_record(x->b, ARRAY_HANDOFFS, REC_HANDOFF, &h);
}

static int read_event(struct truth_line *x, const struct json_value *o)
{
	struct truth_event e = {.has = TE_OP | TE_UNITS};
	struct json_value v;

	line_word(x, o, "event", event_kind_parse, "event", &e.kind);
	line_str(x, o, "class", &e.class_str);
	line_u64(x, o, "instance", &e.instance);
	line_u64(x, o, "life", &e.life);
	line_u64(x, o, "units", &e.units);
	line_u64(x, o, "op", &e.op);
	line_u32(x, o, "tid", &e.tid);
	line_window(x, o, "t", &e.t);
	if (json_get(o, "desc", &v)) {
		line_u32(x, o, "desc", &e.desc);
		e.has |= TE_DESC;
	}
	return x->err ? x->err : truth_build_record(x->b, ARRAY_EVENTS, REC_EVENT, &e);
}

static int read_effect(struct truth_line *x, const struct json_value *o)
{
	struct truth_effect e = {0};

	line_u64(x, o, "cause", &e.cause);
	line_word(x, o, "kind", effect_kind_parse, "effect", &e.kind);
	line_u32(x, o, "tid", &e.tid);
	line_window(x, o, "t", &e.t);
	line_u64(x, o, "v", &e.v);
	return x->err ? x->err : truth_build_record(x->b, ARRAY_EFFECTS, REC_EFFECT, &e);
}

static int read_cost(struct truth_line *x, const struct json_value *o)
{
	struct truth_cost c = {0};

	line_cost_of(x, o, &c);
	line_str(x, o, "kind", &c.kind_str);
	line_u64(x, o, "v", &c.v);
	return x->err ? x->err : truth_build_record(x->b, ARRAY_COSTS, REC_COST, &c);
}

static int read_loss(struct truth_line *x, const struct json_value *o)
{
	struct truth_loss l = {0};

	line_u64(x, o, "from", &l.from);
	line_u64(x, o, "to", &l.to);
	l.has_lost = line_u64_maybe(x, o, "lost", &l.lost);
	if (!x->err && l.from > l.to)
		line_fault(x, "write the earlier time first", "%s ends before it begins",
			   x->record);
	return x->err ? x->err : truth_build_record(x->b, ARRAY_LOSSES, REC_LOSS, &l);
}

static int read_live(struct truth_line *x, const struct json_value *o)
{
	struct truth_live l = {0};
	struct json_value at;

	line_u64(x, o, "life", &l.life);
	line_u64(x, o, "units", &l.units);
	if (json_get(o, "at", &at)) {
		l.at_start = json_str_is(&at, "start");
		if (!l.at_start)
			line_fault(x, "write \"at\":\"start\", or leave it out",
				   "\"at\" of %s is not \"start\"", x->record);
	}
	return x->err ? x->err : truth_build_record(x->b, ARRAY_LIVES, REC_LIVE, &l);
}

static int read_diagnosis(struct truth_line *x, const struct json_value *o)
{
	struct truth_diagnosis g = {0};

	line_str(x, o, "label", &g.label_str);
	line_str(x, o, "subject", &g.subject_str);
	line_window(x, o, "t", &g.t);
	return x->err ? x->err : truth_build_record(x->b, ARRAY_DIAGNOSES, REC_DIAGNOSIS, &g);
}

static void read_decoy_as(struct truth_line *x, const struct json_value *o, struct truth_decoy *y)
{
	struct json_value as;

	if (!line_field(x, o, "as", &as))
		return;
	y->as_event = json_str_is(&as, "event");
	if (y->as_event) {
		line_word(x, o, "event", event_kind_parse, "event", &y->type);
		line_str(x, o, "class", &y->class_str);
		line_u64(x, o, "instance", &y->instance);
	} else if (json_str_is(&as, "handoff")) {
		line_word(x, o, "type", handoff_type_parse, "handoff type", &y->type);
		read_key(x, o, &y->key);
	} else {
		line_fault(x, "write handoff or event", "\"as\" of %s is neither handoff nor event",
			   x->record);
	}
}

static int read_decoy(struct truth_line *x, const struct json_value *o)
{
	struct truth_decoy y = {0};

	y.has_id = line_u64_maybe(x, o, "id", &y.id);
	read_decoy_as(x, o, &y);
	line_u32(x, o, "tid", &y.tid);
	line_window(x, o, "t", &y.t);
	return x->err ? x->err : truth_build_record(x->b, ARRAY_DECOYS, REC_DECOY, &y);
}

static int read_close(struct truth_line *x, const struct json_value *o)
{
	struct truth_counts n = {0};
	struct json_value counts = {0};
	uint8_t full = 0;

	line_object(x, o, "counts", &counts);
	line_u64(x, &counts, "begin", &n.begin);
	line_u64(x, &counts, "end", &n.end);
	line_u64(x, &counts, "segment", &n.segment);
	line_u64(x, &counts, "handoff", &n.handoff);
	line_u64(x, &counts, "event", &n.event);
	line_bool(x, o, "full", &full);
	return x->err ? x->err : truth_build_close(x->b, &n, full);
}

static const struct {
	const char *word, *record;
	int (*read)(struct truth_line *x, const struct json_value *o);
} readers[] = {
	{"begin", "a begin record", read_begin},
	{"end", "an end record", read_end},
	{"segment", "a segment record", read_segment},
	{"handoff", "a handoff record", read_handoff},
	{"event", "an event record", read_event},
	{"effect", "an effect record", read_effect},
	{"cost", "a cost record", read_cost},
	{"loss", "a loss record", read_loss},
	{"live", "a live record", read_live},
	{"diagnosis", "a diagnosis record", read_diagnosis},
	{"decoy", "a decoy record", read_decoy},
	{"close", "a close record", read_close},
};

static int read_record(struct truth_line *x, const struct json_value *o)
{
	struct json_value r;

	x->record = "a record";
	if (!line_field(x, o, "r", &r))
		return x->err;
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (json_str_is(&r, readers[i].word)) {
			x->record = readers[i].record;
			return readers[i].read(x, o);
		}
	return line_fault(x, "remove the line, or use a newer assay",
			  "\"r\" names a kind of record that does not exist");
}

/* ---- the header ---- */

static int read_keys(struct truth_line *x, const struct json_value *o)
{
	struct json_iter it;
	struct json_value v;

	if (!line_array(x, o, "keys", &it))
		return x->err;
	while (!x->err && json_iter_next(&it, NULL, &v)) {
		uint32_t word = 0, *to;
		int ns;

		line_intern(x, &v, "keys", &word);
		to = x->err ? NULL : truth_build_add(x->b, ARRAY_KEYS);
		if (!to)
			return x->err ? x->err : -errno;
		*to = word;
		ns = key_ns_parse(v.str.s, v.str.len);
		if (ns == KEY_OTHER)
			return line_fault(x, "list spaces of user_data uaddr task work fd timerfd",
					  "\"keys\" lists \"%s\", which is no key space", v.str.s);
		x->b->t.keys |= 1u << ns;
	}
	return x->err;
}

static int read_threads(struct truth_line *x, const struct json_value *o)
{
	struct json_iter it;
	struct json_value v;
	uint64_t tid;

	if (!line_array(x, o, "threads", &it))
		return x->err;
	while (json_iter_next(&it, NULL, &v)) {
		uint32_t *to;

		if (json_u64(&v, &tid) || tid > UINT32_MAX)
			return line_fault(x, "list thread ids",
					  "\"threads\" holds something that is no thread id");
		to = truth_build_add(x->b, ARRAY_THREADS);
		if (!to)
			return -errno;
		*to = (uint32_t)tid;
	}
	return 0;
}

static int read_descriptor(struct truth_line *x, const struct json_value *o)
{
	struct truth_descriptor v = {0}, *to;

	x->record = "a descriptor";
	if (o->kind != JSON_OBJECT)
		return line_fault(x, "write {…}",
				  "\"descriptors\" holds something that is no "
				  "object");
	line_u32(x, o, "id", &v.id);
	line_str(x, o, "resource", &v.resource_str);
	line_bool(x, o, "valid", &v.valid);
	v.has_since = line_u64_maybe(x, o, "since", &v.since);
	v.has_contradicted = line_u64_maybe(x, o, "contradicted", &v.contradicted);
	if (!x->err && !v.valid && !v.has_since)
		line_fault(x, "say since when", "an invalid descriptor has no \"since\"");
	if (x->err)
		return x->err;
	to = truth_build_add(x->b, ARRAY_DESCRIPTORS);
	if (!to)
		return -errno;
	*to = v;
	return 0;
}

static int read_descriptors(struct truth_line *x, const struct json_value *o)
{
	struct json_iter it;
	struct json_value v;
	int err = 0;

	if (!line_array(x, o, "descriptors", &it))
		return x->err;
	while (!err && json_iter_next(&it, NULL, &v))
		err = read_descriptor(x, &v);
	return err;
}

static void read_versions(struct truth_line *x, const struct json_value *o)
{
	struct json_value clock;
	uint64_t version = 0;

	line_u64(x, o, "truth", &version);
	if (!x->err && version != 1)
		line_fault(x, "use a newer assay", "truth of version %llu; this assay reads 1",
			   (unsigned long long)version);
	if (line_field(x, o, "clock", &clock) && !json_str_is(&clock, "monotonic"))
		line_fault(x, "stamp with CLOCK_MONOTONIC", "\"clock\" is not \"monotonic\"");
}

static int read_header(struct truth_line *x, const struct json_value *o)
{
	struct truth *t = &x->b->t;
	int err;

	x->record = "the header";
	read_versions(x, o);
	line_str(x, o, "workload", &t->workload_str);
	line_str(x, o, "variant", &t->variant_str);
	line_u64(x, o, "seed", &t->seed);
	line_window(x, o, "scored", &t->scored);
	if (x->err)
		return x->err;
	err = read_threads(x, o);
	if (!err)
		err = read_keys(x, o);
	return err ? err : read_descriptors(x, o);
}

/* ---- the file ---- */

static int read_line(struct truth_line *x, struct json_parser *p, const char *s, size_t len)
{
	struct json_value o;
	const char *why = "out of memory";
	int err;

	if (!len)
		return line_fault(x, "remove the line", "a blank line");
	err = json_parse(p, s, len, &o, &why);
	if (err == -EINVAL)
		return line_fault(x, "every line is one JSON object; is the file cut short?", "%s",
				  why);
	if (!err && o.kind != JSON_OBJECT)
		return line_fault(x, "every line is one JSON object", "the line is no object");
	if (!err)
		err = x->line == 1 ? read_header(x, &o) : read_record(x, &o);
	if (err && !x->err)
		x->err = diag_set(x->d, err, x->path, x->line, NULL, "cannot hold this truth: %s",
				  strerror(-err));
	return x->err;
}

static int read_lines(struct truth_line *x, struct json_parser *p, int fd)
{
	struct lines in;
	const char *s;
	size_t len;
	int got, err = 0;

	lines_init(&in, fd);
	while (!err && (got = lines_next(&in, &s, &len)) > 0) {
		x->line = in.line;
		err = read_line(x, p, s, len);
	}
	if (!err && got == -EMSGSIZE)
		err = diag_set(x->d, -EINVAL, x->path, in.line, "is this a truth file?",
			       "a line longer than %d MiB", LINES_MAX_BYTES >> 20);
	else if (!err && got < 0)
		err = file_error(x->d, got, x->path, "read");
	else if (!err && !x->line)
		err = diag_set(x->d, -EINVAL, x->path, 0, "truth begins with a header line",
			       "the file is empty");
	lines_free(&in);
	return err;
}

int truth_import(const char *path, int fd, struct truth *ret, struct diag *d)
{
	struct truth_build b;
	struct truth_line x = {.path = path, .d = d, .b = &b};
	struct json_parser *p = json_parser_new();
	int err = truth_build_init(&b);

	if (err || !p)
		err = diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	else
		err = read_lines(&x, p, fd);
	json_parser_free(p);
	if (err)
		truth_build_discard(&b);
	else
		truth_build_finish(&b, ret);
	return err;
}
