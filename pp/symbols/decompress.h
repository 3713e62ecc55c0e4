/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decompression: distributions compress kernel modules. */
#ifndef PP_SYMBOLS_DECOMPRESS_H
#define PP_SYMBOLS_DECOMPRESS_H

#include <stdbool.h>
#include <stdint.h>

/* True if the file name ends in .xz, .zst or .gz. */
bool pp_is_compressed(const char *path);

/* Most bytes that one file is decompressed to: a bound for damaged and malicious files. */
#define PP_DECOMPRESS_MAX (UINT64_C(512) << 20)

/**
 * pp_decompress - decompress a file into memory
 * @path: the file; its suffix says how it is compressed
 * @reason: set to why it failed; a literal
 *
 * Return: a descriptor of a file in memory, which the caller closes, or -1.
 */
int pp_decompress(const char *path, const char **reason);

#endif
