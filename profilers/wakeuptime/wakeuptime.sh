#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2034 # what summary.sh reads
# libbpf-tools' wakeuptime, unmodified, as a profiler: who ended whose sleep, and how long that was.
name=wakeuptime
needs='"root","bpf","btf","wakeuptime"'
tool=wakeuptime
# shellcheck source=profilers/tools/summary.sh
. "$(dirname "$0")/summary.sh"
