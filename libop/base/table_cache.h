/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables that took long to make, on the disk: files below
 * ${XDG_CACHE_HOME:-~/.cache}/oprofile/tables.
 *
 * The cache is never needed and never trusted further than it can be checked: what is damaged,
 * old, or not the user's own is passed over and made anew, and what can't be written is not.  It
 * is not used where the directory belongs to somebody else, so that root under sudo(8) leaves no
 * files in the home of another user.
 */
#ifndef PP_TABLE_CACHE_H
#define PP_TABLE_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Bytes of all files together; when it is exceeded, those that were used longest ago go.  No file
 * is larger than a quarter of it. */
extern long long pp_table_cache_limit;

/**
 * pp_table_cache_name - the name under which tables of a file are kept
 * @build_id: of the file, hexadecimal
 * @status: of the file: one with another size or time is another file, such as a stripped one
 * @kind: what tables, and the version of their form: "debug-1"
 *
 * Return: a name that the caller frees, or NULL: there is no cache.
 */
char *pp_table_cache_name(const char *build_id, const struct stat *status, const char *kind);

/* Return: what pp_table_cache_store() was given under @name, which the caller frees, or NULL. */
void *pp_table_cache_load(const char *name, size_t *size);

/* Keeps @bytes; on any trouble, does not. */
void pp_table_cache_store(const char *name, const void *bytes, size_t size);

#endif
