/* SPDX-License-Identifier: BSD-2-Clause */
/* The packed form of truth: the same content as the text, and no damage goes unseen. */
#include "tests/units/truth_help.h"

#include "groundtruth/truth_pack.h"

static char *text_of_contract(void)
{
	size_t len;

	return read_bytes("tests/units/data/truth/contract.jsonl", &len);
}

/* Packs the text into a file. */
static const char *pack(const char *text)
{
	const char *path = scratch("bin");
	struct truth t;
	struct diag d = {0};

	cr_assert(load_text(text, &t, &d) == 0);
	cr_assert(truth_save(&t, path, &d) == 0, "%s", d.reason);
	truth_free(&t);
	return path;
}

Test(truth_pack, holds_what_the_text_holds)
{
	char *text = text_of_contract(), *again;
	const char *path = pack(text);
	struct truth t;
	struct diag d = {0};

	cr_assert(truth_load(path, &t, &d) == 0, "%s", d.reason);
	again = export_text(&t);
	cr_assert(strcmp(again, text) == 0, "%s", again);
	cr_assert(truth_check(&t, path, &d) == 0, "%s", d.reason);
	truth_free(&t);
	unlink(path);
	free(again);
	free(text);
}

Test(truth_pack, gives_the_same_bytes_when_packed_twice)
{
	char *text = text_of_contract(), *first, *second;
	const char *path = pack(text);
	const char *copy = scratch("copy");
	size_t a, b;
	struct truth t;
	struct diag d;

	cr_assert(truth_load(path, &t, &d) == 0);
	cr_assert(truth_save(&t, copy, &d) == 0);
	first = read_bytes(path, &a);
	second = read_bytes(copy, &b);
	cr_assert(a == b && memcmp(first, second, a) == 0);
	truth_free(&t);
	unlink(path);
	unlink(copy);
	free(first);
	free(second);
	free(text);
}

static int load_bytes(const char *bytes, size_t len, struct diag *d)
{
	const char *path = scratch("cut");
	struct truth t;
	int err;

	write_bytes(path, bytes, len);
	err = truth_load(path, &t, d);
	unlink(path);
	if (!err)
		truth_free(&t);
	return err;
}

Test(truth_pack, refuses_every_truncation)
{
	char *text = text_of_contract();
	const char *path = pack(text);
	size_t len;
	char *bytes = read_bytes(path, &len);

	for (size_t n = 0; n < len; n += n < 64 ? 1 : 61) {
		struct diag d = {0};

		cr_assert(load_bytes(bytes, n, &d) == -EINVAL, "%zu of %zu bytes", n, len);
		cr_assert(d.reason[0] && d.cure[0]);
	}
	unlink(path);
	free(bytes);
	free(text);
}

/* No byte of the file is outside the checksum, padding and header included. */
static void refuse_every_flip(const char *path)
{
	size_t len;
	char *bytes = read_bytes(path, &len);

	for (size_t at = 0; at < len; at++) {
		struct diag d = {0};

		bytes[at] ^= 0x10;
		cr_assert(load_bytes(bytes, len, &d) == -EINVAL, "byte %zu of %zu", at, len);
		cr_assert(d.reason[0]);
		bytes[at] ^= 0x10;
	}
	cr_assert(load_bytes(bytes, len, NULL) == 0);
	free(bytes);
}

Test(truth_pack, refuses_every_flipped_byte)
{
	char *text = text_of_contract();
	const char *path = pack(text);

	refuse_every_flip(path);
	unlink(path);
	free(text);
}

/* Loads the packed contract after one change of its bytes under a checksum that fits; says what was
 * found. */
static void refuse_change(size_t at, const void *v, size_t size, const char *says)
{
	char *text = text_of_contract();
	const char *path = pack(text);
	size_t len;
	char *bytes = read_bytes(path, &len);
	struct diag d = {0};

	cr_assert(at + size <= len);
	memcpy(bytes + at, v, size);
	pack_seal(bytes, len);
	cr_assert(load_bytes(bytes, len, &d) == -EINVAL, "change at %zu was taken", at);
	cr_assert(strstr(d.reason, says) != NULL, "says %s and not %s", d.reason, says);
	unlink(path);
	free(bytes);
	free(text);
}

/* Where a field of element i of an array stands in the file. */
static size_t place(enum truth_array a, size_t i, size_t field)
{
	char *text = text_of_contract();
	const char *path = pack(text);
	size_t len, at;
	char *bytes = read_bytes(path, &len);
	struct pack_header h;

	memcpy(&h, bytes, sizeof(h));
	cr_assert(i < h.arrays[a].cnt);
	at = h.arrays[a].off + i * h.arrays[a].size + field;
	unlink(path);
	free(bytes);
	free(text);
	return at;
}

