/* SPDX-License-Identifier: BSD-2-Clause */
/* The channel's memory: laid out, dealt with random tokens, populated, kept apart from the copy. */
#include "groundtruth/channel.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where everything of one slot lies, from the slot's start. */
struct layout {
	uint64_t recs, tokens, decoys; /* capacities */
	uint64_t slot_bytes;
	uint64_t slots; /* offset of the slots */
	uint64_t first; /* offset of the first slot's tables */
	uint64_t bytes;
};

/* The shortest gap between decoys; the longest is three times that, the mean twice. */
static uint64_t gap_min(unsigned ppm)
{
	return 500000 / ppm;
}

static uint64_t align_to(uint64_t v, uint64_t unit)
{
	return (v + unit - 1) / unit * unit;
}

static struct layout layout_of(const struct channel_options *o)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct layout l = {.recs = o->records, .tokens = o->records};

	l.decoys = o->records / gap_min(o->decoy_ppm) + 1;
	l.slot_bytes = align_to(l.recs * sizeof(struct log_rec) + l.tokens * sizeof(uint64_t) +
					l.decoys * sizeof(struct log_decoy),
				page);
	l.slots = align_to(sizeof(struct log_channel), sizeof(struct log_slot));
	l.first = align_to(l.slots + o->slots * sizeof(struct log_slot), page);
	l.bytes = l.first + o->slots * l.slot_bytes;
	return l;
}

static int random_fill(void *to, size_t len)
{
	while (len) {
		ssize_t got = getrandom(to, len, 0);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0) {
			to = (char *)to + got;
			len -= (size_t)got;
		}
	}
	return 0;
}

/*
 * Tokens are not checked for being distinct: among 16 million, two are equal once in 100,000 runs,
 * and if both are used the run is found broken; so is a token that happens to be 0.
 */
static int deal_tokens(struct channel_slot *s)
{
	s->tokens = malloc(s->tokens_cap * sizeof(*s->tokens));
	if (!s->tokens)
		return -ENOMEM;
	return random_fill(s->tokens, s->tokens_cap * sizeof(*s->tokens));
}

static int deal_decoys(struct channel_slot *s, unsigned ppm)
{
	uint64_t least = gap_min(ppm);
	int err;

	s->decoys = malloc(s->decoys_cap * sizeof(*s->decoys));
	if (!s->decoys)
		return -ENOMEM;
	err = random_fill(s->decoys, s->decoys_cap * sizeof(*s->decoys));
	for (uint64_t i = 0; !err && i < s->decoys_cap; i++)
		s->decoys[i].gap = least + s->decoys[i].gap % (2 * least + 1);
	return err;
}

static int slot_deal(struct channel *c, unsigned i, const struct layout *l, unsigned ppm)
{
	struct channel_slot *s = &c->slots[i];
	char *base = (char *)c->map;
	struct log_slot *shared = (struct log_slot *)(base + c->map->slots_off) + i;
	int err;

	shared->recs_off = l->first + i * l->slot_bytes;
	shared->recs_cap = s->recs_cap = l->recs;
	shared->tokens_off = shared->recs_off + l->recs * sizeof(struct log_rec);
	shared->tokens_cap = s->tokens_cap = l->tokens;
	shared->decoys_off = shared->tokens_off + l->tokens * sizeof(uint64_t);
	shared->decoys_cap = s->decoys_cap = l->decoys;
	s->shared = shared;
	s->recs = (const struct log_rec *)(base + shared->recs_off);
	s->tokens_now = (const uint64_t *)(base + shared->tokens_off);
	err = deal_tokens(s);
	if (!err)
		err = deal_decoys(s, ppm);
	if (err)
		return err;
	memcpy(base + shared->tokens_off, s->tokens, l->tokens * sizeof(uint64_t));
	memcpy(base + shared->decoys_off, s->decoys, l->decoys * sizeof(struct log_decoy));
	return 0;
}

/* memfd has no limit of its own: asking for too much would have the kernel kill somebody. */
static bool fits_in_memory(uint64_t bytes)
{
	uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);

	return bytes / (uint64_t)sysconf(_SC_PAGESIZE) <= pages / 2;
}

/* Memory of which no size can be changed; a descriptor or negative errno. */
static int open_memory(uint64_t bytes)
{
	int fd = memfd_create("", MFD_CLOEXEC | MFD_ALLOW_SEALING), err;

	if (fd >= 0 && !fallocate(fd, 0, 0, (off_t)bytes) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))
		return fd;
	err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

int channel_secret_memory(uint64_t bytes)
{
	int fd = (int)syscall(SYS_memfd_secret, O_CLOEXEC), err;

	if (fd >= 0 && !ftruncate(fd, (off_t)bytes))
		return fd;
	err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

static void touch(volatile char *map, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i += (uint64_t)sysconf(_SC_PAGESIZE))
		map[i] = 0;
}

