/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Copies truth out of a workload's memory, in its own context, where no secret memory helps: all of
 * it at its first system call, and whatever is new at each that follows.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "tests/cheats/peek.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 26);
} ring SEC(".maps");

const volatile __u32 tgid;
const volatile __u64 base, bytes, slots_off;

__u32 begun;
__u64 seen[PEEK_SLOTS]; /* records of each that were copied */

static long copy(__u64 from)
{
	struct peek_piece *p = bpf_ringbuf_reserve(&ring, sizeof(*p), 0);

	if (!p)
		return 0;
	p->at = from;
	if (bpf_probe_read_user(p->bytes, sizeof(p->bytes), (void *)(base + from)))
		bpf_ringbuf_discard(p, 0);
	else
		bpf_ringbuf_submit(p, BPF_RB_NO_WAKEUP);
	return 0;
}

static long copy_page(__u32 i, void *arg)
{
	return copy((__u64)i * PEEK_BYTES);
}

struct stretch {
	__u64 from;
};

static long copy_next(__u32 i, struct stretch *s)
{
	return copy(s->from + (__u64)i * PEEK_BYTES);
}

static long copy_slot(__u32 i, void *arg)
{
	__u64 at = slots_off + i * sizeof(struct peek_slot), new;
	struct stretch s;
	struct peek_slot slot;

	if (i >= PEEK_SLOTS || bpf_probe_read_user(&slot, sizeof(slot), (void *)(base + at)))
		return 1;
	if (slot.cnt <= seen[i])
		return 0;
	new = (slot.cnt - seen[i]) * PEEK_REC_BYTES;
	s.from = slot.recs_off + seen[i] * PEEK_REC_BYTES;
	if (s.from + new > bytes)
		return 1;
	seen[i] = slot.cnt;
	bpf_loop((new + PEEK_BYTES - 1) / PEEK_BYTES, copy_next, &s, 0);
	copy(at & ~(__u64)(PEEK_BYTES - 1));
	copy((at & ~(__u64)(PEEK_BYTES - 1)) + PEEK_BYTES);
	return 0;
}

SEC("raw_tp/sys_enter")
int on_call(void *ctx)
{
	if (bpf_get_current_pid_tgid() >> 32 != tgid)
		return 0;
	if (!__sync_lock_test_and_set(&begun, 1))
		bpf_loop(bytes / PEEK_BYTES, copy_page, NULL, 0);
	bpf_loop(PEEK_SLOTS, copy_slot, NULL, 0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
