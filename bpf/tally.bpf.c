// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Hits of one tracepoint, those in a control group apart from all others: whose doing the runs of
 * somebody else's program at the same tracepoint are. Attached while hits are counted, and then
 * alone.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "bpf/tally.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u64 group; /* id of the group in the unified hierarchy */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, TALLY_CNT);
	__type(key, __u32);
	__type(value, __u64);
} hits SEC(".maps");

SEC("raw_tp")
int count(void *ctx)
{
	__u32 who = bpf_get_current_cgroup_id() == group ? TALLY_GROUP : TALLY_OTHERS;
	__u64 *v = bpf_map_lookup_elem(&hits, &who);

	if (v)
		++*v;
	return 0;
}
