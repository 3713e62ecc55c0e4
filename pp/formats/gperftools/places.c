// SPDX-License-Identifier: GPL-2.0-or-later
/* Places of addresses: see places.h. */
#include "places.h"

#include <stdlib.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/search.h"
#include "pp/formats/model/mapped_image.h"

static int compare_maps(const void *a, const void *b)
{
	const struct cpuprofile_map *map = a, *other = b;

	return op_compare_u64(map->start, other->start);
}

static uint32_t make_image(struct cpuprofile_places *places, const struct cpuprofile_map *map)
{
	struct prof_image image = mapped_image(map->path, map->start, map->end, map->offset);

	mapped_image_build_id(&image, map->build_id);
	return places->sink->image(places->sink, &image);
}

static uint32_t image_of(struct cpuprofile_places *places, size_t map)
{
	if (!places->images[map])
		places->images[map] = make_image(places, &places->maps.items[map]);
	return places->images[map];
}

/* The program is the first file (by line) that is no library, as it is for pprof. */
static void find_app(struct cpuprofile_places *places)
{
	for (size_t i = 0; i < places->maps.n; i++) {
		const struct cpuprofile_map *map = &places->maps.items[i];

		if (mapped_image(map->path, map->start, map->end, 0).kind == PROF_FILE &&
		    !mapped_image_is_library(map->path)) {
			places->app = make_image(places, map);
			return;
		}
	}
}

void cpuprofile_places_read(struct cpuprofile_places *places, struct prof_sink *sink,
			    struct cpuprofile_text text)
{
	struct cpuprofile_maps *maps = &places->maps;

	*places = (struct cpuprofile_places){.sink = sink};
	cpuprofile_maps_read(maps, text.bytes, text.length);
	find_app(places);
	if (maps->n > 1)
		qsort(maps->items, maps->n, sizeof(*maps->items), compare_maps);
	places->images = op_alloc(maps->n, sizeof(*places->images));
	if (!maps->n)
		places->sink->note(places->sink, "there are no mappings, so samples have addresses "
						 "and no images");
}

/* The first map that ends behind @address, or the number of maps. */
static size_t find_map(const struct cpuprofile_maps *maps, uint64_t address)
{
	return op_first_above(maps->items, maps->n, end, address);
}

struct prof_frame cpuprofile_place(struct cpuprofile_places *places, uint64_t address)
{
	size_t i = find_map(&places->maps, address);
	struct prof_frame frame = {PROF_NO_IMAGE, address};
	const struct cpuprofile_map *map;

	if (i == places->maps.n)
		return frame;
	map = &places->maps.items[i];
	/* Some write down only the second part of what lies there: the rest is before it. */
	if (address < map->start && map->start - address > map->offset)
		return frame;
	frame.image = image_of(places, i);
	frame.offset = address - map->start +
		       mapped_image(map->path, map->start, map->end, map->offset).offset;
	return frame;
}

struct prof_frame cpuprofile_frame(struct cpuprofile_places *places, uint64_t address,
				   size_t index)
{
	struct prof_frame frame;

	if (!index || !address)
		return cpuprofile_place(places, address);
	frame = cpuprofile_place(places, address - 1);
	frame.offset++;
	return frame;
}

void cpuprofile_places_free(struct cpuprofile_places *places)
{
	cpuprofile_maps_free(&places->maps);
	free(places->images);
}
