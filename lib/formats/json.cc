/* SPDX-License-Identifier: BSD-2-Clause */
/* One line of JSON through simdjson's DOM, seen from C. */
#include "lib/formats/json.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

#include <simdjson.h>

namespace dom = simdjson::dom;

struct json_parser {
	dom::parser dom;
	dom::parser probe; /* of single numbers; json_parse_big */
};

/* The C values carry simdjson's two-word handles by copy; nothing is allocated for them. */
static_assert(sizeof(dom::element) == sizeof(json_value::node), "a handle is two words");
static_assert(sizeof(dom::object) == sizeof(dom::element), "a handle is two words");
static_assert(sizeof(dom::array) == sizeof(dom::element), "a handle is two words");
static_assert(std::is_trivially_copyable<dom::element>::value, "handles are plain data");
static_assert(std::is_trivially_copyable<dom::object::iterator>::value, "and so are iterators");
static_assert(2 * sizeof(dom::object::iterator) == sizeof(json_iter::opaque), "two iterators fit");
static_assert(2 * sizeof(dom::array::iterator) == sizeof(json_iter::opaque), "two iterators fit");

/* Marks an array's iterator, in the tape index of its end, whose top bit is never set. */
static constexpr uint64_t iter_is_array = UINT64_C(1) << 63;

static const char *why_of(simdjson::error_code e)
{
	switch (e) {
	case simdjson::EMPTY:
		return "there is no JSON text";
	case simdjson::TAPE_ERROR:
	case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
	case simdjson::TRAILING_CONTENT:
		return "not one JSON text: a comma, colon, bracket or brace is missing or too many";
	case simdjson::T_ATOM_ERROR:
	case simdjson::F_ATOM_ERROR:
	case simdjson::N_ATOM_ERROR:
		return "a word that is none of true, false and null";
	case simdjson::NUMBER_ERROR:
	case simdjson::NUMBER_OUT_OF_RANGE:
		return "a number is malformed";
	case simdjson::STRING_ERROR:
		return "a string holds a bad escape";
	case simdjson::UNESCAPED_CHARS:
		return "a string holds a control character that is not escaped";
	case simdjson::UNCLOSED_STRING:
		return "a string does not end: the text is cut or a quote is missing";
	case simdjson::UTF8_ERROR:
		return "the text is not valid UTF-8";
	case simdjson::DEPTH_ERROR:
		return "nested deeper than 1024 levels";
	case simdjson::CAPACITY:
		return "the text is longer than 4 GiB";
	default:
		return simdjson::error_message(e);
	}
}

static void value_of_number(const dom::element &e, json_value *ret)
{
	int64_t i;

	if (e.get(ret->u) == simdjson::SUCCESS) {
		ret->kind = JSON_UINT;
	} else if (e.get(i) == simdjson::SUCCESS) {
		ret->kind = JSON_INT;
		ret->i = i;
	} else {
		ret->d = e.get_double().value_unsafe();
		ret->kind = std::isnan(ret->d) ? JSON_BIG : JSON_DOUBLE;
	}
}

static void value_of(const dom::element &e, json_value *ret)
{
	std::string_view s;

	switch (e.type()) {
	case dom::element_type::NULL_VALUE:
		ret->kind = JSON_NULL;
		break;
	case dom::element_type::BOOL:
		ret->kind = JSON_BOOL;
		ret->b = e.get_bool().value_unsafe();
		break;
	case dom::element_type::STRING:
		s = e.get_string().value_unsafe();
		ret->kind = JSON_STRING;
		ret->str.s = s.data();
		ret->str.len = s.size();
		break;
	case dom::element_type::ARRAY:
	case dom::element_type::OBJECT:
		ret->kind = e.is_array() ? JSON_ARRAY : JSON_OBJECT;
		std::memcpy(ret->node, &e, sizeof(e));
		break;
	default:
		value_of_number(e, ret);
	}
}

static dom::element element_of(const json_value *v)
{
	dom::element e;

	std::memcpy(static_cast<void *>(&e), v->node, sizeof(e));
	return e;
}

struct json_parser *json_parser_new(void)
{
	json_parser *p = new (std::nothrow) json_parser;

	if (!p)
		errno = ENOMEM;
	return p;
}

