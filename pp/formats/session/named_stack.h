/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of names, for formats that have no addresses. */
#ifndef PP_FORMATS_SESSION_NAMED_STACK_H
#define PP_FORMATS_SESSION_NAMED_STACK_H

#include "symbolize.h"
#include "pp/formats/model/profile.h"

struct named_frame {
	const struct prof_line *line; /* the function is never NULL */
	uint32_t image;
	bool is_inlined; /* in the frame before it, which is its caller */
};

/* A stack with a frame for each function, inlined ones, too; all zero is an empty one. */
struct named_stack {
	struct named_frame *frames; /* root first */
	size_t n, capacity;
};

/* The names of a sample's frames; takes the place of what was there. */
void named_stack_make(struct named_stack *stack, struct prof_names *names,
		      const struct prof_sample *sample);
void named_stack_free(struct named_stack *stack);

/* What named_stack_each() calls: @stack is good until it returns. */
typedef void named_stack_fn(void *context, const struct prof_sample *sample,
			    const struct named_stack *stack);

/* Calls @visit for each sample of a profile, in the order of prof_next(). */
void named_stack_each(const struct prof *prof, struct prof_names *names, named_stack_fn *visit,
		      void *context);

/* A function, wherever it is called: of one image, what has one name has one number.  Where a
 * function was inlined, its file is not known for each place. */
struct named_functions {
	struct named_function {
		const char *name, *file; /* file may be NULL */
		uint32_t image;
	} * items;
	size_t n, capacity;
	struct op_hash *by_function;
};

/* The number of a frame's function. */
uint32_t named_function(struct named_functions *functions, const struct named_frame *frame);
void named_functions_free(struct named_functions *functions);

/* The root of all stacks of a program: its name, or what else tells it. */
const char *named_program(const struct prof *prof, const struct prof_sample *sample);

#endif
