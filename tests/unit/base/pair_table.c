// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "libop/tables/pair_table.h"

TEST(pair_table_keeps_a_value_of_each_pair)
{
	struct op_pair_table table = {0};

	for (uint64_t i = 0; i < 100; i++) {
		for (uint64_t j = 0; j < 100; j++)
			*op_pair_table_get(&table, i, UINT64_MAX - j) += i * 100 + j;
	}
	assert_int_equal(table.n, 100 * 100);
	for (uint64_t i = 0; i < 100; i++) {
		for (uint64_t j = 0; j < 100; j++)
			assert_int_equal(*op_pair_table_find(&table, i, UINT64_MAX - j),
					 i * 100 + j);
	}
	assert_null(op_pair_table_find(&table, 100, UINT64_MAX));
	assert_null(op_pair_table_find(&table, UINT64_MAX, 0)); /* the pair is ordered */
	op_pair_table_free(&table);
}

TEST(pair_table_adds_to_a_pair_that_is_there)
{
	struct op_pair_table table = {0};

	assert_int_equal(*op_pair_table_get(&table, 1, 2), 0);
	*op_pair_table_get(&table, 1, 2) += 3;
	*op_pair_table_get(&table, 1, 2) += 4;
	assert_int_equal(table.n, 1);
	assert_int_equal(table.items[0].first, 1);
	assert_int_equal(table.items[0].second, 2);
	assert_int_equal(table.items[0].value, 7);
	op_pair_table_free(&table);
}

TEST(pair_table_is_empty_after_clear)
{
	struct op_pair_table table = {0};

	assert_null(op_pair_table_find(&table, 1, 2));
	*op_pair_table_get(&table, 1, 2) = 3;
	op_pair_table_clear(&table);
	assert_null(op_pair_table_find(&table, 1, 2));
	assert_int_equal(*op_pair_table_get(&table, 1, 2), 0);
	op_pair_table_free(&table);
}
