// SPDX-License-Identifier: GPL-2.0-or-later
/* The line table of a compilation unit. */
#include <stdbool.h>
#include <dwarf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"
#include "libop/base/hash.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/search.h"

/* The end of a sequence sorts before an entry at the same address. */
static int compare_entries(const void *a, const void *b)
{
	const struct pp_line_entry *left = a, *right = b;

	if (left->link != right->link)
		return left->link < right->link ? -1 : 1;
	if (!left->file != !right->file)
		return left->file ? 1 : -1;
	return op_compare_u64(left->order, right->order);
}

/*
 * Bytes of joined names of a unit.  Sources and headers of a unit are some hundreds; a hostile file
 * has one long directory and a short name for each of a million lines.
 */
#define JOINED_MOST (1 << 20)

/* The files of a unit while its lines are read. */
struct files {
	struct pp_line_table *table;
	const char *directory;	   /* the compilation directory, or NULL */
	const char *last, *joined; /* lines of one file often stand together */
	struct op_hash by_name;	   /* number: index into table->files */
	size_t joined_bytes;	   /* in table->files */
};

static uint32_t find_file(const struct files *files, uint64_t key, const char *path)
{
	uint32_t i;

	op_hash_for_each_possible (&files->by_name, key, i)
		if (!strcmp(files->table->files[i], path))
			return i;
	return OP_HASH_NONE;
}

static const char *files_join(struct files *files, const char *name)
{
	struct pp_line_table *table = files->table;
	char *path = op_format("%s/%s", files->directory, name);
	uint64_t key = op_hash_text(0, path);
	uint32_t found = find_file(files, key, path);

	if (found != OP_HASH_NONE) {
		free(path);
		return table->files[found];
	}
	files->joined_bytes += strlen(path) + 1;
	table->files = op_grow(table->files, &table->files_capacity, table->n_files + 1,
			       sizeof(*table->files));
	op_hash_add_or_exit(&files->by_name, key, (uint32_t)table->n_files);
	return table->files[table->n_files++] = path;
}

/* Names that are relative are so to the directory in which the compiler ran. */
static const char *file_name(struct files *files, Dwarf_Line *line)
{
	const char *name = dwarf_linesrc(line, NULL, NULL);

	if (!name || *name == '/' || !files->directory || files->joined_bytes > JOINED_MOST)
		return name;
	if (name != files->last) {
		files->joined = files_join(files, name);
		files->last = name;
	}
	return files->joined;
}

static struct files files_of(struct pp_line_table *table, Dwarf_Die *unit)
{
	const char *directory = pp_debug_text(unit, DW_AT_comp_dir);

	/* A build that hides its directory has "." or the like. */
	if (directory && (*directory != '/' || strlen(directory) >= PATH_MAX))
		directory = NULL;
	return (struct files){.table = table, .directory = directory};
}

void pp_line_table_read(struct pp_line_table *table, Dwarf_Die *unit,
			const struct pp_live_code *code)
{
	struct files files = files_of(table, unit);
	Dwarf_Lines *lines;
	size_t n;

	if (dwarf_getsrclines(unit, &lines, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		struct pp_line_entry entry = {.order = table->n};
		bool ends = false;
		Dwarf_Addr link;

		if (!line || dwarf_lineaddr(line, &link))
			continue;
		entry.link = link;
		if (!dwarf_lineendsequence(line, &ends) && !ends) {
			entry.file = file_name(&files, line);
			dwarf_lineno(line, &entry.line);
			if (!pp_live_code_has(code, link))
				continue;
		}
		table->entries =
			op_grow(table->entries, &table->capacity, table->n + 1, sizeof(entry));
		table->entries[table->n++] = entry;
	}
	if (table->n)
		qsort(table->entries, table->n, sizeof(*table->entries), compare_entries);
	op_hash_free(&files.by_name);
}

void pp_line_table_free(struct pp_line_table *table)
{
	for (size_t i = 0; i < table->n_files; i++)
		free(table->files[i]);
	free(table->files);
	free(table->entries);
}

const struct pp_line_entry *pp_line_table_find(const struct pp_line_table *table, uint64_t link)
{
	size_t behind = op_first_above(table->entries, table->n, link, link);

	return behind && table->entries[behind - 1].file ? &table->entries[behind - 1] : NULL;
}
