/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a prober must know of a 64-bit ELF file: build-id, code symbols, bytes, USDT notes.
 *
 * Symbols are those of .symtab and .dynsym that lie in executable segments, each (name, address)
 * once; a name may have several addresses (static functions of several files). Nothing is mapped:
 * a file that shrinks is an error, no crash. Everything returned belongs to the elf_file and lives
 * until elf_file_close. Not thread-safe. Addresses are virtual, as linked; offsets are in the file.
 */
#ifndef ASSAY_LIB_ELF_FILE_H
#define ASSAY_LIB_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/diag.h"

struct elf_file;

struct elf_symbol {
	const char *name;
	uint64_t addr;
	uint64_t size; /* where the file gives none: up to the next symbol or the segment's end */
	bool local;
};

/* One probe of .note.stapsdt; addresses are those of this file, prelinking undone. */
struct elf_usdt {
	const char *provider, *name, *args; /* "8@%rdi -4@$5" */
	uint64_t addr;
	uint64_t semaphore; /* 0: none */
};

/* -ENOEXEC for what is no 64-bit ELF file, or the error of reading it. */
int elf_file_open(const char *path, struct elf_file **ret, struct diag *d);
void elf_file_close(struct elf_file *f); /* NULL is fine */

const char *
elf_file_build_id(const struct elf_file *f); /* lower-case hex, "" where there is none */
bool elf_file_is_x86_64(const struct elf_file *f);

/* All of them, by name, then address. */
const struct elf_symbol *elf_file_symbols(const struct elf_file *f, size_t *ret_cnt);
/* Those of one name. */
const struct elf_symbol *elf_file_find(const struct elf_file *f, const char *name, size_t *ret_cnt);
/* The symbol whose code holds the address; NULL where none does. */
const struct elf_symbol *elf_file_at(const struct elf_file *f, uint64_t addr);

/* In the order of the notes. */
const struct elf_usdt *elf_file_usdt(const struct elf_file *f, size_t *ret_cnt);

/* Where an address lies in the file; -ENOENT where no segment holds it. */
int elf_file_offset(const struct elf_file *f, uint64_t addr, uint64_t *ret);

/* Bytes at an address, at most max and at most to the end of the segment; returns how many. */
size_t elf_file_bytes(const struct elf_file *f, uint64_t addr, void *buf, size_t max);

/*
 * The arguments of a USDT probe: at most `max`, each with its size in bytes, negative where signed
 * (1 to 8). Returns how many there are, -EINVAL where the text is malformed. Pure.
 */
int elf_usdt_args(const char *args, int8_t *ret_sizes, unsigned max);

#endif
