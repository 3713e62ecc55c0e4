// SPDX-License-Identifier: GPL-2.0-or-later
/* What identifies the images of a profile: see identify.h. */
#include "identify.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/elf/kallsyms.h"
#include "libop/session/paths.h"
#include "names.h"
#include "session.h"

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

/* ---- the kernel ---- */

static const char *terminate(char *text, const char *string, size_t length)
{
	text[string - text + (ptrdiff_t)length] = '\0';
	return string;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct pp_kernel_symbol *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* Takes over @text. */
static void take_symbols(struct pp_kallsyms *kallsyms, char *text)
{
	const char *rest = text;
	struct op_kernel_symbol line;
	size_t capacity = 0;

	kallsyms->symbols_text = text;
	op_kallsyms_address(text, "_stext", &kallsyms->start);
	op_kallsyms_address(text, "_etext", &kallsyms->end);
	while (op_kallsyms_next(&rest, &line)) {
		if (!op_kallsyms_is_text(&line))
			continue;
		kallsyms->symbols = op_grow(kallsyms->symbols, &capacity, kallsyms->n_symbols + 1,
					    sizeof(*kallsyms->symbols));
		kallsyms->symbols[kallsyms->n_symbols++] = (struct pp_kernel_symbol){
			.address = line.address,
			.name = terminate(text, line.name, line.name_length),
			.module = line.module_length
					  ? terminate(text, line.module, line.module_length)
					  : NULL,
		};
	}
	if (kallsyms->n_symbols)
		qsort(kallsyms->symbols, kallsyms->n_symbols, sizeof(*kallsyms->symbols),
		      compare_symbols);
}

static void take_modules(struct pp_kallsyms *kallsyms, const char *text)
{
	const struct pp_kernel_module *kernel;

	pp_kallsyms_take_modules(kallsyms, text);
	kernel = pp_kallsyms_module(kallsyms, OP_KERNEL_IMAGE);
	if (kernel && !kallsyms->start)
		kallsyms->start = kernel->address;
}

static void identify_kernel(const struct prof *prof, struct pp_image_reader *reader)
{
	struct session_kernel kernel;

	if (!session_kernel_find(prof, &kernel))
		return;
	if (kernel.kallsyms)
		take_symbols(&reader->kallsyms, kernel.kallsyms);
	kernel.kallsyms = NULL;
	take_modules(&reader->kallsyms, kernel.modules);
	session_kernel_free(&kernel);
	if (reader->kallsyms.n_symbols || reader->kallsyms.n_modules)
		reader->kallsyms_state = PP_KALLSYMS_READ;
}

/* ---- all ---- */

void session_identify(const struct prof *prof, struct pp_image_reader *reader)
{
	struct op_image_name *names = session_names_of_images(prof);

	for (size_t i = 0; i < prof->n_images; i++) {
		if (names[i].kind == OP_IMAGE_FILE && prof->images[i].build_id_length)
			add_file(&reader->search->known, &prof->images[i], &names[i]);
		free(names[i].name);
	}
	free(names);
	identify_kernel(prof, reader);
}
