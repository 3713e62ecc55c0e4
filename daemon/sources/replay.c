// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A source that replays a recording.
 *
 * The answers behind a buffer are read with it, so that they are known when it is decoded.  A later
 * answer of the same kind replaces an earlier one.  All contents of a recording are checked.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "chunk_reader.h"
#include "libop/base/hash.h"
#include "libop/base/number.h"
#include "libop/base/reader.h"

/* Values of the tables below; freed with the source. */
struct known_image {
	struct known_image *next;
	struct record_image image;
	char path[];
};

struct known_process {
	struct known_process *next;
	uint64_t process;
	char *maps; /* NULL: no such process */
};

struct replay {
	struct source source;
	struct chunk_reader chunks;
	uint64_t *words;
	size_t capacity; /* bytes at @words */

	struct op_hash_map images, processes;
	struct known_image *all_images;
	struct known_process *all_processes;
	char *modules, *kallsyms, *stats;
};

static struct replay *replay_of(struct source *source)
{
	return (struct replay *)source; /* its first member */
}

/* ---- contents of chunks ---- */

static int add_image(struct replay *replay, struct op_reader body, struct op_error *error)
{
	struct known_image *known;
	struct record_image image;
	size_t path_length;

	if (!op_reader_copy(&body, &image, sizeof(image)))
		return chunk_reader_refuse(&replay->chunks, "an image chunk that is too short",
					   error);
	path_length = op_reader_left(&body);
	if (path_length >= OPROFILE_PATH_MAX || memchr(body.at, '\0', path_length) ||
	    image.build_id_size > OPROFILE_BUILD_ID_MAX)
		return chunk_reader_refuse(&replay->chunks, "a malformed image chunk", error);
	known = calloc(1, sizeof(*known) + path_length + 1);
	if (!known)
		return op_error_memory(error);
	known->next = replay->all_images;
	replay->all_images = known;
	known->image = image;
	memcpy(known->path, body.at, path_length);
	return op_hash_map_set(&replay->images, image.cookie, known) ? op_error_memory(error) : 0;
}

static int add_maps(struct replay *replay, struct op_reader body, struct op_error *error)
{
	struct known_process *known;
	struct record_maps maps;

	if (!op_reader_copy(&body, &maps, sizeof(maps)))
		return chunk_reader_refuse(&replay->chunks, "a maps chunk that is too short",
					   error);
	known = op_hash_map_find(&replay->processes, maps.tgid);
	if (!known) {
		known = calloc(1, sizeof(*known));
		if (!known || op_hash_map_set(&replay->processes, maps.tgid, known)) {
			free(known);
			return op_error_memory(error);
		}
		known->next = replay->all_processes;
		replay->all_processes = known;
	}
	free(known->maps);
	known->maps = NULL;
	known->process = maps.process;
	if (!(maps.answer & RECORD_MAPS_NONE)) {
		known->maps = strndup((const char *)body.at, op_reader_left(&body));
		if (!known->maps)
			return op_error_memory(error);
	}
	return 0;
}

static int replay_set_text(char **text, struct op_reader body, struct op_error *error)
{
	free(*text);
	*text = strndup((const char *)body.at, op_reader_left(&body));
	return *text ? 0 : op_error_memory(error);
}

/* The value of a line "key value" in the facts, or NULL.  The caller frees it. */
static char *find_fact(const char *facts, const char *key)
{
	size_t length = strlen(key);

	for (; *facts; facts += strcspn(facts, "\n"), facts += *facts == '\n') {
		if (!strncmp(facts, key, length) && facts[length] == ' ')
			return strndup(facts + length + 1, strcspn(facts + length + 1, "\n"));
	}
	return NULL;
}

