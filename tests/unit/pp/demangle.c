// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of C++ and Rust functions in all three styles.
 */
#include "tests/unit/test.h"

#include "pp/symbols/demangle.h"

TEST(names_are_demangled)
{
	static const struct {
		const char *name, *normal, *smart; /* NULL: not mangled */
	} table[] = {
		{"main", NULL, NULL},
		{"_start", NULL, NULL},
		{"_Znonsense", NULL, NULL},
		{"", NULL, NULL},
		{"_", NULL, NULL},
		{"_Z3addii", "add(int, int)", "add(int, int)"},
		{"_ZN3foo3barEv", "foo::bar()", "foo::bar()"},
		{"_Z4showRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
		 "show(std::__cxx11::basic_string<char, std::char_traits<char>, "
		 "std::allocator<char> > const&)",
		 "show(std::string const&)"},
		{"_ZNSt6vectorIiSaIiEE9push_backEOi",
		 "std::vector<int, std::allocator<int> >::push_back(int&&)",
		 "std::vector<int>::push_back(int&&)"},
		{"_ZNSt3mapIiiSt4lessIiESaISt4pairIKiiEEEixERS3_",
		 "std::map<int, int, std::less<int>, std::allocator<std::pair<int const, int> > "
		 ">::operator[](int const&)",
		 "std::map<int, int>::operator[](int const&)"},
		{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad",
		 "core::fmt::Formatter::pad"},
		{"_RNvC7mycrate3foo", "mycrate::foo", "mycrate::foo"},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const char *const wanted[] = {NULL, table[i].normal, table[i].smart};

		for (int style = PP_DEMANGLE_NONE; style <= PP_DEMANGLE_SMART; style++) {
			char *text = pp_demangle(table[i].name, style);

			if (!text != !wanted[style] || (text && strcmp(text, wanted[style]) != 0))
				fail_msg("%s in style %d: %s", table[i].name, style,
					 text ? text : "nothing");
			free(text);
		}
	}
}