/*
 * Secret memory is not there before it is touched, one page after the other. Debian's 6.1 and 6.12
 * count what a user has of it, root too, and answer the first page above RLIMIT_MEMLOCK with SIGBUS
 * (tried: the 2,049th of 8 MiB; 6.18 does not). So a child does it that may die, and that raises
 * the limit for itself alone; who touches pages that are there is asked for nothing.
 */
static int populate_secret(volatile char *map, uint64_t bytes)
{
	const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
	pid_t child = fork();
	int status;

	if (child < 0)
		return -errno;
	if (!child) {
		setrlimit(RLIMIT_MEMLOCK, &none);
		touch(map, bytes);
		_exit(0);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (status)
		return -ENOMEM;
	touch(map, bytes);
	return 0;
}

/* The memory exists for good before the workload starts: a page fault would betray a record. */
static int channel_map(struct channel *c, const struct layout *l, bool secret)
{
	if (!fits_in_memory(l->bytes))
		return -ENOMEM;
	c->bytes = l->bytes;
	c->fd = secret ? channel_secret_memory(l->bytes) : open_memory(l->bytes);
	if (c->fd < 0)
		return c->fd;
	c->map = mmap(NULL, l->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, c->fd, 0);
	if (c->map == MAP_FAILED) {
		c->map = NULL;
		return -errno;
	}
	return secret ? populate_secret((volatile char *)c->map, l->bytes) : 0;
}

static int channel_deal(struct channel *c, const struct channel_options *o, const struct layout *l)
{
	int err = 0;

	c->map->version = LOG_VERSION;
	c->map->slots_cnt = o->slots;
	c->map->bytes = l->bytes;
	c->map->slots_off = l->slots;
	for (unsigned i = 0; !err && i < o->slots; i++)
		err = slot_deal(c, i, l, o->decoy_ppm);
	c->map->magic = LOG_MAGIC;
	return err;
}

struct channel *channel_new(const struct channel_options *o, struct diag *d)
{
	struct layout l = layout_of(o);
	struct channel *c = calloc(1, sizeof(*c));
	int err = -ENOMEM;

	assert(o->slots && o->records && o->decoy_ppm);
	if (c) {
		c->fd = -1;
		c->slots_cnt = o->slots;
		c->slots = calloc(o->slots, sizeof(*c->slots));
		err = c->slots ? channel_map(c, &l, o->secret) : -ENOMEM;
		if (!err)
			err = channel_deal(c, o, &l);
	}
	if (!err)
		return c;
	channel_free(c);
	diag_set(d, err, "", 0,
		 o->secret ? "record fewer operations, or let more memory be locked (ulimit -l)"
			   : "record fewer operations, or give the run more memory",
		 "cannot make a truth channel of %u slots and %llu MiB: %s", o->slots,
		 (unsigned long long)(l.bytes >> 20), strerror(-err));
	errno = -err;
	return NULL;
}

int channel_fd(const struct channel *c)
{
	return c->fd;
}

void channel_let_go(struct channel *c)
{
	close(c->fd);
	c->fd = -1;
}

void channel_free(struct channel *c)
{
	if (!c)
		return;
	for (unsigned i = 0; c->slots && i < c->slots_cnt; i++) {
		free(c->slots[i].tokens);
		free(c->slots[i].decoys);
	}
	free(c->slots);
	if (c->map)
		munmap(c->map, c->bytes);
	if (c->fd >= 0)
		close(c->fd);
	free(c);
}

/* A time of 0 is none. */
static void set_back(uint64_t *t, int64_t ahead_ns)
{
	if (*t)
		*t -= (uint64_t)ahead_ns;
}

void channel_set_back(struct channel *c, int64_t ahead_ns)
{
	for (unsigned i = 0; i < c->slots_cnt; i++) {
		const struct channel_slot *s = &c->slots[i];
		struct log_rec *recs =
			(struct log_rec *)s->recs; /* of c->map, which can be written */

		for (uint64_t k = 0; k < s->recs_cap && k < s->shared->cnt; k++) {
			set_back(&recs[k].t0, ahead_ns);
			set_back(&recs[k].t1, ahead_ns);
		}
	}
}

int channel_dump(const struct channel *c, const char *path, struct diag *d)
{
	FILE *f = fopen(path, "we");
	int err = 0;

	if (!f || fwrite(c->map, c->bytes, 1, f) != 1)
		err = -errno;
	if (f && fclose(f) && !err)
		err = -errno;
	if (!err)
		return 0;
	return diag_set(d, err, path, 0, "free some space, or name another folder",
			"cannot write the raw log: %s", strerror(-err));
}
