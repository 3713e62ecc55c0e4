// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Images and the cookies that stand for them: see image.h.
 */
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "image_name.h"
#include "libop/session/log.h"

/* In the table of cookies: the source does not know this one. */
static struct image unknown;

static uint64_t hash_name(const struct op_image_name *name)
{
	uint64_t hash = op_hash_mix(op_hash_text(0, name->name), name->kind);

	return op_hash_mix(op_hash_mix(op_hash_mix(hash, name->tgid), name->start), name->end);
}

static bool same_name(const struct op_image_name *a, const struct op_image_name *b)
{
	return a->kind == b->kind && a->tgid == b->tgid && a->start == b->start &&
	       a->end == b->end && !strcmp(a->name, b->name);
}

static struct image *find(const struct op_hash_map *map, const struct op_image_name *name,
			  uint64_t hash)
{
	struct image *image = op_hash_map_find(map, hash);

	while (image && !same_name(&image->id, name))
		image = image->next;
	return image;
}

static void free_image(struct image *image)
{
	if (!image)
		return;
	free(image->id.name);
	free(image->changed_name);
	free(image);
}

static bool is_wanted(const struct images *images, const struct op_image_name *name)
{
	/* anonymous memory is wanted where its application is */
	return !images->filter->count || op_strings_contain(images->filter, name->name);
}

static struct image *make(struct images *images, const struct op_image_name *name, uint64_t hash,
			  bool is_kernel)
{
	struct op_hash_map *map = is_kernel ? &images->kernel : &images->others;
	struct image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->id = *name;
	image->id.name = strdup(name->name);
	image->is_kernel = is_kernel;
	image->wanted = is_wanted(images, name);
	image->next = op_hash_map_find(map, hash);
	if (!image->id.name || op_hash_map_set(map, hash, image)) {
		free_image(image);
		return NULL;
	}
	return image;
}

struct image *image_of_name(struct images *images, const struct op_image_name *name, bool is_kernel)
{
	uint64_t hash = hash_name(name);
	/* kernel first: a program may map its file, and a name has one image */
	struct image *image = find(&images->kernel, name, hash);

	if (!image)
		image = find(&images->others, name, hash);
	return image ? image : make(images, name, hash, is_kernel);
}

/* Takes @name, which is freed.  Return: as of image_of_name(). */
static struct image *image_of_file(struct images *images, char *name)
{
	struct op_image_name id = {.kind = OP_IMAGE_FILE, .name = name};
	struct image *image = name ? image_of_name(images, &id, false) : NULL;

	free(name);
	return image;
}

static void set_version(struct image *image, const struct image_facts *facts)
{
	const struct oprofile_image *reported = &facts->reported;

	image->mtime = facts->mtime;
	image->build_id_size =
		reported->flags & OPROFILE_IMAGE_BUILD_ID ? reported->build_id_size : 0;
	memcpy(image->build_id, reported->build_id, image->build_id_size);
}

/* Whether the path named another file at an earlier lookup. */
static bool is_another_version(const struct image *image, const struct image_facts *facts)
{
	const struct oprofile_image *reported = &facts->reported;

	if (!image->changed_name)
		return false;
	if (image->build_id_size && reported->flags & OPROFILE_IMAGE_BUILD_ID)
		return image->build_id_size != reported->build_id_size ||
		       memcmp(image->build_id, reported->build_id, image->build_id_size) != 0;
	return image->mtime != facts->mtime;
}

static struct image *image_of_facts(struct images *images, const struct image_facts *facts)
{
	struct image *image = image_of_file(images, image_name(facts));

	if (image && facts->present && is_another_version(image, facts)) {
		image = image_of_file(images, image_name_changed(facts));
		if (image)
			set_version(image, facts);
	} else if (image && facts->present && !image->changed_name) {
		set_version(image, facts);
		image->changed_name = image_name_changed(facts);
	}
	if (!image)
		return NULL;
	/* the filter has plain paths, without the markers of image_name.h */
	if (!image->wanted)
		image->wanted = op_strings_contain(images->filter, facts->reported.path);
	return image;
}

static struct image *look_up(struct images *images, uint64_t cookie)
{
	struct image_facts facts = {0};
	struct image *image = NULL;

	if (cookie == OPROFILE_NO_COOKIE || cookie == OPROFILE_INVALID_COOKIE)
		return &unknown;
	if (source_image(images->source, cookie, &facts)) {
		log_verbose(LOG_MISC, "no image has the cookie %#llx", (unsigned long long)cookie);
		image = &unknown;
	} else {
		image = image_of_facts(images, &facts);
	}
	if (image && image != &unknown)
		log_verbose(LOG_MISC, "cookie %#llx is %s", (unsigned long long)cookie,
			    image->id.name);
	if (!image || op_hash_map_set(&images->by_cookie, cookie, image))
		return NULL;
	return image;
}

struct image *image_of_cookie(struct images *images, uint64_t cookie)
{
	struct image *image = op_hash_map_find(&images->by_cookie, cookie);

	if (!image)
		image = look_up(images, cookie);
	if (!image || image == &unknown)
		return NULL;
	return image->successor ? image->successor : image;
}

struct image *image_superseded(struct images *images, struct image *image)
{
	struct op_image_name name = {.kind = image->id.kind, .name = image->changed_name};

	if (!image->changed_name)
		return NULL;
	if (!image->successor) {
		log_line("%s has changed since samples in it were counted in this session; its "
			 "new samples go to %s",
			 image->id.name, image->changed_name);
		image->successor = image_of_name(images, &name, image->is_kernel);
		if (image->successor) {
			image->successor->mtime = image->mtime;
			image->successor->wanted = image->wanted;
		}
	}
	return image->successor;
}

static void free_all(struct op_hash_map *map)
{
	for (size_t i = 0; i < map->n; i++) {
		struct image *image = map->entries[i].value, *next;

		for (; image; image = next) {
			next = image->next;
			free_image(image);
		}
	}
	op_hash_map_free(map);
}

void images_forget(struct images *images)
{
	op_hash_map_free(&images->by_cookie);
	free_all(&images->others);
}

void images_free(struct images *images)
{
	images_forget(images);
	free_all(&images->kernel);
}