static int set_facts(struct replay *replay, const char *facts, struct op_error *error)
{
	struct source *source = &replay->source;
	char *size = find_fact(facts, "pointer_size"), *mhz = find_fact(facts, "cpu_mhz");
	char *type = find_fact(facts, "cpu_type"), *events = find_fact(facts, "events");
	int result = 0;

	if (!size || strcmp(size, "8") != 0)
		result =
			chunk_reader_refuse(&replay->chunks, "a pointer size that is not 8", error);
	else if (!type || strlen(type) >= sizeof(source->cpu_type))
		result = chunk_reader_refuse(&replay->chunks, "no CPU type", error);
	else
		strcpy(source->cpu_type, type);
	if (!mhz || !op_real_all(mhz, &source->cpu_mhz) || source->cpu_mhz >= 1e6)
		source->cpu_mhz = 0;
	source->events = events;
	free(type);
	free(size);
	free(mhz);
	return result;
}

/* Unknown chunks of later versions are optional. */
static int add_answer(struct replay *replay, enum record_type type, struct op_reader body,
		      struct op_error *error)
{
	switch (type) {
	case RECORD_IMAGE:
		return add_image(replay, body, error);
	case RECORD_MAPS:
		return add_maps(replay, body, error);
	case RECORD_MODULES:
		return replay_set_text(&replay->modules, body, error);
	case RECORD_KALLSYMS:
		replay->source.kernel_code++; /* asked again, perhaps for that */
		return replay_set_text(&replay->kallsyms, body, error);
	case RECORD_STATS:
		return replay_set_text(&replay->stats, body, error);
	case RECORD_FACTS:
	case RECORD_BUFFER:
		break;
	}
	return 0;
}

/* Reads the next chunk, which is not a buffer.  Return: 1, 0 if it is cut off, or -1. */
static int read_answer(struct replay *replay, struct op_error *error)
{
	size_t length = (size_t)replay->chunks.next.length;
	enum record_type type = replay->chunks.next.type;
	char *body = malloc(length + 1);
	int result =
		body ? chunk_reader_body(&replay->chunks, body, error) : op_error_memory(error);

	if (result > 0 && add_answer(replay, type, op_reader_of(body, length, false), error))
		result = -1;
	free(body);
	return result;
}

/* Reads the chunks up to the next buffer.  Return: 1, 0 at the end, or -1. */
static int read_answers(struct replay *replay, struct op_error *error)
{
	int result;

	while ((result = chunk_reader_head(&replay->chunks, error)) > 0) {
		if (replay->chunks.next.type == RECORD_BUFFER)
			return 1;
		result = read_answer(replay, error);
		if (result <= 0)
			break;
	}
	return result;
}

/* ---- the source ---- */

static int replay_make_room(struct replay *replay, size_t length, struct op_error *error)
{
	if (length <= replay->capacity)
		return 0;
	free(replay->words);
	replay->words = malloc(length);
	replay->capacity = replay->words ? length : 0;
	return replay->words ? 0 : op_error_memory(error);
}

static int replay_read(struct source *source, const uint64_t **words, size_t *count,
		       struct op_error *error)
{
	struct replay *replay = replay_of(source);
	size_t length;
	int result = read_answers(replay, error);

	if (result <= 0)
		return result ? -1 : SOURCE_END;
	length = (size_t)replay->chunks.next.length;
	if (length % sizeof(**words))
		return chunk_reader_refuse(&replay->chunks,
					   "a buffer chunk that is not made of words", error);
	if (replay_make_room(replay, length, error))
		return -1;
	result = chunk_reader_body(&replay->chunks, replay->words, error);
	if (result <= 0)
		return result ? -1 : SOURCE_END;
	*words = replay->words;
	*count = length / sizeof(**words);
	/* the last buffer is decoded even if the recording ends here */
	return read_answers(replay, error) < 0 ? -1 : 0;
}

