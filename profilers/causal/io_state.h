/* SPDX-License-Identifier: BSD-2-Clause */
/* io handoffs: requests and messages in flight, and their names. For io.c and io_messages.c only.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_IO_STATE_H
#define ASSAY_PROFILERS_CAUSAL_IO_STATE_H

#include <uthash.h>

#include "profilers/causal/confidence.h"
#include "profilers/causal/io.h"

struct name;

struct request { /* one address, in whatever generation it is */
	uint64_t address;
	struct observation src;
	uint64_t generation;
	uint64_t joined; /* CQEs of this generation */
	bool live;
	struct name *name;	 /* while live */
	struct message *message; /* that it carries, until its CQE is seen */
	struct request *prev, *next;
	UT_hash_handle hh;
};

struct message { /* of a MSG_RING request, until its CQE on the target ring */
	struct observation src;
	struct request *sender; /* NULL: forgotten, or submitted anew */
	struct name *name;
	struct message *prev, *next;	 /* of the same name, oldest first */
	struct message *older, *younger; /* of all */
};

struct name_key {
	uint64_t ring; /* its id */
	uint64_t v;
};

struct name { /* what is in flight under one key of one ring */
	struct name_key key;
	struct request *requests;
	struct message *messages;
	UT_hash_handle hh;
};

struct causal_io {
	struct observer *out;
	struct request *requests;
	uint64_t generation; /* the greatest of a forgotten address: none is given again */
	struct name *names;
	struct message *messages;
	size_t messages_cnt;
	struct loss loss;
};

/* What is in flight under the key of o: NULL if nothing; made if it is not there, NULL: no memory.
 */
struct name *io_name_find(struct causal_io *io, const struct observation *o);
struct name *io_name_get(struct causal_io *io, const struct observation *o);
/* Forgets a name under which nothing is. */
void io_name_put(struct causal_io *io, struct name *n);

int io_orphan(struct causal_io *io, const struct observation *src, const struct observation *dst);

/* A message is on its way; negative errno. */
int io_message_send(struct causal_io *io, const struct observation *o);
/* It is through, or given up. */
void io_message_end(struct causal_io *io, struct message *m);
/* The address stands for another request from now on; the message may still come. */
void io_message_detach(struct request *sender);
/* The sender is through: a message that must have been there by then was lost from the records. */
int io_message_overdue(struct causal_io *io, struct request *sender);
/* Which message of this name the CQE carries; NULL: none, or it cannot be told. */
struct message *io_message_for(const struct causal_io *io, const struct name *n,
			       const struct observation *dst);

#endif
