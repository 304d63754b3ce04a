/* SPDX-License-Identifier: BSD-2-Clause */
/* First bytes decide what a probe costs; operands tell who works below the stack pointer. */
#include "lib/insn.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <string.h>

enum { INSN_MAX = 15, DEEP = 1 << 28 };

static const char *const names[COST_CLASS_CNT] = {"unknown", "emulated", "stepped", "nop5"};

const char *cost_class_name(unsigned v)
{
	return names[v];
}

struct cost_ns cost_class_ns(enum cost_class c)
{
	static const struct cost_ns table[COST_CLASS_CNT] = {
		[COST_EMULATED] = {630, 700},
		[COST_STEPPED] = {9000, 12000},
		[COST_NOP5] = {470, 650},
	};

	return table[c];
}

/* ---- what the kernel emulates ---- */

struct pattern {
	uint8_t len;
	uint8_t bytes[8], mask[8];
	uint8_t cls;
};

#define ALL 0xff
static const struct pattern patterns[] = {
	{5, {0x0f, 0x1f, 0x44, 0x00, 0x00}, {ALL, ALL, ALL, ALL, ALL}, COST_NOP5},
	{1, {0x90}, {ALL}, COST_EMULATED},	      /* nop */
	{2, {0x66, 0x90}, {ALL, ALL}, COST_EMULATED}, /* the nops of 2, 3, 4 and 6 to 8 */
	{3, {0x0f, 0x1f, 0x00}, {ALL, ALL, ALL}, COST_EMULATED},
	{4, {0x0f, 0x1f, 0x40, 0x00}, {ALL, ALL, ALL, ALL}, COST_EMULATED},
	{6, {0x66, 0x0f, 0x1f, 0x44, 0, 0}, {ALL, ALL, ALL, ALL, ALL, ALL}, COST_EMULATED},
	{7, {0x0f, 0x1f, 0x80, 0, 0, 0, 0}, {ALL, ALL, ALL, ALL, ALL, ALL, ALL}, COST_EMULATED},
	{8,
	 {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
	 {ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL},
	 COST_EMULATED},
	{2, {0xf3, 0x90}, {ALL, ALL}, COST_EMULATED},  /* pause: a nop with a prefix */
	{1, {0x50}, {0xf8}, COST_EMULATED},	       /* push of rax … rdi */
	{2, {0x41, 0x50}, {ALL, 0xf8}, COST_EMULATED}, /* push of r8 … r15 */
	{1, {0xe8}, {ALL}, COST_EMULATED},	       /* call */
	{1, {0xe9}, {ALL}, COST_EMULATED},	       /* jmp */
	{1, {0xeb}, {ALL}, COST_EMULATED},	       /* jmp, short */
	{1, {0x70}, {0xf0}, COST_EMULATED},	       /* conditional jumps, short */
	{2, {0x0f, 0x80}, {ALL, 0xf0}, COST_EMULATED}, /* conditional jumps */
};

static bool matches(const struct pattern *p, const uint8_t *bytes, size_t len)
{
	if (len < p->len)
		return false;
	for (unsigned i = 0; i < p->len; i++)
		if ((bytes[i] & p->mask[i]) != p->bytes[i])
			return false;
	return true;
}

enum cost_class insn_cost(const uint8_t *bytes, size_t len)
{
	if (!insn_len(bytes, len))
		return COST_UNKNOWN;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (matches(&patterns[i], bytes, len))
			return (enum cost_class)patterns[i].cls;
	return COST_STEPPED;
}

/* ---- decoding ---- */

struct decoder {
	csh handle;
	cs_insn *insn;
};

static int decoder_open(struct decoder *d)
{
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &d->handle) != CS_ERR_OK)
		return -ENOMEM;
	cs_option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	d->insn = cs_malloc(d->handle);
	if (d->insn)
		return 0;
	cs_close(&d->handle);
	return -ENOMEM;
}

static void decoder_close(struct decoder *d)
{
	cs_free(d->insn, 1);
	cs_close(&d->handle);
}

/* The instruction at code+at; its length, or 0. */
static unsigned decode(struct decoder *d, const uint8_t *code, size_t len, uint64_t at)
{
	const uint8_t *p = code + at;
	size_t left = len - at;
	uint64_t addr = at;

	return cs_disasm_iter(d->handle, &p, &left, &addr, d->insn) ? d->insn->size : 0;
}

unsigned insn_len(const uint8_t *bytes, size_t len)
{
	struct decoder d;
	unsigned n;

	if (!len || decoder_open(&d))
		return 0;
	n = decode(&d, bytes, len < INSN_MAX ? len : INSN_MAX, 0);
	decoder_close(&d);
	return n;
}

/* ---- what the linker chooses ---- */

static bool is_outside(const cs_insn *insn, size_t len)
{
	const cs_x86_op *op = &insn->detail->x86.operands[0];

	return insn->detail->x86.op_count == 1 && op->type == X86_OP_IMM &&
	       (op->imm < 0 || (uint64_t)op->imm >= len);
}

static bool is_from_rip(const cs_x86 *x)
{
	for (unsigned i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM && x->operands[i].mem.base == X86_REG_RIP)
			return true;
	return false;
}

static void blank(const cs_insn *insn, uint8_t *code, size_t len, bool branches)
{
	const cs_x86 *x = &insn->detail->x86;

	if (branches && is_outside(insn, len))
		memset(code + x->encoding.imm_offset, 0, x->encoding.imm_size);
	if (is_from_rip(x))
		memset(code + x->encoding.disp_offset, 0, x->encoding.disp_size);
}

