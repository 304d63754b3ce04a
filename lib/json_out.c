/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON onto a stream. */
#include "lib/json_out.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/utf8.h"

/* The stream is used by one thread at a time, so the lock of stdio is not paid. */
static void write_out(struct json_out *o, const char *s, size_t len)
{
	if (fwrite_unlocked(s, 1, len, o->f) != len && !o->err)
		o->err = errno ? -errno : -EIO;
}

static void flush(struct json_out *o)
{
	write_out(o, o->buf, o->len);
	o->len = 0;
}

static void put(struct json_out *o, const char *s, size_t len)
{
	if (len > sizeof(o->buf) - o->len)
		flush(o);
	if (len > sizeof(o->buf)) {
		write_out(o, s, len);
		return;
	}
	memcpy(o->buf + o->len, s, len);
	o->len += (unsigned)len;
}

static void put_char(struct json_out *o, char c)
{
	if (o->len == sizeof(o->buf))
		flush(o);
	o->buf[o->len++] = c;
}

static bool needs_escape(unsigned char c)
{
	return c < 0x20 || c == '"' || c == '\\';
}

static void put_escape(struct json_out *o, unsigned char c)
{
	static const char short_forms[0x20] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r',
	};
	char buf[8];

	if (c == '"' || c == '\\' || short_forms[c]) {
		put_char(o, '\\');
		put_char(o, c < 0x20 ? short_forms[c] : (char)c);
		return;
	}
	snprintf(buf, sizeof(buf), "\\u%04x", c);
	put(o, buf, 6);
}

static void put_quoted(struct json_out *o, const char *s, size_t len)
{
	size_t from = 0, i = 0;

	put_char(o, '"');
	while (i < len) {
		size_t n = utf8_step(s + i, len - i);

		if (n && !needs_escape((unsigned char)s[i])) {
			i += n;
			continue;
		}
		put(o, s + from, i - from);
		if (n)
			put_escape(o, (unsigned char)s[i]);
		else
			put(o, "\xef\xbf\xbd", 3);
		from = ++i;
	}
	put(o, s + from, len - from);
	put_char(o, '"');
}

void json_out_init(struct json_out *o, FILE *f)
{
	o->f = f;
	o->err = 0;
	o->depth = 0;
	o->len = 0;
}

/* What stands after every value: at the top, nothing more is to come. */
static void trail(struct json_out *o)
{
	if (!o->depth)
		flush(o);
}

/* Comma and name: what stands before every value. */
static void lead(struct json_out *o, const char *name)
{
	uint64_t level;

	if (!o->depth) {
		assert(!name);
		return;
	}
	level = UINT64_C(1) << (o->depth - 1);
	assert(!name == !!(o->arrays & level));
	if (o->filled & level)
		put_char(o, ',');
	o->filled |= level;
	if (name) {
		put_quoted(o, name, strlen(name));
		put_char(o, ':');
	}
}

static void open_level(struct json_out *o, const char *name, bool array)
{
	uint64_t level;

	lead(o, name);
	assert(o->depth < 64);
	level = UINT64_C(1) << o->depth++;
	o->filled &= ~level;
	o->arrays = array ? o->arrays | level : o->arrays & ~level;
	put_char(o, array ? '[' : '{');
}

void json_out_object(struct json_out *o, const char *name)
{
	open_level(o, name, false);
}

void json_out_array(struct json_out *o, const char *name)
{
	open_level(o, name, true);
}

void json_out_end(struct json_out *o)
{
	assert(o->depth);
	o->depth--;
	put_char(o, o->arrays >> o->depth & 1 ? ']' : '}');
	trail(o);
}

void json_out_null(struct json_out *o, const char *name)
{
	lead(o, name);
	put(o, "null", 4);
	trail(o);
}

void json_out_bool(struct json_out *o, const char *name, bool v)
{
	lead(o, name);
	put(o, v ? "true" : "false", v ? 4 : 5);
	trail(o);
}

static void put_u64(struct json_out *o, uint64_t v, unsigned base)
{
	char buf[20], *p = buf + sizeof(buf);

	if (base == 16)
		do
			*--p = "0123456789abcdef"[v % 16];
		while (v /= 16);
	else
		do
			*--p = (char)('0' + v % 10);
		while (v /= 10);
	put(o, p, (size_t)(buf + sizeof(buf) - p));
}

void json_out_u64(struct json_out *o, const char *name, uint64_t v)
{
	lead(o, name);
	put_u64(o, v, 10);
	trail(o);
}

void json_out_i64(struct json_out *o, const char *name, int64_t v)
{
	lead(o, name);
	if (v < 0)
		put_char(o, '-');
	put_u64(o, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
	trail(o);
}

void json_out_hex(struct json_out *o, const char *name, uint64_t v)
{
	lead(o, name);
	put(o, "\"0x", 3);
	put_u64(o, v, 16);
	put_char(o, '"');
	trail(o);
}

/*
 * Most figures are decimals with few digits: n / 10^6 with n < 2^53 is one correctly rounded
 * division of exact numbers, so that the decimal reads back as the same double. 0: v is no such.
 */
static int format_decimal(char buf[JSON_OUT_F64_LEN], double v)
{
	double scaled = v * 1e6;
	uint64_t n;
	int len;

	if (!(v >= 1e-4 && v < 1e8))
		return 0;
	n = (uint64_t)(scaled + 0.5);
	if ((double)n / 1e6 != v)
		return 0;
	len = snprintf(buf, JSON_OUT_F64_LEN, "%" PRIu64 ".%06" PRIu64, n / 1000000, n % 1000000);
	while (buf[len - 1] == '0')
		len--;
	len -= buf[len - 1] == '.';
	buf[len] = 0;
	return len;
}

int json_out_format_f64(char buf[JSON_OUT_F64_LEN], double v)
{
	int n = format_decimal(buf, v);

	if (n)
		return n;
	if (v == 0) /* "-0" is the integer 0 */
		return snprintf(buf, JSON_OUT_F64_LEN, signbit(v) ? "-0.0" : "0");
	/* IEEE 754 binary64: any decimal of 15 digits survives, so that "%.15g" is the shortest
	 * where it reads back; 17 digits always suffice. Subnormals hold fewer digits than that. */
	for (int digits = fpclassify(v) == FP_SUBNORMAL ? 1 : 15; digits <= 17; digits++) {
		n = snprintf(buf, JSON_OUT_F64_LEN, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	return n;
}

void json_out_f64(struct json_out *o, const char *name, double v)
{
	char buf[JSON_OUT_F64_LEN];

	if (!isfinite(v)) {
		json_out_null(o, name);
		return;
	}
	lead(o, name);
	put(o, buf, (size_t)json_out_format_f64(buf, v));
	trail(o);
}

void json_out_strn(struct json_out *o, const char *name, const char *s, size_t len)
{
	lead(o, name);
	put_quoted(o, s, len);
	trail(o);
}

void json_out_str(struct json_out *o, const char *name, const char *s)
{
	if (s)
		json_out_strn(o, name, s, strlen(s));
	else
		json_out_null(o, name);
}

void json_out_newline(struct json_out *o)
{
	put_char(o, '\n');
	trail(o);
}

int json_out_error(const struct json_out *o)
{
	return o->err;
}
