/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a program as a stranger would. */
#include "mutations/image.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/hash.h"

enum { WORD_MIN = 5, WORD_MAX = 4096 };

void image_free(struct image *m)
{
	names_free(&m->symbols);
	names_free(&m->sections);
	names_free(&m->words);
	*m = (struct image){.code = 0};
}

/* ---- sections ---- */

struct reader {
	Elf *elf;
	size_t names; /* section that holds the sections' names */
	struct image *image;
};

static const char *section_name(const struct reader *r, const GElf_Shdr *s)
{
	const char *name = elf_strptr(r->elf, r->names, s->sh_name);

	return name ? name : "";
}

static const char *place_of(const struct reader *r, size_t index)
{
	Elf_Scn *scn;
	GElf_Shdr s;

	if (index == SHN_UNDEF)
		return "undefined";
	if (index >= SHN_LORESERVE)
		return "special";
	scn = elf_getscn(r->elf, index);
	return scn && gelf_getshdr(scn, &s) ? section_name(r, &s) : "?";
}

/* ---- symbols ---- */

static int add_symbol(struct reader *r, const GElf_Shdr *s, const GElf_Sym *sym, const char *name)
{
	static const char *const types[] = {"NOTYPE", "OBJECT", "FUNC", "SECTION",
					    "FILE",   "COMMON", "TLS"};
	static const char *const bindings[] = {"LOCAL", "GLOBAL", "WEAK"};
	unsigned type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
	char *text;
	int n = asprintf(&text, "%s %s %s %s %s", s->sh_type == SHT_DYNSYM ? "dynamic" : "static",
			 type < 7 ? types[type] : "OTHER", bind < 3 ? bindings[bind] : "OTHER",
			 place_of(r, sym->st_shndx), name);
	int rc = n < 0 ? -ENOMEM : names_add(&r->image->symbols, text, (size_t)n);

	if (n >= 0)
		free(text);
	return rc;
}

static int add_symbols(struct reader *r, Elf_Scn *scn, const GElf_Shdr *s)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t cnt = s->sh_entsize ? s->sh_size / s->sh_entsize : 0;
	int rc = 0;

	for (size_t i = 1; data && !rc && i < cnt; i++) {
		GElf_Sym sym;
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym))
			return -EINVAL;
		name = elf_strptr(r->elf, s->sh_link, sym.st_name);
		if (!name || GELF_ST_TYPE(sym.st_info) == STT_SECTION)
			continue;
		rc = add_symbol(r, s, &sym, name);
	}
	return rc;
}

/* ---- words ---- */

static int add_words(struct image *m, const char *bytes, size_t len)
{
	size_t from = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i <= len; i++) {
		if (i < len && (isprint((unsigned char)bytes[i]) || bytes[i] == '\t'))
			continue;
		if (i - from >= WORD_MIN && i - from < WORD_MAX)
			rc = names_add(&m->words, bytes + from, i - from);
		from = i + 1;
	}
	return rc;
}

static int add_section(struct reader *r, Elf_Scn *scn, const GElf_Shdr *s)
{
	const char *name = section_name(r, s);
	Elf_Data *data;
	int rc = names_add(&r->image->sections, name, strlen(name));

	if (rc || s->sh_type == SHT_NOBITS)
		return rc;
	if (s->sh_type == SHT_SYMTAB || s->sh_type == SHT_DYNSYM)
		return add_symbols(r, scn, s);
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return 0;
	if (s->sh_flags & SHF_EXECINSTR) {
		r->image->code = hash_bytes(data->d_buf, data->d_size, r->image->code);
		return 0;
	}
	/* a build-id is chance, a hash table and unwind tables are no text */
	if (s->sh_type == SHT_NOTE || s->sh_type == SHT_GNU_HASH || s->sh_type == SHT_RELA ||
	    !strncmp(name, ".eh_frame", 9) || s->sh_type == SHT_STRTAB)
		return 0;
	return add_words(r->image, data->d_buf, data->d_size);
}

static int read_elf(struct reader *r)
{
	Elf_Scn *scn = NULL;
	int rc = 0;

	if (elf_kind(r->elf) != ELF_K_ELF || elf_getshdrstrndx(r->elf, &r->names))
		return -EINVAL;
	while (!rc && (scn = elf_nextscn(r->elf, scn))) {
		GElf_Shdr s;

		rc = gelf_getshdr(scn, &s) ? add_section(r, scn, &s) : -EINVAL;
	}
	names_sort(&r->image->symbols);
	names_sort(&r->image->sections);
	names_sort(&r->image->words);
	return rc;
}

int image_load(const char *path, struct image *ret, struct diag *d)
{
	struct image m = {.code = 0};
	struct reader r = {.image = &m};
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return file_error(d, -errno, path, "read");
	elf_version(EV_CURRENT);
	r.elf = elf_begin(fd, ELF_C_READ, NULL);
	rc = r.elf ? read_elf(&r) : -EINVAL;
	if (rc) {
		diag_set(d, rc, path, 0, "a program that this machine can run",
			 rc == -ENOMEM ? "out of memory" : "it cannot be read as ELF");
		image_free(&m);
	} else {
		*ret = m;
	}
	elf_end(r.elf);
	close(fd);
	return rc;
}
