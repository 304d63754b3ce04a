/* SPDX-License-Identifier: BSD-2-Clause */
/* Sites against a binary of known bytes: places, costs, hazards, refusals. */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/resolve.h"
#include "tests/units/manifest_elf.h"

#define ID_HEX "0102030405060708090a0b0c0d0e0f1011121314"
static const char id[] = "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24";

static char path[] = "/tmp/assay-resolve-XXXXXX";
static struct elf_image image;
static struct manifest m;
static struct resolution r;
static struct diag d;

static const struct elf_function functions[] = {
	CODE("entry_nop5", "\x0f\x1f\x44\x00\x00\xc3"),
	CODE("entry_push", "\x55\x48\x89\xe5\x5d\xc3"),
	CODE("entry_endbr", "\xf3\x0f\x1e\xfa\xc3"),
	CODE("twice", "\x90\xc3"),
	CODE("twice", "\x48\x89\xf8\xc3"),
	CODE("alone.part.0", "\x90\xc3"),
	CODE("split", "\x90\xc3"),
	CODE("split.constprop.0", "\x90\xc3"),
	/* mov %rdi,-8(%rsp); nop5; mov -8(%rsp),%rax; ret */
	CODE("leaf_zone", "\x48\x89\x7c\x24\xf8\x0f\x1f\x44\x00\x00\x48\x8b\x44\x24\xf8\xc3"),
	/* push %rbp; mov %rsp,%rbp; mov %rdi,-8(%rbp); nop5; pop %rbp; ret: gcc -O0 leaf */
	CODE("frame_zone", "\x55\x48\x89\xe5\x48\x89\x7d\xf8\x0f\x1f\x44\x00\x00\x5d\xc3"),
	/* the same with sub $16,%rsp and leave */
	CODE("frame_safe",
	     "\x55\x48\x89\xe5\x48\x83\xec\x10\x48\x89\x7d\xf8\x0f\x1f\x44\x00\x00\xc9\xc3"),
	/* endbr64; nop5; mov %rdi,-8(%rsp); ret */
	CODE("entry_zone", "\xf3\x0f\x1e\xfa\x0f\x1f\x44\x00\x00\x48\x89\x7c\x24\xf8\xc3"),
	/* sub $24,%rsp; mov %rdi,8(%rsp); nop5; je; add $24,%rsp; ret; nop5; add $24,%rsp; ret */
	CODE("stack_safe", "\x48\x83\xec\x18\x48\x89\x7c\x24\x08\x0f\x1f\x44\x00\x00\x74\x05"
			   "\x48\x83\xc4\x18\xc3\x0f\x1f\x44\x00\x00\x48\x83\xc4\x18\xc3"),
	{"label", "\x90\x90\xc3", 3, true},
	CODE("traced", "\x90\x0f\x1f\x44\x00\x00\xc3"),
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };
static uint64_t addr[FUNCTIONS];

static uint64_t addr_of(const char *name)
{
	size_t i = 0;

	while (i < FUNCTIONS && strcmp(functions[i].name, name) != 0)
		i++;
	cr_assert_lt(i, FUNCTIONS, "there is no %s", name);
	return addr[i];
}

static void setup(void)
{
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	close(fd);
	elf_image_begin(&image);
	for (size_t i = 0; i < FUNCTIONS; i++)
		addr[i] = elf_add_function(&image, &functions[i]);
	elf_add_probe(&image, &(struct elf_probe){"pool", "get", "8@%rdi -4@$5", addr_of("traced"),
						  ELF_BASE + 0x2000, ELF_STAPSDT_BASE});
	elf_add_probe(&image,
		      &(struct elf_probe){"pool", "get", "8@-16(%rbp) 2@%ax",
					  addr_of("label") - 0x100, 0, ELF_STAPSDT_BASE - 0x100});
	elf_add_probe(&image, &(struct elf_probe){"pool", "odd", "9@%rdi", addr_of("traced"), 0,
						  ELF_STAPSDT_BASE});
	cr_assert(elf_image_write(&image, path, id));
}

static void teardown(void)
{
	resolution_free(&r);
	manifest_free(&m);
	unlink(path);
}

TestSuite(manifest_resolve, .init = setup, .fini = teardown);

/* A manifest of one descriptor: `more` is the rest of its flow mapping. */
static void parse(const char *build_id, const char *more)
{
	char text[1024];
	int len = snprintf(text, sizeof(text),
			   "manifest: 1\napplication: pool\nbuild_id: %s\n"
			   "resources: [{resource: r, unit: u}]\n"
			   "descriptors:\n  - {id: 7, resource: r, event: USE, %s}\n",
			   build_id, more);

	cr_assert_eq(manifest_parse(text, (size_t)len, "m.yaml", &m, &d), 0, "%s", d.reason);
}

