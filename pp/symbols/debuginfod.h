/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug files from servers, through elfutils' libdebuginfod, if DEBUGINFOD_URLS names servers and
 * the library is installed.  It is loaded on first use: it includes an HTTP client, and few runs
 * need it.
 */
#ifndef PP_SYMBOLS_DEBUGINFOD_H
#define PP_SYMBOLS_DEBUGINFOD_H

#include <stddef.h>

/**
 * pp_debuginfod_find - fetch the debug file of an image, or find it in the library's cache
 * @id: the build-id
 * @size: its length in bytes
 *
 * Environment variables set the timeout and the cache directory: debuginfod-find(1).
 *
 * Return: a path that the caller frees, or NULL.
 */
char *pp_debuginfod_find(const unsigned char *id, size_t size);

/* The same for the image itself. */
char *pp_debuginfod_executable(const unsigned char *id, size_t size);

#endif
