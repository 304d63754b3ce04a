/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A manifest against a binary: where its sites are, what a probe there costs, what is unsafe.
 *
 * Resolving goes on past a site that cannot be resolved: that descriptor is listed as failed, with
 * the error, and the others are there. Nothing is guessed: a symbol that stands twice is probed at
 * every place and reported; a symbol that is gone stays gone, whatever stands near it. A bound
 * manifest keeps the pointer to its manifest, which must outlive it. Not thread-safe.
 */
#ifndef ASSAY_LIB_RESOLVE_H
#define ASSAY_LIB_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/elf_file.h"
#include "lib/formats/manifest.h"
#include "lib/insn.h"

struct resolved_site {
	bool is_capacity;   /* of a resource, not of a descriptor */
	uint32_t index;	    /* of the descriptor, or of the resource */
	uint64_t addr;	    /* as linked */
	uint64_t offset;    /* in the file: what uprobes want. Of a :return site: of the entry */
	uint64_t semaphore; /* USDT: its offset in the file, 0: none */
	char symbol[128];   /* the function that holds it, "" where none is known */
	uint64_t inside;    /* addr - the symbol's address */
	uint8_t cost;	    /* enum cost_class */
	bool on_return;
	bool needs_args;   /* arguments must be saved at the entry */
	struct cost_ns ns; /* a hit, the return included; 0, 0: unknown */
	uint8_t bytes[16]; /* what stands there */
	uint8_t bytes_cnt;
	uint8_t insn_len; /* 0: unknown */
	char args[160];	  /* USDT: "8@%rdi -4@$5" */
};

/* Something to know of a site, or why it is none. */
struct resolve_note {
	bool is_capacity;
	uint32_t index;
	struct diag diag;
};

struct resolution {
	char exe[512];
	char build_id[65]; /* of the binary, "" where it has none */
	struct resolved_site
		*sites; /* by descriptor in file order, then by address; capacities last */
	size_t sites_cnt;
	struct resolve_note *warnings;
	size_t warnings_cnt;
	struct resolve_note *failures; /* at most one a descriptor or capacity */
	size_t failures_cnt;
};

/*
 * 0 also where sites failed: see failures. Otherwise the error of reading the binary. Warnings of
 * the manifest itself (m->warnings) are not repeated.
 */
int manifest_resolve(const struct manifest *m, const char *exe, struct resolution *ret,
		     struct diag *d);
void resolution_free(struct resolution *r); /* fine on zeros */

/* ---- binding (contracts §3, §4) ---- */

enum manifest_binding {
	BINDING_STAMPED = 0,	 /* the build-ids must be equal */
	BINDING_BEST_EFFORT = 1, /* another build is taken, at degraded confidence */
	BINDING_STRICT = 2,	 /* the build-ids must be equal */
	BINDING_CNT = 3,
};
const char *manifest_binding_name(unsigned v);
int manifest_binding_parse(const char *s, size_t len); /* -1: no such word */

struct bound_manifest {
	const struct manifest *m;
	struct resolution sites;
	enum manifest_binding how;
	bool degraded;		 /* another build than the one that the claims were validated on */
	enum health_state start; /* of every descriptor: validated, or suspect where degraded */
};

/*
 * -ESTALE: refused, *d says why; every descriptor is HEALTH_REFUSED then. A descriptor whose site
 * is among sites.failures is refused as well, the others go on.
 */
int manifest_bind(const struct manifest *m, const char *exe, enum manifest_binding how,
		  struct bound_manifest *ret, struct diag *d);
void bound_manifest_free(struct bound_manifest *b);

/* Whether the descriptor (by index) has a site to probe. */
bool resolution_has(const struct resolution *r, uint32_t descriptor);

#endif
