/* SPDX-License-Identifier: BSD-2-Clause */
/* Which system calls the collector looks at, and which kinds of file it tells apart. */
#include "profilers/collector/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/collector.h"
#include "bpf/collector.skel.h"
#include "profilers/collector/collect.h"

static const struct {
	uint32_t want;
	int nr;
	enum collector_call call;
} calls[] = {
	{COLLECT_IO, SYS_io_uring_enter, CALL_RING_ENTER},
	{COLLECT_FUTEX, SYS_futex, CALL_FUTEX},
	{COLLECT_FUTEX, SYS_restart_syscall, CALL_FUTEX_RESTART},
	/* from here on one number for all architectures */
	{COLLECT_FUTEX, 449, CALL_FUTEX_WAITV},
	{COLLECT_FUTEX, 454, CALL_FUTEX_WAKE},
	{COLLECT_FUTEX, 455, CALL_FUTEX_WAIT},
	{COLLECT_FUTEX, 456, CALL_FUTEX_REQUEUE},
	{COLLECT_STREAM | COLLECT_TIMER, SYS_read, CALL_READ},
	{COLLECT_STREAM, SYS_readv, CALL_READV},
	{COLLECT_STREAM, SYS_recvfrom, CALL_RECVFROM},
	{COLLECT_STREAM, SYS_recvmsg, CALL_RECVMSG},
	{COLLECT_STREAM, SYS_write, CALL_WRITE},
	{COLLECT_STREAM, SYS_writev, CALL_WRITEV},
	{COLLECT_STREAM, SYS_sendto, CALL_SENDTO},
	{COLLECT_STREAM, SYS_sendmsg, CALL_SENDMSG},
	{COLLECT_STREAM, SYS_pipe2, CALL_PIPE},
	{COLLECT_STREAM, SYS_socketpair, CALL_SOCKETPAIR},
	{COLLECT_STREAM, SYS_eventfd2, CALL_EVENTFD},
	{COLLECT_STREAM, SYS_openat, CALL_OPEN},
#ifdef SYS_pipe /* absent from architectures that came later */
	{COLLECT_STREAM, SYS_pipe, CALL_PIPE},
	{COLLECT_STREAM, SYS_open, CALL_OPEN},
#endif
	{COLLECT_TIMER, SYS_timerfd_settime, CALL_TIMERFD_SET},
	{COLLECT_TIMER, SYS_timer_settime, CALL_TIMER_SET},
	{COLLECT_TIMER, SYS_rt_sigtimedwait, CALL_SIGWAIT},
};

void calls_choose(struct collector_settings *s, uint32_t want)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].want & want)
			s->call[calls[i].nr] = (uint8_t)calls[i].call;
}

/* *writer: the end of the pipe that is no sample. */
static void open_samples(struct collector_samples *s, int *writer)
{
	int pair[2] = {-1, -1}, locked = 0;

	if (!pipe2(pair, O_CLOEXEC)) {
		s->fd[FILE_PIPE] = pair[0];
		*writer = pair[1];
	}
	s->fd[FILE_SOCKET] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	s->fd[FILE_EVENTFD] = eventfd(0, EFD_CLOEXEC);
	s->fd[FILE_TIMERFD] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	s->fd[FILE_PTY_MASTER] = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (s->fd[FILE_PTY_MASTER] >= 0 && !ioctl(s->fd[FILE_PTY_MASTER], TIOCSPTLCK, &locked))
		s->fd[FILE_PTY_SLAVE] =
			ioctl(s->fd[FILE_PTY_MASTER], TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

int calls_learn_files(struct collector *skel)
{
	struct collector_samples s;
	LIBBPF_OPTS(bpf_test_run_opts, o, .ctx_in = &s, .ctx_size_in = sizeof(s));
	int writer = -1, err;

	memset(&s, 0xff, sizeof(s));
	open_samples(&s, &writer);
	err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.learn_files), &o);
	for (int i = 0; i < FILE_KINDS; i++)
		if (s.fd[i] >= 0)
			close(s.fd[i]);
	if (writer >= 0)
		close(writer);
	return err;
}
