/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sessions that the tests of opreport are about.  All images are linked at fixed
 * addresses, so that reports can be compared with literal text.
 *
 *	prog	.text at 0x401000, file offset 0x1000: _start 16 bytes, hot (alias __hot_alias)
 *		32, cold 16, _Z3addii 16, quiet (local) 16; .odd at 0x403000, offset 0x2000:
 *		32 bytes without a symbol; lines of src/prog.c
 *	lib.so	.text at 0x2000, file offset 0x1000: lib_work 32, lib_hidden (local) 32
 */
#ifndef TEST_PP_FIXTURE_H
#define TEST_PP_FIXTURE_H

#include "session.h"

/* Assembles and links prog and lib.so in the session's directory. */
void fixture_images(struct test_session *session, const char *sources);

/* {root}DIR/NAME */
#define FIXTURE_ALONE(image)	  "{root}@DIR@/" image "/{dep}/{root}@DIR@/" image "/"
#define FIXTURE_IN(app, image)	  "{root}@DIR@/" app "/{dep}/{root}@DIR@/" image "/"
#define FIXTURE_KERNEL(app, name) "{root}@DIR@/" app "/{dep}/{kern}/" name "/"

/* A sample; "@DIR@" in the name stands for the session's directory. */
struct fixture_sample {
	const char *name;
	uint64_t key, count;
};

void fixture_samples(struct test_session *session, const struct fixture_sample *samples, size_t n);

/* @text with the session's directory for each "@DIR@"; the caller frees it. */
char *fixture_expand(const struct test_session *session, const char *text);

/* opreport --session-dir=DIR ARGUMENTS; arguments are separated by one blank. */
void fixture_opreport(struct test_run *run, const struct test_session *session,
		      const char *opreport, const char *arguments);

#endif
