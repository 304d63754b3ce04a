/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mappings of a manifest by table: which keys there are, what each takes, where its value goes.
 *
 * Everything that a table can say is checked here (unknown keys, keys twice, missing ones, types,
 * ranges); rules between values are in manifest_rules.c. The first error ends the reading.
 */
#ifndef ASSAY_LIB_FORMATS_MANIFEST_FIELDS_H
#define ASSAY_LIB_FORMATS_MANIFEST_FIELDS_H

#include "lib/formats/manifest.h"
#include "lib/formats/manifest_tree.h"

struct reading {
	struct tree tree;
	struct manifest m;
	struct diag *d;
};

struct field {
	const char *key;
	const char *help; /* one line: what it takes; the cure of its errors */
	bool required;
	uint32_t at, size; /* of the slot in the struct */
	int (*read)(struct reading *r, const struct field *f, const struct node *n, void *slot);
	int (*parse)(const char *s, size_t len); /* of read_choice */
	uint64_t min, max;			 /* of read_u64, read_u32, read_u8 */
};

struct shape {
	const char *what; /* "a descriptor" */
	const struct field *fields;
	size_t cnt;
};

#define FIELD(type, member) offsetof(type, member), sizeof(((type *)0)->member)
#define SHAPE(what, fields)                                                                        \
	{                                                                                          \
		what, fields, sizeof(fields) / sizeof((fields)[0])                                 \
	}

/* Reads the fields in the order of the table, not of the file. */
int read_mapping(struct reading *r, const struct shape *shape, const struct node *n, void *into);

/* Readers of one value. Words are letters, digits and _ . : - * / and fill their slot at most. */
int read_word(struct reading *r, const struct field *f, const struct node *n, void *slot);
int read_line(struct reading *r, const struct field *f, const struct node *n, void *slot);
int read_choice(struct reading *r, const struct field *f, const struct node *n, void *slot);
int read_u8(struct reading *r, const struct field *f, const struct node *n, void *slot);
int read_u32(struct reading *r, const struct field *f, const struct node *n, void *slot);
int read_u64(struct reading *r, const struct field *f, const struct node *n, void *slot);
int read_f64(struct reading *r, const struct field *f, const struct node *n, void *slot);
int read_site(struct reading *r, const struct field *f, const struct node *n, void *slot);
int read_expr(struct reading *r, const struct field *f, const struct node *n, void *slot);
int read_when(struct reading *r, const struct field *f, const struct node *n, void *slot);

/* Checks that the node is a sequence of 1 to max items; NULL and *r->d otherwise. */
const struct node *read_items(struct reading *r, const struct field *f, const struct node *n,
			      uint32_t max);

/* The text of a scalar that is not empty; NULL and *r->d otherwise. */
const char *read_text(struct reading *r, const struct field *f, const struct node *n);

/* place_fault at the node. Always negative. */
#define node_fault(r, n, cure, ...)                                                                \
	place_fault((r)->d, (r)->m.path, (n)->line, (n)->column, cure, __VA_ARGS__)

/* ---- manifest_rules.c: what tables cannot say ---- */
int rules_resource(struct reading *r, const struct node *n, const struct manifest_resource *v);
int rules_descriptor(struct reading *r, const struct node *n, const struct manifest_descriptor *v);
int rules_invariant(struct reading *r, const struct node *n, struct manifest_invariant *v);

#endif
