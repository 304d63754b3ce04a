/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of functions as text. */
#include "mutations/signatures.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/insn.h"
#include "lib/resolve.h"

enum { DEPTH_MAX = 16 };

/* ---- types ---- */

static bool type_of(Dwarf_Die *of, Dwarf_Die *ret)
{
	Dwarf_Attribute a;

	return dwarf_attr_integrate(of, DW_AT_type, &a) && dwarf_formref_die(&a, ret);
}

static const char *tag_word(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	case DW_TAG_const_type:
		return "const ";
	case DW_TAG_volatile_type:
		return "volatile ";
	default:
		return "";
	}
}

static void write_type(Dwarf_Die *holder, unsigned depth, FILE *out)
{
	Dwarf_Die type;
	int tag;

	if (!type_of(holder, &type)) {
		fputs("void", out);
		return;
	}
	if (depth == DEPTH_MAX) {
		fputs("…", out);
		return;
	}
	tag = dwarf_tag(&type);
	fputs(tag_word(tag), out);
	switch (tag) {
	case DW_TAG_pointer_type:
	case DW_TAG_array_type:
		write_type(&type, depth + 1, out);
		fputs(tag == DW_TAG_pointer_type ? " *" : "[]", out);
		break;
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
		write_type(&type, depth + 1, out);
		break;
	case DW_TAG_subroutine_type:
		fputs("function", out);
		break;
	default:
		fputs(dwarf_diename(&type) ? dwarf_diename(&type) : "unnamed", out);
	}
}

/* What goes by value has a size that callers and probes rely on. */
static void write_value(Dwarf_Die *holder, FILE *out)
{
	Dwarf_Die type;
	Dwarf_Word size;

	write_type(holder, 0, out);
	if (type_of(holder, &type) && !dwarf_aggregate_size(&type, &size))
		fprintf(out, ":%llu", (unsigned long long)size);
}

/* ---- functions ---- */

static void write_function(Dwarf_Die *function, FILE *out)
{
	Dwarf_Die child;
	unsigned cnt = 0;
	int rc = dwarf_child(function, &child);

	fprintf(out, "%s ", dwarf_diename(function));
	write_value(function, out);
	fputc('(', out);
	for (; !rc; rc = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag != DW_TAG_formal_parameter && tag != DW_TAG_unspecified_parameters)
			continue;
		fputs(cnt++ ? ", " : "", out);
		if (tag == DW_TAG_formal_parameter)
			write_value(&child, out);
		else
			fputs("...", out);
	}
	fputc(')', out);
}

/* Defined here: no mere declaration, and no copy of what stands elsewhere in full. */
static bool is_definition(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_subprogram && dwarf_diename(die) &&
	       !dwarf_hasattr(die, DW_AT_declaration) && !dwarf_hasattr(die, DW_AT_abstract_origin);
}

static int add_function(Dwarf_Die *die, struct name_list *l)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int rc = out ? 0 : -ENOMEM;

	if (!rc) {
		write_function(die, out);
		rc = fclose(out) ? -ENOMEM : names_add(l, text, len);
	}
	free(text);
	return rc;
}

static int read_units(Dwarf *dw, struct name_list *l)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, die;
	int rc = 0;

	while (!rc && !dwarf_get_units(dw, cu, &cu, NULL, NULL, &unit, NULL)) {
		int more = dwarf_child(&unit, &die);

		for (; !rc && !more; more = dwarf_siblingof(&die, &die))
			if (is_definition(&die))
				rc = add_function(&die, l);
	}
	return rc ? rc : l->cnt ? 0 : -ENODATA;
}

int signatures_load(const char *path, struct name_list *ret, struct diag *d)
{
	struct name_list l = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;
	Dwarf *dw;

	if (fd < 0)
		return file_error(d, -errno, path, "read");
	dw = dwarf_begin(fd, DWARF_C_READ);
	rc = dw ? read_units(dw, &l) : -ENODATA;
	dwarf_end(dw);
	close(fd);
	if (rc) {
		names_free(&l);
		return diag_set(d, rc == -ENODATA ? -EINVAL : rc, path, 0, "compile it with -g",
				rc == -ENODATA ? "it has no debug information" : "out of memory");
	}
	names_sort(&l);
	*ret = l;
	return 0;
}

/* Names of functions end at the first blank. */
static size_t name_len(const char *signature)
{
	return strcspn(signature, " ");
}

/* < 0, 0, > 0 by the names of two functions. */
static int by_name(const char *a, const char *b)
{
	size_t n = name_len(a), m = name_len(b);
	int c = memcmp(a, b, n < m ? n : m);

	return c ? c : (n > m) - (n < m);
}

/* Static functions of several files may share a name: all of one name are compared in order. */
const char *signatures_differ(const struct name_list *a, const struct name_list *b, size_t *ret_cnt)
{
	size_t i = 0, j = 0, cnt = 0;

	while (i < a->cnt && j < b->cnt) {
		int c = by_name(a->v[i], b->v[j]);

		if (c) {
			*(c < 0 ? &i : &j) += 1;
			continue;
		}
		if (strcmp(a->v[i], b->v[j]))
			return b->v[j];
		cnt++;
		i++;
		j++;
	}
	if (ret_cnt)
		*ret_cnt = cnt;
	return NULL;
}

/* ---- sites ---- */

static int add_line(struct name_list *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static int add_line(struct name_list *l, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	return names_add(l, line, n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

static int add_sites(const struct manifest *m, const struct resolution *r, struct name_list *l)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < r->sites_cnt; i++) {
		const struct resolved_site *s = &r->sites[i];

		if (!s->is_capacity)
			rc = add_line(l, "descriptor %u: %s+%llu%s, %s",
				      m->descriptors[s->index].id, s->symbol,
				      (unsigned long long)s->inside, s->on_return ? " return" : "",
				      cost_class_name(s->cost));
	}
	for (size_t i = 0; !rc && i < r->failures_cnt; i++)
		if (!r->failures[i].is_capacity)
			rc = add_line(l, "descriptor %u: none",
				      m->descriptors[r->failures[i].index].id);
	return rc;
}

int attachability_load(const struct manifest *m, const char *exe, struct name_list *ret,
		       struct diag *d)
{
	struct name_list l = {0};
	struct resolution r;
	int rc = manifest_resolve(m, exe, &r, d);

	if (rc)
		return rc;
	rc = add_sites(m, &r, &l);
	resolution_free(&r);
	if (rc) {
		names_free(&l);
		return diag_set(d, rc, NULL, 0, NULL, "out of memory");
	}
	names_sort(&l);
	*ret = l;
	return 0;
}
