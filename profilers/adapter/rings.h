/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rings of the watched processes: their order of creation, and who takes their completions.
 *
 * The application reaps CQEs from shared memory and the kernel does not see it; but a thread that
 * waits for completions does so by io_uring_enter(GETEVENTS). While one thread alone does that on
 * a ring, completions are its. If nobody ever waits, but one thread alone enters the ring, they are
 * taken to be that one's, with less confidence. Claims whose receiver is not yet known wait here,
 * at most RINGS_PENDING_MAX of all rings together: with one more, those of the ring that has the
 * most do not wait any longer, then or later. A ring lives until its address is given to a new one;
 * of those whose process has ended, the last RINGS_ENDED_MAX are still there for what comes late
 * and for children that go on with them. With more than RINGS_MAX the oldest is forgotten: if it is
 * seen again it has no number. Once a creation may have been missed, the rings of that process have
 * none any more.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_RINGS_H
#define ASSAY_PROFILERS_ADAPTER_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "profilers/adapter/joiner.h"

enum { RINGS_MAX = 16384, RINGS_ENDED_MAX = 256, RINGS_PENDING_MAX = 65536 };

struct ring; /* stays valid until the next record; what is kept for longer keeps its id */
struct rings;

struct rings *rings_new(struct outlet *out); /* NULL: no memory */
void rings_free(struct rings *r);

/* Takes notice of EV_LOST, EV_IO_CREATE, EV_IO_ENTER, EV_PROC_FORK, EV_PROC_EXEC and EV_PROC_EXIT;
 * others are ignored. */
int rings_record(struct rings *r, const struct ev_rec *v);

/* The ring at ctx, made known if it is not; NULL for ctx 0. Negative errno. */
int rings_get(struct rings *r, uint64_t ctx, uint32_t tgid, struct ring **ret);
struct ring *rings_by_fd(const struct rings *r, uint32_t tgid, uint32_t fd); /* NULL: unknown */

uint64_t ring_id(const struct ring *ring); /* given once; 0: of NULL */

/* A record told its number, whatever else was seen of its process; 0: it did not. */
void ring_learn(struct ring *ring, uint64_t number);

/* Order of creation in its process, from 1; 0: not known. */
uint64_t ring_number(const struct ring *ring);
/* The one thread that takes its completions; 0: none yet, or several. */
uint32_t ring_consumer(const struct ring *ring);
/* That thread, or where nobody has waited yet the only one that enters the ring; 0: unknown. */
uint32_t ring_reader(const struct ring *ring);
bool ring_deserted(const struct ring *ring); /* its reader has ended */
/* A message to it is there before the sender's own CQE is; false: it may come later. */
bool ring_takes_at_once(const struct ring *ring);

/*
 * Puts a handoff claim out, now or once the ring's consumer is known. The claim's dst is the
 * completing context at the time of completion; where one thread consumes, it becomes that thread,
 * and an observed claim becomes a reconstructed one. ring may be NULL.
 */
int rings_put(struct rings *r, struct ring *ring, const struct claim *c);

/* Puts out what still waits. */
int rings_finish(struct rings *r);

#endif
