/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notes of an ELF file: the build-id, and the probes of sys/sdt.h (format: SystemTap wiki,
 * "UserSpaceProbeImplementation").
 */
#include <ctype.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf_parts.h"

enum { NT_STAPSDT = 3, ARG_BYTES_MAX = 8 };

static void take_build_id(struct elf_file *f, const unsigned char *id, size_t len)
{
	if (f->build_id[0] || len * 2 >= sizeof(f->build_id))
		return;
	for (size_t i = 0; i < len; i++)
		snprintf(f->build_id + 2 * i, 3, "%02x", id[i]);
}

/* A NUL-terminated string inside [*at, end), or NULL. */
static const char *take_string(const char **at, const char *end)
{
	const char *s = *at, *nul = s < end ? memchr(s, 0, (size_t)(end - s)) : NULL;

	if (nul)
		*at = nul + 1;
	return nul ? s : NULL;
}

/* Place, base and semaphore, then provider, name and arguments. */
static int take_probe(struct elf_file *f, const char *desc, size_t len)
{
	const char *at = desc + 3 * sizeof(uint64_t), *end = desc + len;
	struct elf_usdt *more, u;
	uint64_t words[3], moved;

	if (len < sizeof(words))
		return 0;
	memcpy(words, desc, sizeof(words));
	u.provider = take_string(&at, end);
	u.name = u.provider ? take_string(&at, end) : NULL;
	u.args = u.name ? take_string(&at, end) : NULL;
	if (!u.args)
		return 0;
	/* prelink moves the section of the base and leaves the notes */
	moved = f->stapsdt_base && words[1] ? f->stapsdt_base - words[1] : 0;
	u.addr = words[0] + moved;
	u.semaphore = words[2] ? words[2] + moved : 0;
	more = reallocarray(f->usdt, f->usdt_cnt + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	f->usdt = more;
	f->usdt[f->usdt_cnt++] = u;
	return 0;
}

static bool is_note(const GElf_Nhdr *n, unsigned type, const char *have, const char *name)
{
	return n->n_type == type && n->n_namesz == strlen(name) + 1 &&
	       !memcmp(have, name, n->n_namesz);
}

int elf_read_notes(struct elf_file *f, Elf_Data *data)
{
	size_t at = 0, name, desc;
	GElf_Nhdr n;
	int rc = 0;

	while (!rc && data && (at = gelf_getnote(data, at, &n, &name, &desc))) {
		const char *base = data->d_buf;

		if (is_note(&n, NT_GNU_BUILD_ID, base + name, "GNU"))
			take_build_id(f, (const unsigned char *)base + desc, n.n_descsz);
		else if (is_note(&n, NT_STAPSDT, base + name, "stapsdt"))
			rc = take_probe(f, base + desc, n.n_descsz);
	}
	return rc;
}

/* "-4@%eax", or "8@-16(%rbp)"; a place without a size is a word. */
static int take_arg(const char *s, size_t len, int8_t *ret)
{
	bool minus = *s == '-';
	const char *at = memchr(s, '@', len);
	long size;

	if (!at) {
		*ret = 8;
		return 0;
	}
	if (!isdigit((unsigned char)s[minus]) || at + 1 == s + len)
		return -EINVAL;
	size = strtol(s + minus, NULL, 10);
	if (size != 1 && size != 2 && size != 4 && size != ARG_BYTES_MAX)
		return -EINVAL;
	*ret = (int8_t)(minus ? -size : size);
	return 0;
}

int elf_usdt_args(const char *args, int8_t *ret_sizes, unsigned max)
{
	int cnt = 0;

	for (args += strspn(args, " "); *args; args += strspn(args, " "), cnt++) {
		size_t len = strcspn(args, " ");
		int8_t size;

		if (take_arg(args, len, &size))
			return -EINVAL;
		if ((unsigned)cnt < max)
			ret_sizes[cnt] = size;
		args += len;
	}
	return cnt;
}