static void resolve(const char *more)
{
	parse(ID_HEX, more);
	cr_assert_eq(manifest_resolve(&m, path, &r, &d), 0, "%s", d.reason);
}

static void expect_failure(const char *more, const char *reason, const char *cure)
{
	resolve(more);
	cr_assert_eq(r.failures_cnt, 1, "%s", more);
	cr_expect_eq(r.sites_cnt, 0, "%s has no site", more);
	cr_expect_not(resolution_has(&r, 0));
	cr_expect_str_eq(r.failures[0].diag.file, "m.yaml");
	cr_expect_eq(r.failures[0].diag.line, 6);
	cr_expect(strstr(r.failures[0].diag.reason, "column 44: "), "%s",
		  r.failures[0].diag.reason);
	cr_expect(strstr(r.failures[0].diag.reason, reason), "%s", r.failures[0].diag.reason);
	cr_expect(strstr(r.failures[0].diag.cure, cure), "%s", r.failures[0].diag.cure);
	resolution_free(&r);
	manifest_free(&m);
}

static void expect_site(const char *more, uint64_t at, enum cost_class cost, uint32_t low,
			uint32_t high)
{
	resolve(more);
	cr_assert_eq(r.failures_cnt, 0, "%s: %s", more, r.failures[0].diag.reason);
	cr_assert_eq(r.sites_cnt, 1, "%s", more);
	cr_expect_eq(r.sites[0].addr, at, "%s", more);
	cr_expect_eq(r.sites[0].offset, at - ELF_BASE, "%s", more);
	cr_expect_eq(r.sites[0].cost, cost, "%s: %s", more, cost_class_name(r.sites[0].cost));
	cr_expect_eq(r.sites[0].ns.low, low, "%s", more);
	cr_expect_eq(r.sites[0].ns.high, high, "%s", more);
	cr_expect(resolution_has(&r, 0));
	resolution_free(&r);
	manifest_free(&m);
}

Test(manifest_resolve, finds_entries_and_says_what_they_cost)
{
	expect_site("site: entry_nop5", addr_of("entry_nop5"), COST_NOP5, 470, 650);
	expect_site("site: entry_push", addr_of("entry_push"), COST_EMULATED, 630, 700);
	expect_site("site: entry_endbr", addr_of("entry_endbr"), COST_STEPPED, 9000, 12000);
}

Test(manifest_resolve, adds_the_return_to_the_entry)
{
	expect_site("site: \"entry_push:return\"", addr_of("entry_push"), COST_EMULATED, 1030,
		    1100);
	resolve("site: \"entry_push:return\", instance_key: arg0");
	cr_expect(r.sites[0].on_return);
	cr_expect(r.sites[0].needs_args);
}

Test(manifest_resolve, keeps_the_first_bytes)
{
	resolve("site: entry_endbr");
	cr_expect_eq(r.sites[0].insn_len, 4);
	cr_expect_eq(memcmp(r.sites[0].bytes, "\xf3\x0f\x1e\xfa\xc3", 5), 0);
	cr_expect_str_eq(r.sites[0].symbol, "entry_endbr");
	cr_expect_str_eq(r.build_id, ID_HEX);
}

Test(manifest_resolve, takes_offsets_on_instruction_boundaries_only)
{
	expect_site("site: entry_push+1", addr_of("entry_push") + 1, COST_STEPPED, 9000, 12000);
	expect_failure("site: entry_push+2", "inside an instruction", "entry_push+0x1");
	expect_failure("site: entry_push+0x6", "has 0x6 bytes", "below 0x6");
}

Test(manifest_resolve, probes_every_function_of_a_name_and_says_so)
{
	resolve("site: twice");
	cr_assert_eq(r.sites_cnt, 2);
	cr_expect_neq(r.sites[0].addr, r.sites[1].addr);
	cr_expect_eq(r.sites[0].cost, COST_EMULATED);
	cr_expect_eq(r.sites[1].cost, COST_STEPPED);
	cr_assert_eq(r.warnings_cnt, 1);
	cr_expect(strstr(r.warnings[0].diag.reason, "stands 2 times"), "%s",
		  r.warnings[0].diag.reason);
}

Test(manifest_resolve, fails_whole_when_one_of_two_places_fails)
{
	expect_failure("site: twice+3", "twice", "0x");
}

Test(manifest_resolve, names_the_nearest_when_a_symbol_is_gone)
{
	expect_failure("site: entry_psuh", "there is no function entry_psuh", "entry_push");
	expect_failure("site: alone", "the compiler left a copy", "alone.part.0");
	expect_failure("site: zzzzzzzzzzzz", "there is no function", "nm EXE");
}

