/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries that operations are made of. Each adds to the batch of a server, which server_submit
 * sends, and counts what the slot's operation has to wait for.
 */
#ifndef ASSAY_WORKLOADS_URING_ENTRIES_H
#define ASSAY_WORKLOADS_URING_ENTRIES_H

#include "workloads/uring/uring.h"

void add_read(struct server *sv, struct slot *s, uint8_t sqe_flags, uint16_t marks);

/* The first goes through io-wq and so comes late; of the others about half. */
void add_reads(struct server *sv, struct slot *s, unsigned cnt);

/* Linked writes and a read that ends their chain, between two other reads. */
void add_chain(struct server *sv, struct slot *s);

/* A timer that its operation does not wait for: it may outlive it. */
void add_deadline(struct server *sv, struct slot *s);

/* A read of an empty pipe, to be cancelled. */
void add_hanging(struct server *sv, struct slot *s, unsigned apart, uint16_t marks,
		 uint8_t sqe_flags);

/* The same with a timeout linked to it. */
void add_limited(struct server *sv, struct slot *s);

/* Cancels what waits for the slot's pipe. */
void add_cancel(struct server *sv, struct slot *s);

/* Multishot, on the slot's pipe. */
void add_poll(struct server *sv, struct slot *s);

/* Asks another server to work for this operation: its answer and our own end are awaited. */
void add_ask(struct server *sv, struct slot *s, struct server *target);

#endif
