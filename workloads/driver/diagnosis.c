/* SPDX-License-Identifier: BSD-2-Clause */
/* What ails the service, as truth has it. */
#include "workloads/driver/diagnosis.h"

#include <errno.h>

#include "workloads/driver/settings.h"

/* Behind the names of classes, counted from the end. */
static unsigned label_index(unsigned label)
{
	return LOG_NAMES - 1 - label;
}

static const struct ailment *find(const struct workload *s, uint64_t label)
{
	for (const struct ailment *a = s->ailments; a && a->label; a++)
		if (a->label == label)
			return a;
	return NULL;
}

uint32_t diagnosis_ailments(const struct workload *s)
{
	uint32_t bits = 0;

	for (const struct ailment *a = s->ailments; a && a->label; a++)
		bits |= 1u << a->label;
	return bits;
}

int diagnosis_check(const struct workload *s, const char *path, struct diag *d)
{
	if (!settings.ail)
		return 0;
	if (!find(s, settings.ail))
		return diag_set(d, -EINVAL, path, 0, "describe lists what it can suffer from",
				"%s has no ailment %llu", s->name,
				(unsigned long long)settings.ail);
	if (!settings.turn)
		return diag_set(d, -EINVAL, path, 0, "add turn=N, the operation from which on",
				"ail without turn");
	return 0;
}

void diagnosis_open(struct recorder_channel *c)
{
	for (unsigned i = 0; i < DIAGNOSIS_CNT; i++)
		recorder_name_class(c, label_index(i), diagnosis_name(i));
}

void diagnosis_record(struct worker *w, const struct workload *s, uint64_t begin, uint64_t end)
{
	const struct ailment *a = find(s, settings.ail);
	uint64_t turned = a ? atomic_load(&settings.turned) : 0;

	if (!turned)
		turned = end;
	if (turned > begin)
		recorder_diagnosis(&w->rec, label_index(DIAGNOSIS_HEALTHY), LOG_NAMES, begin,
				   turned);
	if (turned < end)
		recorder_diagnosis(&w->rec, label_index(a->label), a->subject, turned, end);
}
