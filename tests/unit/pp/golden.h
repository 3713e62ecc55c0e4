/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Golden tests of opreport: what it writes is compared with literal text.
 */
#ifndef TEST_PP_GOLDEN_H
#define TEST_PP_GOLDEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fixture.h"

struct golden {
	const char *arguments; /* separated by one blank; "@DIR@" is the session's directory */
	int status;
	const char *out; /* all of it */
	const char *err; /* a part of it; NULL: nothing */
};

/* Takes the arguments of main(): the paths of opreport and of the sources of images. */
void golden_begin(int argc, char **argv);

/* The first of them. */
const char *opreport_path(void);

/* A session with prog and lib.so, yet without samples. */
void make_session(struct test_session *session);

/* Checks them with the session's files as they are. */
void check_loose(const struct test_session *session, const struct golden *golden, size_t n);

/* Checks them twice: with the session's files as they are, and packed.  They are loose then. */
void check_all(const struct test_session *session, const struct golden *golden, size_t n);

/* The same of a session of its own with these samples. */
void check_samples(const struct fixture_sample *samples, size_t n_samples,
		   const struct golden *golden, size_t n);

#define CHECK_SAMPLES(samples, table)                                                              \
	check_samples(samples, sizeof(samples) / sizeof(samples[0]), table,                        \
		      sizeof(table) / sizeof(table[0]))
#define CHECK_ALL(session, table) check_all(session, table, sizeof(table) / sizeof(table[0]))
#define CHECK_LOOSE(session, table) check_loose(session, table, sizeof(table) / sizeof(table[0]))
#define ADD_ALL(session, table)	  fixture_samples(session, table, sizeof(table) / sizeof(table[0]))

#define TIMER "TIMER.0.0.all.all.all"
#define TIMER_HEAD                                                                                 \
	"CPU: CPU with timer interrupt, speed 2000 MHz (estimated)\n"                              \
	"Profiling through timer interrupt\n"

/* Key of an offset in .text of prog and of lib.so. */
#define TEXT(offset) (0x1000 + (offset))

#endif
