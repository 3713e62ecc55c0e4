// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The image and offset of an address: see locator.h.
 */
#include "locator.h"

#include "module/uapi/oprofile.h"

struct image *locator_program(struct locator *locator, struct context *context)
{
	locator->images.tgid = context->has_task ? context->tgid : 0;
	if (!context->program_known)
		context->program = image_of_cookie(&locator->images, context->app);
	context->program_known = true;
	return context->program;
}

static bool find_kernel(struct locator *locator, uint64_t address, uint64_t buffer,
			struct address_range *range, enum stat_id *lost)
{
	const struct kernel_range *found = kernel_find(&locator->kernel, address, buffer);

	*lost = STAT_NO_KERNEL_IMAGE;
	if (!found)
		return false;
	*range = (struct address_range){found->start, found->end - found->start, found->base,
					found->image};
	return true;
}

/*
 * Anonymous memory is an image of its process, and its samples are stored below its program.  @area
 * is NULL if the source has not told it.
 */
static bool find_anonymous(struct locator *locator, struct context *context, uint64_t address,
			   uint64_t buffer, const struct op_image_name *area,
			   struct address_range *range, enum stat_id *lost)
{
	uint32_t tgid = (uint32_t)context->tgid;
	const struct anon_mapping *mapping;

	*lost = STAT_NO_USER_APP;
	if (!context->has_task || !locator_program(locator, context))
		return false;
	*lost = STAT_NO_MAPPING;
	mapping = area ? anon_find_area(&locator->anon, tgid, context->app, address, buffer, area)
		       : anon_find(&locator->anon, tgid, context->app, address, buffer);
	if (!mapping)
		return false;
	*range = (struct address_range){mapping->start, mapping->end - mapping->start,
					mapping->start, mapping->image};
	return true;
}

static bool find_image(struct locator *locator, struct context *context, uint64_t address,
		       uint64_t buffer, struct address_range *range, enum stat_id *lost)
{
	struct image *image;

	locator->images.tgid = context->has_task ? context->tgid : 0;
	image = image_of_cookie(&locator->images, context->cookie);
	*lost = STAT_NO_MAPPING;
	if (!image)
		return false;
	if (image->id.kind == OP_IMAGE_ANON)
		return find_anonymous(locator, context, address, buffer, &image->id, range, lost);
	*range = (struct address_range){0, UINT64_MAX, 0, image};
	return true;
}

bool locator_find(struct locator *locator, struct context *context, uint64_t address,
		  uint64_t buffer, struct address_range *range, enum stat_id *lost)
{
	if (context->mode == CONTEXT_KERNEL)
		return find_kernel(locator, address, buffer, range, lost);
	if (context->cookie == OPROFILE_NO_COOKIE)
		return find_anonymous(locator, context, address, buffer, NULL, range, lost);
	return find_image(locator, context, address, buffer, range, lost);
}

void locator_forget(struct locator *locator)
{
	anon_forget(&locator->anon);
	images_forget(&locator->images);
}

void locator_free(struct locator *locator)
{
	anon_forget(&locator->anon);
	kernel_free(&locator->kernel);
	images_free(&locator->images);
}
