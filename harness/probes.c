/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of probes. Apart from machine.c, so that only the command links what probes need. */
#include "harness/machine.h"

static const struct {
	const char *name, *serves;
} rows[PROBE_CNT] = {
	[PROBE_ROOT] = {"root", "recording and live profilers"},
	[PROBE_BPF] = {"bpf", "recording and live profilers"},
	[PROBE_RINGBUF] = {"ringbuf", "recording and live profilers"},
	[PROBE_BTF] = {"btf", "recording and live profilers"},
	[PROBE_TP_BTF] = {"tp_btf", "recording and live profilers"},
	[PROBE_TRACEFS] = {"tracefs", "syscall tracepoints of the collector"},
	[PROBE_BPFFS] = {"bpffs", "profilers that pin maps"},
	[PROBE_UPROBE_MULTI] = {"uprobe_multi", "profilers that ask for it (ours do not)"},
	[PROBE_PERF] = {"perf", "profilers that sample"},
	[PROBE_USER_EVENTS] = {"user_events", "profilers that use user_events"},
	[PROBE_PIDNS] = {"pidns", "recording and live profilers"},
	[PROBE_IO_URING] = {"io_uring", "the workload uring"},
	[PROBE_FUTEX] = {"futex", "the workload wake"},
	[PROBE_MEMLOCK] = {"memlock", "BPF on kernels before 5.11"},
	[PROBE_PTRACE] = {"ptrace", "profilers that look into processes"},
	[PROBE_ADMIN] = {"admin", "profilers that cannot do with the rights for BPF and perf"},
	[PROBE_GNUPLOT] = {"gnuplot", "plots in the report"},
};

void machine_probe(struct machine *ret)
{
	struct machine m = {0};

	for (int i = 0; i < PROBE_CNT; i++) {
		m.probes[i].name = rows[i].name;
		m.probes[i].serves = rows[i].serves;
	}
	probe_kernel_family(&m);
	probe_bpf_family(&m);
	*ret = m;
}
