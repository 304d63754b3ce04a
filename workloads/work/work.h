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

#include "workloads/driver/poller.h"
#include "workloads/driver/stream.h"

enum work_kind { KIND_LOG, KIND_SPREAD, KIND_DIALOG, KIND_WALL, KIND_STOP };
enum work_side { MASTER, SLAVE, SIDES };
enum work_verb { VERB_TEXT, VERB_ANSWER, VERB_STOP };

enum {
	WORK_LINES = 32,
	WORK_PARTS = 8,	 /* messages of one operation */
	WORK_MOST = 16,	 /* operations that a front has in flight: a pty holds 64 KiB */
	WORK_SPARES = 2, /* lines that nobody uses */
	WORK_SHOWN = 23, /* messages by which the kernel's name of a line is learned */
};

struct line {
	int fd[SIDES];
	struct stream in[SIDES]; /* what is read from that side */
	unsigned front, console; /* who reads the master, the slave */
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
	uint64_t sends, takes;
	bool stopped;
} __attribute__((aligned(64)));

static inline enum work_side other_side(enum work_side s)
{
	return s == MASTER ? SLAVE : MASTER;
}

/* ---- line.c ---- */
void line_open(struct line *l, unsigned index);
void line_close(struct line *l);
/* Sends WORK_SHOWN messages to each side, one after another, each taken before the next. */
void line_show(struct line *l);
/* One message into the line, to be read from `side`. */
void line_send(struct worker *w, struct line *l, enum work_side side, struct frame f,
	       struct post *p, uint64_t op, uint64_t seq);

/* ---- front.c ---- */
void front_body(struct front *f);
void front_stop(struct worker *w, struct server *s); /* tells the consoles, from the main thread */

/* ---- console.c ---- */
void console_body(struct console *c);

#endif
