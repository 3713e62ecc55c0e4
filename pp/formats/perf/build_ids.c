// SPDX-License-Identifier: GPL-2.0-or-later
/* See build_ids.h. */
#include "build_ids.h"

#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "libop/base/memory.h"

void perf_build_ids_free(struct perf_build_ids *ids)
{
	for (size_t i = 0; i < ids->n; i++)
		free((char *)ids->list[i].path);
	free(ids->list);
	op_hash_free(&ids->by_path);
	*ids = (struct perf_build_ids){0};
}

static uint64_t hash_of(const struct prof_image *image)
{
	return op_hash_text(image->kind, image->path);
}

static const struct prof_image *perf_build_ids_find(const struct perf_build_ids *ids,
						    const struct prof_image *image)
{
	const struct prof_image *known;
	uint32_t index;

	op_hash_for_each_possible (&ids->by_path, hash_of(image), index) {
		known = &ids->list[index];
		if (known->kind == image->kind && !strcmp(known->path, image->path))
			return known;
	}
	return NULL;
}

void perf_build_ids_add(struct perf_build_ids *ids, const struct perf_build_id *id,
			struct prof_sink *sink)
{
	char room[PERF_NAME_ROOM];
	struct prof_image image = perf_image_of(id->path, id->misc, room);

	image.build_id_length = id->length;
	memcpy(image.build_id, id->id, id->length);
	if (!id->length || perf_build_ids_find(ids, &image))
		return;
	sink->image_build_id(sink, &image);
	image.path = op_copy(image.path);
	ids->list = op_grow(ids->list, &ids->capacity, ids->n + 1, sizeof(*ids->list));
	ids->list[ids->n] = image;
	op_hash_add_or_exit(&ids->by_path, hash_of(&image), (uint32_t)ids->n);
	ids->n++;
}

void perf_build_ids_apply(const struct perf_build_ids *ids, struct prof_image *image)
{
	const struct prof_image *known;

	if (image->build_id_length)
		return;
	known = perf_build_ids_find(ids, image);
	if (!known)
		return;
	image->build_id_length = known->build_id_length;
	memcpy(image->build_id, known->build_id, sizeof(image->build_id));
}
