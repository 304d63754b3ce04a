/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and words for CSV, terminal, HTML and LaTeX. */
#include "results/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lib/json_out.h"
#include "lib/utf8.h"

#define REPLACEMENT 0xfffdu

char *number_exact(char buf[static NUMBER_LEN], double v)
{
	/* Integers as integers: %g would write a million as 1e+06. */
	if (v == trunc(v) && fabs(v) < 9007199254740992.0) {
		snprintf(buf, NUMBER_LEN, "%.0f", v == 0 ? 0.0 : v);
		return buf;
	}
	json_out_format_f64(buf, v);
	return buf;
}

char *number_ratio(char buf[static NUMBER_LEN], double v)
{
	if (v > 0 && v < 0.0001)
		v = 0.0001;
	else if (v > 0.9999 && v < 1)
		v = 0.9999;
	if (fabs(v) < 1e6)
		snprintf(buf, NUMBER_LEN, "%.4f", v);
	else
		snprintf(buf, NUMBER_LEN, "%.4g", v);
	return buf;
}

char *number_score(char buf[static NUMBER_LEN], double v)
{
	if (v != 0 && fabs(v) < 0.01)
		v = copysign(0.01, v);
	else if (v > 0.99 && v < 1)
		v = 0.99;
	snprintf(buf, NUMBER_LEN, "%.2f", v);
	return buf;
}

char *number_count(char buf[static NUMBER_LEN], uint64_t v, const char *group)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, v);
	size_t at = 0;

	for (int i = 0; i < len; i++) {
		/* Four digits stand alone: 1234, but 12 345. */
		if (i && len > 4 && (len - i) % 3 == 0)
			at = (size_t)(stpcpy(buf + at, group) - buf);
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return buf;
}

uint32_t utf8_next(const char **s)
{
	const unsigned char *p = (const unsigned char *)*s;
	size_t len = utf8_step(*s, strnlen(*s, 4));
	uint32_t c;

	if (!*p)
		return 0;
	*s += len ? len : 1;
	if (!len)
		return REPLACEMENT;
	if (len == 1)
		return *p;
	c = *p & (0x7fu >> len);
	for (size_t i = 1; i < len; i++)
		c = c << 6 | (p[i] & 0x3fu);
	return c;
}

static bool control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void put(FILE *out, uint32_t c)
{
	if (c < 0x80) {
		putc((int)c, out);
	} else if (c < 0x800) {
		putc((int)(0xc0 | c >> 6), out);
		putc((int)(0x80 | (c & 0x3f)), out);
	} else if (c < 0x10000) {
		putc((int)(0xe0 | c >> 12), out);
		putc((int)(0x80 | (c >> 6 & 0x3f)), out);
		putc((int)(0x80 | (c & 0x3f)), out);
	} else {
		putc((int)(0xf0 | c >> 18), out);
		putc((int)(0x80 | (c >> 12 & 0x3f)), out);
		putc((int)(0x80 | (c >> 6 & 0x3f)), out);
		putc((int)(0x80 | (c & 0x3f)), out);
	}
}

static uint32_t visible(uint32_t c)
{
	if (c == '\n' || c == '\t' || c == '\r')
		return ' ';
	return control(c) ? REPLACEMENT : c;
}

static size_t length(const char *s)
{
	size_t n = 0;

	while (utf8_next(&s))
		n++;
	return n;
}

size_t text_plain(FILE *out, const char *s, size_t columns)
{
	size_t len = length(s), keep = len > columns ? columns - 1 : len;

	for (size_t i = 0; i < keep; i++)
		put(out, visible(utf8_next(&s)));
	if (keep == len)
		return len;
	put(out, 0x2026);
	return columns;
}

void text_padded(FILE *out, const char *s, const char *tail, size_t width)
{
	size_t used = strlen(tail);

	used += text_plain(out, s, width - 1 - used);
	fputs(tail, out);
	for (; used < width; used++)
		putc(' ', out);
}

void text_html(FILE *out, const char *s)
{
	for (uint32_t c; (c = utf8_next(&s));) {
		switch (c) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		case '\n':
			putc('\n', out);
			break;
		default:
			put(out, visible(c));
		}
	}
}

void text_latex(FILE *out, const char *s)
{
	for (uint32_t c; (c = utf8_next(&s));) {
		if (c == '\\')
			fputs("\\textbackslash{}", out);
		else if (c == '~')
			fputs("\\textasciitilde{}", out);
		else if (c == '^')
			fputs("\\textasciicircum{}", out);
		else if (c == '<')
			fputs("\\textless{}", out);
		else if (c == '>')
			fputs("\\textgreater{}", out);
		else if (c < 0x80 && strchr("&%$#_{}", (int)c))
			fprintf(out, "\\%c", (int)c);
		else
			put(out, visible(c));
	}
}

void text_url(FILE *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    strchr("-._~/", c))
			putc(c, out);
		else
			fprintf(out, "%%%02X", c);
	}
}
