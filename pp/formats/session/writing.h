/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The session that is being written, for write.c and write_files.c only. */
#ifndef PP_FORMATS_SESSION_WRITING_H
#define PP_FORMATS_SESSION_WRITING_H

#include "libop/tables/pair_table.h"
#include "names.h"
#include "packed.h"
#include "room.h"
#include "session.h"

#define NONE UINT32_MAX

/* A sample file, or a {cg} file. */
struct file {
	uint32_t context, event, image;
	uint32_t is_weight; /* 1 of a file of weights */
	uint32_t callee;    /* of a {cg} file: its image; else PROF_NO_IMAGE */
};

/* A stack file that is open, or that there was no room for. */
struct stack_file {
	struct stacks *stacks;
	char *path;
	uint64_t taken; /* bytes of the room; of these, what its name took */
	uint64_t names;
	bool refused;
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
	uint64_t stored;	      /* the sum of those of sample files */
	struct session_room room;
	struct session_packed packed;
	struct op_pair_table
		others; /* what is counted in {other}: sums by event, of samples and of weights */
	uint64_t other_samples, other_stacks;
	uint64_t other_calls; /* that are left out */
	uint64_t beyond; /* samples that there was no room for */

	/* Of the context that is being written: */
	uint32_t context;
	struct stack_file *stacks;	   /* by slot */
	struct op_pair_table stack_images; /* numbers in stack files, by slot and image */
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
