/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The few kernel types that the collector reads, declared by hand for CO-RE.
 *
 * Only the fields that are read; their offsets and sizes come from the running kernel's BTF at
 * load, so an object built on one kernel loads on another. A field that some supported kernel
 * lacks is read behind bpf_core_field_exists. Include from BPF programs only.
 */
#ifndef ASSAY_BPF_KERNEL_H
#define ASSAY_BPF_KERNEL_H

#include <linux/types.h>
#include <stdbool.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

struct inode {
	unsigned long i_ino;
};

struct file {
	void *private_data;
	const void *f_op;
	struct inode *f_inode;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_flags;
	unsigned long vm_pgoff;
	struct file *vm_file;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct io_uring_task {
	struct file *registered_rings[16]; /* IO_RINGFD_REG_MAX */
	atomic_t in_cancel; /* the task cancels all that it has, since it exits or execs */
};

struct upid {
	int nr;
};

struct pid {
	struct upid numbers[1]; /* of the initial namespace */
};

enum pid_type { PIDTYPE_PGID = 2 };

struct signal_struct {
	atomic_t live; /* threads that have not begun to exit */
	struct pid *pids[4];
};

struct sched_entity {
	__u64 sum_exec_runtime; /* ns, without what interrupts and a hypervisor took */
};

struct sched_info {
	__u64 run_delay; /* ns that it could have run and did not */
};

struct task_struct {
	unsigned int flags;
	unsigned int __state;
	int pid;
	int tgid;
	struct files_struct *files;
	struct io_uring_task *io_uring;
	struct signal_struct *signal;
	struct sched_entity se;
	struct sched_info sched_info; /* CONFIG_SCHED_INFO */
};

struct io_cqe {
	__u64 user_data;
	int fd; /* MSG_RING: descriptor of the target ring, until completion */
};

struct io_ring_ctx {
	unsigned int cached_sq_head; /* SQEs taken so far */
};

struct io_kiocb {
	__u8 opcode;
	__u64 flags; /* the low eight bits are those of the SQE */
	struct io_cqe cqe;
	struct io_ring_ctx *ctx;
};

struct io_msg { /* what an IORING_OP_MSG_RING keeps at the head of its io_kiocb */
	__u64 user_data;
	__u32 len; /* becomes the result on the target ring */
};

struct io_uring_cqe {
	__u64 user_data;
	__s32 res;
	__u32 flags;
};

struct block_device {
	__u32 bd_dev;
};

struct request {
	unsigned int cmd_flags;
	unsigned int __data_len;
	__u64 __sector;
	struct block_device *part;
};

struct work_struct {
	void *func;
};

struct tty_bufhead {
	struct work_struct work; /* flush_to_ldisc */
};

struct tty_port {
	struct tty_bufhead buf;
};

struct tty_struct {
	struct tty_port *port;
	struct tty_struct *link; /* of a pty: its other side */
};

struct tty_file_private {
	struct tty_struct *tty;
};

struct in6_addr {
	union {
		__u32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	__u32 skc_daddr;
	__u32 skc_rcv_saddr;
	__u16 skc_dport; /* network order */
	__u16 skc_num;	 /* host order */
	unsigned short skc_family;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	__u16 sk_protocol;
	struct socket *sk_socket;
};

struct unix_sock {
	struct sock *peer;
};

struct socket {
	short type;
	struct sock *sk;
};

struct socket_alloc {
	struct socket socket;
	struct inode vfs_inode;
};

struct timerfd_ctx {
	int clockid;
};

struct hrtimer {
	__u8 state;
};

/* pt_regs differs by architecture; the flavour whose fields exist is the one that is read. */
struct pt_regs___x86 {
	unsigned long r10, r9, r8, ax, dx, si, di, orig_ax, ip;
};

struct pt_regs___arm64 {
	__u64 regs[31];
	__u64 orig_x0;
	int syscallno;
};

#pragma clang attribute pop

/* uapi linux/io_uring.h, whose struct io_uring_cqe would clash with the one above */
enum {
	IOSQE_FIXED_FILE = 1,
	IORING_OP_POLL_ADD = 6,
	IORING_OP_RECVMSG = 10,
	IORING_OP_TIMEOUT = 11,
	IORING_OP_ACCEPT = 13,
	IORING_OP_RECV = 27,
	IORING_OP_MSG_RING = 40,
	IORING_OP_URING_CMD = 46,
	IORING_OP_SEND_ZC = 47,
	IORING_OP_SENDMSG_ZC = 48,
	IORING_OP_READ_MULTISHOT = 49,
	IORING_OP_RECV_ZC = 58,
	IORING_ENTER_REGISTERED_RING = 1 << 4,
};

/* linux/socket.h, linux/net.h, linux/in.h */
enum {
	AF_UNIX = 1,
	AF_INET = 2,
	AF_INET6 = 10,
	SOCK_STREAM = 1,
	IPPROTO_TCP = 6,
	MSG_PEEK = 2,
};

/* include/linux/sched.h: bits of task_struct.flags */
enum {
	PF_IO_WORKER = 0x00000010,
	PF_USER_WORKER = 0x00004000,
	PF_KTHREAD = 0x00200000,
};

#endif
