// SPDX-License-Identifier: GPL-2.0-or-later
/* Sending a file of a fleet's tables: see send.h. */
#include "send.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/base/reader.h"
#include "libop/foreign/door.h"
#include "pp/formats/store/tables.h"

#define FILE_MOST ((size_t)1 << 30)

static int insert_rows(struct store_http *http, enum fleet_table_id table, const void *rows,
		       size_t n, uint64_t *bytes, struct op_error *error)
{
	const struct fleet_table *columns = &fleet_tables[table];
	char *statement;
	int result;

	if (!n)
		return 0;
	statement =
		op_format("INSERT INTO %s (%s) FORMAT RowBinary", columns->name, columns->columns);
	result = store_http_insert(http, statement, rows, n, error);
	free(statement);
	*bytes += result ? 0 : n;
	return result;
}

/* What rows mean is sent once. */
static int insert_meanings(struct store_http *http, struct sent *sent, enum fleet_table_id table,
			   const void *rows, size_t n, uint64_t *bytes, struct op_error *error)
{
	struct op_buffer rest = {0};
	int result = sent_filter(sent, table, rows, n, &rest);

	if (result)
		op_error_set(error, EINVAL, "a row of the table %s is cut off",
			     fleet_tables[table].name);
	else if (rest.failed)
		result = op_error_memory(error);
	if (!result)
		result = insert_rows(http, table, rest.bytes, rest.used, bytes, error);
	if (!result)
		sent_note(sent, table, &rest);
	op_buffer_free(&rest);
	return result;
}

static int send_section(struct store_http *http, struct sent *sent, enum fleet_table_id table,
			struct op_reader *file, const char *path, uint64_t *bytes,
			struct op_error *error)
{
	const char *name = fleet_tables[table].name;
	uint64_t n = op_reader_leb128(file), length;
	const char *found = op_reader_take(file, n), *rows;

	length = op_reader_u64(file);
	rows = op_reader_take(file, length);
	if (!found || n != strlen(name) || memcmp(found, name, n) != 0 || !rows)
		return op_error_set(error, EINVAL, "%s: the table %s is not in it", path, name);
	return table < FLEET_SAMPLES
		       ? insert_meanings(http, sent, table, rows, length, bytes, error)
		       : insert_rows(http, table, rows, length, bytes, error);
}

int send_file(struct store_http *http, struct sent *sent, const char *path, uint64_t *bytes,
	      struct op_error *error)
{
	size_t n;
	char *text = foreign_read(path, FILE_MOST, &n, error);
	const char *magic;
	struct op_reader file;
	int result = 0;

	if (!text)
		return -1;
	file = op_reader_of(text, n, op_swap_for(false));
	magic = op_reader_take(&file, strlen(FLEET_MAGIC));
	if (!magic || memcmp(magic, FLEET_MAGIC, strlen(FLEET_MAGIC)) != 0)
		result = op_error_set(error, EINVAL, "%s: no file of a fleet's tables", path);
	else
		result = sent_begin(sent, http, error);
	for (unsigned int i = 0; !result && i < FLEET_TABLES_N; i++)
		result =
			send_section(http, sent, (enum fleet_table_id)i, &file, path, bytes, error);
	free(text);
	return result;
}
