// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks of names: see named_stack.h. */
#include "named_stack.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "libop/base/memory.h"

void named_stack_make(struct named_stack *stack, struct prof_names *names,
		      const struct prof_sample *sample)
{
	stack->n = 0;
	for (size_t i = sample->depth; i--;) {
		const struct prof_name *name = names_of_frame(names, sample, i);

		stack->frames = op_grow(stack->frames, &stack->capacity, stack->n + name->n,
					sizeof(*stack->frames));
		for (size_t k = name->n; k--;)
			stack->frames[stack->n++] = (struct named_frame){
				.line = &name->lines[k],
				.image = sample->frames[i].image,
				.is_inlined = k + 1 < name->n,
			};
	}
}

void named_stack_free(struct named_stack *stack)
{
	free(stack->frames);
	*stack = (struct named_stack){0};
}

void named_stack_each(const struct prof *prof, struct prof_names *names, named_stack_fn *visit,
		      void *context)
{
	struct named_stack stack = {0};
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	while (prof_next(prof, &cursor, &sample)) {
		named_stack_make(&stack, names, &sample);
		visit(context, &sample, &stack);
	}
	named_stack_free(&stack);
	prof_cursor_free(&cursor);
}

/* ---- functions ---- */

static uint64_t hash_function(const struct named_function *function)
{
	return op_hash_text(function->image, function->name);
}

uint32_t named_function(struct named_functions *functions, const struct named_frame *frame)
{
	const struct named_function wanted = {frame->line->function, frame->line->file,
					      frame->image};
	uint64_t hash = hash_function(&wanted);
	uint32_t id;

	if (!functions->by_function)
		functions->by_function = op_alloc(1, sizeof(*functions->by_function));
	op_hash_for_each_possible (functions->by_function, hash, id) {
		struct named_function *known = &functions->items[id];

		if (known->image != wanted.image || strcmp(known->name, wanted.name) != 0)
			continue;
		if (!known->file)
			known->file = wanted.file;
		return id;
	}
	id = (uint32_t)functions->n++;
	functions->items = op_grow(functions->items, &functions->capacity, functions->n,
				   sizeof(*functions->items));
	functions->items[id] = wanted;
	op_hash_add_or_exit(functions->by_function, hash, id);
	return id;
}

void named_functions_free(struct named_functions *functions)
{
	free(functions->items);
	if (functions->by_function)
		op_hash_free(functions->by_function);
	free(functions->by_function);
	*functions = (struct named_functions){0};
}

const char *named_program(const struct prof *prof, const struct prof_sample *sample)
{
	if (sample->comm)
		return prof->strings[sample->comm];
	return names_image(prof, sample->app);
}
