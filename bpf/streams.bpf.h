/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Byte streams: what read and write calls move through pipes, sockets, eventfds and ptys.
 *
 * Positions are counted here, by stream and direction, since no later reader could make up for a
 * record that was lost. A stream's name is that of its receiving end; names of pipes and AF_UNIX
 * sockets are never given again (inode numbers count up), those of eventfds and ptys are, so their
 * makers begin them anew. Include once, from collector.bpf.c.
 */
#ifndef ASSAY_BPF_STREAMS_BPF_H
#define ASSAY_BPF_STREAMS_BPF_H

#include <bpf/bpf_endian.h>

#include "bpf/calls.bpf.h"
#include "bpf/files.bpf.h"

struct stream {
	__u64 written, read;
	__u64 born;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COLLECTOR_STREAMS_MAX);
	__type(key, __u64);
	__type(value, struct stream);
} streams SEC(".maps");

struct stream_id {
	__u64 v;   /* 0: none */
	__u8 kind; /* enum ev_stream */
};

struct user_iovec {
	__u64 base, len;
};

/* ---- names ---- */

static __always_inline __u64 socket_inode(struct socket *s)
{
	/* the socket is its first member */
	return s ? FIELD(struct socket_alloc, s, vfs_inode.i_ino) : 0;
}

static __always_inline __u64 mix(__u64 x)
{
	x ^= x >> 32;
	x *= 0x9e3779b97f4a7c15;
	x ^= x >> 29;
	return x;
}

/* The same from either end; of IPv6 the last word is enough, and it is that of a mapped IPv4. */
static __always_inline __u64 tcp_name(struct sock *sk, __u16 family, bool out)
{
	__u64 here, there;

	if (family == AF_INET) {
		here = FIELD(struct sock, sk, __sk_common.skc_rcv_saddr);
		there = FIELD(struct sock, sk, __sk_common.skc_daddr);
	} else {
		here = FIELD(struct sock, sk, __sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[3]);
		there = FIELD(struct sock, sk, __sk_common.skc_v6_daddr.in6_u.u6_addr32[3]);
	}
	here |= (__u64)FIELD(struct sock, sk, __sk_common.skc_num) << 32;
	there |= (__u64)bpf_ntohs(FIELD(struct sock, sk, __sk_common.skc_dport)) << 32;
	return out ? mix(mix(here) + there) : mix(mix(there) + here);
}

static __always_inline struct stream_id unix_name(struct file *file, struct sock *sk, short type,
						  bool out)
{
	struct stream_id id = {.kind = type == SOCK_STREAM ? EV_STREAM_UNIX : EV_STREAM_PACKET};

	if (out) {
		struct sock *peer = FIELD(struct unix_sock, sk, peer);

		id.v = peer ? socket_inode(FIELD(struct sock, peer, sk_socket)) : 0;
	} else {
		id.v = file_inode(file);
	}
	return id;
}

static __always_inline struct stream_id socket_name(struct file *file, bool out)
{
	struct socket *s = file_private(file);
	struct stream_id id = {};
	struct sock *sk;
	__u16 family;

	sk = FIELD(struct socket, s, sk);
	if (!sk)
		return id;
	family = FIELD(struct sock, sk, __sk_common.skc_family);
	if (family == AF_UNIX)
		return unix_name(file, sk, FIELD(struct socket, s, type), out);
	if (family != AF_INET && family != AF_INET6)
		return id;
	if (FIELD(struct sock, sk, sk_protocol) != IPPROTO_TCP)
		return id;
	id.kind = EV_STREAM_TCP;
	id.v = tcp_name(sk, family, out);
	return id;
}

/* The work item that fills the buffer of the side that reads. */
static __always_inline __u64 pty_name(struct file *file, bool out)
{
	struct tty_file_private *p = file_private(file);
	struct tty_struct *tty = p ? FIELD(struct tty_file_private, p, tty) : NULL;
	struct tty_port *port;

	if (tty && out)
		tty = FIELD(struct tty_struct, tty, link);
	port = tty ? FIELD(struct tty_struct, tty, port) : NULL;
	return port ? (__u64)port + bpf_core_field_offset(struct tty_port, buf.work) : 0;
}

static __always_inline struct stream_id stream_name(struct file *file, enum collector_file kind,
						    bool out)
{
	struct stream_id id = {};

	switch (kind) {
	case FILE_PIPE:
		id.kind = EV_STREAM_PIPE;
		id.v = file_inode(file);
		break;
	case FILE_SOCKET:
		return socket_name(file, out);
	case FILE_EVENTFD:
		id.kind = EV_STREAM_EVENTFD;
		id.v = (__u64)file_private(file);
		break;
	case FILE_PTY_MASTER:
	case FILE_PTY_SLAVE:
		id.kind = EV_STREAM_PTY;
		id.v = pty_name(file, out);
		break;
	default:
		break;
	}
	return id;
}

