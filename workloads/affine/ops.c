/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators, one a kind of operation. What a kind costs, in tenths of --cost, stands here. */
#include "workloads/affine/affine.h"

enum { HASH = 13, PACK = 7, SORT = 15, SCALE = 5, TENTHS = 10 };

OPERATOR void affine_hash(struct worker *w, const struct sent *s, unsigned parts)
{
	call_entered(w, s);
	act_burn(w, HASH, TENTHS * parts);
}

OPERATOR void affine_pack(struct worker *w, const struct sent *s, unsigned parts)
{
	call_entered(w, s);
	act_burn(w, PACK, TENTHS * parts);
}

OPERATOR void affine_sort(struct worker *w, const struct sent *s, unsigned parts)
{
	call_entered(w, s);
	act_burn(w, SORT, TENTHS * parts);
}

OPERATOR void affine_scale(struct worker *w, const struct sent *s, unsigned parts)
{
	call_entered(w, s);
	act_burn(w, SCALE, TENTHS * parts);
}
