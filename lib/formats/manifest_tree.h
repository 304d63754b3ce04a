/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * YAML as a tree whose every node knows its place, for readers that report line and column.
 *
 * A subset on purpose: one document, UTF-8, no anchors, aliases or tags (a loop of aliases is a
 * trap, and a manifest needs none), no NUL, at most TREE_DEPTH levels. A scalar is text: what it
 * means is the reader's business. Not thread-safe while reading; a tree may be shared. The tree
 * owns its nodes and text; pointers stay valid until tree_free.
 */
#ifndef ASSAY_LIB_FORMATS_MANIFEST_TREE_H
#define ASSAY_LIB_FORMATS_MANIFEST_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/diag.h"

enum { TREE_DEPTH = 12, TREE_NODES_MAX = 100000, TREE_SCALAR_MAX = 1000 };

enum node_kind { NODE_SCALAR = 0, NODE_SEQUENCE = 1, NODE_MAPPING = 2 };

struct node {
	enum node_kind kind;
	uint32_t line, column; /* from 1; columns count characters */
	uint32_t end_line, end_column;
	uint32_t next;	    /* index of the next sibling, 0: none. Keys and values of a mapping take
			       turns */
	uint32_t child;	    /* index of the first child, 0: none */
	uint32_t cnt;	    /* children; of a mapping: pairs */
	uint32_t text, len; /* scalar: where in the pool, bytes */
	bool plain;	    /* scalar: not in quotes */
	uint32_t lead;	    /* scalar: columns before its first character; UINT32_MAX: folded or
			     * escaped, places inside are unknown */
};

struct tree {
	struct node *nodes; /* nodes[0] is no node, nodes[1] the root */
	uint32_t cnt, cap;
	char *pool;
	size_t used, room;
};

/* path is for messages only. -EINVAL or -ENOMEM with file, line, column in the reason, cure. */
int tree_read(const char *bytes, size_t len, const char *path, struct tree *ret, struct diag *d);
void tree_free(struct tree *t);

static inline const struct node *tree_root(const struct tree *t)
{
	return &t->nodes[1];
}

/* NULL at the end. */
static inline const struct node *tree_child(const struct tree *t, const struct node *n)
{
	return n->child ? &t->nodes[n->child] : NULL;
}

static inline const struct node *tree_next(const struct tree *t, const struct node *n)
{
	return n->next ? &t->nodes[n->next] : NULL;
}

/* NUL-terminated; "" for what is no scalar. */
const char *tree_text(const struct tree *t, const struct node *n);

/* The value of a key of a mapping; NULL where there is none. */
const struct node *tree_get(const struct tree *t, const struct node *mapping, const char *key);

/* "a sequence", "a mapping", "a string", "nothing" */
const char *node_word(const struct node *n);

/* diag_set of -EINVAL with "column N: " before the reason. */
int place_fault(struct diag *d, const char *path, uint32_t line, uint32_t column, const char *cure,
		const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Words from a file as they may stand in a message: printable, short. */
struct shown {
	char s[72];
};
struct shown shown(const char *s);

#endif
