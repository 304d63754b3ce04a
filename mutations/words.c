/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of mutation records. */
#include "mutations/words.h"

#include <string.h>

static const char *const class_names[CLASS_CNT] = {
#define CLASS_NAME_(name, means) #name,
	MUTATION_CLASSES(CLASS_NAME_)
#undef CLASS_NAME_
};
static const char *const class_means[CLASS_CNT] = {
#define CLASS_MEANS_(name, means) means,
	MUTATION_CLASSES(CLASS_MEANS_)
#undef CLASS_MEANS_
};
static const char *const kind_names[MUTATION_KIND_CNT] = {"patch", "flags", "config", "harness"};
static const char *const form_names[FORM_CNT] = {"base", "mutant", "twin"};
static const char *const measure_names[MEASURE_CNT] = {
	"count", "ratio", "units", "outstanding", "unpaired", "overlap", "moved",  "delay",
	"mean",	 "max",	  "stray", "peak",	  "miscount", "unequal", "unused",
};

static int find(const char *const *names, size_t cnt, const char *s, size_t len)
{
	for (size_t i = 0; i < cnt; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], s, len))
			return (int)i;
	return -1;
}

const char *mutation_class_name(unsigned v)
{
	return class_names[v];
}

const char *mutation_class_means(unsigned v)
{
	return class_means[v];
}

const char *mutation_kind_name(unsigned v)
{
	return kind_names[v];
}

const char *form_name(unsigned v)
{
	return form_names[v];
}

const char *measure_name(unsigned v)
{
	return measure_names[v];
}

int mutation_class_parse(const char *s, size_t len)
{
	return find(class_names, CLASS_CNT, s, len);
}

int mutation_kind_parse(const char *s, size_t len)
{
	return find(kind_names, MUTATION_KIND_CNT, s, len);
}

int form_parse(const char *s, size_t len)
{
	return find(form_names, FORM_CNT, s, len);
}

int measure_parse(const char *s, size_t len)
{
	return find(measure_names, MEASURE_CNT, s, len);
}
