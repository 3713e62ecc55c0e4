/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile that is read, whoever owns it: by this process, or by one without rights
 * (read_apart.h).
 */
#ifndef PP_FORMATS_MODEL_PROFILE_INPUT_H
#define PP_FORMATS_MODEL_PROFILE_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "format.h"
#include "profile.h"

struct store_wanted;
struct profile_input {
	const char *path;
	struct input *input; /* NULL: it is read apart */
	int fd;		     /* then */
	bool is_directory;
	uid_t supplier; /* whose it is; FOREIGN_OURSELVES: this user's, or root's */
};

/**
 * profile_input_open - open a profile
 * @path: a file, a directory or a store, which must live as long; "-" is the standard input
 * @wanted: of a store, as of store_fetch(); may be NULL
 *
 * Return: 0, or -1 with @error set.
 */
int profile_input_open(struct profile_input *profile, const char *path,
		       const struct store_wanted *wanted, struct op_error *error);
void profile_input_close(struct profile_input *profile);

/* What messages call it. */
const char *profile_input_name(const struct profile_input *profile);

/* Its format, or NULL with @error set. */
const struct format *profile_input_format(const struct profile_input *profile,
					  struct op_error *error);

/**
 * profile_input_read - read it into a sink
 *
 * From now on this process opens files with no more rights than the supplier has
 * (foreign_restrict()): the profile names them.
 *
 * @by: as of prof_new()
 * @stored: set to input_stored_size(); may be NULL
 *
 * Return: 0, or -1 with @error set; the sink has what came before an error in the input.
 */
int profile_input_read(struct profile_input *profile, const struct format *format, unsigned int by,
		       struct prof_sink *sink, uint64_t *stored, struct op_error *error);

#endif
