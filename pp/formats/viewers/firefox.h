/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profile of the Firefox Profiler that is being written, for firefox.c and firefox_tables.c
 * only.
 */
#ifndef PP_FORMATS_VIEWERS_FIREFOX_H
#define PP_FORMATS_VIEWERS_FIREFOX_H

#include "libop/base/hash.h"
#include "libop/text/json.h"
#include "pp/formats/model/format.h"
#include "pp/formats/session/function_tree.h"
#include "pp/formats/session/named_stack.h"

#define VERSION		48
#define GECKO_VERSION	27 /* that this version was made of */
#define NOT_MET		(UINT32_MAX - 1) /* no stack yet */
#define CATEGORY_USER	0
#define CATEGORY_KERNEL 1

struct frame {
	uint32_t function, depth; /* depth: of inlining */
	int64_t line;
};

struct sample {
	uint32_t stack; /* a node of the thread's stacks, or FUNCTION_TREE_ROOT */
	uint64_t count, events;
	uint64_t time; /* ns since the first of all samples, if times are known */
};

/* A thread in the making. */
struct thread {
	struct named_functions functions;
	struct frame *frames;
	size_t n_frames, frames_capacity;
	struct op_hash by_frame;
	struct function_tree stacks; /* of numbers of frames */
	struct sample *samples;
	size_t n_samples, samples_capacity;
};

struct firefox {
	const struct prof *prof;
	struct prof_names *names;
	bool *weights; /* of prof_weights() */
	struct op_json json;
	struct thread thread;
	size_t n_threads;

	/* If times are known: */
	uint32_t *stacks; /* by prof_moment::value, in the thread that it is of */
	size_t moment;	  /* the first that is not written yet */
};

uint32_t firefox_add_stack(struct thread *thread, const struct named_stack *named);
void firefox_add_sample(struct thread *thread, const struct sample *sample);
void firefox_clear_thread(struct thread *thread);
void firefox_free_thread(struct thread *thread);

/*
 * Strings: for each image its name (from 0), then for each function its name, then its file.
 * Resources and libs: the images.
 */
void firefox_put_strings(struct firefox *firefox);
void firefox_put_functions(struct firefox *firefox);
void firefox_put_frames(struct firefox *firefox);
void firefox_put_stacks(struct firefox *firefox);

/* Milliseconds that a sample stands for; 1 where the event is no time. */
double firefox_interval_of(const struct prof *prof, uint32_t event);
void firefox_put_samples(struct firefox *firefox, uint32_t event);

#endif
