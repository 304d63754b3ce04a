/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of resolving, for lib/resolve*.c only. */
#ifndef ASSAY_LIB_RESOLVE_PARTS_H
#define ASSAY_LIB_RESOLVE_PARTS_H

#include "lib/resolve.h"

/* One descriptor or capacity that is being resolved. */
struct resolving {
	const struct manifest *m;
	struct elf_file *elf;
	struct resolution *r;
	const struct manifest_site *site;
	bool is_capacity;
	uint32_t index;
	struct diag *d; /* for -ENOMEM only */
	bool failed;	/* the site is among r->failures */
};

/* Adds to r->warnings or r->failures; 0 or -ENOMEM. */
int resolve_warn(struct resolving *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int resolve_fail(struct resolving *w, const char *cure, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A site at an address; usdt may be NULL. Looks at the code there. 0 or -ENOMEM. */
int resolve_add(struct resolving *w, uint64_t addr, const struct elf_usdt *usdt);

/* 0 or -ENOMEM; what cannot be resolved is a failure. */
int resolve_symbol(struct resolving *w);
int resolve_usdt(struct resolving *w);

#endif
