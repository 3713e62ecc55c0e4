// SPDX-License-Identifier: GPL-2.0-or-later
/* What the compiler makes of code like ours, where one has made something else of it. */
#include <stdbool.h>

#include "tests/unit/test.h"

/* As of struct perf_event_attr: bit-fields in one word. */
struct flags {
	unsigned long long one : 1, some : 7, more : 8, other : 1, computed : 7, last : 8;
	unsigned long long : 32;
};

static volatile bool is_so = true;

__attribute__((noipa)) static bool compute(void)
{
	return is_so;
}

__attribute__((noinline)) static void set_two(struct flags *flags)
{
	flags->one = 1;
	flags->other = 1;
}

__attribute__((noipa)) static struct flags make_flags(void)
{
	struct flags flags = {.more = 3, .computed = compute(), .last = 5};

	set_two(&flags);
	return flags;
}

/* gcc 12.2 needs -fno-ipa-modref for it: meson.build. */
TEST(what_is_beside_bit_fields_that_a_function_sets_stays)
{
	struct flags flags = make_flags();

	assert_int_equal(flags.one, 1);
	assert_int_equal(flags.more, 3);
	assert_int_equal(flags.other, 1);
	assert_int_equal(flags.computed, 1);
	assert_int_equal(flags.last, 5);
}
