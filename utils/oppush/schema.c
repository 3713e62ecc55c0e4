// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of the store: see schema.h. */
#include "schema.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/reader.h"
#include "libop/base/safe_text.h"
#include "libop/foreign/door.h"
#include "pp/formats/store/tables.h"

#define FILE_MOST   ((size_t)1 << 20)
#define FILES_MOST  1000
#define ANSWER_MOST ((size_t)1 << 16)

struct migration {
	uint32_t number;
	char *name;
};

struct schema {
	struct store_http *http;
	const char *dir;
	struct migration *files; /* by number */
	size_t n, capacity;
	struct op_buffer applied; /* numbers, UInt32 */
	struct op_error *error;
};

static int compare_numbers(const void *a, const void *b)
{
	return op_compare_u64(((const struct migration *)a)->number,
			      ((const struct migration *)b)->number);
}

/* Files of that form; others, such as a README, are none. */
static int list_files(struct schema *schema)
{
	DIR *dir = opendir(schema->dir);
	const struct dirent *entry;

	if (!dir)
		return op_error_errno(schema->error, "cannot read the schema in %s", schema->dir);
	while ((entry = readdir(dir))) {
		const char *rest = entry->d_name;
		uint64_t number;

		if (!op_number_take(&rest, 10, FILES_MOST, &number) || *rest != '-' ||
		    strlen(rest) < 5 || strcmp(rest + strlen(rest) - 4, ".sql") != 0)
			continue;
		schema->files = op_grow(schema->files, &schema->capacity, schema->n + 1,
					sizeof(*schema->files));
		schema->files[schema->n++] =
			(struct migration){(uint32_t)number, op_copy(entry->d_name)};
	}
	closedir(dir);
	if (schema->n)
		qsort(schema->files, schema->n, sizeof(*schema->files), compare_numbers);
	return schema->n ? 0 : op_error_set(schema->error, ENOENT, "no schema in %s", schema->dir);
}

static bool is_applied(const struct schema *schema, uint32_t number)
{
	struct op_reader reader =
		op_reader_of(schema->applied.bytes, schema->applied.used, op_swap_for(false));

	while (op_reader_left(&reader))
		if (op_reader_u32(&reader) == number)
			return true;
	return false;
}

/* Lines that begin with "--" are comments, which a server of any version need not see. */
static void strip_comments(char *text)
{
	char *to = text, *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		if (!strncmp(line, "--", 2))
			continue;
		memmove(to, line, strlen(line));
		to += strlen(line);
		*to++ = '\n';
	}
	to[to > text ? -1 : 0] = '\0';
}

static int apply_statements(struct schema *schema, char *text)
{
	char *rest = text, *end;
	int result = 0;

	while (!result && (end = strstr(rest, ";\n"))) {
		*end = '\0';
		result = store_http_insert(schema->http, rest, NULL, 0, schema->error);
		rest = end + 2;
	}
	return result;
}

static int note_applied(struct schema *schema, const struct migration *file)
{
	struct op_buffer row = {0};
	int result;

	op_buffer_u32(&row, file->number);
	fleet_put_string(&row, file->name, strlen(file->name));
	op_buffer_u32(&row, (uint32_t)time(NULL));
	result = row.failed ? op_error_memory(schema->error)
			    : store_http_insert(schema->http,
						"INSERT INTO migrations FORMAT RowBinary",
						row.bytes, row.used, schema->error);
	op_buffer_free(&row);
	return result;
}

static int apply_file(struct schema *schema, const struct migration *file)
{
	char *path = op_format("%s/%s", schema->dir, file->name);
	char *text = foreign_read(path, FILE_MOST, NULL, schema->error);
	struct op_error cause;
	int result = -1;

	if (text) {
		strip_comments(text);
		result = apply_statements(schema, text);
		if (result) {
			cause = *schema->error;
			op_error_set(schema->error, cause.code, "%s: %s", path, cause.text);
		} else {
			result = note_applied(schema, file);
		}
	}
	if (!result)
		op_safe_line(stdout, "%s", file->name);
	free(text);
	free(path);
	return result;
}

/* A database without the table has nothing applied. */
static int read_applied(struct schema *schema, const char *database)
{
	char *make = op_format("CREATE DATABASE IF NOT EXISTS %s", database);
	int result = store_http_make(schema->http, make, schema->error);
	struct op_error missing;

	free(make);
	if (!result && store_http_query(schema->http,
					"SELECT number FROM migrations GROUP BY number "
					"FORMAT RowBinary",
					NULL, ANSWER_MOST, &schema->applied, &missing))
		schema->applied.used = 0;
	return result;
}

int schema_install(const struct store_url *url, const char *dir, struct op_error *error)
{
	struct schema schema = {.dir = dir, .error = error};
	int result = list_files(&schema);

	if (!result)
		schema.http = store_http_open(url, error);
	if (!result)
		result = schema.http ? read_applied(&schema, url->database) : -1;
	for (size_t i = 0; !result && i < schema.n; i++)
		if (!is_applied(&schema, schema.files[i].number))
			result = apply_file(&schema, &schema.files[i]);
	for (size_t i = 0; i < schema.n; i++)
		free(schema.files[i].name);
	free(schema.files);
	op_buffer_free(&schema.applied);
	store_http_close(schema.http);
	return result;
}
