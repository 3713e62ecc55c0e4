/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packed files: distributions compress kernel modules.
 */
#ifndef PP_UNPACK_H
#define PP_UNPACK_H

#include <stdbool.h>

/* True for names that end like packed files: .xz, .zst, .gz. */
bool pp_is_packed(const char *path);

/* Bytes that come out of one file at most; this is for damaged and malicious ones. */
#define PP_UNPACK_LIMIT (512ll << 20)

/**
 * pp_unpack - unpack a file into memory
 * @trouble: set to why it can't be; a literal
 *
 * Return: a descriptor of a file in memory, which the caller closes, or -1.
 */
int pp_unpack(const char *path, const char **trouble);

#endif
