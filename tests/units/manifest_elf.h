/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small x86-64 ELF file of known bytes: functions, USDT notes, a build-id.
 *
 * Functions stand 16 bytes apart or more from ELF_TEXT on, filled with int3; addresses are file
 * offsets plus ELF_BASE. Everything is checked by the tests that use it.
 */
#ifndef ASSAY_TESTS_UNITS_MANIFEST_ELF_H
#define ASSAY_TESTS_UNITS_MANIFEST_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ELF_BASE = 0x400000, ELF_TEXT = 0x1000, ELF_ROOM = 0x4000 };

struct elf_function {
	const char *name;
	const char *code;
	size_t len;
	bool no_size; /* as in assembler sources */
};
#define CODE(name, bytes)                                                                          \
	{                                                                                          \
		name, bytes, sizeof(bytes) - 1, false                                              \
	}

struct elf_probe {
	const char *provider, *name, *args;
	uint64_t addr, semaphore;
	uint64_t base; /* as the linker knew it; ELF_STAPSDT_BASE: not moved */
};
enum { ELF_STAPSDT_BASE = ELF_BASE + 0x3000 };

struct elf_image {
	unsigned char bytes[ELF_ROOM];
	size_t text; /* offset behind the last function */
	Elf64_Sym symbols[64];
	size_t symbols_cnt;
	char names[2048];
	size_t names_len;
	char notes[2048];
	size_t notes_len;
};

static inline uint64_t elf_add_function(struct elf_image *e, const struct elf_function *f)
{
	Elf64_Sym *s = &e->symbols[++e->symbols_cnt]; /* the first is none */
	uint64_t at = (e->text + 15) & ~UINT64_C(15);

	memset(e->bytes + e->text, 0xcc, at - e->text);
	memcpy(e->bytes + at, f->code, f->len);
	e->text = at + f->len;
	*s = (Elf64_Sym){
		.st_name = (Elf64_Word)e->names_len,
		.st_info = ELF64_ST_INFO(STB_LOCAL, f->no_size ? STT_NOTYPE : STT_FUNC),
		.st_shndx = 1,
		.st_value = ELF_BASE + at,
		.st_size = f->no_size ? 0 : f->len,
	};
	strcpy(e->names + e->names_len, f->name);
	e->names_len += strlen(f->name) + 1;
	return ELF_BASE + at;
}

static inline void elf_add_probe(struct elf_image *e, const struct elf_probe *p)
{
	uint64_t words[3] = {p->addr, p->base, p->semaphore};
	char desc[512];
	size_t len = sizeof(words);
	Elf64_Nhdr h = {.n_namesz = 8, .n_type = 3};

	memcpy(desc, words, sizeof(words));
	len += (size_t)sprintf(desc + len, "%s", p->provider) + 1;
	len += (size_t)sprintf(desc + len, "%s", p->name) + 1;
	len += (size_t)sprintf(desc + len, "%s", p->args) + 1;
	h.n_descsz = (Elf64_Word)len;
	memcpy(e->notes + e->notes_len, &h, sizeof(h));
	memcpy(e->notes + e->notes_len + sizeof(h), "stapsdt", 8);
	memcpy(e->notes + e->notes_len + sizeof(h) + 8, desc, len);
	e->notes_len += sizeof(h) + 8 + ((len + 3) & ~(size_t)3);
}

static inline void elf_image_begin(struct elf_image *e)
{
	memset(e, 0, sizeof(*e));
	e->text = ELF_TEXT;
	e->names_len = 1;
}

/* Puts a section's bytes at *at and describes them. */
static inline Elf64_Shdr elf_section(struct elf_image *e, size_t *at, Elf64_Word type,
				     const void *bytes, size_t len)
{
	Elf64_Shdr h = {
		.sh_name = 1, .sh_type = type, .sh_offset = *at, .sh_size = len, .sh_addralign = 4};

	memcpy(e->bytes + *at, bytes, len);
	*at = (*at + len + 15) & ~(size_t)15;
	return h;
}

/* id: its 20 bytes, NULL: none. */
static inline bool elf_image_write(struct elf_image *e, const char *path, const char *id)
{
	static const char section_names[] = "\0x\0.stapsdt.base";
	char build[36] = "\4\0\0\0\24\0\0\0\3\0\0\0GNU";
	Elf64_Shdr s[8] = {{0}};
	Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			.e_type = ET_EXEC,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_phoff = sizeof(h),
			.e_ehsize = sizeof(h),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 8,
			.e_shstrndx = 7};
	Elf64_Phdr p = {.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_vaddr = ELF_BASE,
			.p_filesz = ELF_ROOM,
			.p_memsz = ELF_ROOM,
			.p_align = 0x1000};
	size_t at = (e->text + 15) & ~(size_t)15;
	FILE *f;
	bool ok;

	s[1] = (Elf64_Shdr){.sh_name = 1,
			    .sh_type = SHT_PROGBITS,
			    .sh_offset = ELF_TEXT,
			    .sh_addr = ELF_BASE + ELF_TEXT,
			    .sh_size = e->text - ELF_TEXT};
	s[2] = elf_section(e, &at, SHT_SYMTAB, e->symbols,
			   (e->symbols_cnt + 1) * sizeof(Elf64_Sym));
	s[2].sh_entsize = sizeof(Elf64_Sym);
	s[2].sh_link = 3;
	s[2].sh_info = (Elf64_Word)e->symbols_cnt + 1;
	s[3] = elf_section(e, &at, SHT_STRTAB, e->names, e->names_len);
	memcpy(build + 16, id ? id : "", id ? 20 : 0);
	s[4] = elf_section(e, &at, SHT_NOTE, build, id ? sizeof(build) : 0);
	s[5] = elf_section(e, &at, SHT_NOTE, e->notes, e->notes_len);
	s[6] = (Elf64_Shdr){.sh_name = 3, .sh_type = SHT_PROGBITS, .sh_addr = ELF_STAPSDT_BASE};
	s[7] = elf_section(e, &at, SHT_STRTAB, section_names, sizeof(section_names));
	h.e_shoff = at;
	memcpy(e->bytes + at, s, sizeof(s));
	memcpy(e->bytes, &h, sizeof(h));
	memcpy(e->bytes + sizeof(h), &p, sizeof(p));
	f = fopen(path, "w");
	ok = f && fwrite(e->bytes, 1, sizeof(e->bytes), f) == sizeof(e->bytes);
	return f && !fclose(f) && ok;
}

#endif
