/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a hit of a BPF program that does nothing costs on this machine, by where it is attached.
 *
 * A loop of one act, with and without the program, in turn; the least of each in the thread's CPU
 * time, since whatever disturbs only adds. Less the run time that the kernel would count for such a
 * program (bpf_prog_info.run_time_ns: mostly its own clock), so that whoever adds the counted run
 * time of a real program counts nothing twice. Caches are warm here, so a real hit costs rather
 * more.
 *
 * Sites are in this process: a function's first instruction is a nop of one byte (which USDT sites
 * are, too: sys/sdt.h), a nop of five bytes (a call from Linux 6.18 on), a push, or an endbr64,
 * which is single-stepped (lib/insn.h). Of system calls both ends are watched, and half is a hit's:
 * the slow path that all calls of the machine take then is in it. Takes a second or two, once a
 * process. Not thread-safe; the kernel's statistics are on for a moment.
 */
#ifndef ASSAY_HARNESS_EMPTY_HITS_H
#define ASSAY_HARNESS_EMPTY_HITS_H

#include "scoring/overhead.h"

/* ns a hit, as measured at the first call; negative where it cannot be measured here. */
void empty_hits(double ret[OVERHEAD_CLASS_CNT]);

#endif
