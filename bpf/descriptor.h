/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Descriptors as the BPF side evaluates them: expressions over registers and memory, a guard, and
 * what the site means. The attach cookie of a site is the index of its descriptor.
 *
 * An expression is a constant, an argument or the return value, followed by up to two loads:
 * *(arg0+16):u64 is {ARG, reg 0, loads 1, off {16}, width 8}; *(*(arg0+8)+16):u32 has loads 2, the
 * first of which reads a pointer. A failed read makes the record say so (DESC_F_FAULT) rather than
 * invent a value.
 */
#ifndef ASSAY_BPF_DESCRIPTOR_H
#define ASSAY_BPF_DESCRIPTOR_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum desc_expr_kind { EXPR_NONE = 0, EXPR_CONST = 1, EXPR_ARG = 2, EXPR_RETVAL = 3 };
enum desc_when_op {
	WHEN_ALWAYS = 0,
	WHEN_EQ = 1,
	WHEN_NE = 2,
	WHEN_LT = 3,
	WHEN_LE = 4,
	WHEN_GT = 5,
	WHEN_GE = 6,
	WHEN_AND = 7, /* (lhs & value) != 0 */
};

struct desc_expr {
	__u8 kind;  /* enum desc_expr_kind */
	__u8 reg;   /* argument number 0…5 */
	__u8 loads; /* 0…2 */
	__u8 width; /* bytes of the last load: 1, 2, 4, 8; of the register where loads is 0 */
	__u8 is_signed;
	__u8 pad[3];
	__s32 off[2];
	__u64 value; /* EXPR_CONST */
};
_Static_assert(sizeof(struct desc_expr) == 24, "expressions are shared as bytes");

struct desc_when {
	struct desc_expr lhs;
	__u8 op; /* enum desc_when_op */
	__u8 is_signed;
	__u8 pad[6];
	__u64 value;
};
_Static_assert(sizeof(struct desc_when) == 40, "guards are shared as bytes");

struct desc_prog { /* one element of the descriptor map */
	__u32 id;
	__u8 event; /* enum event_kind of lib/vocab.h, or DESC_EVENT_CAPACITY */
	__u8 on_return;
	__u8 needs_args; /* on_return, but an expression names an argument: saved at the entry */
	__u8 resource;	 /* index in the manifest, its low byte */
	struct desc_expr instance, units, target;
	struct desc_when when;
};
_Static_assert(sizeof(struct desc_prog) == 120, "descriptors are shared as bytes");

/*
 * No event of a life: the site says a resource's capacity. `instance` is the value, `id` the index
 * of the resource in its manifest.
 */
enum { DESC_EVENT_CAPACITY = 255 };

enum { DESC_MAX = 2048 }; /* descriptors and capacity sites of one collector */

#endif
