/* SPDX-License-Identifier: BSD-2-Clause */
/* Code with what a linker chooses blanked: equal in two links, different in two programs. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "lib/insn.h"

static void expect_equal(const uint8_t *a, const uint8_t *b, size_t len, bool equal)
{
	uint8_t x[32], y[32];

	memcpy(x, a, len);
	memcpy(y, b, len);
	cr_assert_eq(code_blank(x, len), 0);
	cr_assert_eq(code_blank(y, len), 0);
	cr_expect_eq(memcmp(x, y, len) == 0, equal);
}

Test(lib_code, blanks_the_targets_of_calls_and_of_jumps_out_of_the_function)
{
	/* call; jmp */
	const uint8_t a[] = {0xe8, 0x10, 0x20, 0x30, 0x00, 0xe9, 0x01, 0x02, 0x03, 0x00};
	const uint8_t b[] = {0xe8, 0x44, 0x55, 0x66, 0xff, 0xe9, 0x77, 0x77, 0x00, 0x00};

	expect_equal(a, b, sizeof(a), true);
}

Test(lib_code, keeps_jumps_inside_the_function)
{
	/* jz over one nop or over two; nop; nop; ret */
	const uint8_t a[] = {0x74, 0x01, 0x90, 0x90, 0xc3};
	const uint8_t b[] = {0x74, 0x02, 0x90, 0x90, 0xc3};

	expect_equal(a, b, sizeof(a), false);
}

Test(lib_code, blanks_displacements_from_rip_and_no_others)
{
	/* lea rax, [rip + d]; mov eax, [rdi + d] */
	const uint8_t a[] = {0x48, 0x8d, 0x05, 0x10, 0x20, 0x30, 0x00, 0x8b, 0x47, 0x08};
	const uint8_t b[] = {0x48, 0x8d, 0x05, 0x11, 0x22, 0x33, 0x00, 0x8b, 0x47, 0x08};
	const uint8_t c[] = {0x48, 0x8d, 0x05, 0x10, 0x20, 0x30, 0x00, 0x8b, 0x47, 0x0c};

	expect_equal(a, b, sizeof(a), true);
	expect_equal(a, c, sizeof(a), false);
}

Test(lib_code, keeps_constants)
{
	/* mov eax, imm32 */
	const uint8_t a[] = {0xb8, 0x00, 0x10, 0x00, 0x00};
	const uint8_t b[] = {0xb8, 0x01, 0x00, 0x00, 0x00};

	expect_equal(a, b, sizeof(a), false);
}

Test(lib_code, leaves_what_is_no_code_as_it_is)
{
	uint8_t bytes[] = {0x06, 0x06, 0xe8, 0x01, 0x02, 0x03, 0x04}, before[sizeof(bytes)];

	memcpy(before, bytes, sizeof(bytes));
	cr_assert_eq(code_blank(bytes, sizeof(bytes)), 0);
	cr_expect_eq(memcmp(before, bytes, sizeof(bytes)), 0);
	cr_expect_eq(code_blank(bytes, 0), 0);
}
