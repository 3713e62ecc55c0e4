// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Anonymous memory: see anonymous.h.
 */
#include "anonymous.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image_name.h"
#include "libop/base/number.h"
#include "libop/base/search.h"
#include "libop/elf/proc_maps.h"
#include "libop/session/log.h"

/* In all processes; each takes about 100 bytes. */
#define MAPPINGS_MOST (1 << 18)

struct anon_maps {
	struct anon_maps *next; /* another process whose key has the same hash */
	uint32_t tgid;
	uint64_t app;
	uint64_t process;	      /* as of source_process() */
	uint64_t read, checked, used; /* the buffers in which that was done last */
	char *text;
	size_t count;
	struct anon_mapping mapping[]; /* sorted, apart from each other */
};

static bool is_anonymous(const struct op_maps_line *line)
{
	return *line->name != '/';
}

int anon_parse_line(const char *line, struct op_image_name *name)
{
	struct op_maps_line mapping;

	if (!op_maps_line_read(line, &mapping) || !is_anonymous(&mapping))
		return 0;
	*name = (struct op_image_name){
		.kind = OP_IMAGE_ANON,
		.start = mapping.start,
		.end = mapping.end,
	};
	name->name = image_name_anon(mapping.name, mapping.name_length);
	return name->name ? 1 : -1;
}

static int by_start(const void *a, const void *b)
{
	const struct anon_mapping *x = a, *y = b;

	return op_compare_u64(x->start, y->start);
}

static size_t count_lines(const char *text)
{
	size_t lines = 1;

	while ((text = strchr(text, '\n'))) {
		text++;
		lines++;
	}
	return lines;
}

/* Fills @maps->mapping from @maps->text. */
static void parse_maps(struct anon_maps *maps)
{
	const char *rest = maps->text;
	struct op_maps_line mapping;

	while (rest && op_maps_next(&rest, &mapping)) {
		if (!is_anonymous(&mapping))
			continue;
		maps->mapping[maps->count++] = (struct anon_mapping){
			.start = mapping.start,
			.end = mapping.end,
			.line = (size_t)(mapping.line - maps->text),
		};
	}
	/* the kernel sorts them; a recording may hold anything */
	qsort(maps->mapping, maps->count, sizeof(maps->mapping[0]), by_start);
}

/* The image of anonymous memory of a process.  Return: NULL when out of memory. */
static struct image *image_of_process(struct images *images, uint32_t tgid,
				      const struct op_image_name *memory)
{
	struct op_image_name name = *memory;
	struct image *image;

	name.tgid = tgid;
	image = image_of_name(images, &name, false);
	if (image)
		image->owner = images_know_process(images, tgid);
	return image;
}

/* Finds out the image of a mapping.  Return: 0, or -1 when out of memory. */
static int name_mapping(struct images *images, const struct anon_maps *maps,
			struct anon_mapping *mapping)
{
	struct op_image_name name;

	if (anon_parse_line(maps->text + mapping->line, &name) <= 0)
		return -1;
	mapping->image = image_of_process(images, maps->tgid, &name);
	free(name.name);
	return mapping->image ? 0 : -1;
}

static struct anon_mapping *find_mapping(struct anon_maps *maps, uint64_t address)
{
	size_t i = op_first_above(maps->mapping, maps->count, end, address);

	return i < maps->count && maps->mapping[i].start <= address ? &maps->mapping[i] : NULL;
}

static uint64_t hash_process(uint32_t tgid, uint64_t app)
{
	return op_hash_mix(app, tgid);
}

static struct anon_maps **find_link(struct anon_maps **link, uint32_t tgid, uint64_t app)
{
	while (*link && ((*link)->tgid != tgid || (*link)->app != app))
		link = &(*link)->next;
	return link;
}

static struct anon_maps *find_maps(const struct anon *anon, uint32_t tgid, uint64_t app)
{
	struct anon_maps *first = op_hash_map_find(&anon->by_process, hash_process(tgid, app));

	return *find_link(&first, tgid, app);
}

static void free_maps(struct anon_maps *maps)
{
	free(maps->text);
	free(maps);
}

/* Puts @maps in the place of the older ones of its process.  Return: 0, or -1 (no memory). */
static int insert(struct anon *anon, struct anon_maps *maps)
{
	uint64_t hash = hash_process(maps->tgid, maps->app);
	struct anon_maps **link, *old;

	maps->next = op_hash_map_find(&anon->by_process, hash);
	if (op_hash_map_set(&anon->by_process, hash, maps))
		return -1;
	anon->mappings += maps->count;
	link = find_link(&maps->next, maps->tgid, maps->app);
	old = *link;
	if (old) {
		*link = old->next;
		anon->mappings -= old->count;
		free_maps(old);
	}
	return 0;
}

static int by_last_use(const void *a, const void *b)
{
	const struct anon_maps *const *x = a, *const *y = b;

	return ((*x)->used < (*y)->used) - ((*x)->used > (*y)->used);
}

/* Drops what was used longest ago, until three quarters are left. */
static void anon_make_room(struct anon *anon)
{
	struct op_hash_map map = anon->by_process;
	struct anon_maps **list = NULL;
	size_t count = 0;

	for (size_t i = 0; i < map.n; i++) {
		for (struct anon_maps *maps = map.entries[i].value; maps; maps = maps->next) {
			struct anon_maps **larger = reallocarray(list, count + 1, sizeof(*list));

			if (!larger) {
				free(list);
				anon_forget(anon);
				return;
			}
			list = larger;
			list[count++] = maps;
		}
	}
	if (count)
		qsort(list, count, sizeof(*list), by_last_use);
	op_hash_map_free(&anon->by_process);
	anon->mappings = 0;
	for (size_t i = 0; i < count; i++) {
		if (anon->mappings > MAPPINGS_MOST / 4 * 3 || insert(anon, list[i]))
			free_maps(list[i]);
	}
	free(list);
}

