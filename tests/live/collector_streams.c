/* SPDX-License-Identifier: BSD-2-Clause */
/* 23 messages through each kind of stream, 23 in the evidence at the positions they had. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include "tests/live/rig/collector_rig.h"

enum { BYTES = 16 };

static void must(bool good)
{
	if (!good)
		_exit(4);
}

/* Messages of falling size, so that no two have the same length or head; read whole. */
static size_t size_of(unsigned i)
{
	return BYTES + RIG_OPS - i;
}

static void message(char *m, unsigned i)
{
	memset(m, 'a' + (int)i, size_of(i));
}

static void pass(int out, int in)
{
	char m[64], got[64];

	for (unsigned i = 0; i < RIG_OPS; i++) {
		message(m, i);
		must(write(out, m, size_of(i)) == (ssize_t)size_of(i));
		for (size_t n = 0; n < size_of(i);) {
			ssize_t now = read(in, got, size_of(i) - n);

			must(now > 0);
			n += (size_t)now;
		}
	}
}

static void pipes(void)
{
	int fd[2];
	char none;

	must(!pipe2(fd, O_NONBLOCK));
	must(read(fd[0], &none, 1) < 0); /* nothing there: no record */
	pass(fd[1], fd[0]);
}

static void sockets(void)
{
	int fd[2];

	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	pass(fd[0], fd[1]);
}

/* sendmsg and recvmsg of two parts; a peek moves nothing. */
static void packets(void)
{
	int fd[2];
	char m[64], got[64];
	struct iovec v[2] = {{m, 9}, {m + 9, 0}}, w = {got, sizeof(got)};
	struct msghdr out = {.msg_iov = v, .msg_iovlen = 2}, in = {.msg_iov = &w, .msg_iovlen = 1};

	must(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd));
	for (unsigned i = 0; i < RIG_OPS; i++) {
		message(m, i);
		v[1].iov_len = size_of(i) - 9;
		must(sendmsg(fd[0], &out, 0) == (ssize_t)size_of(i));
		must(recv(fd[1], got, sizeof(got), MSG_PEEK) == (ssize_t)size_of(i));
		must(recvmsg(fd[1], &in, 0) == (ssize_t)size_of(i));
	}
}

static void tcp(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int door = socket(AF_INET, SOCK_STREAM, 0), out = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(a);

	must(!bind(door, (struct sockaddr *)&a, len) && !listen(door, 1));
	must(!getsockname(door, (struct sockaddr *)&a, &len));
	must(!connect(out, (struct sockaddr *)&a, len));
	pass(out, accept(door, NULL, NULL));
}

/* A counter: written one by one, read all at once; then one for one. */
static void eventfds(void)
{
	int fd = eventfd(0, EFD_NONBLOCK);
	uint64_t v = 3;

	for (unsigned i = 0; i < RIG_OPS; i++)
		must(write(fd, &v, 8) == 8);
	must(read(fd, &v, 8) == 8 && v == 3 * RIG_OPS);
	must(read(fd, &v, 8) < 0);
}

static void ptys(void)
{
	struct termios raw;
	int master, slave;

	must(!openpty(&master, &slave, NULL, NULL, NULL) && !tcgetattr(slave, &raw));
	cfmakeraw(&raw);
	must(!tcsetattr(slave, TCSANOW, &raw));
	pass(master, slave);
}

/* Two writers at once on one pipe: whatever the order, every byte has one place. */
static int shared[2];
static void *writer(void *arg)
{
	char m[64];

	memset(m, *(char *)arg, sizeof(m));
	for (unsigned i = 0; i < 200; i++)
		must(write(shared[1], m, sizeof(m)) == sizeof(m));
	return NULL;
}

