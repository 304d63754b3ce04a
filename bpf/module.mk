# SPDX-License-Identifier: BSD-2-Clause
$(call bpf_object,bpf/collector.bpf.c)
$(call bpf_object,bpf/oncpu.bpf.c)
$(call bpf_object,bpf/tally.bpf.c)
