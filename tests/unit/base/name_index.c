// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "libop/tables/name_index.h"

TEST(names_have_one_number_each)
{
	struct op_names names = {0};

	assert_int_equal(op_names_index(&names, "one"), 0);
	assert_int_equal(op_names_index(&names, "two"), 1);
	assert_int_equal(op_names_index(&names, "one"), 0);
	assert_int_equal(names.n, 2);
	op_names_free(&names);
}

TEST(kept_names_are_copied_once)
{
	struct op_names names = {0};
	char text[] = "one";
	const char *kept = op_names_keep(&names, text);

	assert_ptr_not_equal(kept, text);
	assert_ptr_equal(op_names_keep(&names, "one"), kept);
	text[0] = 'x';
	assert_string_equal(kept, "one");
	assert_string_equal(op_names_keep(&names, text), "xne");
	assert_int_equal(names.n, 2);
	op_names_free_kept(&names);
}
