// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of images: see image_name.h. */
#include "image_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image_identity.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/session/paths.h"

char *pp_image_full_name(const struct op_image_name *id)
{
	struct pp_image_identity identity;

	switch (id->kind) {
	case OP_IMAGE_FILE:
		if (pp_image_is_named(id->name))
			return op_copy(pp_image_without_named(id->name));
		pp_image_identity_parse(&identity, id->name);
		return pp_image_identity_text(&identity);
	case OP_IMAGE_KERNEL:
		return op_format("/%s", id->name);
	case OP_IMAGE_ANON:
		return op_format("%s (tgid:%" PRIu32 " range:0x%" PRIx64 "-0x%" PRIx64 ")",
				 id->name, id->tgid, id->start, id->end);
	}
	return op_copy(id->name);
}

char *pp_image_kernel_name(const struct op_image_name *id)
{
	static const char made[] = "[__builtin__";
	const size_t n = sizeof(made) - 1;
	bool is_kernel;

	if (id->kind == OP_IMAGE_FILE)
		is_kernel = pp_image_is_named(id->name) &&
			    !strcmp(pp_image_without_named(id->name), PP_RECORDED_KERNEL);
	else if (id->kind == OP_IMAGE_KERNEL)
		is_kernel = !strcmp(id->name, OP_KERNEL_IMAGE);
	else
		return NULL;
	if (is_kernel)
		return op_copy("[kernel]");
	return strncmp(id->name, made, n) ? NULL : op_format("[%s", id->name + n);
}

char *pp_image_base_name(const struct op_image_name *id)
{
	char *base = pp_image_kernel_name(id), *full;
	const char *slash;

	if (base)
		return base;
	full = pp_image_full_name(id);
	slash = id->kind == OP_IMAGE_ANON ? NULL : strrchr(full, '/');
	base = op_copy(slash && slash[1] ? slash + 1 : full);
	free(full);
	return base;
}

/* "kallsyms" sorts as "/kallsyms". */
static const char *sort_name(const struct op_image_name *id)
{
	return id->name + (id->kind == OP_IMAGE_FILE && *id->name == '/');
}

int pp_compare_images(const struct op_image_name *a, const struct op_image_name *b)
{
	int order = strcmp(sort_name(a), sort_name(b));

	order = order ? order : op_compare_u64(a->kind, b->kind);
	if (order || a->kind != OP_IMAGE_ANON)
		return order;
	order = op_compare_u64(a->tgid, b->tgid);
	order = order ? order : op_compare_u64(a->start, b->start);
	return order ? order : op_compare_u64(a->end, b->end);
}