static void crowds(void)
{
	char got[64], names[2] = {'x', 'y'};
	pthread_t t[2];

	must(!pipe(shared));
	for (int i = 0; i < 2; i++)
		must(!pthread_create(&t[i], NULL, writer, &names[i]));
	for (unsigned i = 0; i < 400; i++)
		must(read(shared[0], got, sizeof(got)) == sizeof(got));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

/* ---- what is in the evidence ---- */

static unsigned kind_of(const struct ev_rec *v)
{
	return v->e & 0xff;
}

static bool is_stream(const struct ev_rec *v, unsigned kind)
{
	return (v->kind == EV_STREAM_WRITE || v->kind == EV_STREAM_READ) && kind_of(v) == kind;
}

struct sums {
	size_t writes, reads;
	uint64_t name, written, read;
	uint32_t heads[RIG_OPS];
};

/* Positions follow one another without a gap, in either direction. */
static struct sums sum_up(const struct rig *r, unsigned kind)
{
	struct sums s = {0};

	for (size_t i = 0; i < r->cnt; i++) {
		const struct ev_rec *v = &r->v[i];
		bool writes = v->kind == EV_STREAM_WRITE;
		uint64_t *at = writes ? &s.written : &s.read;
		uint32_t head = v->e >> 32;

		/* the rig's own pipe was there before */
		if (!is_stream(v, kind) || (kind != EV_STREAM_TCP && !(v->e >> 8 & EV_STREAM_BORN)))
			continue;
		s.name = s.name ? s.name : v->a;
		RIG_CHECK(v->a == s.name, "another stream %#llx", v->a);
		RIG_CHECK(v->b == *at, "at %llu, not %llu", v->b, (unsigned long long)*at);
		if (writes && s.writes < RIG_OPS)
			s.heads[s.writes] = head;
		else if (!writes && kind != EV_STREAM_EVENTFD && s.reads < RIG_OPS)
			RIG_CHECK(head && head == s.heads[s.reads], "kind %u: head %x, not %x",
				  kind, head, s.heads[s.reads]);
		*at += v->c;
		*(writes ? &s.writes : &s.reads) += 1;
	}
	return s;
}

static struct sums run(void (*child)(void), unsigned kind, uint64_t units, size_t reads)
{
	struct collect_options o = {.want = COLLECT_STREAM | COLLECT_PROC | COLLECT_WORK};
	struct sums s;
	struct rig r;

	rig_record(&r, child, &o, false);
	s = sum_up(&r, kind);
	RIG_CHECK(s.writes == RIG_OPS && s.reads == reads, "%zu in, %zu out", s.writes, s.reads);
	RIG_CHECK(s.written == units && s.read == units, "%llu units written, %llu read",
		  (unsigned long long)s.written, (unsigned long long)s.read);
	if (kind == EV_STREAM_PTY) {
		size_t queued = 0, started = 0;

		for (size_t i = 0; i < r.cnt; i++) {
			queued += r.v[i].kind == EV_WORK_QUEUE && r.v[i].a == s.name;
			started += r.v[i].kind == EV_WORK_START && r.v[i].a == s.name;
		}
		RIG_CHECK(queued == RIG_OPS, "%zu work items queued", queued);
		RIG_CHECK(started == RIG_OPS, "%zu work items run", started);
	}
	RIG_CHECK(!r.stats.lost, "records were lost");
	rig_free(&r);
	return s;
}

static int by_position(const void *pa, const void *pb)
{
	const struct ev_rec *a = pa, *b = pb;

	return (a->b > b->b) - (a->b < b->b);
}

/* Places do not overlap and leave none out, whoever came first. */
static void check_crowd(void)
{
	struct collect_options o = {.want = COLLECT_STREAM | COLLECT_PROC};
	size_t cnt = 0;
	struct rig r;

	rig_record(&r, crowds, &o, false);
	for (size_t i = 0; i < r.cnt; i++)
		if (r.v[i].kind == EV_STREAM_WRITE)
			r.v[cnt++] = r.v[i];
	qsort(r.v, cnt, sizeof(r.v[0]), by_position);
	RIG_CHECK(cnt == 400, "%zu writes", cnt);
	for (size_t i = 0; i < cnt; i++)
		RIG_CHECK(r.v[i].b == 64 * i && r.v[i].c == 64, "write %zu at %llu", i, r.v[i].b);
	rig_free(&r);
}

int main(void)
{
	const uint64_t all = BYTES * RIG_OPS + RIG_OPS * (RIG_OPS + 1) / 2;

	run(pipes, EV_STREAM_PIPE, all, RIG_OPS);
	run(sockets, EV_STREAM_UNIX, all, RIG_OPS);
	run(packets, EV_STREAM_PACKET, RIG_OPS, RIG_OPS);
	run(tcp, EV_STREAM_TCP, all, RIG_OPS);
	run(eventfds, EV_STREAM_EVENTFD, 3 * RIG_OPS, 1);
	run(ptys, EV_STREAM_PTY, all, RIG_OPS);
	check_crowd();
	puts("ok: collector_streams");
	return 0;
}
