/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The session that is being written, for write.c and write_files.c only. */
#ifndef PP_FORMATS_SESSION_WRITING_H
#define PP_FORMATS_SESSION_WRITING_H

#include "libop/tables/pair_table.h"
#include "names.h"
#include "session.h"

#define NONE UINT32_MAX

/* A sample file or, with a callee, a {cg} file. */
struct file {
	uint32_t context, event, image, callee; /* callee: NONE of a sample file */
	uint32_t is_weight;			/* 1 of a file of weights */
};

/* The number of an image in the stack file of a context; of another one if @round is. */
struct stack_image {
	uint32_t round, number;
};

struct writing {
	const struct prof *prof;
	const struct session_options *options;
	char *dir; /* SESSION/samples/current */
	struct session_names names;
	int cpu_type;

	struct file *files;
	size_t n_files, files_capacity;
	struct op_hash by_file;
	struct op_pair_table entries; /* counts by number of file and key */

	/* Of the context that is being written: */
	uint32_t context;
	struct stacks **stacks;		  /* by slot; NULL: not open */
	struct stack_image *stack_images; /* by slot and image */
	uint32_t round;			  /* counts contexts, so that stack_images need no reset */
	struct stacks_frame *frames;
	size_t frames_capacity;
	uint64_t merged;
	struct op_error *error;
};

struct op_sample_name session_write_name_of(const struct writing *writing, const struct file *file);
int session_write_files(struct writing *writing);
int session_write_stats(struct writing *writing);

/* Lines "COUNT MISPREDICTED CYCLES FROM TO FROM-IMAGE TO-IMAGE", with tabs. */
int session_write_branches(struct writing *writing);
uint64_t session_write_key_of(const struct writing *writing, const struct prof_frame *frame);
int session_write_make_directories(const char *path, struct op_error *error);

#endif
