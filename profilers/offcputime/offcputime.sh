#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2034 # what summary.sh reads
# libbpf-tools' offcputime, unmodified, as a profiler: how long each thread was off the CPU.
name=offcputime
needs='"root","bpf","btf","offcputime"'
tool=offcputime
# shellcheck source=profilers/tools/summary.sh
. "$(dirname "$0")/summary.sh"
