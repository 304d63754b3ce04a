/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer handoffs: which arming an expiry comes from that was taken.
 *
 * The expiry says it itself, as decided where it was seen, so nothing is kept. An arming that
 * nobody takes up is no claim: it may have been disarmed or armed anew in time, and gone nowhere.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_TIMER_H
#define ASSAY_PROFILERS_CAUSAL_TIMER_H

#include "profilers/adapter/observe.h"

int causal_timer_dst(struct observer *out, const struct observation *o);

#endif
