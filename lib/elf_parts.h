/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of an elf_file, for lib/elf_*.c only. */
#ifndef ASSAY_LIB_ELF_PARTS_H
#define ASSAY_LIB_ELF_PARTS_H

#include <libelf.h>

#include "lib/elf_file.h"

struct elf_segment {
	uint64_t addr, size, offset; /* size in the file */
	bool executable;
};

struct elf_file {
	int fd;
	Elf *elf;
	unsigned machine;
	char build_id[65];
	struct elf_segment *segments;
	size_t segments_cnt;
	struct elf_symbol *symbols; /* by name, then address */
	size_t symbols_cnt, symbols_cap;
	uint32_t *by_addr; /* indices of symbols */
	struct elf_usdt *usdt;
	size_t usdt_cnt;
	uint64_t stapsdt_base; /* address of .stapsdt.base; 0: none */
};

/* 0 or -ENOMEM; what is malformed is left out. */
int elf_read_notes(struct elf_file *f, Elf_Data *data);
int elf_read_symbols(struct elf_file *f);

const struct elf_segment *elf_segment_of(const struct elf_file *f, uint64_t addr);

#endif
