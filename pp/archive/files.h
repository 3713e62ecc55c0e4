/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The content of an archive: the files of a session, its images, and the path of each in the
 * archive, where report commands find it with "archive:".
 */
#ifndef PP_ARCHIVE_FILES_H
#define PP_ARCHIVE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "pp/symbols/image_path.h"
#include "pp/symbols/kernel_files.h"
#include "pp/select/spec.h"
#include "libop/base/warnings.h"

struct pp_archive_file {
	char *path; /* its present path */
	char *name; /* in the archive, with leading '/' */
	uid_t user; /* who may put another file there; FOREIGN_OURSELVES: as of the whole archive */
};

struct pp_archive_files {
	struct pp_archive_file *items; /* by name, each name once */
	size_t n, capacity;
	char *session_dir;	       /* in the archive */
	bool is_foreign;	       /* somebody else could make the session name any file: */
	uid_t owner;		       /* this user */
	bool is_supplied; /* what the session names was another user's choice, @supplier's */
	uid_t supplier;
	struct pp_kernel_files kernel; /* owns the memory files of some paths */
};

/**
 * pp_archive_files_find - find the files of an archive
 * @files: filled in; pp_archive_files_free() frees what it holds, whatever is returned
 * @session_dir: the session directory
 * @spec: selects samples
 * @exclude_dependent: leave out samples in images other than the application itself
 * @search: how to find images
 * @warnings: warns of what is missing
 *
 * They are the selected sample files and call graph files; all other files of their sessions
 * (stack files, statistics, kernel symbols, the list of modules); the images, also those that only
 * call chains lead to, and their separate debug files; the vdso and maps of JIT code; the log and
 * the abi file.
 *
 * Return: 0, or -1 with @error set: no session, or no samples.
 */
int pp_archive_files_find(struct pp_archive_files *files, const char *session_dir,
			  const struct pp_spec *spec, bool exclude_dependent,
			  struct pp_image_search *search, struct op_warnings *warnings,
			  struct op_error *error);
/* Adds a file; takes ownership of both strings. */
void pp_archive_files_add(struct pp_archive_files *files, char *path, char *name);
/* The same of a file that is read with a user's rights. */
void pp_archive_files_add_of(struct pp_archive_files *files, char *path, char *name, uid_t user);

/* Adds the files of images of kind OP_IMAGE_ANON, the @n of which are sorted: the vdso, and maps
 * of JIT code. */
void pp_archive_files_add_memory(struct pp_archive_files *files, struct pp_image_search *search,
				 const struct op_image_name **images, size_t n,
				 char *const *samples_dirs, size_t n_dirs);

void pp_archive_files_free(struct pp_archive_files *files);

#endif
