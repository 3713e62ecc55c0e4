// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of a fleet's store: see tables.h. */
#include "tables.h"

#include <errno.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/safe_text.h"

const struct fleet_table fleet_tables[FLEET_TABLES_N] = {
#define FLEET_ROW(id, table, list, letters) [id] = {table, list, letters},
	FLEET_TABLES(FLEET_ROW)
#undef FLEET_ROW
};

#define NAME_MOST  64
#define TEXT_MOST  256
#define NAME_BYTES "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

bool fleet_label_is_name(const char *name, size_t n)
{
	return n && n <= NAME_MOST && strspn(name, NAME_BYTES) >= n;
}

int fleet_label_check(const char *word, struct op_error *error)
{
	static const char *const taken[] = {"host", "thread", "cgroup", "kernel", "arch", "cpu"};
	size_t n = strcspn(word, "=");

	if (word[n] != '=' || !fleet_label_is_name(word, n) || !word[n + 1] ||
	    strlen(word + n + 1) > TEXT_MOST ||
	    op_safe_length(word + n + 1, strlen(word + n + 1)) != strlen(word + n + 1))
		return op_error_set(error, EINVAL,
				    "it is NAME=TEXT, where NAME has letters, digits, \"_\", \".\" "
				    "and \"-\"");
	for (size_t i = 0; i < OP_ARRAY_SIZE(taken); i++)
		if (strlen(taken[i]) == n && !strncmp(word, taken[i], n))
			return op_error_set(error, EINVAL, "%s is a name that all hosts have",
					    taken[i]);
	return 0;
}

void fleet_put_string(struct op_buffer *out, const char *text, size_t n)
{
	op_buffer_leb128(out, n);
	op_buffer_put(out, text, n);
}

const char *fleet_type_name(char type)
{
	static const char types[] = "bhiqsxQS";
	static const char *const names[] = {
		"UInt8",  "UInt16",	     "UInt32",	      "UInt64",
		"String", "FixedString(16)", "Array(UInt64)", "Array(String)",
	};
	const char *known = type ? strchr(types, type) : NULL;

	return known ? names[known - types] : FLEET_NO_TYPE;
}

static void skip_strings(struct op_reader *rows)
{
	for (uint64_t n = op_reader_leb128(rows); n && !rows->failed; n--)
		op_reader_take(rows, op_reader_leb128(rows));
}

static void skip_numbers(struct op_reader *rows)
{
	uint64_t n = op_reader_leb128(rows);

	if (n > op_reader_left(rows) / sizeof(uint64_t))
		op_reader_fail(rows);
	else
		op_reader_take(rows, n * sizeof(uint64_t));
}

void fleet_column_skip(char type, struct op_reader *rows)
{
	static const char types[] = "bhiqx";
	static const unsigned char sizes[] = {1, 2, 4, 8, FLEET_STACK_BYTES};
	const char *fixed = strchr(types, type);

	if (fixed)
		op_reader_take(rows, sizes[fixed - types]);
	else if (type == 's')
		op_reader_take(rows, op_reader_leb128(rows));
	else if (type == 'S')
		skip_strings(rows);
	else
		skip_numbers(rows);
}

bool fleet_row_skip(enum fleet_table_id table, struct op_reader *rows)
{
	for (const char *type = fleet_tables[table].types; *type && !rows->failed; type++)
		fleet_column_skip(*type, rows);
	return !rows->failed;
}

void fleet_section_begin(struct op_buffer *out, enum fleet_table_id table, uint64_t length)
{
	fleet_put_string(out, fleet_tables[table].name, strlen(fleet_tables[table].name));
	op_buffer_u64(out, length);
}