void json_parser_free(struct json_parser *p)
{
	delete p;
}

/*
 * Numbers that no reader can use (contracts, top: beyond 64 bits, or beyond a double) are legal
 * JSON, and simdjson refuses the whole text for one. So a refused text is read again with a 0 in
 * the place of each, and the zeros are made NaN on simdjson's tape, which no text can say.
 */
struct stand_ins {
	std::unique_ptr<char[]> text;
	size_t len;
	std::unique_ptr<bool[]> big; /* of the i-th number of the text */
	size_t numbers;
	bool any;
};

static bool ends_token(char c)
{
	return std::strchr(" \t\r\n,:[]{}\"", c) != nullptr; /* and NUL, which is never legal */
}

static size_t digits(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= '0' && s[n] <= '9')
		n++;
	return n;
}

/* RFC 8259, section 6, whatever its size. */
static bool is_number(const char *s, size_t len)
{
	size_t at = len && s[0] == '-', n = digits(s + at, len - at);

	if (!n || (n > 1 && s[at] == '0'))
		return false;
	at += n;
	if (at < len && s[at] == '.') {
		n = digits(s + at + 1, len - at - 1);
		if (!n)
			return false;
		at += n + 1;
	}
	if (at < len && (s[at] | 0x20) == 'e') {
		at++;
		at += at < len && (s[at] == '+' || s[at] == '-');
		n = digits(s + at, len - at);
		if (!n)
			return false;
		at += n;
	}
	return at == len;
}

/* Length of the string that begins at s, quotes included. */
static size_t string_length(const char *s, size_t len)
{
	size_t n = 1;

	while (n < len && s[n] != '"')
		n += s[n] == '\\' ? 2 : 1;
	return n < len ? n + 1 : len;
}

static size_t token_length(const char *s, size_t len)
{
	size_t n = 1;

	if (*s == '"')
		return string_length(s, len);
	while (!ends_token(*s) && n < len && !ends_token(s[n]))
		n++;
	return n;
}

static void stand_in(struct json_parser *p, const char *s, size_t len, struct stand_ins *x)
{
	bool number = is_number(s, len);
	bool big = number && p->probe.parse(s, len, true).error() != simdjson::SUCCESS;

	if (number)
		x->big[x->numbers++] = big;
	x->any |= big;
	std::memcpy(&x->text[x->len], big ? "0" : s, big ? 1 : len);
	x->len += big ? 1 : len;
}

/* The words of the tape: a type in the top byte; a number's value follows in a word of its own. */
static void mark_big(dom::document &doc, const struct stand_ins *x)
{
	const double nan = std::numeric_limits<double>::quiet_NaN();

	for (size_t at = 1, i = 0; i < x->numbers; at++) {
		char type = static_cast<char>(doc.tape[at] >> 56);

		if (type != 'l' && type != 'u' && type != 'd')
			continue;
		if (x->big[i++]) {
			doc.tape[at] = static_cast<uint64_t>('d') << 56;
			std::memcpy(&doc.tape[at + 1], &nan, sizeof(nan));
		}
		at++;
	}
}

/* The text that `why` was found with, once more; *ret is untouched unless it is now read. */
static int json_parse_big(struct json_parser *p, const char *s, size_t len,
			  simdjson::error_code why, struct json_value *ret, const char **ret_why)
{
	struct stand_ins x = {};

	x.text.reset(new (std::nothrow) char[len + 1]);
	x.big.reset(new (std::nothrow) bool[len + 1]);
	if (!x.text || !x.big)
		return -ENOMEM;
	for (size_t at = 0, n; at < len; at += n) {
		n = token_length(s + at, len - at);
		stand_in(p, s + at, n, &x);
	}
	if (x.any) {
		auto r = p->dom.parse(x.text.get(), x.len, true);

		why = r.error();
		if (why == simdjson::SUCCESS) {
			mark_big(p->dom.doc, &x);
			value_of(r.value_unsafe(), ret);
			return 0;
		}
	}
	if (why == simdjson::MEMALLOC)
		return -ENOMEM;
	*ret_why = why_of(why);
	return -EINVAL;
}

