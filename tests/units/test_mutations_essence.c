/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a preprocessed source counts. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "mutations/essence.h"

static uint64_t essence(const char *text)
{
	uint64_t h = 1;

	cr_assert(!essence_hash(text, strlen(text), &h));
	return h;
}

#define SAME(a, b)    cr_expect(essence(a) == essence(b), "%s | %s", a, b)
#define DIFFERS(a, b) cr_expect(essence(a) != essence(b), "%s | %s", a, b)

#define MAIN "int main(void) { return 0; }"

Test(essence, leaves_out_what_nobody_names)
{
	SAME(MAIN, "void see(struct job *j);" MAIN);
	SAME(MAIN, "extern int see(int a) __attribute__((nonnull(1)));" MAIN);
	SAME(MAIN, "__attribute__((always_inline)) static inline int f(void) { return 1; }" MAIN);
	SAME("void see(int a);" MAIN, "void see(int b);" MAIN);
}

Test(essence, leaves_out_chains_and_recursion)
{
	SAME(MAIN, "int a(void); static inline int b(void) { return a(); }"
		   "static inline int c(int n) { return n ? c(n - 1) : b(); }" MAIN);
}

Test(essence, keeps_what_is_named)
{
	DIFFERS("int a(int); int main(void) { return a(1); }",
		"int a(long); int main(void) { return a(1); }");
	DIFFERS("static inline int a(void) { return 1; } int main(void) { return a(); }",
		"static inline int a(void) { return 2; } int main(void) { return a(); }");
	DIFFERS("int a(void); int (*p)(void) = a;", "long a(void); int (*p)(void) = a;");
	DIFFERS("void a(int); int main(void) { asm(\"call a\"); }",
		"void a(long); int main(void) { asm(\"call a\"); }");
}

Test(essence, keeps_what_makes_code_by_itself)
{
	DIFFERS(MAIN, "int f(void) { return 1; }" MAIN);
	DIFFERS(MAIN, "static int f(void) { return 1; }" MAIN);
	DIFFERS(MAIN, "__attribute__((used)) static inline int f(void) { return 1; }" MAIN);
	DIFFERS(MAIN, "__attribute__((__constructor__)) static inline void f(void) {}" MAIN);
	DIFFERS(MAIN, "void f(void) __attribute__((weak));" MAIN);
	DIFFERS(MAIN, "int x;" MAIN);
	DIFFERS(MAIN, "int f(void), x;" MAIN);
	DIFFERS(MAIN, "int (*f)(void);" MAIN);
	DIFFERS(MAIN, "struct s { int a; } f(void);" MAIN);
	DIFFERS(MAIN, "\n#pragma pack(1)\n" MAIN);
	DIFFERS(MAIN, "typedef int f(void);" MAIN);
}

Test(essence, sees_types_signs_and_text)
{
	DIFFERS("struct s { int a; };", "struct s { int a, b; };");
	DIFFERS("int x = a + +b;", "int x = a ++b;");
	DIFFERS("char *s = \"a b\";", "char *s = \"a  b\";");
	DIFFERS("char *s = \"int f(void);\";", "char *s = \"\";");
	DIFFERS("int x = 10;", "int x = 1 0;");
	SAME("int  x\n=\n1 ;", "int x = 1 ;");
}

Test(essence, braces_in_text_end_nothing)
{
	DIFFERS("char c = '{'; char *s = \"}\\\"{\"; int f(void) { return 1; }",
		"char c = '{'; char *s = \"}\\\"{\"; int f(void) { return 2; }");
	SAME("char c = '{'; char *s = \"}\\\"{\"; int f(void);" MAIN,
	     "char c = '{'; char *s = \"}\\\"{\";" MAIN);
}

Test(essence, whatever_it_is_it_ends)
{
	essence("");
	essence("}}}))");
	essence("{ ( [ \"");
	essence("static inline f(");
	essence("__attribute__((");
	essence("'\\");
}