#define BREAK(array, i, type, field, value, says)                                                  \
	do {                                                                                       \
		__typeof__(((struct type *)0)->field) v_ = (value);                                \
		refuse_change(place(array, i, offsetof(struct type, field)), &v_, sizeof(v_),      \
			      says);                                                               \
	} while (0)

Test(truth_pack, refuses_numbers_outside_their_vocabulary)
{
	BREAK(ARRAY_HANDOFFS, 1, truth_handoff, type, HANDOFF_TYPE_CNT, "handoff 1");
	BREAK(ARRAY_HANDOFFS, 0, truth_handoff, key.ns, KEY_NS_CNT, "handoff 0");
	BREAK(ARRAY_EVENTS, 1, truth_event, kind, EVENT_KIND_CNT, "event 1");
	BREAK(ARRAY_EVENTS, 0, truth_event, class_str, 9999, "event 0");
	BREAK(ARRAY_EFFECTS, 0, truth_effect, kind, 3, "effect 0");
	BREAK(ARRAY_OPS, 0, truth_op, kind_str, 9999, "operation 0");
	BREAK(ARRAY_OPS, 1, truth_op, has_end, 2, "operation 1");
	BREAK(ARRAY_COSTS, 0, truth_cost, kind_str, 9999, "cost 0");
	BREAK(ARRAY_COSTS, 0, truth_cost, of, COST_OF_CNT, "cost 0");
	BREAK(ARRAY_COSTS, 0, truth_cost, of, COST_OF_PAIR, "cost 0"); /* it has an operation */
	BREAK(ARRAY_COSTS, 0, truth_cost, name_str, 1, "cost 0");
	BREAK(ARRAY_LIVES, 0, truth_live, at_start, 2, "life 0");
	BREAK(ARRAY_DIAGNOSES, 0, truth_diagnosis, label_str, 9999, "diagnosis 0");
	BREAK(ARRAY_DECOYS, 0, truth_decoy, type, 10, "decoy 0");
	BREAK(ARRAY_DESCRIPTORS, 0, truth_descriptor, valid, 2, "descriptor 0");
}

Test(truth_pack, refuses_reversed_windows)
{
	BREAK(ARRAY_SEGMENTS, 0, truth_segment, t.t1, 5, "segment 0");
	BREAK(ARRAY_HANDOFFS, 0, truth_handoff, dst_ready.t1, 5, "handoff 0");
	BREAK(ARRAY_LOSSES, 0, truth_loss, to, 5, "loss 0");
}

Test(truth_pack, refuses_an_order_that_is_none)
{
	uint32_t twice = (uint32_t)REC_SEGMENT << TRUTH_INDEX_BITS | 0;
	uint32_t far = (uint32_t)REC_BEGIN << TRUTH_INDEX_BITS | 77;
	uint32_t kind = 15u << TRUTH_INDEX_BITS;

	refuse_change(place(ARRAY_ORDER, 0, 0), &twice, sizeof(twice), "record");
	refuse_change(place(ARRAY_ORDER, 1, 0), &far, sizeof(far), "record 1");
	refuse_change(place(ARRAY_ORDER, 2, 0), &kind, sizeof(kind), "record 2");
}

Test(truth_pack, refuses_impossible_headers)
{
	uint32_t version = 1, words = 1u << 30;
	uint64_t off = 1 << 30, size = 1;

	refuse_change(offsetof(struct pack_header, version), &version, sizeof(version),
		      "version 1");
	refuse_change(offsetof(struct pack_header, words_cnt), &words, sizeof(words), "header");
	refuse_change(offsetof(struct pack_header, words_off), &off, sizeof(off), "header");
	refuse_change(offsetof(struct pack_header, arrays[ARRAY_OPS].off), &off, sizeof(off),
		      "outside the file");
	refuse_change(offsetof(struct pack_header, arrays[ARRAY_OPS].size), &size, sizeof(size),
		      "another size");
	refuse_change(offsetof(struct pack_header, workload_str), &words, sizeof(words), "header");
}

Test(truth_pack, leaves_no_file_when_it_cannot_write)
{
	struct truth t;
	struct diag d = {0};

	cr_assert(load_text(HEADER, &t, &d) == 0);
	cr_assert(truth_save(&t, "/nonexistent/truth.bin", &d) < 0);
	cr_assert(d.reason[0]);
	truth_free(&t);
}
