/* SPDX-License-Identifier: BSD-2-Clause */
/* The build-id note of an ELF file, through libelf. */
#include "harness/provenance.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

static int note_id(Elf_Data *data, char ret[64])
{
	size_t at = 0, name, desc;
	GElf_Nhdr n;

	while ((at = gelf_getnote(data, at, &n, &name, &desc))) {
		const unsigned char *id = (const unsigned char *)data->d_buf + desc;

		if (n.n_type != NT_GNU_BUILD_ID || n.n_namesz != 4 || n.n_descsz > 31 ||
		    memcmp((const char *)data->d_buf + name, "GNU", 4))
			continue;
		for (unsigned i = 0; i < n.n_descsz; i++)
			snprintf(ret + 2 * i, 3, "%02x", id[i]);
		return 0;
	}
	return -ENOENT;
}

static int elf_id(Elf *elf, char ret[64])
{
	Elf_Scn *s = NULL;

	while ((s = elf_nextscn(elf, s))) {
		GElf_Shdr h;
		Elf_Data *data;

		if (!gelf_getshdr(s, &h) || h.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(s, NULL);
		if (data && !note_id(data, ret))
			return 0;
	}
	return -ENOENT;
}

int build_id(const char *path, char ret[64])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;
	Elf *elf;

	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	rc = elf ? elf_id(elf, ret) : -ENOENT;
	elf_end(elf);
	close(fd);
	return rc;
}
