/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Whose hits tally.bpf.c tells apart: the keys of its map. */
#ifndef ASSAY_BPF_TALLY_H
#define ASSAY_BPF_TALLY_H

enum { TALLY_GROUP = 0, TALLY_OTHERS = 1, TALLY_CNT = 2 };

#endif
