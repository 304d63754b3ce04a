/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64 code around a probe site: what a probe there costs, and whether it is safe.
 *
 * What the kernel does with a uprobe is decided by the probed instruction's bytes
 * (arch/x86/kernel/uprobes.c): nops of up to eight bytes, push of a register, relative call, jmp
 * and conditional jumps are emulated; everything else is copied out of line and single-stepped.
 * From 6.18 on a five-byte nop becomes a call. Lengths and operands come from capstone. Pure but
 * for capstone's allocations; thread-safe.
 */
#ifndef ASSAY_LIB_INSN_H
#define ASSAY_LIB_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cost_class {
	COST_UNKNOWN = 0,  /* no x86-64 code, or bytes that are none */
	COST_EMULATED = 1, /* one trap */
	COST_STEPPED = 2,  /* two traps and a copy of the instruction */
	COST_NOP5 = 3,	   /* a call from 6.18 on, emulated before */
	COST_CLASS_CNT = 4,
};
const char *cost_class_name(unsigned v);

/*
 * Nanoseconds a hit with a program that does nothing, measured on kernel 6.18, 2 cores, virtual
 * machine: emulated 630–700, stepped 9,000–12,000, optimised nop5 470–650. 0, 0 for unknown.
 */
struct cost_ns {
	uint32_t low, high;
};
struct cost_ns cost_class_ns(enum cost_class c);
enum { COST_RETURN_NS = 400 }; /* what a return probe adds */

/* From the first bytes of an instruction; at most 16 are looked at. */
enum cost_class insn_cost(const uint8_t *bytes, size_t len);

/* Length of the instruction, 0 where there is none. */
unsigned insn_len(const uint8_t *bytes, size_t len);

/* What stands around an offset into a function's code. */
struct code_look {
	bool decoded;	      /* every instruction up to the offset is known */
	bool boundary;	      /* an instruction begins at the offset */
	uint32_t begins;      /* where the instruction that holds the offset begins */
	bool at_entry;	      /* only endbr64 and nops before it */
	bool red_zone;	      /* the function uses memory below rsp */
	uint32_t red_zone_at; /* the first instruction that does */
};

/* -ENOMEM, or 0. The code is read in a straight line, as compilers emit functions. */
int code_look(const uint8_t *code, size_t len, uint64_t offset, struct code_look *ret);

/*
 * Blanks what a linker chooses, in place: displacements from rip, and targets of calls and jumps
 * out of the function. What is left is equal in two links of the same code. Code that is none is
 * left as it is. -ENOMEM, or 0.
 */
int code_blank(uint8_t *code, size_t len);

#endif
