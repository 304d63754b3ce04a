/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* What peek.bpf.c sends: a piece of the channel. Needs <linux/types.h>. */
#ifndef ASSAY_TESTS_CHEATS_PEEK_H
#define ASSAY_TESTS_CHEATS_PEEK_H

enum { PEEK_SLOTS = 64, PEEK_BYTES = 4096 };

struct peek_piece {
	__u64 at; /* from the channel's start */
	char bytes[PEEK_BYTES];
};

/* struct log_slot and the size of struct log_rec, whose header BPF cannot include. */
struct peek_slot {
	__u32 tid, trouble;
	__u64 cnt, recs_off;
	__u64 more[13];
};
enum { PEEK_REC_BYTES = 64 };

_Static_assert(sizeof(struct peek_piece) == 8 + PEEK_BYTES, "both sides agree");

#endif
