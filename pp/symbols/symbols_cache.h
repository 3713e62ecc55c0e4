/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of large images on the disk (libop/tables/table_cache.h).
 *
 * Reading a symbol table with libbfd takes half a microsecond a symbol, which is negligible for
 * most programs; the cache pays for large files only.
 */
#ifndef PP_SYMBOLS_SYMBOLS_CACHE_H
#define PP_SYMBOLS_SYMBOLS_CACHE_H

#include <stdbool.h>

#include "symbols.h"

/* Size in bytes from which on the symbols of an image are cached. */
extern long long pp_symbols_cache_least;

/**
 * pp_symbols_cache_name - the key of an image in the cache
 * @debug_path: set to the separate debug file, if one is needed, which the caller frees; or NULL
 *
 * Other arguments are those of pp_symbols_read_file().
 *
 * Return: a name that the caller frees; or NULL, and *@debug_path is untouched: the image is small,
 * or has no build-id, or there is no cache.
 */
char *pp_symbols_cache_name(const char *path, const char *root, bool want_lines, char **debug_path);

/* Fills in zeroed @symbols, but for the debug file.  Return: false if nothing is cached. */
bool pp_symbols_cache_load(const char *name, struct pp_symbols *symbols);
void pp_symbols_cache_store(const char *name, const struct pp_symbols *symbols);

/**
 * pp_symbols_pack - symbols as bytes, but for the debug file
 *
 * Return: @length bytes that the caller frees, or NULL: there are more than 4 GiB of names.
 */
void *pp_symbols_pack(const struct pp_symbols *symbols, size_t *length);

/**
 * pp_symbols_unpack - the opposite
 * @symbols: zeroed
 * @bytes: of malloc(), which belong to @symbols then; may say anything
 *
 * Return: whether they are symbols, in the order that struct pp_symbols has; if not, all is freed.
 */
bool pp_symbols_unpack(struct pp_symbols *symbols, void *bytes, size_t size);

#endif
