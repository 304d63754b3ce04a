/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* The consumer of one USDT site: stamps and emits 64 bytes, as a tracer would. */
#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} ring SEC(".maps");

__u64 hits;

SEC("usdt")
int BPF_USDT(on_record, __u64 t0, __u64 t1, __u64 id)
{
	__u64 *r = bpf_ringbuf_reserve(&ring, 64, 0);

	__sync_fetch_and_add(&hits, 1);
	if (!r)
		return 0;
	r[0] = bpf_ktime_get_ns();
	r[1] = t0;
	r[2] = t1;
	r[3] = id;
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
