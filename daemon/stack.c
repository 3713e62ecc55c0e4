// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole stacks: see stack.h. */
#include "stack.h"

#include <stdlib.h>

#include "profile.h"

void stack_begin(struct stack *stack, const struct sample_key *key, struct image *image,
		 uint64_t offset)
{
	stack->key = *key;
	stack->frames[0] = (struct stack_frame){image, offset};
	stack->depth = 1;
}

/* For a frame whose image has no room in the file: no node can be made for it. */
#define NO_ROOM UINT32_MAX

/* The number of an image in a stack file, or NO_ROOM. */
static uint32_t find_image(struct sample_file *file, struct image *image)
{
	uintptr_t id = (uintptr_t)map_find(&file->stack_images, (uintptr_t)image);
	struct odb_error error;
	uint32_t mtime = image->mtime <= UINT32_MAX ? (uint32_t)image->mtime : 0;
	char *name;

	if (id)
		return (uint32_t)id;
	name = op_image_name_make(&image->id);
	if (!name)
		return NO_ROOM;
	id = stacks_image(file->stacks, name, image->is_kernel ? STACKS_IMAGE_KERNEL : 0, mtime,
			  &error);
	free(name);
	if (!id)
		return NO_ROOM;
	/* without memory for it it is looked for in the file again the next time */
	map_set(&file->stack_images, (uintptr_t)image, (void *)id);
	return (uint32_t)id;
}

static struct stacks_frame store_frame(struct sample_file *file, const struct stack_frame *frame)
{
	struct image *image = frame->image;

	while (image && image->successor)
		image = image->successor;
	if (!image)
		return (struct stacks_frame){0, frame->key};
	/* callers are often in the image of what they call */
	if (image != file->last_image) {
		file->last_number = find_image(file, image);
		file->last_image = image;
	}
	return (struct stacks_frame){file->last_number, frame->key};
}

/* Translates the frames; those at the root's end are mostly the same as the last time. */
static const struct stacks_frame *translate(struct stack *stack, struct sample_file *file)
{
	size_t depth = stack->depth, from = STACK_FRAMES_MOST - depth;
	struct stack_frame *before = stack->before + from;
	struct stacks_frame *stored = stack->stored + from;
	size_t known = depth < stack->n_before ? depth : stack->n_before, i = depth;

	while (i > depth - known && before[i - 1].image == stack->frames[i - 1].image &&
	       before[i - 1].key == stack->frames[i - 1].key)
		i--;
	while (i--) {
		before[i] = stack->frames[i];
		stored[i] = store_frame(file, &before[i]);
	}
	stack->n_before = depth;
	return stored;
}

void stack_end(struct profile *profile)
{
	struct stack *stack = &profile->stack;
	uint64_t *stats = profile->stats.value;
	struct sample_file *file;
	struct odb_error error;

	if (!stack->depth)
		return;
	file = sample_file_get(&profile->files, &stack->key);
	if (!file) {
		stats[STAT_STACKS_LOST]++;
		stack->n_before = 0;
		stack->depth = 0;
		return;
	}
	/* what it was closed for may have been opened again at the same place */
	if (file != stack->file || stack->closed != profile->files.closed)
		stack->n_before = 0;
	stack->file = file;
	stack->closed = profile->files.closed;
	switch (stacks_add(file->stacks, translate(stack, file), stack->depth, 1, &error)) {
	case STACKS_ADDED:
		stats[STAT_STACKS]++;
		break;
	case STACKS_MERGED:
		stats[STAT_STACKS_MERGED]++;
		log_limited(&profile->files.log_add, "stacks are cut: %s", error.text);
		break;
	case STACKS_FAILED:
		stats[STAT_STACKS_LOST]++;
		break;
	}
	stack->depth = 0;
}