static int replay_image(struct source *source, uint64_t cookie, struct image_facts *facts)
{
	const struct known_image *known = op_hash_map_find(&replay_of(source)->images, cookie);

	const struct record_image *image = known ? &known->image : NULL;

	if (!known || image->answer & RECORD_IMAGE_UNKNOWN)
		return -1;
	facts->present = image->answer & RECORD_IMAGE_PRESENT;
	facts->mtime = image->mtime;
	facts->reported.cookie = cookie;
	facts->reported.device = image->device;
	facts->reported.inode = image->inode;
	facts->reported.generation = image->generation;
	facts->reported.flags = image->flags;
	facts->reported.build_id_size = image->build_id_size;
	memcpy(facts->reported.build_id, image->build_id, sizeof(image->build_id));
	facts->reported.path_size = (uint32_t)strlen(known->path) + 1;
	memcpy(facts->reported.path, known->path, facts->reported.path_size);
	image_facts_identify(facts);
	return 0;
}

static char *replay_maps(struct source *source, uint32_t tgid)
{
	const struct known_process *known = op_hash_map_find(&replay_of(source)->processes, tgid);

	return known && known->maps ? strdup(known->maps) : NULL;
}

static uint64_t replay_process(struct source *source, uint32_t tgid)
{
	const struct known_process *known = op_hash_map_find(&replay_of(source)->processes, tgid);

	return known ? known->process : 0;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static char *replay_modules(struct source *source)
{
	return copy(replay_of(source)->modules);
}

static char *replay_kallsyms(struct source *source)
{
	return copy(replay_of(source)->kallsyms);
}

static char *replay_stats(struct source *source)
{
	return copy(replay_of(source)->stats);
}

static void replay_close(struct source *source)
{
	struct replay *replay = replay_of(source);
	struct known_image *image, *next_image;
	struct known_process *process, *next_process;

	for (image = replay->all_images; image; image = next_image) {
		next_image = image->next;
		free(image);
	}
	for (process = replay->all_processes; process; process = next_process) {
		next_process = process->next;
		free(process->maps);
		free(process);
	}
	op_hash_map_free(&replay->images);
	op_hash_map_free(&replay->processes);
	chunk_reader_close(&replay->chunks);
	free(replay->modules);
	free(replay->kallsyms);
	free(replay->stats);
	free(replay->words);
	free(replay->source.events);
	free(replay);
}

static const struct source_ops replay_ops = {
	.read = replay_read,
	.image = replay_image,
	.maps = replay_maps,
	.process = replay_process,
	.modules = replay_modules,
	.kallsyms = replay_kallsyms,
	.stats = replay_stats,
	.close = replay_close,
};

/* Reads the first chunk, and all others before the first buffer. */
static int read_start(struct replay *replay, struct op_error *error)
{
	char *facts;
	int result = chunk_reader_head(&replay->chunks, error);

	if (result < 0)
		return -1;
	if (!result || replay->chunks.next.type != RECORD_FACTS)
		return chunk_reader_refuse(&replay->chunks, "it does not begin with facts", error);
	facts = malloc((size_t)replay->chunks.next.length + 1);
	if (!facts)
		return op_error_memory(error);
	facts[replay->chunks.next.length] = '\0';
	result = chunk_reader_body(&replay->chunks, facts, error);
	if (result > 0)
		result = set_facts(replay, facts, error);
	else if (!result)
		result = chunk_reader_refuse(&replay->chunks, "it ends within its facts", error);
	free(facts);
	return result || read_answers(replay, error) < 0 ? -1 : 0;
}

struct source *source_replay_open(const char *path, struct op_error *error)
{
	struct replay *replay = calloc(1, sizeof(*replay));

	if (!replay) {
		op_error_memory(error);
		return NULL;
	}
	replay->source.ops = &replay_ops;
	replay->source.name = "recording";
	replay->source.fd = -1;
	replay->source.is_past = true;
	if (chunk_reader_open(&replay->chunks, path, error) || read_start(replay, error)) {
		source_close(&replay->source);
		return NULL;
	}
	return &replay->source;
}
