/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A terminal server: what its parts share.
 *
 * A line is a pty. Fronts take requests and write messages into masters; consoles read them from
 * the slaves and answer through the slave of the request's home line, whose master its front reads.
 * Anybody may write to either end of any line; each end has one reader. A write leaves the bytes
 * with the other end's work item, which a kernel worker runs; what is written while it is pending
 * shares its execution.
 *
 * A slot belongs to its front. The posts of a message belong to its sender until it is written and
 * to its receiver from then on; consoles read `home` and `op`, which do not change under way.
 */
#ifndef ASSAY_WORKLOADS_WORK_WORK_H
#define ASSAY_WORKLOADS_WORK_WORK_H

#include "workloads/driver/line.h"
#include "workloads/driver/poller.h"

enum work_kind { KIND_LOG, KIND_SPREAD, KIND_DIALOG, KIND_WALL, KIND_STOP };
enum work_verb { VERB_TEXT, VERB_ANSWER, VERB_STOP };

enum {
	WORK_LINES = 32,
	WORK_PARTS = 8,	 /* messages of one operation */
	WORK_MOST = 16,	 /* operations that a front has in flight: a pty holds 64 KiB */
	WORK_DONE = 32,	 /* messages that a console does before it answers */
	WORK_SPARES = 2, /* lines that nobody uses */
};

struct slot {
	struct slot *next;
	uint32_t index;
	struct op op;
	unsigned parts, sent, waiting;
	struct line *home, *line[WORK_PARTS];
	struct post down[WORK_PARTS], up[WORK_PARTS];
} __attribute__((aligned(64)));

struct server {
	struct line lines[WORK_LINES + WORK_SPARES];
	unsigned lines_cnt, consoles_cnt;
	unsigned most; /* operations that a front has in flight */
	struct slot *slots;
	struct front *fronts;
	struct console *consoles;
	struct post stops[WORK_LINES]; /* by console */
};

struct front {
	struct worker *w;
	struct server *server;
	struct poller poller;
	struct slot *free;
	uint64_t sends, takes;
} __attribute__((aligned(64)));

struct console {
	struct worker *w;
	struct server *server;
	struct poller poller;
	struct frame done[WORK_DONE];
	unsigned done_cnt;
	uint64_t sends, takes;
	bool stopped;
} __attribute__((aligned(64)));

/* ---- front.c ---- */
struct slot *slot_get(struct front *f);
void slot_put(struct front *f, struct slot *sl);
void front_body(struct front *f);
void front_stop(struct worker *w, struct server *s); /* tells the consoles, from the main thread */

/* ---- console.c ---- */
void console_body(struct console *c);

#endif
