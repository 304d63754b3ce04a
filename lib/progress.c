/* SPDX-License-Identifier: BSD-2-Clause */
/* The progress line. */
#include "lib/progress.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/clock.h"

enum { PROGRESS_BAR = 24, PROGRESS_LINE = 256 };
#define PROGRESS_FIRST (1 * NS_PER_S)
#define PROGRESS_EVERY (100 * NS_PER_MS)

void progress_start(struct progress *p, const char *what, uint64_t total)
{
	struct winsize size;

	memset(p, 0, sizeof(*p));
	p->what = what;
	p->total = total;
	p->started_ns = now_ns();
	p->columns = 80;
	if (!isatty(STDERR_FILENO))
		return;
	p->out = stderr;
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		p->columns = size.ws_col;
}

static void format_left(char *buf, size_t cap, uint64_t done, uint64_t total, uint64_t elapsed_ns)
{
	unsigned s;

	if (!done) {
		snprintf(buf, cap, "starting");
		return;
	}
	s = (unsigned)((double)elapsed_ns / (double)NS_PER_S * (double)(total - done) /
			       (double)done +
		       0.5);
	if (s >= 3600)
		snprintf(buf, cap, "%u h %02u min left", s / 3600, s / 60 % 60);
	else if (s >= 60)
		snprintf(buf, cap, "%u min %02u s left", s / 60, s % 60);
	else
		snprintf(buf, cap, "%u s left", s);
}

int progress_format(char *buf, size_t cap, unsigned columns, const char *what, uint64_t done,
		    uint64_t total, uint64_t elapsed_ns, const char *note)
{
	char bar[PROGRESS_BAR + 1], left[48], line[PROGRESS_LINE];
	unsigned filled;

	done = done < total ? done : total;
	filled = total ? (unsigned)((double)done / (double)total * PROGRESS_BAR) : PROGRESS_BAR;
	memset(bar, '#', filled);
	memset(bar + filled, '.', PROGRESS_BAR - filled);
	bar[PROGRESS_BAR] = 0;
	format_left(left, sizeof(left), done, total, elapsed_ns);
	snprintf(line, sizeof(line), "%s [%s] %3u %%  %s%s%s", what, bar,
		 total ? (unsigned)((double)done / (double)total * 100) : 100, left,
		 note ? "  " : "", note ? note : "");
	return snprintf(buf, cap, "%.*s", (int)(columns > 1 ? columns - 1 : 1), line);
}

void progress_update(struct progress *p, uint64_t done, const char *note)
{
	uint64_t now;
	char line[PROGRESS_LINE];

	if (!p->out)
		return;
	now = now_ns();
	if (now - p->started_ns < PROGRESS_FIRST || now - p->shown_ns < PROGRESS_EVERY)
		return;
	p->shown_ns = now;
	progress_format(line, sizeof(line), p->columns, p->what, done, p->total,
			now - p->started_ns, note);
	fprintf(p->out, "\r\033[K%s", line);
	fflush(p->out);
}

void progress_end(struct progress *p)
{
	if (p->out && p->shown_ns)
		fputs("\r\033[K", p->out);
	p->out = NULL;
}
