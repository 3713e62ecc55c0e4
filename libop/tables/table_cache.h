/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cache on disk of tables that take long to compute: files below
 * ${XDG_CACHE_HOME:-~/.cache}/oprofile/tables.
 *
 * The cache is optional, and its files are checked: those that are damaged, outdated or owned by
 * another user are ignored and written again, and failures to write are ignored.  It is not used
 * if the directory is owned by another user, so that root under sudo(8) leaves no files there.
 */
#ifndef LIBOP_TABLES_TABLE_CACHE_H
#define LIBOP_TABLES_TABLE_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Limit of all files together, in bytes: beyond it the least recently used ones are removed.  No
 * file is larger than a quarter of it. */
extern long long op_table_cache_limit;

/**
 * op_table_cache_name - the name of a file's tables in the cache
 * @build_id: of the file, hexadecimal
 * @status: of the file: another size or time means another file, such as a stripped one
 * @kind: kind of tables, and the version of their format: "debug-1"
 *
 * Return: a name that the caller frees, or NULL: there is no cache.
 */
char *op_table_cache_name(const char *build_id, const struct stat *status, const char *kind);

/* Return: the bytes that op_table_cache_store() stored under @name, owned by the caller; or NULL.
 */
void *op_table_cache_load(const char *name, size_t *size);

/* Stores @bytes; errors are ignored. */
void op_table_cache_store(const char *name, const void *bytes, size_t size);

#endif
