/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Evidence files: a header and raw records in ring-buffer order (contracts §3).
 *
 * The header says how the records were made, so that a joiner needs nothing but the file. Records
 * are numbered from 0 in file order; that number is what a regime hashes. Not thread-safe.
 */
#ifndef ASSAY_LIB_FORMATS_EVIDENCE_H
#define ASSAY_LIB_FORMATS_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/evidence.h"
#include "lib/diag.h"

enum evidence_can { /* features that were on while recording */
		    EVIDENCE_IO = 1u << 0,
		    EVIDENCE_FUTEX = 1u << 1,
		    EVIDENCE_SCHED = 1u << 2,
		    EVIDENCE_PROC = 1u << 3,
		    EVIDENCE_BLOCK = 1u << 5,
		    EVIDENCE_APP = 1u << 6,    /* the application's own sites, of a manifest */
		    EVIDENCE_STREAM = 1u << 7, /* pipes, sockets, eventfds, ptys */
		    EVIDENCE_TIMER = 1u << 8,  /* timerfds, POSIX timers */
		    EVIDENCE_WORK = 1u << 9,   /* workqueues */
		    EVIDENCE_FAULT = 1u << 10, /* page faults */
};

struct evidence_header {
	uint32_t pid;	   /* root of the watched process tree */
	uint32_t can;	   /* enum evidence_can */
	uint64_t attached; /* ns; records before it were not looked for */
	uint64_t drained;  /* ns; end of recording */
	uint64_t records;  /* filled by the writer at close */
	uint64_t lost;	   /* failed reserves, as counted in the kernel; filled at close */
	char kernel[64];   /* uname -r */
};

struct evidence {
	struct evidence_header header;
	const struct ev_rec *v; /* mapped */
	size_t cnt;
	void *priv;
};

/* Maps a file. -EINVAL: not an evidence file, cut short, or a record of unknown kind or flags (diag
 * names the record number, from 0, as line and in its reason). *ret untouched on failure. */
int evidence_load(const char *path, struct evidence *ret, struct diag *d);
void evidence_free(struct evidence *e);

struct evidence_writer;

/* Writes to PATH.part and renames at close, so that a half-written file is never taken for one. */
struct evidence_writer *evidence_writer_open(const char *path, const struct evidence_header *h,
					     struct diag *d);
int evidence_writer_put(struct evidence_writer *w, const struct ev_rec *r, size_t cnt);
/* Frees the writer. h gives drained, lost and can as finally known; NULL keeps those of open. On
 * failure (of put too: errors stick) nothing is left under either name. */
int evidence_writer_close(struct evidence_writer *w, const struct evidence_header *h,
			  struct diag *d);

#endif
