/* SPDX-License-Identifier: BSD-2-Clause */
/* One line of JSON through simdjson's DOM, seen from C. */
#include "lib/formats/json.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <type_traits>

#include <simdjson.h>

namespace dom = simdjson::dom;

struct json_parser {
	dom::parser dom;
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
		return "a number is malformed or does not fit in 64 bits";
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
		ret->kind = JSON_DOUBLE;
		ret->d = e.get_double().value_unsafe();
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

int json_parse(struct json_parser *p, const char *s, size_t len, struct json_value *ret,
	       const char **ret_why)
{
	/* `true`: simdjson reads up to SIMDJSON_PADDING bytes past the end, which a line of a
	 * mapped file does not have; so it copies the line into a padded buffer that it keeps. */
	auto r = p->dom.parse(s, len, true);

	if (r.error() == simdjson::MEMALLOC)
		return -ENOMEM;
	if (r.error() != simdjson::SUCCESS) {
		*ret_why = why_of(r.error());
		return -EINVAL;
	}
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
