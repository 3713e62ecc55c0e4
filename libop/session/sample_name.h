/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of sample files: made by the daemon, parsed by the report tools.
 *
 *	{root}/bin/ls/{dep}/{root}/lib/libc.so.6/TIMER.0.0.all.all.all
 *
 * The grammar is in oprofile-session(5).
 */
#ifndef LIBOP_SESSION_SAMPLE_NAME_H
#define LIBOP_SESSION_SAMPLE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"

enum op_image_kind {
	OP_IMAGE_FILE,	 /* {root}: an absolute path */
	OP_IMAGE_KERNEL, /* {kern}: a kernel or module without a path, such as "ext4" */
	OP_IMAGE_ANON,	 /* {anon:label}: memory without a file */
};

struct op_image_name {
	enum op_image_kind kind;
	char *name; /* path with leading '/', kernel image name, or label of the memory */
	/* OP_IMAGE_ANON only: */
	uint32_t tgid;
	uint64_t start, end;
};

#define OP_ALL (-1) /* tgid, tid, cpu: not separated */

struct op_sample_name {
	struct op_image_name
		app; /* OP_IMAGE_FILE or OP_IMAGE_KERNEL; in a {cg} file, of the caller */
	struct op_image_name
		dep; /* the image that the samples are in; in a {cg} file, the caller's */
	bool is_arc; /* a {cg} file */
	struct op_image_name callee;
	char *event;
	uint64_t count, unit_mask;
	int64_t tgid, tid, cpu; /* or OP_ALL */
};

/**
 * op_sample_name_make - the path of a sample file, relative to the samples directory
 *	(no leading '/')
 *
 * Return: a string that the caller frees, or NULL with errno set: ENOMEM, or EINVAL when
 * @name does not follow the grammar (a path that is not absolute or has an empty, "." or
 * ".." component; a '/' in a label, a kernel image or an event; a '.' in an event).
 */
char *op_sample_name_make(const struct op_sample_name *name);

/**
 * op_sample_name_parse - parse a path
 * @path: absolute or relative; the part before the first {root} or {kern} is ignored
 * @name: set; op_sample_name_free() frees it
 *
 * Return: 0, or -1 with @error set: the path is not that of a sample file.
 */
int op_sample_name_parse(const char *path, struct op_sample_name *name, struct op_error *error);

void op_sample_name_free(struct op_sample_name *name);

/*
 * Stack files (oprofile-stacks(5)) are beside the sample files:
 *
 *	stacks/{root}/bin/ls/TIMER.0.0.all.all.all
 */

/* The name of the samples that a file of weights belongs to, which is the end of @name (relative to
 * the samples directory); @name itself if it is none of weights. */
const char *op_name_of_weighted(const char *name);

/**
 * op_stacks_name_make - the path of a stack file, relative to the samples directory
 * @name: its dep and callee are not looked at
 *
 * Return: as op_sample_name_make().
 */
char *op_stacks_name_make(const struct op_sample_name *name);

/**
 * op_stacks_name_parse - take the path of a stack file apart
 * @name: filled in, dep as app; op_sample_name_free() frees what it holds
 *
 * Return: as op_sample_name_parse().
 */
int op_stacks_name_parse(const char *path, struct op_sample_name *name, struct op_error *error);

/* The name of an image as it stands in a path, without the last '/': "{root}/bin/ls".  As
 * op_sample_name_make(). */
char *op_image_name_make(const struct op_image_name *image);

/**
 * op_image_name_parse - the reverse of op_image_name_make()
 * @image: filled in; its name is the caller's to free
 *
 * Return: 0, or -1 with @error set.
 */
int op_image_name_parse(const char *text, struct op_image_name *image, struct op_error *error);

#endif
