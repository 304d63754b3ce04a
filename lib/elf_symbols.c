/* SPDX-License-Identifier: BSD-2-Clause */
/* Code symbols of an ELF file, found by name and by address. */
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf_parts.h"

static int add_symbol(struct elf_file *f, const char *name, const GElf_Sym *sym)
{
	if (f->symbols_cnt == f->symbols_cap) {
		size_t cap = f->symbols_cap ? 2 * f->symbols_cap : 1024;
		struct elf_symbol *p = reallocarray(f->symbols, cap, sizeof(*p));

		if (!p)
			return -ENOMEM;
		f->symbols = p;
		f->symbols_cap = cap;
	}
	f->symbols[f->symbols_cnt++] = (struct elf_symbol){name, sym->st_value, sym->st_size,
							   GELF_ST_BIND(sym->st_info) == STB_LOCAL};
	return 0;
}

/* Functions, and the untyped labels of assembler sources. */
static bool is_code(const struct elf_file *f, const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	const struct elf_segment *s = elf_segment_of(f, sym->st_value);

	return sym->st_shndx != SHN_UNDEF && sym->st_shndx < SHN_LORESERVE && s && s->executable &&
	       (type == STT_FUNC || type == STT_NOTYPE);
}

static int read_table(struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *h)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t cnt = data && h->sh_entsize ? data->d_size / h->sh_entsize : 0;
	int rc = 0;

	for (size_t i = 1; i < cnt && !rc; i++) {
		const char *name;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym) || !is_code(f, &sym))
			continue;
		name = elf_strptr(f->elf, h->sh_link, sym.st_name);
		if (name && name[0])
			rc = add_symbol(f, name, &sym);
	}
	return rc;
}

static int compare(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	if (rc)
		return rc;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->size < y->size ? 1 : x->size > y->size ? -1 : 0;
}

/* .dynsym repeats what .symtab has. */
static void drop_repeats(struct elf_file *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->symbols_cnt; i++) {
		struct elf_symbol *s = &f->symbols[i], *last = kept ? &f->symbols[kept - 1] : NULL;

		if (!last || last->addr != s->addr || strcmp(last->name, s->name))
			f->symbols[kept++] = *s;
	}
	f->symbols_cnt = kept;
}

static int compare_addr(const void *a, const void *b, void *file)
{
	const struct elf_file *f = file;
	const struct elf_symbol *x = &f->symbols[*(const uint32_t *)a];
	const struct elf_symbol *y = &f->symbols[*(const uint32_t *)b];

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Symbols of assembler sources often have no size. */
static void fill_sizes(struct elf_file *f)
{
	uint64_t next = 0;

	for (size_t i = f->symbols_cnt; i--;) {
		struct elf_symbol *s = &f->symbols[f->by_addr[i]];
		const struct elf_segment *seg = elf_segment_of(f, s->addr);
		uint64_t end = seg->addr + seg->size;
		struct elf_symbol *after =
			i + 1 < f->symbols_cnt ? &f->symbols[f->by_addr[i + 1]] : NULL;

		if (after && after->addr > s->addr)
			next = after->addr;
		if (!s->size)
			s->size = (next > s->addr && next < end ? next : end) - s->addr;
	}
}

int elf_read_symbols(struct elf_file *f)
{
	Elf_Scn *s = NULL;
	GElf_Shdr h;
	int rc = 0;

	while (!rc && (s = elf_nextscn(f->elf, s)))
		if (gelf_getshdr(s, &h) && (h.sh_type == SHT_SYMTAB || h.sh_type == SHT_DYNSYM))
			rc = read_table(f, s, &h);
	if (rc || !f->symbols_cnt)
		return rc;
	qsort(f->symbols, f->symbols_cnt, sizeof(*f->symbols), compare);
	drop_repeats(f);
	f->by_addr = calloc(f->symbols_cnt, sizeof(*f->by_addr));
	if (!f->by_addr)
		return -ENOMEM;
	for (size_t i = 0; i < f->symbols_cnt; i++)
		f->by_addr[i] = (uint32_t)i;
	qsort_r(f->by_addr, f->symbols_cnt, sizeof(*f->by_addr), compare_addr, f);
	fill_sizes(f);
	return 0;
}

const struct elf_symbol *elf_file_symbols(const struct elf_file *f, size_t *ret_cnt)
{
	*ret_cnt = f->symbols_cnt;
	return f->symbols;
}

const struct elf_symbol *elf_file_find(const struct elf_file *f, const char *name, size_t *ret_cnt)
{
	size_t lo = 0, hi = f->symbols_cnt, end;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(f->symbols[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (end = lo; end < f->symbols_cnt && !strcmp(f->symbols[end].name, name);)
		end++;
	*ret_cnt = end - lo;
	return end > lo ? &f->symbols[lo] : NULL;
}

const struct elf_symbol *elf_file_at(const struct elf_file *f, uint64_t addr)
{
	size_t lo = 0, hi = f->symbols_cnt;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->symbols[f->by_addr[mid]].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* a label inside a function lies between the address and the function's own symbol */
	for (size_t i = lo, tries = 64; i-- && tries--;) {
		const struct elf_symbol *s = &f->symbols[f->by_addr[i]];

		if (addr - s->addr < s->size)
			return s;
	}
	return NULL;
}
