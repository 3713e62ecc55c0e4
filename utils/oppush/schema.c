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

#include "libop/base/array.h"
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
/* What statements begin with that can be made those of a cluster, and what tables are called. */
#define CREATE		 "CREATE TABLE IF NOT EXISTS "
#define ALTER		 "ALTER TABLE "
#define ENGINE		 ") ENGINE = "
#define SHARDED		 "-- sharded by "
#define LOCAL		 "_local"
#define PATIENCE_SECONDS 600

struct migration {
	uint32_t number;
	char *name;
};

struct schema {
	struct store_http *http;
	const struct store_url *url;
	const char *dir, *cluster; /* cluster: or NULL */
	struct migration *files;   /* by number */
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

/* ---- statements ---- */

static int run_statement(struct schema *schema, const char *statement)
{
	return store_http_insert(schema->http, statement, NULL, 0, schema->error);
}

/* A table of a cluster: NAME_local on each server, and NAME, which means all of them. */
static int make_distributed(struct schema *schema, const char *name, size_t n, const char *key)
{
	const char *cluster = schema->cluster, *database = schema->url->database;
	char *make = op_format("CREATE TABLE IF NOT EXISTS %.*s ON CLUSTER %s AS %s.%.*s" LOCAL
			       " ENGINE = Distributed(%s, %s, %.*s" LOCAL ", %s)",
			       (int)n, name, cluster, database, (int)n, name, cluster, database,
			       (int)n, name, key);
	int result = run_statement(schema, make);

	free(make);
	return result;
}

/* @rest: behind the name of the table, which has @n bytes. */
static int create_on_cluster(struct schema *schema, const char *name, size_t n, const char *rest,
			     const char *key)
{
	const char *engine = strstr(rest, ENGINE);
	char *statement;
	int result;

	if (!engine || !*key)
		return op_error_set(schema->error, EINVAL,
				    "the table %.*s has no line \"" SHARDED "EXPRESSION\"", (int)n,
				    name);
	engine += strlen(ENGINE);
	statement = op_format(CREATE "%.*s" LOCAL " ON CLUSTER %s%.*sReplicated%.*s"
				     "('/clickhouse/tables/{shard}/%s/%.*s', '{replica}')%s",
			      (int)n, name, schema->cluster, (int)(engine - rest), rest,
			      (int)strcspn(engine, " "), engine, schema->url->database, (int)n,
			      name, engine + strcspn(engine, " "));
	result = run_statement(schema, statement);
	if (!result)
		result = make_distributed(schema, name, n, key);
	free(statement);
	return result;
}

/* It holds nothing, and its columns are those that the other had when it was made. */
static int drop_distributed(struct schema *schema, const char *name, size_t n)
{
	char *drop =
		op_format("DROP TABLE IF EXISTS %.*s ON CLUSTER %s", (int)n, name, schema->cluster);
	int result = run_statement(schema, drop);

	free(drop);
	return result;
}

static int alter_on_cluster(struct schema *schema, const char *name, size_t n, const char *rest,
			    const char *key)
{
	char *statement = op_format(ALTER "%.*s" LOCAL " ON CLUSTER %s%s", (int)n, name,
				    schema->cluster, rest);
	int result = *key ? run_statement(schema, statement)
			  : op_error_set(schema->error, EINVAL,
					 "the change of %.*s has no line \"" SHARDED "EXPRESSION\"",
					 (int)n, name);

	if (!result)
		result = drop_distributed(schema, name, n);
	if (!result)
		result = make_distributed(schema, name, n, key);
	free(statement);
	return result;
}

/* @key: what rows are distributed by. */
static int apply_statement(struct schema *schema, const char *statement, const char *key)
{
	static const struct {
		const char *words;
		int (*apply)(struct schema *schema, const char *name, size_t n, const char *rest,
			     const char *key);
	} kinds[] = {{CREATE, create_on_cluster}, {ALTER, alter_on_cluster}};

	if (!schema->cluster)
		return run_statement(schema, statement);
	for (size_t i = 0; i < OP_ARRAY_SIZE(kinds); i++) {
		const char *name = statement + strlen(kinds[i].words);
		size_t n;

		if (strncmp(statement, kinds[i].words, strlen(kinds[i].words)) != 0)
			continue;
		n = strcspn(name, " ");
		return kinds[i].apply(schema, name, n, name + n, key);
	}
	return op_error_set(schema->error, EINVAL, "no statement for a cluster: %.60s", statement);
}

/* Lines that begin with "--" are comments, which a server of any version need not see. */
static int apply_statements(struct schema *schema, char *text)
{
	struct op_buffer statement = {0};
	char *rest = text, *line, *key = op_copy("");
	int result = 0;

	while (!result && (line = strsep(&rest, "\n"))) {
		size_t n = strlen(line);

		if (!strncmp(line, SHARDED, strlen(SHARDED))) {
			free(key);
			key = op_copy(line + strlen(SHARDED));
		}
		if (!n || !strncmp(line, "--", 2))
			continue;
		op_buffer_put(&statement, line, line[n - 1] == ';' ? n - 1 : n);
		op_buffer_put(&statement, line[n - 1] == ';' ? "" : "\n", 1);
		if (line[n - 1] != ';')
			continue;
		result = statement.failed
				 ? op_error_memory(schema->error)
				 : apply_statement(schema, (const char *)statement.bytes, key);
		statement.used = 0;
	}
	op_buffer_free(&statement);
	free(key);
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
						"INSERT INTO migrations (number, name, applied) "
						"FORMAT RowBinary",
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

/* ---- what is there ---- */

static int make_database(struct schema *schema)
{
	char *make = op_format("CREATE DATABASE IF NOT EXISTS %s%s%s", schema->url->database,
			       schema->cluster ? " ON CLUSTER " : "",
			       schema->cluster ? schema->cluster : "");
	int result = store_http_make(schema->http, make, schema->error);

	free(make);
	return result;
}

/* Tables of one server are not made those of a cluster, nor the other way round: they have rows. */
static int check_kind(struct schema *schema)
{
	struct op_buffer answer = {0};
	struct op_reader reader;
	char *query =
		op_format("SELECT count(), countIf(engine = 'Distributed') FROM system.tables "
			  "WHERE database = '%s' AND name = 'migrations'",
			  schema->url->database);
	int result = store_http_query(schema->http, "qq", query, NULL, ANSWER_MOST, &answer,
				      schema->error);
	uint64_t there, distributed;

	free(query);
	if (result)
		return result;
	reader = op_reader_of(answer.bytes, answer.used, op_swap_for(false));
	there = op_reader_u64(&reader);
	distributed = op_reader_u64(&reader);
	op_buffer_free(&answer);
	if (there && !distributed && schema->cluster)
		return op_error_set(schema->error, EEXIST,
				    "%s has tables of one server: --cluster is for a new database",
				    schema->url->database);
	if (distributed && !schema->cluster)
		return op_error_set(schema->error, EEXIST,
				    "%s has tables of a cluster: --cluster=NAME is needed",
				    schema->url->database);
	return 0;
}

/* A database without the table has nothing applied. */
static void read_applied(struct schema *schema)
{
	struct op_error missing;

	if (store_http_query(schema->http, "i", "SELECT number FROM migrations GROUP BY number",
			     NULL, ANSWER_MOST, &schema->applied, &missing))
		schema->applied.used = 0;
}

static int install_files(struct schema *schema)
{
	int result = make_database(schema);

	if (!result)
		result = check_kind(schema);
	if (!result)
		read_applied(schema);
	for (size_t i = 0; !result && i < schema->n; i++)
		if (!is_applied(schema, schema->files[i].number))
			result = apply_file(schema, &schema->files[i]);
	return result;
}

int schema_install(const struct store_url *url, const char *dir, const char *cluster,
		   struct op_error *error)
{
	struct schema schema = {.url = url, .dir = dir, .cluster = cluster, .error = error};
	int result = list_files(&schema);

	if (!result)
		schema.http = store_http_open(url, error);
	/* servers of a cluster wait for each other, three minutes by default */
	if (schema.http)
		store_http_set_patience(schema.http, PATIENCE_SECONDS);
	if (!result)
		result = schema.http ? install_files(&schema) : -1;
	for (size_t i = 0; i < schema.n; i++)
		free(schema.files[i].name);
	free(schema.files);
	op_buffer_free(&schema.applied);
	store_http_close(schema.http);
	return result;
}
