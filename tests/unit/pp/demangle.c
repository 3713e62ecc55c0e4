// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of C++ and Rust functions in all three styles.
 */
#include "libop/base/array.h"
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
		{"_ZN3foo3barEv@plt", "foo::bar()@plt", "foo::bar()@plt"},
		{"_ZN3foo3barEv.cold", "foo::bar() [clone .cold]", "foo::bar() [clone .cold]"},
		{"_D4work4spinFiZv", "work.spin(int)", "work.spin(int)"},
		{"_Dmain", NULL, NULL},
		{"camlWork__spin_281", "Work.spin_281", "Work.spin_281"},
		{"camlStdlib__List__rev_append_313", "Stdlib.List.rev_append_313",
		 "Stdlib.List.rev_append_313"},
		{"camlWork__$2b$5e_300", "Work.+^_300", "Work.+^_300"},
		{"caml_main", NULL, NULL},
		{"camlback", NULL, NULL},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(table); i++) {
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

/* A type of @levels levels, each of which has the one before twice. */
static void make_doubling(char name[4096], int levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = (size_t)sprintf(name, "_Z1f1AIiiE");

	for (int i = 1; i < levels; i++) {
		n += (size_t)sprintf(name + n, "S_IS%c_S%c_E", digits[i - 1], digits[i - 1]);
	}
}

TEST(a_name_that_grows_without_end_stays_mangled)
{
	char name[4096];

	for (int levels = 8; levels <= 36; levels += 4) {
		char *text;

		make_doubling(name, levels);
		text = pp_demangle(name, PP_DEMANGLE_SMART);
		if (levels >= 16)
			assert_null(text);
		if (levels == 8) {
			assert_non_null(text);
			assert_true(strlen(text) <= 4096);
		}
		free(text);
	}
}

TEST(a_long_name_is_cut_in_its_middle)
{
	char *name = malloc(100001), *text;

	memset(name, 'x', 100000);
	name[100000] = '\0';
	name[0] = 'b';
	name[99999] = 'e';
	for (int style = PP_DEMANGLE_NONE; style <= PP_DEMANGLE_SMART; style++) {
		text = pp_demangle(name, style);
		assert_non_null(text);
		assert_true(strlen(text) <= 4096 && strlen(text) > 4000);
		assert_true(text[0] == 'b' && text[strlen(text) - 1] == 'e');
		assert_non_null(strstr(text, "x ... x"));
		free(text);
	}
	name[4096] = '\0';
	assert_null(pp_demangle(name, PP_DEMANGLE_SMART));
	free(name);
}
