/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings made to measure, for tests and benchmarks.
 */
#ifndef TESTS_DAEMON_RECORDING_H
#define TESTS_DAEMON_RECORDING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon/sources/recording.h"

/* Begins a recording with the facts of a machine with a timer.  NULL and errno on error. */
FILE *recording_begin(const char *path);
void recording_chunk(FILE *out, uint32_t type, const void *bytes, size_t length);
/* A file that is present, with the given time. */
void recording_image(FILE *out, uint64_t cookie, const char *path, uint64_t mtime);
void recording_buffer(FILE *out, const uint64_t *words, size_t count);
/* Return: 0, or -1 if any of the above could not be written. */
int recording_end(FILE *out);

#endif
