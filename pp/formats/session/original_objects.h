/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects of JIT code in a tree for OProfile, made of the names that reports of a session have. */
#ifndef PP_FORMATS_SESSION_ORIGINAL_OBJECTS_H
#define PP_FORMATS_SESSION_ORIGINAL_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#include "libdb/odb/odb.h"
#include "libop/base/error.h"
#include "libop/session/sample_name.h"

struct pp_image_reader;

/* Samples of a range of memory. */
struct original_memory {
	char *path; /* of the object, relative to the directory of samples */
	struct op_image_name image;
	struct op_image_name source; /* the session's image, whose symbols it has */
	uint64_t *keys;		     /* that have samples */
	size_t n;
};

/* All zero: none. */
struct original_objects {
	struct original_memory *items;
	size_t n, capacity;
};

/**
 * original_objects_add - note a sample file that was written
 * @file: its name, relative to the directory of samples
 * @image: that the samples are in; all but memory of a process is passed over
 * @source: what the session calls it
 * @entries: of the file, by key
 */
void original_objects_add(struct original_objects *objects, const char *file,
			  const struct op_image_name *image, const struct op_image_name *source,
			  const struct odb_entry *entries, size_t n);

/**
 * original_objects_write - write an object for each process and label with a known function
 * @reader: reads the images of the session
 * @dir: of the samples; an object that is there stays as it is
 *
 * Return: 0, or -1 with @error set.
 */
int original_objects_write(struct original_objects *objects, struct pp_image_reader *reader,
			   const char *dir, struct op_error *error);
/* Warns of functions that only the profile of a session names, in files that are not here. */
void original_objects_warn(char *const *samples_dirs, size_t n);
void original_objects_free(struct original_objects *objects);

#endif
