/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of a synthetic run: within 80 columns, in order, a dash where nothing was claimed. */
#include <criterion/criterion.h>
#include <pty.h>
#include <sys/wait.h>

#include "results/report.h"
#include "results/text.h"
#include "test_results_fixture.h"

static char *table_of(const struct fixture *f)
{
	char *text = NULL;
	size_t len;
	struct diag d;
	FILE *out = open_memstream(&text, &len);

	cr_assert(out);
	cr_assert_eq(report_table(f->dir, out, &d), 0, "%s", d.reason);
	fclose(out);
	return text;
}

static size_t widest(const char *text)
{
	size_t max = 0, n = 0;

	for (uint32_t c; (c = utf8_next(&text));) {
		n = c == '\n' ? 0 : n + 1;
		if (n > max)
			max = n;
	}
	return max;
}

Test(results_table, fits_80_columns_with_one_seed_and_with_several)
{
	for (unsigned seeds = 1; seeds <= 3; seeds += 2) {
		struct fixture f;
		char *text;

		fixture_make(&f, seeds);
		text = table_of(&f);
		cr_expect_leq(widest(text), 80, "%zu columns:\n%s", widest(text), text);
		cr_expect_not(strchr(text, '\033'), "colour without a terminal");
		free(text);
		fixture_remove(&f);
	}
}

Test(results_table, shows_a_dash_and_never_nought_where_nothing_was_claimed)
{
	struct fixture f;
	char *text, *line;

	fixture_make(&f, 1);
	text = table_of(&f);
	line = strstr(text, "  null ");
	cr_assert(line);
	line[strcspn(line, "\n")] = '\0';
	/* precision 0/0, recall 0, of what can be seen 0, F1 0, false 0/0, orphan 0, coverage */
	cr_expect(strstr(line, " - "), "%s", line);
	cr_expect(strstr(line, "0.0000"), "%s", line);
	free(text);
	fixture_remove(&f);
}

Test(results_table, puts_oracle_first_then_profilers_with_live_beside_replayed)
{
	static const char *const order[] = {
		"uring ", "  oracle ", "  causal ", "  causal live", "  uring-only",
		"  fifo", "  nearest", "  null",    "  random",	     "  liar"};
	struct fixture f;
	char *text, *at;

	fixture_make(&f, 1);
	text = table_of(&f);
	/* Groups are alphabetical: the hostile one comes before uring. */
	at = strstr(text, "\nuring ");
	cr_assert(at);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		at = strstr(at, order[i]);
		cr_assert(at, "\"%s\" is not where it should be:\n%s", order[i], text);
	}
	free(text);
	fixture_remove(&f);
}

Test(results_table, gives_the_lowest_and_the_highest_of_several_seeds)
{
	struct fixture f;
	char *text;

	fixture_make(&f, 3);
	text = table_of(&f);
	/* recall of causal on uring: 0.994 of 20000, then a thousandth less a seed */
	cr_expect(strstr(text, "0.9920"), "%s", text);
	cr_expect(strstr(text, "0.9940"), "%s", text);
	free(text);
	fixture_remove(&f);
}

/* What the table writes to a terminal. */
static char *seen_on_terminal(const struct fixture *f)
{
	static char text[65536];
	size_t len = 0;
	ssize_t n;
	int fd, status;
	pid_t pid = forkpty(&fd, NULL, NULL, NULL);

	cr_assert_geq(pid, 0);
	if (!pid) {
		struct diag d;
		int err = report_table(f->dir, stdout, &d);

		fflush(stdout);
		_exit(err ? 1 : 0);
	}
	/* The kernel answers EIO once the other side is closed. */
	while (len + 1 < sizeof(text) && (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
	close(fd);
	return text;
}

Test(results_table, is_coloured_on_a_terminal_unless_no_color_is_set)
{
	struct fixture f;

	fixture_make(&f, 1);
	unsetenv("NO_COLOR");
	cr_expect(strstr(seen_on_terminal(&f), "\033[31m crashed\033[0m"));
	setenv("NO_COLOR", "1", 1);
	cr_expect_not(strchr(seen_on_terminal(&f), '\033'));
	fixture_remove(&f);
}

/* As if the cell had ended so when it was scored. */
static void restate(const struct fixture *f, const char *cell, const char *state)
{
	char *text = fixture_read(f, "scores.csv"), *rest = text, *line, begin[64];
	FILE *out = fixture_open(f, "scores.csv");

	bool ours = false;

	snprintf(begin, sizeof(begin), "r-1,%s,", cell);
	while ((line = strsep(&rest, "\n")) && (*line || rest)) {
		size_t len = strlen(line);

		/* one metric has a newline in it: its line goes on in the next */
		if (!strncmp(line, "r-1,", 4))
			ours = !strncmp(line, begin, strlen(begin));
		if (ours && len > 3 && !strcmp(line + len - 3, ",ok"))
			fprintf(out, "%.*s%s\n", (int)len - 2, line, state);
		else
			fprintf(out, "%s\n", line);
	}
	cr_assert_eq(fclose(out), 0);
	free(text);
}

Test(results_table, scores_a_cell_that_could_not_run_as_missing_and_not_as_nought)
{
	static const char *const states[] = {"unsupported", "broken"};

	for (size_t i = 0; i < 2; i++) {
		struct fixture f;
		char status[128], *text, *line;

		fixture_make(&f, 1);
		snprintf(status, sizeof(status), "{\"cell\":\"c07.join.s1\",\"state\":\"%s\"}",
			 states[i]);
		fixture_text(&f, "cells/c07.join.s1/status.json", status);
		restate(&f, "c07.join.s1", states[i]);
		text = table_of(&f);
		line = strstr(strstr(text, "\nuring "), "  null ");
		cr_assert(line);
		line[strcspn(line, "\n")] = '\0';
		cr_expect_not(strchr(line, '0'), "%s", line);
		cr_expect(strstr(line, states[i]), "%s", line);
		free(text);
		fixture_remove(&f);
	}
}

Test(results_table, says_how_many_claims_were_not_scored_for_their_keys)
{
	struct fixture f;
	char *text;

	fixture_make(&f, 1);
	fixture_refigure(&f, "c03.join.s1", ",handoff.context.out_of_scope,declared,", "5000");
	text = table_of(&f);
	cr_expect(strstr(text, "    not scored: 5000 of 2"), "%s", text);
	cr_expect_not(strstr(strstr(text, "not scored: ") + 1, "not scored: "), "%s", text);
	cr_expect_leq(widest(text), 80);
	free(text);
	fixture_remove(&f);
}