Test(manifest_resolve, warns_of_copies_that_are_not_probed)
{
	resolve("site: split");
	cr_assert_eq(r.sites_cnt, 1);
	cr_assert_eq(r.warnings_cnt, 1);
	cr_expect(strstr(r.warnings[0].diag.reason, "split.constprop.0"));
}

Test(manifest_resolve, refuses_a_nop5_beside_a_red_zone)
{
	expect_failure("site: leaf_zone+5", "memory below rsp (at +0x0)", "-mno-red-zone");
	expect_failure("site: frame_zone+8", "memory below rsp (at +0x4)", "-mno-red-zone");
}

Test(manifest_resolve, takes_a_nop5_where_no_red_zone_is_used)
{
	expect_site("site: frame_safe+12", addr_of("frame_safe") + 12, COST_NOP5, 470, 650);
	expect_site("site: entry_zone+4", addr_of("entry_zone") + 4, COST_NOP5, 470, 650);
	expect_site("site: stack_safe+9", addr_of("stack_safe") + 9, COST_NOP5, 470, 650);
	expect_site("site: stack_safe+21", addr_of("stack_safe") + 21, COST_NOP5, 470, 650);
}

Test(manifest_resolve, takes_other_sites_beside_a_red_zone)
{
	expect_site("site: leaf_zone+10", addr_of("leaf_zone") + 10, COST_STEPPED, 9000, 12000);
}

Test(manifest_resolve, takes_labels_without_a_size)
{
	expect_site("site: label+1", addr_of("label") + 1, COST_EMULATED, 630, 700);
}

Test(manifest_resolve, finds_all_places_of_a_usdt_probe)
{
	resolve("site: \"usdt:pool:get\", instance_key: arg0, unit_key: arg1");
	cr_assert_eq(r.failures_cnt, 0);
	cr_assert_eq(r.sites_cnt, 2);
	cr_expect_eq(r.sites[0].addr, addr_of("traced"));
	cr_expect_eq(r.sites[0].semaphore, 0x2000);
	cr_expect_str_eq(r.sites[0].args, "8@%rdi -4@$5");
	cr_expect_eq(r.sites[1].addr, addr_of("label"), "the base moved by 0x100");
	cr_expect_eq(r.sites[1].semaphore, 0);
	cr_expect_str_eq(r.sites[1].symbol, "label");
}

Test(manifest_resolve, checks_the_arguments_of_usdt_probes)
{
	expect_failure("site: \"usdt:pool:get\", unit_key: arg2", "pool:get has 2 arguments",
		       "an argument that is there");
	expect_failure("site: \"usdt:pool:odd\"", "cannot be read", "stapsdt");
	expect_failure("site: \"usdt:pool:gte\"", "no USDT probe pool:gte", "usdt:pool:get");
}

Test(manifest_resolve, reads_argument_specs)
{
	int8_t sizes[4] = {0};

	cr_expect_eq(elf_usdt_args("8@%rdi -4@$5 2@-16(%rbp) -1@x(%rip) 8@%rsi", sizes, 4), 5);
	cr_expect_eq(sizes[0], 8);
	cr_expect_eq(sizes[1], -4);
	cr_expect_eq(sizes[2], 2);
	cr_expect_eq(sizes[3], -1);
	cr_expect_eq(elf_usdt_args("", sizes, 4), 0);
	cr_expect_eq(elf_usdt_args("3@%rdi", sizes, 4), -EINVAL);
	cr_expect_eq(elf_usdt_args("8@", sizes, 4), -EINVAL);
	cr_expect_eq(elf_usdt_args("x@%rdi", sizes, 4), -EINVAL);
}

/* ---- binding ---- */

static int bind(const char *build, enum manifest_binding how, struct bound_manifest *b)
{
	parse(build, "site: entry_push");
	return manifest_bind(&m, path, how, b, &d);
}

Test(manifest_resolve, binds_the_build_that_it_names)
{
	for (unsigned how = 0; how < BINDING_CNT; how++) {
		struct bound_manifest b;

		cr_assert_eq(bind(ID_HEX, how, &b), 0, "%s", manifest_binding_name(how));
		cr_expect_not(b.degraded);
		cr_expect_eq(b.start, HEALTH_VALIDATED);
		cr_expect_eq(b.sites.sites_cnt, 1);
		bound_manifest_free(&b);
		manifest_free(&m);
	}
}

Test(manifest_resolve, refuses_another_build_unless_best_effort)
{
	struct bound_manifest b;

	cr_expect_eq(bind("ffffffff", BINDING_STRICT, &b), -ESTALE);
	cr_expect_eq(d.line, 3);
	cr_expect(strstr(d.reason, "ffffffff") && strstr(d.reason, ID_HEX), "%s", d.reason);
	manifest_free(&m);
	cr_expect_eq(bind("", BINDING_STAMPED, &b), -ESTALE);
	cr_expect(strstr(d.cure, "assay manifest stamp"));
	manifest_free(&m);
	cr_assert_eq(bind("ffffffff", BINDING_BEST_EFFORT, &b), 0);
	cr_expect(b.degraded);
	cr_expect_eq(b.start, HEALTH_SUSPECT);
	cr_expect_eq(b.sites.sites_cnt, 1);
	bound_manifest_free(&b);
}