/* Reads the maps of a process.  Return: what is known of them then, or NULL. */
static struct anon_maps *read_maps(struct anon *anon, struct anon_maps *old, uint32_t tgid,
				   uint64_t app, uint64_t buffer)
{
	char *text = source_maps(anon->source, tgid);
	struct anon_maps *maps;
	size_t lines;

	if (old)
		old->read = buffer;
	log_verbose(LOG_MISC, "maps of process %" PRIu32 ": %s", tgid,
		    text ? "read" : "there are none");
	if (!text && old)
		return old; /* it has ended; its last maps are the best guess */
	if (anon->mappings > MAPPINGS_MOST)
		anon_make_room(anon);
	lines = text ? count_lines(text) : 0;
	maps = calloc(1, sizeof(*maps) + lines * sizeof(maps->mapping[0]));
	if (!maps) {
		free(text);
		return NULL;
	}
	*maps = (struct anon_maps){
		.tgid = tgid,
		.app = app,
		.process = source_process(anon->source, tgid),
		.read = buffer,
		.checked = buffer,
		.text = text,
	};
	parse_maps(maps);
	if (!insert(anon, maps))
		return maps;
	free_maps(maps);
	return NULL;
}

/* Whether the pid of @maps belongs to another process now. */
static bool is_of_another_process(struct anon *anon, struct anon_maps *maps, uint64_t buffer)
{
	uint64_t process;

	if (maps->checked == buffer)
		return false;
	maps->checked = buffer;
	process = source_process(anon->source, maps->tgid);
	return process && process != maps->process;
}

const struct anon_mapping *anon_find(struct anon *anon, uint32_t tgid, uint64_t app,
				     uint64_t address, uint64_t buffer)
{
	struct anon_maps *maps = find_maps(anon, tgid, app);
	struct anon_mapping *mapping;

	if (!maps || is_of_another_process(anon, maps, buffer))
		maps = read_maps(anon, maps, tgid, app, buffer);
	if (!maps)
		return NULL;
	maps->used = buffer;
	mapping = find_mapping(maps, address);
	if (!mapping && maps->read != buffer) {
		maps = read_maps(anon, maps, tgid, app, buffer);
		mapping = maps ? find_mapping(maps, address) : NULL;
	}
	if (mapping && !mapping->image && name_mapping(anon->images, maps, mapping))
		return NULL;
	return mapping;
}

/*
 * The mappings of @old, which may be NULL, and one more, in place of those that it overlaps: memory
 * has grown, or is used anew.  Return: NULL when out of memory; then @old is as it was.
 */
static struct anon_maps *add_mapping(struct anon *anon, struct anon_maps *old, uint32_t tgid,
				     uint64_t app, uint64_t buffer, const struct anon_mapping *new)
{
	size_t count = old ? old->count : 0;
	struct anon_maps *maps = calloc(1, sizeof(*maps) + (count + 1) * sizeof(*new));

	if (!maps)
		return NULL;
	maps->tgid = tgid;
	maps->app = app;
	maps->process = old ? old->process : source_process(anon->source, tgid);
	maps->checked = maps->used = buffer;
	for (size_t i = 0; i < count; i++) {
		if (old->mapping[i].end <= new->start || old->mapping[i].start >= new->end)
			maps->mapping[maps->count++] = old->mapping[i];
	}
	maps->mapping[maps->count++] = *new;
	qsort(maps->mapping, maps->count, sizeof(maps->mapping[0]), by_start);
	if (old) {
		maps->read = old->read;
		maps->text = old->text;
		old->text = NULL; /* it goes with the insertion */
	}
	if (!insert(anon, maps))
		return maps;
	if (old)
		old->text = maps->text;
	free(maps);
	return NULL;
}

const struct anon_mapping *anon_find_area(struct anon *anon, uint32_t tgid, uint64_t app,
					  uint64_t address, uint64_t buffer,
					  const struct op_image_name *area)
{
	struct anon_mapping *mapping, new = {.start = area->start, .end = area->end};
	struct anon_maps *maps;

	if (address < area->start || address >= area->end)
		return NULL;
	if (anon->mappings > MAPPINGS_MOST)
		anon_make_room(anon);
	maps = find_maps(anon, tgid, app);
	if (maps && is_of_another_process(anon, maps, buffer))
		maps = NULL; /* they go with the insertion of others */
	mapping = maps ? find_mapping(maps, address) : NULL;
	if (!mapping) {
		new.image = image_of_process(anon->images, tgid, area);
		maps = new.image ? add_mapping(anon, maps, tgid, app, buffer, &new) : NULL;
		mapping = maps ? find_mapping(maps, address) : NULL;
	}
	if (!mapping || (!mapping->image && name_mapping(anon->images, maps, mapping)))
		return NULL;
	maps->used = buffer;
	return mapping;
}

void anon_forget(struct anon *anon)
{
	const struct op_hash_map *map = &anon->by_process;

	for (size_t i = 0; i < map->n; i++) {
		struct anon_maps *maps = map->entries[i].value, *next;

		for (; maps; maps = next) {
			next = maps->next;
			free_maps(maps);
		}
	}
	op_hash_map_free(&anon->by_process);
	anon->mappings = 0;
}