int code_blank(uint8_t *code, size_t len)
{
	struct decoder d;
	size_t at = 0;
	unsigned n;

	if (decoder_open(&d))
		return -ENOMEM;
	while (at < len && (n = decode(&d, code, len, at))) {
		blank(d.insn, code + at, len,
		      cs_insn_group(d.handle, d.insn, CS_GRP_JUMP) ||
			      cs_insn_group(d.handle, d.insn, CS_GRP_CALL));
		at += n;
	}
	decoder_close(&d);
	return 0;
}

/* ---- the red zone ---- */

/*
 * Bytes of stack below the pointer's value at the entry: sp where rsp stands, fp where rbp stands
 * (-1: no frame), body the deepest so far, to which the code behind a return comes back.
 */
struct frame {
	int64_t sp, fp, body;
};

static bool is_reg(const cs_x86_op *op, unsigned reg)
{
	return op->type == X86_OP_REG && op->reg == reg;
}

/* Whether the instruction names memory below rsp; lea counts, for somebody uses what it names. */
static bool is_below(const cs_insn *insn, const struct frame *f)
{
	const cs_x86 *x = &insn->detail->x86;

	if (insn->id == X86_INS_NOP ||
	    (insn->id == X86_INS_LEA && is_reg(&x->operands[0], X86_REG_RSP)))
		return false;
	for (unsigned i = 0; i < x->op_count; i++) {
		const x86_op_mem *m = &x->operands[i].mem;

		if (x->operands[i].type != X86_OP_MEM)
			continue;
		if (m->base == X86_REG_RSP && m->disp < 0)
			return true;
		if (m->base == X86_REG_RBP && f->fp >= 0 && m->disp < 0 && f->fp - m->disp > f->sp)
			return true;
	}
	return false;
}

/* add and sub of a constant; a stack of unknown depth counts as deep. */
static void move_pointer(const cs_insn *insn, struct frame *f, int sign)
{
	const cs_x86_op *op = insn->detail->x86.operands;

	if (!is_reg(&op[0], X86_REG_RSP))
		return;
	if (op[1].type == X86_OP_IMM)
		f->sp += sign * op[1].imm;
	else
		f->sp = DEEP;
}

static void set_pointer(const cs_insn *insn, struct frame *f)
{
	const cs_x86_op *op = insn->detail->x86.operands;

	if (is_reg(&op[0], X86_REG_RBP) && is_reg(&op[1], X86_REG_RSP))
		f->fp = f->sp;
	else if (is_reg(&op[0], X86_REG_RBP))
		f->fp = -1;
	else if (is_reg(&op[0], X86_REG_RSP) && is_reg(&op[1], X86_REG_RBP) && f->fp >= 0)
		f->sp = f->fp;
}

static void load_pointer(const cs_insn *insn, struct frame *f)
{
	const cs_x86_op *op = insn->detail->x86.operands;

	if (!is_reg(&op[0], X86_REG_RSP))
		return;
	if (op[1].mem.base == X86_REG_RSP)
		f->sp -= op[1].mem.disp;
	else if (op[1].mem.base == X86_REG_RBP && f->fp >= 0)
		f->sp = f->fp - op[1].mem.disp;
}

static void step(const cs_insn *insn, struct frame *f)
{
	switch (insn->id) {
	case X86_INS_PUSH:
		f->sp += 8;
		break;
	case X86_INS_POP:
		f->sp -= 8;
		break;
	case X86_INS_SUB:
		move_pointer(insn, f, 1);
		break;
	case X86_INS_ADD:
		move_pointer(insn, f, -1);
		break;
	case X86_INS_MOV:
		set_pointer(insn, f);
		break;
	case X86_INS_LEA:
		load_pointer(insn, f);
		break;
	case X86_INS_LEAVE:
		f->sp = f->fp >= 0 ? f->fp - 8 : f->sp;
		break;
	case X86_INS_RET:
	case X86_INS_JMP:
		f->sp = f->body;
		return;
	default:
		break;
	}
	if (f->sp > f->body)
		f->body = f->sp;
}

static bool is_preamble(const cs_insn *insn)
{
	return insn->id == X86_INS_NOP ||
	       (insn->size == 4 && !memcmp(insn->bytes, "\xf3\x0f\x1e\xfa", 4));
}

static void look(struct decoder *d, const uint8_t *code, size_t len, uint64_t offset,
		 struct code_look *ret)
{
	struct frame f = {.fp = -1};
	bool preamble = true;

	for (uint64_t at = 0; at < len; at += d->insn->size) {
		if (!decode(d, code, len, at)) {
			ret->decoded = at > offset;
			return;
		}
		if (at <= offset) {
			ret->begins = (uint32_t)at;
			ret->boundary = at == offset;
			ret->at_entry = at == offset && preamble;
		}
		preamble = preamble && is_preamble(d->insn);
		if (!ret->red_zone && is_below(d->insn, &f)) {
			ret->red_zone = true;
			ret->red_zone_at = (uint32_t)at;
		}
		step(d->insn, &f);
	}
	ret->decoded = true;
}

int code_look(const uint8_t *code, size_t len, uint64_t offset, struct code_look *ret)
{
	struct code_look l = {.decoded = false};
	struct decoder d;

	if (decoder_open(&d))
		return -ENOMEM;
	look(&d, code, len, offset, &l);
	decoder_close(&d);
	*ret = l;
	return 0;
}
