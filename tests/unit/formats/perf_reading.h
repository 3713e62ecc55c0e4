/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading recordings that are made by hand, and looking at what they hold.
 */
#ifndef TESTS_UNIT_FORMATS_PERF_READING_H
#define TESTS_UNIT_FORMATS_PERF_READING_H

#include "perf_recording.h"
#include "pp/formats/model/format.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

/* An event with an id of 11, a trailer, and nothing that takes long to write down. */
extern const struct rec_event clock_event;

/* What a test makes, what is read of it, and what went wrong. */
extern struct recording rec;
extern struct prof *prof;
extern struct op_error read_error;

/* Before and after each test. */
int reading_begin(void **state);
int reading_end(void **state);

/* Read rec, or its first @n bytes, into prof.  Return: as format::read. */
int read_made(void);
int read_bytes(size_t n);

/* Samples of all events. */
uint64_t samples(void);
/* Those at an offset of /bin/prog, of the process with its name. */
uint64_t samples_at(uint64_t offset);
bool has_note(const char *part);

/* Three samples, two of them at one place; their mapping comes later than one of them. */
void make_records(void);
void assert_records(void);

#endif
