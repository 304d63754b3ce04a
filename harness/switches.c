/* SPDX-License-Identifier: BSD-2-Clause */
/* Context switches of a process, gathered by a thread that looks now and then. */
#include "harness/switches.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "harness/switches_source.h"

/* No log fills up in this time: a switch takes a CPU 1 µs at least. */
enum { LOOK_MS = 50 };

struct switches {
	const struct switch_source *source;
	void *state;
	bool asked; /* for wake-ups */
	int stop_fd;
	pthread_t reader;
	/* the reader's until it has been joined */
	struct list {
		void *v;
		size_t cnt, cap;
		int err; /* why it is not whole */
	} switches, wakes;
};

static void append(struct list *l, const void *element, size_t size)
{
	if (l->cnt == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 4096;
		void *v = realloc(l->v, cap * size);

		if (!v) {
			l->err = -ENOMEM;
			return;
		}
		l->v = v;
		l->cap = cap;
	}
	memcpy((char *)l->v + l->cnt++ * size, element, size);
}

void switches_add(struct switches *to, struct timeline_switch s)
{
	if (s.tid)
		append(&to->switches, &s, sizeof(s));
}

void switches_add_wake(struct switches *to, const struct wake *w)
{
	append(&to->wakes, w, sizeof(*w));
}

void switches_lost(struct switches *to)
{
	to->switches.err = -ENODATA;
}

void switches_lost_wakes(struct switches *to)
{
	to->wakes.err = -ENODATA;
}

static void *reader_main(void *arg)
{
	struct switches *s = arg;
	struct pollfd stop = {.fd = s->stop_fd, .events = POLLIN};

	while (poll(&stop, 1, LOOK_MS) <= 0)
		s->source->drain(s->state, s);
	return NULL;
}

static int open_source(struct switches *s, pid_t pid)
{
	int err;

	s->source = &switches_bpf;
	err = s->source->open(pid, s->asked, &s->state);
	if (!err)
		return 0;
	s->wakes.err = err; /* perf knows none */
	s->source = &switches_perf;
	return s->source->open(pid, s->asked, &s->state);
}

static int watch(struct switches *s, pid_t pid)
{
	int err;

	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (s->stop_fd < 0)
		return -errno;
	err = open_source(s, pid);
	if (err)
		return err;
	err = -pthread_create(&s->reader, NULL, reader_main, s);
	if (err)
		s->source->close(s->state);
	return err;
}

static void switches_free(struct switches *s)
{
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	free(s->switches.v);
	free(s->wakes.v);
	free(s);
}

int switches_open(pid_t pid, bool wakes, struct switches **ret, struct diag *d)
{
	struct switches *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	s->stop_fd = -1;
	s->asked = wakes;
	err = watch(s, pid);
	if (!err) {
		*ret = s;
		return 0;
	}
	switches_free(s);
	return diag_set(d, err, NULL, 0, "be root, or set kernel.perf_event_paranoid to 2 or less",
			"context switches cannot be watched: %s", strerror(-err));
}

static void end_watch(struct switches *s)
{
	uint64_t one = 1;

	while (write(s->stop_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		continue;
	pthread_join(s->reader, NULL);
	s->source->stop(s->state);
	s->source->drain(s->state, s);
	if (!s->wakes.err)
		s->wakes.err = s->source->no_wakes(s->state);
	s->source->close(s->state);
}

static int is_whole(const struct list *l, const char *what, struct diag *d)
{
	switch (l->err) {
	case 0:
		return 0;
	case -ENODATA:
		return diag_set(d, l->err, NULL, 0, "run it on a machine that is less busy",
				"records of %s were lost", what);
	case -EAGAIN:
		return diag_set(d, l->err, NULL, 0, "run it again",
				"the kernel kept programs from telling %s of threads from those of "
				"interrupts (recursion_misses)",
				what);
	case -ENOMEM:
		return diag_set(d, l->err, NULL, 0, NULL, "out of memory");
	default:
		return diag_set(d, l->err, NULL, 0,
				"be root, on a kernel with BTF and the tracepoints sched_waking, "
				"irq_handler_*, softirq_* and hrtimer_expire_*",
				"%s cannot be watched: %s", what, strerror(-l->err));
	}
}

void switches_close(struct switches *s, struct timeline **ret, struct diag *d,
		    struct wakes **ret_wakes, struct diag *no_wakes)
{
	end_watch(s);
	if (!is_whole(&s->switches, "context switches", d)) {
		*ret = timeline_make(s->switches.v, s->switches.cnt);
		if (!*ret)
			diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	}
	if (s->asked && !is_whole(&s->wakes, "wake-ups", no_wakes)) {
		*ret_wakes = wakes_make(s->wakes.v, s->wakes.cnt);
		if (!*ret_wakes)
			diag_set(no_wakes, -ENOMEM, NULL, 0, NULL, "out of memory");
	}
	switches_free(s);
}
