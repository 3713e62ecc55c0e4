/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles as text, so that tests of readers and writers are texts side by side.
 */
#ifndef TESTS_UNIT_FORMATS_DESCRIBE_H
#define TESTS_UNIT_FORMATS_DESCRIBE_H

#include <stddef.h>

#include "libop/base/error.h"
#include "pp/formats/model/format.h"

/* Text that grows. */
struct description {
	char *text;
	size_t n, capacity;
};

void description_add(struct description *description, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * read_bytes - read a profile that is in memory
 * @error: text is "" if all is well
 *
 * Return: the profile, finished, whatever went wrong on the way.
 */
struct prof *read_bytes(const struct format *format, const void *bytes, size_t n,
			struct op_error *error);
/* The same of a file or directory. */
struct prof *read_path(const struct format *format, const char *path, struct op_error *error);

/* Writes the profile to @path.  Return: as format::write. */
int write_path(const struct format *format, struct prof *prof, const char *path,
	       struct op_error *error);

/*
 * The samples of a profile, in the order of prof_next(), places to look up:
 *
 *	3/30000 /bin/a+115a /bin/a+117d[main a.c:12] comm=a pid=7
 *
 * The caller frees it.
 */
char *describe_samples(const struct prof *prof);
/* "event cpu nanoseconds 10000: 3/30000", "image /bin/a 1000-2000 @0 id=ab12", "note ..." and so
 * on.  The caller frees it. */
char *describe_head(const struct prof *prof);

/* The folder of real profiles, or NULL with a message that it is absent. */
const char *corpora(void);

#endif
