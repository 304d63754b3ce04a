/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The claims table of contracts §3 as data, and the rules on values: private to lib/formats.
 *
 * One table serves the reader (what may, what must be there), the printer (order and form) and
 * the texts of errors. The rules on values stand in claim_fault alone, so that both forms, reader
 * and writer refuse the same claims. All data is const; all functions are pure.
 */
#ifndef ASSAY_LIB_FORMATS_CLAIMS_FIELDS_H
#define ASSAY_LIB_FORMATS_CLAIMS_FIELDS_H

#include "lib/formats/claims.h"
#include "lib/formats/json.h"

enum field_form {
	FORM_U64 = 0,	  /* printed as decimal */
	FORM_HEX = 1,	  /* the same, printed as "0x…": identities and addresses */
	FORM_U32 = 2,	  /* thread and descriptor ids */
	FORM_WORD = 3,	  /* interned */
	FORM_VOCAB = 4,	  /* one byte, a closed vocabulary */
	FORM_PROB = 5,	  /* double */
	FORM_CONTEXT = 6, /* {"tid","t"} and perhaps "kernel", or null */
	FORM_KEY = 7,	  /* {"ns","v"} and perhaps "scope" */
};

struct vocab {
	int (*parse)(const char *s, size_t len);
	const char *(*name)(unsigned v);
	unsigned first, end; /* the values that have words */
	const char *cure;
};

struct claim_field {
	const char *name;
	char id[8];   /* the name, zero-filled, so that a reader compares eight bytes at once */
	uint8_t form; /* enum field_form */
	uint8_t off;  /* in struct claim; of a context: its t */
	uint8_t tid_off;
	bool required;
	bool nullable;
	uint16_t has;	 /* enum claim_has that tells its presence, 0: none */
	uint16_t kernel; /* of a context: where "kernel":true goes, 0: not looked at */
	const struct vocab *vocab;
};

enum { CLAIM_FIELDS_MAX = 9 };

/* Fields from the first one on; a name of NULL ends them early. */
struct claim_shape {
	const char *name; /* the value of "c" */
	struct claim_field fields[CLAIM_FIELDS_MAX];
};

extern const struct claim_shape claim_shapes[CLAIM_KIND_CNT]; /* by enum claim_kind */

/* enum claim_kind, or -1. */
int claim_kind_parse(const char *s, size_t len);

/* What is impossible about a claim: two static sentences. */
struct claim_fault {
	const char *reason, *cure;
};

/*
 * The first impossible thing in a claim whose table has strings_cnt strings; NULL: it is sound.
 * Sound means: the contract's ranges, known vocabulary, required words there, and every byte that
 * says nothing is zero.
 */
const struct claim_fault *claim_fault(const struct claim *c, uint32_t strings_cnt);

/* Sets and clears the bits that have one right value for the kind (see claims.h). */
void claim_normalise(struct claim *c);

/* One line of JSON (without its '\n') to a claim; words go to strings. path, line for *d only. */
int claim_from_json(const struct json_value *v, struct strtab *strings, struct claim *ret,
		    const char *path, uint64_t line, struct diag *d);
int claims_header_from_json(const struct json_value *v, struct claims_header *ret, const char *path,
			    struct diag *d);
/* The header's line with '\n'. */
int claims_header_print(FILE *out, const struct claims_header *h);

#endif
