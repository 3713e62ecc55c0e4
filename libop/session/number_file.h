/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of a session that hold one number: decimal, and a newline.
 */
#ifndef LIBOP_SESSION_NUMBER_FILE_H
#define LIBOP_SESSION_NUMBER_FILE_H

#include <stdint.h>

#include "libop/base/error.h"

/* The number in the file, whose path may be NULL; 0 if there is no such file, or no number. */
uint64_t number_file_read(const char *path);

/**
 * number_file_save - have the file hold @value
 * @path: directories that are missing on the way are made; NULL: there was no memory for it
 *
 * A file that holds it already is left alone: most numbers of a session stay what they are.
 *
 * Return: 0, or -1 with @error set.
 */
int number_file_save(const char *path, uint64_t value, struct op_error *error);

#endif
