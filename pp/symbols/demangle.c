// SPDX-License-Identifier: GPL-2.0-or-later
/* Demangling through libiberty. */
#include "demangle.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else /* on Fedora */
#include <demangle.h>
#endif

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

#define N_SHORT_NAMES (sizeof(short_names) / sizeof(short_names[0]))

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

/* Cheap, and false for almost all names of a C program. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

char *pp_demangle_bare(const char *name)
{
	return is_mangled(name) ? cplus_demangle(name, DMGL_AUTO) : NULL;
}

char *pp_demangle(const char *name, enum pp_demangle style)
{
	char *text;

	if (style == PP_DEMANGLE_NONE || !is_mangled(name))
		return NULL;
	text = cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	if (!text || style != PP_DEMANGLE_SMART)
		return text;
	for (size_t i = 0; i < N_SHORT_NAMES; i++)
		replace_all(text, short_names[i].from, short_names[i].to);
	cut_defaults(text, ", std::allocator<");
	cut_defaults(text, ", std::less<");
	return text;
}