static __always_inline struct stream *stream_get(__u64 name)
{
	struct stream *s = bpf_map_lookup_elem(&streams, &name), zero = {};

	if (s)
		return s;
	bpf_map_update_elem(&streams, &name, &zero, BPF_NOEXIST);
	return bpf_map_lookup_elem(&streams, &name);
}

/* ---- what was moved ---- */

/* Where the first bytes of the call's data are; only those that lie together. */
static __always_inline struct user_iovec call_data(const struct call *c, __u8 call)
{
	struct user_iovec v = {.base = c->arg[1], .len = c->ret};
	__u64 at = c->arg[1];

	switch (call) {
	case CALL_RECVMSG:
	case CALL_SENDMSG: /* struct user_msghdr: msg_iov is its third word */
		if (bpf_probe_read_user(&at, sizeof(at), (void *)(at + 16)))
			v.len = 0;
		break;
	case CALL_READV:
	case CALL_WRITEV:
		break;
	default:
		return v;
	}
	if (bpf_probe_read_user(&v, sizeof(v), (void *)at))
		v.len = 0;
	return v;
}

static __always_inline __u64 call_word(const struct user_iovec *v, __u64 bytes)
{
	__u64 word = 0;

	if (bytes >= 8) {
		if (v->len < 8 || bpf_probe_read_user(&word, 8, (void *)v->base))
			return 0;
	} else if (v->len < bytes || bpf_probe_read_user(&word, bytes & 7, (void *)v->base)) {
		return 0;
	}
	return word;
}

/* Not the bytes themselves: what a program says to another is nobody's business. */
static __always_inline __u32 head_of(__u64 word, __u64 bytes)
{
	__u32 h = mix(word + bytes) >> 32;

	return h ? h : 1;
}

static __always_inline bool call_writes(__u8 call)
{
	return call >= CALL_WRITE;
}

static __always_inline bool call_peeks(const struct call *c, __u8 call)
{
	return (call == CALL_RECVFROM && c->arg[3] & MSG_PEEK) ||
	       (call == CALL_RECVMSG && c->arg[2] & MSG_PEEK);
}

struct moved {
	__u64 units;
	__u32 head;
};

static __always_inline struct moved call_moved(const struct call *c, __u8 call, __u8 kind)
{
	struct user_iovec v = call_data(c, call);
	__u64 word = call_word(&v, c->ret);
	__u64 first = c->ret < 8 ? c->ret : 8;
	struct moved m = {.units = c->ret};

	if (kind == EV_STREAM_EVENTFD) {
		m.units = word;
		return m;
	}
	if (kind == EV_STREAM_PACKET)
		m.units = 1;
	if (v.len >= first)
		m.head = head_of(word, first);
	return m;
}

static __always_inline void stream_call(const struct call *c, __u8 call, struct file *file,
					enum collector_file kind)
{
	struct stream_id id = stream_name(file, kind, call_writes(call));
	struct stream *s = id.v ? stream_get(id.v) : NULL;
	struct moved m;
	struct ev_rec *r;
	__u64 at;

	if (!s)
		return;
	m = call_moved(c, call, id.kind);
	if (call_writes(call))
		at = __sync_fetch_and_add(&s->written, m.units);
	else
		at = __sync_fetch_and_add(&s->read, m.units);
	r = emit_begin(call_writes(call) ? EV_STREAM_WRITE : EV_STREAM_READ);
	if (!r)
		return;
	r->a = id.v;
	r->b = at;
	r->c = m.units;
	r->d = (__u32)c->arg[0] | file_inode(file) << 32;
	r->e = id.kind | (s->born ? EV_STREAM_BORN << 8 : 0) | (__u64)m.head << 32;
	emit_end(r);
}

/* ---- births ---- */

static __always_inline void stream_born(__u32 fd)
{
	struct stream zero = {.born = 1};
	struct file *file = file_of_fd(fd);
	enum collector_file kind = file_kind(file);
	struct stream_id id;

	if (kind == FILE_OTHER || kind == FILE_TIMERFD)
		return;
	id = stream_name(file, kind, false);
	if (id.v)
		bpf_map_update_elem(&streams, &id.v, &zero, BPF_ANY);
	if (kind != FILE_PTY_MASTER)
		return;
	id = stream_name(file, kind, true);
	if (id.v)
		bpf_map_update_elem(&streams, &id.v, &zero, BPF_ANY);
}

static __always_inline void streams_born(__u64 fds)
{
	__u32 fd[2] = {-1u, -1u};

	if (bpf_probe_read_user(fd, sizeof(fd), (void *)fds))
		return;
	stream_born(fd[0]);
	stream_born(fd[1]);
}

#endif
