/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU profiles of gperftools that are made slot by slot, in each layout, and what comes out of
 * them; the order of its lines is prof_next()'s, which is not what is tested.
 */
#ifndef TEST_CPUPROFILE_FIXTURE_H
#define TEST_CPUPROFILE_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "describe.h"

struct layout {
	unsigned int slot; /* bytes */
	int big_endian;
};

#define LAYOUTS 4
extern const struct layout layouts[LAYOUTS];

void put_slots(struct made *file, const struct layout *layout, const uint64_t *slots, size_t n);
#define PUT(file, layout, ...)                                                                     \
	put_slots(file, layout, (const uint64_t[]){__VA_ARGS__},                                   \
		  sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

void put_header(struct made *file, const struct layout *layout);
void put_trailer(struct made *file, const struct layout *layout);

/* Three stacks with nothing in common, where they lie, and what is read of both. */
void put_records(struct made *file, const struct layout *layout);
#define MAPS                                                                                       \
	"00400000-00401000 r-xp 00001000 08:01 17                 /bin/prog\n"                     \
	"00401000-00402000 rw-p 00002000 08:01 17                 /bin/prog\n"                     \
	"70000000-70002000 r-xp 00000000 08:01 18                 /lib/libc.so.6\n"

#define RECORDS                                                                                    \
	"2/20000000 /bin/prog+1010 /bin/prog+1020\n"                                               \
	"3/30000000 /lib/libc.so.6+100 /bin/prog+1030 /bin/prog+1040\n"                            \
	"1/10000000 /bin/prog+1010\n"

/* The lines of a text in order; the caller frees them. */
char *sorted(const char *text);
/* Test failure, unless they have the same lines, in any order. */
void assert_same_lines(const char *text, const char *wanted);

/* Test failure, unless these are its samples; frees it. */
void check_samples(struct prof *prof, const char *wanted);
/* Reads the file, without an error, and frees both. */
void check_file(struct made *file, const char *wanted);

#endif
