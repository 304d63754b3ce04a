/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of the evidence is lost. */
#include "profilers/causal/losses.h"

static double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

double losses_share(struct losses *l)
{
	double told = ratio(l->lost, l->lost + l->records);
	double now = greater(told, ratio(l->missing, l->passed));
	double share = greater(now, l->before);

	l->all_lost += l->lost > l->missing ? l->lost : l->missing;
	l->all_records += l->lost + l->records;
	l->before = now;
	l->lost = l->records = 0;
	l->missing = l->passed = 0;
	return greater(share, ratio(l->all_lost, l->all_records));
}