int json_parse(struct json_parser *p, const char *s, size_t len, struct json_value *ret,
	       const char **ret_why)
{
	/* `true`: simdjson reads up to SIMDJSON_PADDING bytes past the end, which a line of a
	 * mapped file does not have; so it copies the line into a padded buffer that it keeps. */
	auto r = p->dom.parse(s, len, true);

	if (r.error() == simdjson::MEMALLOC)
		return -ENOMEM;
	/* Versions of simdjson differ in the error that they have for a number that is too big. */
	if (r.error() != simdjson::SUCCESS)
		return json_parse_big(p, s, len, r.error(), ret, ret_why);
	value_of(r.value_unsafe(), ret);
	return 0;
}

template <typename Iterator>
static void iter_store(json_iter *it, const Iterator &at, const Iterator &end)
{
	std::memcpy(it->opaque, &at, sizeof(at));
	std::memcpy(it->opaque + 2, &end, sizeof(end));
}

void json_iter_init(struct json_iter *it, const struct json_value *container)
{
	std::memset(it, 0, sizeof(*it));
	if (container->kind == JSON_OBJECT) {
		dom::object o = element_of(container).get_object().value_unsafe();

		iter_store(it, o.begin(), o.end());
	} else if (container->kind == JSON_ARRAY) {
		dom::array a = element_of(container).get_array().value_unsafe();

		iter_store(it, a.begin(), a.end());
		it->opaque[3] |= iter_is_array;
	}
}

template <typename Iterator> static bool iter_load(const json_iter *it, Iterator *at)
{
	uint64_t end[2] = {it->opaque[2], it->opaque[3] & ~iter_is_array};

	if (!std::memcmp(it->opaque, end, sizeof(end)))
		return false;
	std::memcpy(static_cast<void *>(at), it->opaque, sizeof(*at));
	return true;
}

static bool object_next(json_iter *it, json_value *ret_key, json_value *ret_value)
{
	dom::object::iterator at;

	if (!iter_load(it, &at))
		return false;
	if (ret_key) {
		ret_key->kind = JSON_STRING;
		ret_key->str.s = at.key_c_str();
		ret_key->str.len = at.key_length();
	}
	value_of(at.value(), ret_value);
	++at;
	std::memcpy(it->opaque, &at, sizeof(at));
	return true;
}

static bool array_next(json_iter *it, json_value *ret_key, json_value *ret_value)
{
	dom::array::iterator at;

	if (!iter_load(it, &at))
		return false;
	if (ret_key)
		ret_key->kind = JSON_NULL;
	value_of(*at, ret_value);
	++at;
	std::memcpy(it->opaque, &at, sizeof(at));
	return true;
}

bool json_iter_next(struct json_iter *it, struct json_value *ret_key, struct json_value *ret_value)
{
	if (it->opaque[3] & iter_is_array)
		return array_next(it, ret_key, ret_value);
	return object_next(it, ret_key, ret_value);
}

bool json_get(const struct json_value *v, const char *name, struct json_value *ret)
{
	dom::element found;

	if (v->kind != JSON_OBJECT)
		return false;
	if (element_of(v).at_key(name).get(found) != simdjson::SUCCESS)
		return false;
	value_of(found, ret);
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static int hex_u64(const char *s, size_t len, uint64_t *ret)
{
	uint64_t v = 0;

	if (len < 3 || s[0] != '0' || s[1] != 'x')
		return -EINVAL;
	for (size_t i = 2; i < len; i++) {
		int digit = hex_digit(s[i]);

		if (digit < 0 || v >> 60)
			return -EINVAL;
		v = v << 4 | static_cast<uint64_t>(digit);
	}
	*ret = v;
	return 0;
}

int json_u64(const struct json_value *v, uint64_t *ret)
{
	if (v->kind == JSON_STRING)
		return hex_u64(v->str.s, v->str.len, ret);
	if (v->kind != JSON_UINT)
		return -EINVAL;
	*ret = v->u;
	return 0;
}

int json_f64(const struct json_value *v, double *ret)
{
	switch (v->kind) {
	case JSON_UINT:
		*ret = static_cast<double>(v->u);
		return 0;
	case JSON_INT:
		*ret = static_cast<double>(v->i);
		return 0;
	case JSON_DOUBLE:
		*ret = v->d;
		return 0;
	default:
		return -EINVAL;
	}
}
