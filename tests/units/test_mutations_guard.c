/* SPDX-License-Identifier: BSD-2-Clause */
/* A patch may change operators and callers, never what records. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "mutations/guard.h"

static const char before[] = "#include \"x.h\"\n"
			     "\n"
			     "int operator(int a)\n"
			     "{\n"
			     "\treturn a + 1;\n"
			     "}\n"
			     "\n"
			     "static void note(int a)\n"
			     "{\n"
			     "\tint b = a;\n"
			     "\trecorder_event(r, b);\n"
			     "}\n"
			     "\n"
			     "void caller(void)\n"
			     "{\n"
			     "\toperator(1);\n"
			     "\tnote(1);\n"
			     "}\n";

static char *with(const char *from, const char *to)
{
	const char *at = strstr(before, from);
	char *s;

	cr_assert_not_null(at);
	cr_assert_geq(asprintf(&s, "%.*s%s%s", (int)(at - before), before, to, at + strlen(from)),
		      0);
	return s;
}

static int judge(const char *from, const char *to, struct diag *d)
{
	char *after = with(from, to);
	int rc = guard_file("workloads/pool/ops.c", before, after, d);

	free(after);
	return rc;
}

Test(mutations_guard, lets_operators_and_calls_of_helpers_change)
{
	struct diag d = {0};

	cr_assert_eq(judge("a + 1", "a + 2", &d), 0, "%s", d.reason);
	cr_assert_eq(judge("\tnote(1);\n", "", &d), 0, "%s", d.reason);
	cr_assert_eq(judge("\tnote(1);\n", "\tnote(1);\n\tnote(2);\n", &d), 0, "%s", d.reason);
	cr_assert_eq(judge("void caller(void)\n", "/* new */\nvoid caller(void)\n", &d), 0);
}

Test(mutations_guard, refuses_to_touch_what_records)
{
	struct diag d = {0};

	cr_assert_eq(judge("recorder_event(r, b)", "recorder_event(r, 0)", &d), -EPERM);
	cr_assert_eq(d.line, 11);
	cr_assert(d.cure[0]);
	cr_assert_eq(judge("\trecorder_event(r, b);\n", "", &d), -EPERM);
	cr_assert_eq(judge("int b = a", "int b = a + 1", &d), -EPERM, "the function records");
	cr_assert_eq(judge("a + 1", "recorder_event(r, a)", &d), -EPERM, "a new record");
	cr_assert_eq(judge("\toperator(1);\n", "\thappened(w, 1);\n", &d), -EPERM);
}

Test(mutations_guard, refuses_files_that_are_truths)
{
	struct diag d = {0};

	cr_assert_eq(guard_file("workloads/driver/act.h", "a\n", "b\n", &d), -EPERM);
	cr_assert_eq(guard_file("workloads/pool/watch.c", "a\n", "b\n", &d), -EPERM);
	cr_assert_eq(guard_file("workloads/pool/watch.c", "a\n", "a\n", &d), 0);
	cr_assert_eq(guard_file("workloads/pool/watched.c", "a\n", "b\n", &d), 0);
}

Test(mutations_guard, judges_files_that_come_and_go)
{
	struct diag d = {0};

	cr_assert_eq(guard_file("workloads/pool/new.c", NULL, "int a;\n", &d), 0);
	cr_assert_eq(guard_file("workloads/pool/new.c", NULL, before, &d), -EPERM);
	cr_assert_eq(guard_file("workloads/pool/ops.c", before, NULL, &d), -EPERM);
}