Test(manifest_resolve, refuses_a_binary_without_build_id)
{
	struct bound_manifest b;

	cr_assert(elf_image_write(&image, path, NULL));
	cr_expect_eq(bind(ID_HEX, BINDING_STAMPED, &b), -ESTALE);
	cr_expect(strstr(d.cure, "--build-id"), "%s", d.cure);
}

Test(manifest_resolve, refuses_what_is_no_elf_file)
{
	FILE *f;

	parse(ID_HEX, "site: entry_push");
	cr_expect_eq(manifest_resolve(&m, "/dev/null", &r, &d), -ENOEXEC);
	cr_expect_eq(manifest_resolve(&m, "/nonexistent/x", &r, &d), -ENOENT);
	cr_assert_eq(truncate(path, 0x1200), 0);
	cr_expect_eq(manifest_resolve(&m, path, &r, &d), -ENOEXEC, "cut off");
	f = fopen(path, "w");
	fputs("#!/bin/sh\n", f);
	fclose(f);
	cr_expect_eq(manifest_resolve(&m, path, &r, &d), -ENOEXEC);
	cr_expect(d.cure[0]);
}

/* ---- real code ---- */

__attribute__((noinline, used)) static int real_function(volatile int *x)
{
	return *x + 1;
}

Test(manifest_resolve, finds_a_function_of_the_running_program)
{
	int x = 1;

	parse("", "site: real_function, instance_key: arg0");
	cr_assert_eq(real_function(&x), 2);
	cr_assert_eq(manifest_resolve(&m, "/proc/self/exe", &r, &d), 0, "%s", d.reason);
	cr_assert_eq(r.sites_cnt, 1, "%s", r.failures_cnt ? r.failures[0].diag.reason : "");
	cr_expect_eq(memcmp(r.sites[0].bytes, (const void *)(uintptr_t)real_function, 16), 0,
		     "the bytes of the file are those that run");
}

/* ---- first instructions ---- */

Test(manifest_resolve, knows_what_the_kernel_emulates)
{
	static const struct {
		char bytes[16];
		unsigned len;
		enum cost_class cost;
	} v[] = {
		{"\x90", 1, COST_EMULATED},		   /* nop */
		{"\x66\x90", 2, COST_EMULATED},		   /* nop of two */
		{"\x0f\x1f\x00", 3, COST_EMULATED},	   /* nop of three */
		{"\x0f\x1f\x44\x00\x00", 5, COST_NOP5},	   /* nop of five */
		{"\x0f\x1f\x44\x00\x08", 5, COST_STEPPED}, /* not the kernel's own */
		{"\x66\x0f\x1f\x84\x00\x00\x00\x00\x00", 9, COST_STEPPED}, /* nop of nine */
		{"\x55", 1, COST_EMULATED},				   /* push rbp */
		{"\x41\x54", 2, COST_EMULATED},				   /* push r12 */
		{"\x6a\x01", 2, COST_STEPPED},				   /* push 1 */
		{"\x5d", 1, COST_STEPPED},				   /* pop rbp */
		{"\xe8\x00\x00\x00\x00", 5, COST_EMULATED},		   /* call */
		{"\xff\xd0", 2, COST_STEPPED},				   /* call rax */
		{"\xe9\x00\x00\x00\x00", 5, COST_EMULATED},		   /* jmp */
		{"\xeb\x00", 2, COST_EMULATED},				   /* jmp */
		{"\x74\x00", 2, COST_EMULATED},				   /* je */
		{"\x0f\x84\x00\x00\x00\x00", 6, COST_EMULATED},		   /* je */
		{"\xf3\x0f\x1e\xfa", 4, COST_STEPPED},			   /* endbr64 */
		{"\x48\x89\xf8", 3, COST_STEPPED},			   /* mov */
		{"\x48\x83\xec\x08", 4, COST_STEPPED},			   /* sub rsp */
		{"\x48\x8d\x47\x01", 4, COST_STEPPED},			   /* lea */
		{"\xc3", 1, COST_STEPPED},				   /* ret */
		{"\x48", 1, COST_UNKNOWN},				   /* half an instruction */
		{"", 0, COST_UNKNOWN},
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		enum cost_class cost = insn_cost((const uint8_t *)v[i].bytes, v[i].len);

		cr_expect_eq(cost, v[i].cost, "case %zu is %s", i, cost_class_name(cost));
	}
}
