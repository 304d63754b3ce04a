/* SPDX-License-Identifier: BSD-2-Clause */
/* What the threads of the pool are for: each does one kind of operation, in stages. */
#ifndef ASSAY_WORKLOADS_AFFINE_AFFINE_H
#define ASSAY_WORKLOADS_AFFINE_AFFINE_H

#include "workloads/driver/call.h"

enum affine_kind { KIND_HASH, KIND_PACK, KIND_SORT, KIND_SCALE, KINDS };

/* ---- ops.c: one stage of `parts`; a function a kind ---- */
void affine_hash(struct worker *w, const struct sent *s, unsigned parts);
void affine_pack(struct worker *w, const struct sent *s, unsigned parts);
void affine_sort(struct worker *w, const struct sent *s, unsigned parts);
void affine_scale(struct worker *w, const struct sent *s, unsigned parts);

#endif
