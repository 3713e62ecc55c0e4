/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug files from servers, through elfutils' libdebuginfod, if the user has named servers in
 * DEBUGINFOD_URLS and the library is there.  It is loaded at the first need, as few runs have
 * one: it brings a whole HTTP client with it.
 */
#ifndef PP_DEBUGINFOD_H
#define PP_DEBUGINFOD_H

#include <stddef.h>

/**
 * pp_debuginfod_find - fetch the debug file of an image, or find it in the library's cache
 * @id: the build-id
 * @size: its length in bytes
 *
 * How long that may take, and where the cache is, the user says in the environment:
 * debuginfod-find(1).
 *
 * Return: a path that the caller frees, or NULL.
 */
char *pp_debuginfod_find(const unsigned char *id, size_t size);

#endif
