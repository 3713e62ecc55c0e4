/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A main() for fuzz targets that are not built with -fsanitize=fuzzer: it runs the files given
 * to it, or, with none, seeds and random changes of them, always the same ones.
 *
 *	TARGET [-w | -n ITERATIONS | -s SECONDS] [FILE...]
 *
 * Each bit of a seed is changed, and then there are fuzz_iterations random changes (-w), or as many
 * as another option says.  Without an option it takes a second, for "make check": one bit of each
 * byte, and a quarter of the random changes.
 */
#ifndef TESTS_FUZZ_DRIVER_H
#define TESTS_FUZZ_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fuzz_seed {
	const void *bytes; /* NULL ends the list */
	size_t size;
};

/* One of a literal, which may have bytes of 0. */
#define SEED(text)                                                                                 \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}

/* The target's. */
extern const struct fuzz_seed fuzz_seeds[];
extern const unsigned int fuzz_iterations; /* unless -n or -s says otherwise */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with a signal if @condition is false. */
void fuzz_must(int condition, const char *what);

/* Writes a file, always the same one, which the end of the program removes.  Return: its path. */
const char *fuzz_file(const void *bytes, size_t size);

#endif
