/* SPDX-License-Identifier: BSD-2-Clause */
/* 23 timers armed, 23 expiries taken, each of the arming it came from; and 23 page faults. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "tests/live/rig/collector_rig.h"

enum { SHORT_NS = 200000, LONG_NS = 900000000 };

static void must(bool good)
{
	if (!good)
		_exit(4);
}

static struct itimerspec in_ns(long value, long interval)
{
	return (struct itimerspec){.it_value.tv_nsec = value, .it_interval.tv_nsec = interval};
}

/* Each is armed for long, and anew for short; the last is disarmed. */
static void timerfds(void)
{
	struct itimerspec far = in_ns(LONG_NS, 0), near = in_ns(SHORT_NS, 0), off = in_ns(0, 0);
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t ticks;

	for (unsigned i = 0; i < RIG_OPS; i++) {
		must(!timerfd_settime(fd, 0, &far, NULL));
		must(!timerfd_settime(fd, 0, &near, NULL));
		must(read(fd, &ticks, sizeof(ticks)) == sizeof(ticks) && ticks == 1);
	}
	must(!timerfd_settime(fd, 0, &far, NULL) && !timerfd_settime(fd, 0, &off, NULL));
	must(timerfd_settime(fd, 99, &far, NULL)); /* refused: no record */
}

/* Armed once to a time, read 23 times. */
static void periods(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec its = in_ns(0, SHORT_NS);
	uint64_t ticks;

	must(!clock_gettime(CLOCK_MONOTONIC, &its.it_value));
	must(!timerfd_settime(fd, TFD_TIMER_ABSTIME, &its, NULL));
	for (unsigned i = 0; i < RIG_OPS; i++)
		must(read(fd, &ticks, sizeof(ticks)) == sizeof(ticks));
}

static void handler(int sig)
{
	(void)sig;
}

static timer_t posix_timer(void)
{
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
	timer_t t;

	must(!timer_create(CLOCK_MONOTONIC, &ev, &t));
	return t;
}

static void signals(void)
{
	struct itimerspec near = in_ns(SHORT_NS, 0);
	struct sigaction act = {.sa_handler = handler};
	sigset_t set, none;
	timer_t t;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	must(!sigprocmask(SIG_BLOCK, &set, &none) && !sigaction(SIGRTMIN, &act, NULL));
	t = posix_timer();
	for (unsigned i = 0; i < RIG_OPS; i++) {
		must(!timer_settime(t, 0, &near, NULL));
		must(sigsuspend(&none) < 0);
	}
}

static void waits(void)
{
	struct itimerspec near = in_ns(SHORT_NS, 0);
	siginfo_t info;
	sigset_t set;
	timer_t t;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	must(!sigprocmask(SIG_BLOCK, &set, NULL));
	t = posix_timer();
	for (unsigned i = 0; i < RIG_OPS; i++) {
		must(!timer_settime(t, 0, &near, NULL));
		must(sigwaitinfo(&set, &info) == SIGRTMIN);
	}
}

static void faults(void)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *p =
		mmap((void *)0x200000000000, (size_t)(RIG_OPS * page), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	must(p != MAP_FAILED && !madvise((void *)p, (size_t)(RIG_OPS * page), MADV_NOHUGEPAGE));
	for (int i = 0; i < RIG_OPS; i++)
		p[i * page] = 1;
}

/* ---- what is in the evidence ---- */

struct seen {
	size_t set, off, taken, expired;
	uint64_t armed; /* when the last SET was entered */
};

/* Every TAKE is of the last arming before it. */
static struct seen look(void (*child)(void), unsigned kind)
{
	struct collect_options o = {.want = COLLECT_TIMER | COLLECT_PROC};
	struct seen s = {0};
	struct rig r;

	rig_record(&r, child, &o, false);
	for (size_t i = 0; i < r.cnt; i++) {
		const struct ev_rec *v = &r.v[i];

		if (v->kind != EV_TIMER_SET && v->kind != EV_TIMER_TAKE &&
		    v->kind != EV_TIMER_EXPIRE)
			continue;
		RIG_CHECK((v->e & 0xff) == kind && v->e >> 32 == r.pid, "record %zu", i);
		if (v->kind == EV_TIMER_SET) {
			RIG_CHECK(v->c > s.armed && v->c < v->t, "record %zu", i);
			s.armed = v->c;
			s.set++;
			s.off += !v->d;
		} else if (v->kind == EV_TIMER_TAKE) {
			RIG_CHECK(v->c == s.armed && v->d, "record %zu", i);
			s.taken++;
		} else {
			s.expired++;
		}
	}
	RIG_CHECK(!r.stats.lost, "records were lost");
	rig_free(&r);
	return s;
}

static void check_timers(void)
{
	struct seen s = look(timerfds, EV_TIMER_FD);

	RIG_CHECK(s.set == 2 * RIG_OPS + 2 && s.off == 1, "%zu set, %zu off", s.set, s.off);
	RIG_CHECK(s.taken == RIG_OPS && s.expired == RIG_OPS, "%zu, %zu", s.taken, s.expired);
	s = look(periods, EV_TIMER_FD);
	RIG_CHECK(s.set == 1 && s.taken == RIG_OPS, "%zu set, %zu taken", s.set, s.taken);
	RIG_CHECK(s.expired >= 1, "%zu expired", s.expired);
	s = look(signals, EV_TIMER_POSIX);
	RIG_CHECK(s.set == RIG_OPS && s.taken == RIG_OPS, "%zu set, %zu taken", s.set, s.taken);
	s = look(waits, EV_TIMER_POSIX);
	RIG_CHECK(s.set == RIG_OPS && s.taken == RIG_OPS, "%zu set, %zu taken", s.set, s.taken);
}

static void check_faults(void)
{
	struct collect_options o = {.want = COLLECT_FAULT | COLLECT_PROC};
	size_t cnt = 0;
	struct rig r;

	rig_record(&r, faults, &o, false);
	for (size_t i = 0; i < r.cnt; i++)
		cnt += r.v[i].kind == EV_FAULT_USER && r.v[i].a >= 0x200000000000 &&
		       r.v[i].a < 0x200000000000 + RIG_OPS * (uint64_t)sysconf(_SC_PAGESIZE);
	RIG_CHECK(cnt == RIG_OPS, "%zu faults", cnt);
	rig_free(&r);
}

int main(void)
{
	check_timers();
	check_faults();
	puts("ok: collector_timers");
	return 0;
}
