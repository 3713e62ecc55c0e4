// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The images of a session that is read: see images.h.
 */
#include "images.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>


#include "image.h"
#include "libop/base/memory.h"
#include "libop/session/paths.h"
#include "libop/base/number.h"
#include "libop/elf/build_id.h"
#include "libop/foreign/door.h"

/* Takes the build-id that the session has recorded.  Return: whether it knows the image. */
static bool take_known(struct session_images *images, struct prof_image *image)
{
	const struct op_identity *known = pp_image_known(images->search, image->path);

	if (known && known->build_id_size <= PROF_BUILD_ID_MOST) {
		memcpy(image->build_id, known->build_id, known->build_id_size);
		image->build_id_length = known->build_id_size;
	}
	return known;
}

static void read_build_id(struct session_images *images, struct prof_image *image)
{
	const char *reason;
	uint8_t id[BUILD_ID_MAX];
	struct stat status;
	size_t n;
	int fd = -1;
	char *path;

	if (!images->search || take_known(images, image))
		return;
	path = pp_image_find(images->search, image->path, &reason);
	if (!path)
		return;
	fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	if (fd >= 0 &&
	    (!image->mtime ||
	     (!fstat(fd, &status) && (uint64_t)status.st_mtime == image->mtime))) {
		n = build_id_of_open(fd, path, id);
		if (n <= PROF_BUILD_ID_MOST) {
			memcpy(image->build_id, id, n);
			image->build_id_length = (unsigned int)n;
		}
	}
	if (fd >= 0)
		close(fd);
	free(path);
}

static void parse_build_id(struct prof_image *image, const char *text)
{
	size_t n = text ? strlen(text) / 2 : 0;

	if (!n || n > PROF_BUILD_ID_MOST)
		return;
	if (!op_bytes_take(text, image->build_id, n))
		return;
	image->build_id_length = (unsigned int)n;
}

/* Where kernel code was loaded, as the daemon saved it. */
static void find_kernel(struct session_images *images, const struct op_image_name *name,
			struct prof_image *image)
{
	const struct pp_kallsyms *kallsyms = images->kallsyms;
	const struct pp_kernel_module *module;

	if (image->kind == PROF_KERNEL && kallsyms->start && kallsyms->end > kallsyms->start) {
		image->start = kallsyms->start;
		image->end = kallsyms->end;
		image->offset = session_keys_are_addresses(name) ? image->start : 0;
		parse_build_id(image, kallsyms->build_id);
	}
	module = image->kind == PROF_MODULE ? pp_kallsyms_module(kallsyms, name->name) : NULL;
	if (module) {
		image->start = module->address;
		image->end = module->address + module->size;
		parse_build_id(image, module->build_id);
	}
}

static uint32_t make_image(struct session_images *images, const struct op_image_name *name,
			   const char *text, bool is_kernel, uint64_t mtime)
{
	struct prof_image image = session_prof_image(name, is_kernel);
	const struct session_origin_image *origin = session_origin_image(images->origin, text);

	if (image.kind == PROF_UNKNOWN && image.is_kernel)
		return PROF_NO_KERNEL_IMAGE;
	if (image.kind == PROF_UNKNOWN)
		return strcmp(image.path, OP_UNKNOWN_IMAGE)
			       ? images->sink->image(images->sink, &image)
			       : PROF_NO_IMAGE;
	image.mtime = mtime;
	if (image.is_kernel)
		find_kernel(images, name, &image);
	if (origin && origin->image.build_id_length) {
		image.build_id_length = origin->image.build_id_length;
		memcpy(image.build_id, origin->image.build_id, sizeof(image.build_id));
	}
	if (origin && origin->image.end && image.kind != PROF_ANON) {
		image.start = origin->image.start;
		image.end = origin->image.end;
		image.offset =
			session_keys_are_addresses(name) ? image.start : origin->image.offset;
	}
	if (!image.build_id_length && image.kind == PROF_FILE)
		read_build_id(images, &image);
	return images->sink->image(images->sink, &image);
}

uint32_t session_images_number(struct session_images *images, const struct op_image_name *name,
			       bool is_kernel, uint64_t mtime)
{
	char *text = op_image_name_make(name);
	uint64_t hash;
	uint32_t id;

	if (!text)
		return name->kind == OP_IMAGE_KERNEL ? PROF_NO_KERNEL_IMAGE : PROF_NO_IMAGE;
	hash = op_hash_text(0, text);
	op_hash_for_each_possible (&images->by_name, hash, id) {
		if (!strcmp(images->known[id].name, text)) {
			free(text);
			return images->known[id].id;
		}
	}
	id = (uint32_t)images->n++;
	images->known =
		op_grow(images->known, &images->capacity, images->n, sizeof(*images->known));
	images->known[id].name = text;
	images->known[id].id = make_image(images, name, text, is_kernel, mtime);
	op_hash_add_or_exit(&images->by_name, hash, id);
	return images->known[id].id;
}

void session_images_free(struct session_images *images)
{
	for (size_t i = 0; i < images->n; i++)
		free(images->known[i].name);
	free(images->known);
	images->known = NULL;
	images->n = images->capacity = 0;
	op_hash_free(&images->by_name);
}
