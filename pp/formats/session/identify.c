// SPDX-License-Identifier: GPL-2.0-or-later
/* What identifies the images of a profile: see identify.h. */
#include "identify.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/session/paths.h"
#include "libop/text/cells.h"
#include "names.h"

_Static_assert(PROF_BUILD_ID_MOST <= BUILD_ID_MAX, "a build-id of a profile must have room");

static void add_file(struct op_image_list *list, const struct prof_image *image,
		     const struct op_image_name *name)
{
	struct op_identity identity = {.build_id_size = (uint8_t)image->build_id_length};
	char *text = op_image_name_make(name);

	memcpy(identity.build_id, image->build_id, image->build_id_length);
	/* beyond the bound of the list, an image is known by its path, as in sessions */
	if (text)
		op_image_list_add(list, text, &identity);
	free(text);
}

/* The kernel, or a module. */
static void add_module(struct pp_kallsyms *kallsyms, size_t *capacity,
		       const struct prof_image *image, const struct op_image_name *name)
{
	bool is_kernel = image->kind == PROF_KERNEL;
	char *id = image->build_id_length ? pp_hex(image->build_id, image->build_id_length) : NULL;

	kallsyms->modules = pp_grow(kallsyms->modules, capacity, kallsyms->n_modules + 1,
				    sizeof(*kallsyms->modules));
	kallsyms->modules[kallsyms->n_modules++] = (struct pp_kernel_module){
		.name = pp_copy(name->name),
		.address = image->start - image->offset,
		.size = image->end - image->start,
		.build_id = id,
	};
	if (!is_kernel || kallsyms->build_id)
		return;
	kallsyms->build_id = id;
	kallsyms->start = image->start - image->offset;
}

void session_identify(const struct prof *prof, struct pp_image_reader *reader)
{
	struct op_image_name *names = session_names_of_images(prof);
	size_t capacity = 0;

	for (size_t i = 0; i < prof->n_images; i++) {
		const struct prof_image *image = &prof->images[i];

		if (names[i].kind == OP_IMAGE_FILE && image->build_id_length)
			add_file(&reader->search->known, image, &names[i]);
		else if (names[i].kind == OP_IMAGE_KERNEL &&
			 (image->kind == PROF_KERNEL || image->kind == PROF_MODULE))
			add_module(&reader->kallsyms, &capacity, image, &names[i]);
		free(names[i].name);
	}
	free(names);
	if (reader->kallsyms.n_modules)
		reader->kallsyms_state = PP_KALLSYMS_READ;
}
