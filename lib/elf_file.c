/* SPDX-License-Identifier: BSD-2-Clause */
/* An ELF file read once through libelf into tables of its own. */
#include "lib/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/elf_parts.h"
#include "lib/files.h"

static int not_elf(const char *path, struct diag *d, const char *why)
{
	return diag_set(d, -ENOEXEC, path, 0, "an executable or shared library of this machine",
			"%s", why);
}

static int no_memory(const char *path, struct diag *d)
{
	return diag_set(d, -ENOMEM, path, 0, "free memory", "memory is full");
}

static int read_segments(struct elf_file *f)
{
	size_t cnt;

	if (elf_getphdrnum(f->elf, &cnt))
		return -ENOEXEC;
	f->segments = calloc(cnt + 1, sizeof(*f->segments));
	if (!f->segments)
		return -ENOMEM;
	for (size_t i = 0; i < cnt; i++) {
		GElf_Phdr h;

		if (!gelf_getphdr(f->elf, (int)i, &h) || h.p_type != PT_LOAD)
			continue;
		f->segments[f->segments_cnt++] = (struct elf_segment){
			h.p_vaddr, h.p_filesz, h.p_offset, (h.p_flags & PF_X) != 0};
	}
	return 0;
}

static int read_notes(struct elf_file *f)
{
	Elf_Scn *s = NULL;
	GElf_Shdr h;
	size_t names;
	int rc = 0;

	if (elf_getshdrstrndx(f->elf, &names))
		return 0;
	while (!rc && (s = elf_nextscn(f->elf, s))) {
		const char *name;

		if (!gelf_getshdr(s, &h))
			continue;
		name = elf_strptr(f->elf, names, h.sh_name);
		if (name && !strcmp(name, ".stapsdt.base"))
			f->stapsdt_base = h.sh_addr;
	}
	while (!rc && (s = elf_nextscn(f->elf, s)))
		if (gelf_getshdr(s, &h) && h.sh_type == SHT_NOTE)
			rc = elf_read_notes(f, elf_getdata(s, NULL));
	return rc;
}

/* libelf reads a file that was cut off behind its segments as one without sections. */
static int check_whole(const struct elf_file *f, const GElf_Ehdr *h)
{
	struct stat st;

	if (fstat(f->fd, &st))
		return -errno;
	return h->e_shoff + (uint64_t)h->e_shnum * h->e_shentsize > (uint64_t)st.st_size ? -ENOEXEC
											 : 0;
}

static int read_all(struct elf_file *f, const GElf_Ehdr *h)
{
	int rc = check_whole(f, h);

	if (!rc)
		rc = read_segments(f);

	if (!rc)
		rc = read_notes(f);
	return rc ? rc : elf_read_symbols(f);
}

/* What is read from here on is there, or the file is of no use. */
static int open_elf(struct elf_file *f, const char *path, struct diag *d)
{
	GElf_Ehdr h;
	int rc;

	elf_version(EV_CURRENT);
	f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	if (!f->elf)
		return not_elf(path, d, "no ELF file");
	if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &h))
		return not_elf(path, d, "no ELF file");
	if (h.e_ident[EI_CLASS] != ELFCLASS64)
		return not_elf(path, d, "a 32-bit program");
	f->machine = h.e_machine;
	rc = read_all(f, &h);
	if (rc == -ENOMEM)
		return no_memory(path, d);
	return rc ? not_elf(path, d, "a damaged or cut-off ELF file") : 0;
}

int elf_file_open(const char *path, struct elf_file **ret, struct diag *d)
{
	struct elf_file *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return no_memory(path, d);
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	rc = f->fd < 0 ? file_error(d, -errno, path, "open") : open_elf(f, path, d);
	if (rc) {
		elf_file_close(f);
		return rc;
	}
	*ret = f;
	return 0;
}

void elf_file_close(struct elf_file *f)
{
	if (!f)
		return;
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->segments);
	free(f->symbols);
	free(f->by_addr);
	free(f->usdt);
	free(f);
}

const char *elf_file_build_id(const struct elf_file *f)
{
	return f->build_id;
}

bool elf_file_is_x86_64(const struct elf_file *f)
{
	return f->machine == EM_X86_64;
}

const struct elf_usdt *elf_file_usdt(const struct elf_file *f, size_t *ret_cnt)
{
	*ret_cnt = f->usdt_cnt;
	return f->usdt;
}

const struct elf_segment *elf_segment_of(const struct elf_file *f, uint64_t addr)
{
	for (size_t i = 0; i < f->segments_cnt; i++)
		if (addr >= f->segments[i].addr && addr - f->segments[i].addr < f->segments[i].size)
			return &f->segments[i];
	return NULL;
}

int elf_file_offset(const struct elf_file *f, uint64_t addr, uint64_t *ret)
{
	const struct elf_segment *s = elf_segment_of(f, addr);

	if (!s)
		return -ENOENT;
	*ret = addr - s->addr + s->offset;
	return 0;
}

size_t elf_file_bytes(const struct elf_file *f, uint64_t addr, void *buf, size_t max)
{
	const struct elf_segment *s = elf_segment_of(f, addr);
	size_t got = 0;

	if (!s)
		return 0;
	if (max > s->addr + s->size - addr)
		max = s->addr + s->size - addr;
	while (got < max) {
		ssize_t n = pread(f->fd, (char *)buf + got, max - got,
				  (off_t)(addr - s->addr + s->offset + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	return got;
}
