// SPDX-License-Identifier: GPL-2.0-or-later
/* Demangling through libiberty. */
#include "demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else /* on Fedora */
#include <demangle.h>
#endif

#include "libop/base/array.h"

const char *const pp_demangle_styles[] = {"none", "normal", "smart", NULL};

/* Longest first: a shorter one may be a prefix. */
static const struct {
	const char *from, *to;
} short_names[] = {
	{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
	 "std::string"},
	{"std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
	{"std::__cxx11::basic_string<wchar_t, std::char_traits<wchar_t>, "
	 "std::allocator<wchar_t> >",
	 "std::wstring"},
	{"std::basic_ostream<char, std::char_traits<char> >", "std::ostream"},
	{"std::basic_istream<char, std::char_traits<char> >", "std::istream"},
	{"std::basic_iostream<char, std::char_traits<char> >", "std::iostream"},
	{"std::basic_ios<char, std::char_traits<char> >", "std::ios"},
	{"std::basic_streambuf<char, std::char_traits<char> >", "std::streambuf"},
	{"std::__cxx11::basic_ostringstream<char, std::char_traits<char>, std::allocator<char> >",
	 "std::ostringstream"},
	{"std::__cxx11::basic_istringstream<char, std::char_traits<char>, std::allocator<char> >",
	 "std::istringstream"},
	{"std::__cxx11::basic_stringstream<char, std::char_traits<char>, std::allocator<char> >",
	 "std::stringstream"},
	{"std::__cxx11::", "std::"},
};

#define N_SHORT_NAMES OP_ARRAY_SIZE(short_names)

static void replace_all(char *text, const char *from, const char *to)
{
	size_t n = strlen(from), k = strlen(to);

	while ((text = strstr(text, from)) != NULL) {
		memcpy(text, to, k);
		memmove(text + k, text + n, strlen(text + n) + 1);
		text += k;
	}
}

/*
 * Cuts ", std::allocator<T> " (or with another of the template's default arguments) where the
 * arguments end: what follows it is the '>' of the template.
 */
static void cut_defaults(char *text, const char *argument)
{
	size_t n = strlen(argument);

	while ((text = strstr(text, argument)) != NULL) {
		const char *end = text + n;
		int depth = 1;

		for (; *end && depth; end++)
			depth += (*end == '<') - (*end == '>');
		while (*end == ' ')
			end++;
		if (!depth && *end == '>')
			memmove(text, end, strlen(end) + 1);
		else
			text += n;
	}
}

/* ---- bounds ---- */

/* Bytes of a name that is shown, and that libiberty may make before it is given up: with what C++
 * calls substitutions, a name of 500 bytes can become one of gigabytes. */
#define NAME_MOST 4096
#define MADE_MOST 65536

/* In D only: what refers back, which makes a name twice as long each time at worst. */
#define D_REFERENCES_MOST 8
#define D_LENGTH_MOST	  1024

static const char cut_mark[] = " ... ";

/* Cuts a name that is too long in its middle.  Return: @text. */
static char *cut_middle(char *text)
{
	size_t length = strlen(text), half = (NAME_MOST - sizeof(cut_mark)) / 2;
	char *tail = text + length - half, *end = text + half;

	if (length <= NAME_MOST)
		return text;
	/* not within a character of UTF-8 */
	while (end > text && (*end & 0xc0) == 0x80)
		end--;
	while ((*tail & 0xc0) == 0x80)
		tail++;
	memcpy(end, cut_mark, sizeof(cut_mark) - 1);
	memmove(end + sizeof(cut_mark) - 1, tail, strlen(tail) + 1);
	return text;
}

/* struct making - a name while libiberty makes it */
struct making {
	jmp_buf too_long;
	char *text;
	size_t used;
};

/* libiberty has no memory of its own when it calls this, and no other way to end. */
static void take_part(const char *part, size_t length, void *context)
{
	struct making *making = context;

	if (length > MADE_MOST - making->used)
		longjmp(making->too_long, 1);
	memcpy(making->text + making->used, part, length);
	making->used += length;
}

static bool make_name(const char *name, int options, struct making *making)
{
	if (setjmp(making->too_long))
		return false;
	/* Rust first: its old names are names of C++, too */
	return rust_demangle_callback(name, options, take_part, making) ||
	       cplus_demangle_v3_callback(name, options, take_part, making);
}

/* ---- languages ---- */

/* Return: the name, which the caller frees; or NULL. */
static char *demangle_cxx(const char *name, int options)
{
	struct making making = {.text = malloc(MADE_MOST + 1)};
	char *text = NULL;

	if (making.text && make_name(name, options, &making)) {
		making.text[making.used] = '\0';
		text = strdup(making.text);
	}
	free(making.text);
	return text;
}

/* libiberty has no callback for D, and no bound. */
static char *demangle_d(const char *name, int options)
{
	size_t references = 0;

	for (const char *at = name; *at; at++)
		references += *at == 'Q';
	if (references > D_REFERENCES_MOST || strlen(name) > D_LENGTH_MOST)
		return NULL;
	return cplus_demangle(name, options | DMGL_DLANG);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "camlStdlib__List__map_123" is Stdlib.List.map_123; "$2b" in it is '+'. */
static char *demangle_ocaml(const char *name)
{
	char *text = strdup(name + strlen("caml")), *to = text;

	for (const char *from = text; from && *from; to++) {
		if (from[0] == '_' && from[1] == '_') {
			*to = '.';
			from += 2;
		} else if (from[0] == '$' && hex_digit(from[1]) > 0 && hex_digit(from[2]) >= 0) {
			*to = (char)(hex_digit(from[1]) << 4 | hex_digit(from[2]));
			from += 3;
		} else {
			*to = *from++;
		}
	}
	if (to)
		*to = '\0';
	return text;
}

/* Cheap, and false for almost all names of a C program. */
static bool is_mangled(const char *name)
{
	return (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' ||
				   (name[1] == 'D' && name[2] >= '0' && name[2] <= '9'))) ||
	       (!strncmp(name, "caml", 4) && name[4] >= 'A' && name[4] <= 'Z' &&
		strstr(name, "__"));
}

static char *demangle_bare(const char *name, int options)
{
	if (*name == 'c')
		return demangle_ocaml(name);
	return name[1] == 'D' ? demangle_d(name, options) : demangle_cxx(name, options);
}

/* Also of what has "@plt" or a version behind it. */
static char *demangle(const char *name, int options)
{
	const char *tail = strchr(name, '@');
	char *head, *text, *joined = NULL;

	if (!tail)
		return demangle_bare(name, options);
	head = strndup(name, (size_t)(tail - name));
	text = head ? demangle_bare(head, options) : NULL;
	if (text && asprintf(&joined, "%s%s", text, tail) < 0)
		joined = NULL;
	free(text);
	free(head);
	return joined;
}

char *pp_demangle_bare(const char *name)
{
	return is_mangled(name) ? demangle(name, 0) : NULL;
}

char *pp_demangle(const char *name, enum pp_demangle style)
{
	int drop = style == PP_DEMANGLE_SMART ? DMGL_RET_DROP : 0;
	char *text = NULL;

	if (style != PP_DEMANGLE_NONE && is_mangled(name))
		text = demangle(name, DMGL_PARAMS | DMGL_ANSI | drop);
	if (text && style == PP_DEMANGLE_SMART) {
		for (size_t i = 0; i < N_SHORT_NAMES; i++)
			replace_all(text, short_names[i].from, short_names[i].to);
		cut_defaults(text, ", std::allocator<");
		cut_defaults(text, ", std::less<");
	}
	if (!text && strlen(name) > NAME_MOST)
		text = strdup(name);
	return text ? cut_middle(text) : NULL;
}
