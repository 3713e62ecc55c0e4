// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A source that replays a recording.
 *
 * The answers that stand behind a buffer are read with it, so that they are known when its
 * decoding asks for them.  A later answer of the same kind takes the place of an earlier one.
 * Nothing that the recording says is believed unchecked.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/number.h"
#include "libop/session/log.h"
#include "daemon/live/map.h"
#include "recording.h"

/* What the maps below hold; freed with the source. */
struct known_image {
	struct known_image *next;
	struct record_image image;
	char path[];
};

struct known_process {
	struct known_process *next;
	uint64_t process;
	char *maps; /* NULL: there was no such process */
};

struct replay {
	struct source source;
	char *path;
	int fd;
	uint64_t offset; /* of the next chunk */
	uint64_t size;	 /* of the file; UINT64_MAX if it is no regular one */
	bool ended;
	struct record_chunk next; /* its head was read already */
	bool has_next;

	uint64_t *words;
	size_t room; /* bytes at @words */

	struct map images, processes;
	struct known_image *all_images;
	struct known_process *all_processes;
	char *modules, *kallsyms, *stats;
};

static struct replay *replay_of(struct source *source)
{
	return (struct replay *)source; /* its first member */
}

/* Reads @length bytes.  Return: 1; 0 if the file ends before; -1 with @error set. */
static int read_exactly(struct replay *replay, void *to, size_t length, struct op_error *error)
{
	char *at = to;

	while (length) {
		ssize_t n = read(replay->fd, at, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return op_error_set(error, errno, "cannot read %s: %s", replay->path,
					    strerror(errno));
		if (!n)
			return 0;
		at += n;
		length -= (size_t)n;
	}
	return 1;
}

static int broken(const struct replay *replay, const char *cause, struct op_error *error)
{
	return op_error_set(error, EINVAL, "%s: no good recording: %s at offset %" PRIu64,
			    replay->path, cause, replay->offset);
}

static void end_early(struct replay *replay)
{
	if (!replay->ended)
		log_line("%s: the recording ends within a chunk, at offset %" PRIu64, replay->path,
			 replay->offset);
	replay->ended = true;
}

/* Reads the head of the next chunk to @replay->next.  Return: 1, 0 at the end, or -1. */
static int read_chunk_head(struct replay *replay, struct op_error *error)
{
	char byte;
	int result;

	if (replay->has_next)
		return 1;
	if (replay->ended)
		return 0;
	/* the end between two chunks is where it should be */
	result = read_exactly(replay, &byte, 1, error);
	if (result <= 0) {
		replay->ended = true;
		return result;
	}
	memcpy(&replay->next, &byte, 1);
	result = read_exactly(replay, (char *)&replay->next + 1, sizeof(replay->next) - 1, error);
	if (result <= 0) {
		if (!result)
			end_early(replay);
		return result;
	}
	if (replay->next.length > RECORD_LENGTH_MOST)
		return broken(replay, "a chunk longer than any chunk can be", error);
	if (replay->next.length > replay->size - replay->offset) {
		end_early(replay);
		return 0;
	}
	replay->has_next = true;
	return 1;
}

/* Reads the bytes of the next chunk and the zeros behind them to @to. */
static int read_chunk_body(struct replay *replay, void *to, struct op_error *error)
{
	size_t length = (size_t)replay->next.length;
	char padding[8];
	int result = read_exactly(replay, to, length, error);

	if (result > 0)
		result = read_exactly(replay, padding, -length & 7, error);
	if (!result)
		end_early(replay);
	replay->has_next = false;
	replay->offset += sizeof(replay->next) + length + (-length & 7);
	return result;
}

/* ---- what chunks say ---- */

static int no_memory(struct op_error *error)
{
	return op_error_set(error, ENOMEM, "out of memory");
}

static int take_image(struct replay *replay, const char *body, size_t length,
		      struct op_error *error)
{
	struct known_image *known;
	struct record_image image;
	size_t path_length;

	if (length < sizeof(image))
		return broken(replay, "an image chunk that is too short", error);
	memcpy(&image, body, sizeof(image));
	path_length = length - sizeof(image);
	if (path_length >= OPROFILE_PATH_MAX || memchr(body + sizeof(image), '\0', path_length) ||
	    image.build_id_size > OPROFILE_BUILD_ID_MAX)
		return broken(replay, "an image chunk that makes no sense", error);
	known = calloc(1, sizeof(*known) + path_length + 1);
	if (!known)
		return no_memory(error);
	known->next = replay->all_images;
	replay->all_images = known;
	known->image = image;
	memcpy(known->path, body + sizeof(image), path_length);
	return map_set(&replay->images, image.cookie, known) ? no_memory(error) : 0;
}

static int take_maps(struct replay *replay, const char *body, size_t length, struct op_error *error)
{
	struct known_process *known;
	struct record_maps maps;

	if (length < sizeof(maps))
		return broken(replay, "a maps chunk that is too short", error);
	memcpy(&maps, body, sizeof(maps));
	known = map_find(&replay->processes, maps.tgid);
	if (!known) {
		known = calloc(1, sizeof(*known));
		if (!known || map_set(&replay->processes, maps.tgid, known)) {
			free(known);
			return no_memory(error);
		}
		known->next = replay->all_processes;
		replay->all_processes = known;
	}
	free(known->maps);
	known->maps = NULL;
	known->process = maps.process;
	if (!(maps.answer & RECORD_MAPS_NONE)) {
		known->maps = strndup(body + sizeof(maps), length - sizeof(maps));
		if (!known->maps)
			return no_memory(error);
	}
	return 0;
}

static int take_text(char **text, const char *body, size_t length, struct op_error *error)
{
	free(*text);
	*text = strndup(body, length);
	return *text ? 0 : no_memory(error);
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

static int take_facts(struct replay *replay, const char *facts, struct op_error *error)
{
	struct source *source = &replay->source;
	char *size = find_fact(facts, "pointer_size"), *mhz = find_fact(facts, "cpu_mhz");
	char *type = find_fact(facts, "cpu_type"), *events = find_fact(facts, "events");
	int result = 0;

	if (!size || strcmp(size, "8") != 0)
		result = broken(replay, "a pointer size that is not 8", error);
	else if (!type || strlen(type) >= sizeof(source->cpu_type))
		result = broken(replay, "no CPU type", error);
	else
		strcpy(source->cpu_type, type);
	source->cpu_mhz = mhz ? strtod(mhz, NULL) : 0;
	if (!(source->cpu_mhz >= 0 && source->cpu_mhz < 1e6))
		source->cpu_mhz = 0;
	source->events = events;
	free(type);
	free(size);
	free(mhz);
	return result;
}

/* Takes in the next chunk, which is no buffer.  Return: 1, 0 if it is cut off, or -1. */
static int take_answer(struct replay *replay, struct op_error *error)
{
	size_t length = (size_t)replay->next.length;
	enum record_type type = replay->next.type;
	char *body = malloc(length + 1);
	int result = body ? read_chunk_body(replay, body, error) : no_memory(error);

	if (result > 0) {
		int taken = 0;

		body[length] = '\0';
		switch (type) {
		case RECORD_IMAGE:
			taken = take_image(replay, body, length, error);
			break;
		case RECORD_MAPS:
			taken = take_maps(replay, body, length, error);
			break;
		case RECORD_MODULES:
			taken = take_text(&replay->modules, body, length, error);
			break;
		case RECORD_KALLSYMS:
			taken = take_text(&replay->kallsyms, body, length, error);
			break;
		case RECORD_STATS:
			taken = take_text(&replay->stats, body, length, error);
			break;
		case RECORD_FACTS:
		case RECORD_BUFFER:
			break;
		}
		/* others are of a later version: what they add is not needed to go on */
		result = taken ? -1 : 1;
	}
	free(body);
	return result;
}

/* Takes in the chunks up to the next buffer.  Return: 1, 0 at the end, or -1. */
static int take_answers(struct replay *replay, struct op_error *error)
{
	int result;

	while ((result = read_chunk_head(replay, error)) > 0) {
		if (replay->next.type == RECORD_BUFFER)
			return 1;
		result = take_answer(replay, error);
		if (result <= 0)
			break;
	}
	return result;
}

/* ---- the source ---- */

static int make_room(struct replay *replay, size_t length, struct op_error *error)
{
	if (length <= replay->room)
		return 0;
	free(replay->words);
	replay->words = malloc(length);
	replay->room = replay->words ? length : 0;
	return replay->words ? 0 : no_memory(error);
}

static int replay_read(struct source *source, const uint64_t **words, size_t *count,
		       struct op_error *error)
{
	struct replay *replay = replay_of(source);
	size_t length;
	int result = take_answers(replay, error);

	if (result <= 0)
		return result ? -1 : SOURCE_END;
	length = (size_t)replay->next.length;
	if (length % sizeof(**words))
		return broken(replay, "a buffer chunk that is not made of words", error);
	if (make_room(replay, length, error))
		return -1;
	result = read_chunk_body(replay, replay->words, error);
	if (result <= 0)
		return result ? -1 : SOURCE_END;
	*words = replay->words;
	*count = length / sizeof(**words);
	/* a recording that ends here still has its last buffer decoded */
	return take_answers(replay, error) < 0 ? -1 : 0;
}

static int replay_image(struct source *source, uint64_t cookie, struct image_facts *facts)
{
	const struct known_image *known = map_find(&replay_of(source)->images, cookie);

	const struct record_image *image = known ? &known->image : NULL;

	if (!known || image->answer & RECORD_IMAGE_UNKNOWN)
		return -1;
	facts->present = image->answer & RECORD_IMAGE_PRESENT;
	facts->mtime = image->mtime;
	facts->told.cookie = cookie;
	facts->told.device = image->device;
	facts->told.inode = image->inode;
	facts->told.generation = image->generation;
	facts->told.flags = image->flags;
	facts->told.build_id_size = image->build_id_size;
	memcpy(facts->told.build_id, image->build_id, sizeof(image->build_id));
	facts->told.path_size = (uint32_t)strlen(known->path) + 1;
	memcpy(facts->told.path, known->path, facts->told.path_size);
	return 0;
}

static char *replay_maps(struct source *source, uint32_t tgid)
{
	const struct known_process *known = map_find(&replay_of(source)->processes, tgid);

	return known && known->maps ? strdup(known->maps) : NULL;
}

static uint64_t replay_process(struct source *source, uint32_t tgid)
{
	const struct known_process *known = map_find(&replay_of(source)->processes, tgid);

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
	map_clear(&replay->images);
	map_clear(&replay->processes);
	if (replay->fd >= 0)
		close(replay->fd);
	free(replay->modules);
	free(replay->kallsyms);
	free(replay->stats);
	free(replay->words);
	free(replay->source.events);
	free(replay->path);
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

static int check_head(struct replay *replay, struct op_error *error)
{
	struct record_head head;
	int result = read_exactly(replay, &head, sizeof(head), error);

	if (result < 0)
		return -1;
	if (!result || memcmp(head.magic, RECORD_MAGIC, sizeof(head.magic)) != 0)
		return op_error_set(error, EINVAL, "%s is no recording of oprofiled", replay->path);
	if (head.byte_order != RECORD_BYTE_ORDER)
		return op_error_set(error, EINVAL,
				    "%s was recorded on a machine of the other byte order",
				    replay->path);
	if (head.version != RECORD_VERSION)
		return op_error_set(error, EINVAL,
				    "%s is a recording of version %" PRIu32
				    "; this program reads version %d",
				    replay->path, head.version, RECORD_VERSION);
	replay->offset = sizeof(head);
	return 0;
}

/* Reads the first chunk, and all others before the first buffer. */
static int read_start(struct replay *replay, struct op_error *error)
{
	char *facts;
	int result = read_chunk_head(replay, error);

	if (result < 0)
		return -1;
	if (!result || replay->next.type != RECORD_FACTS)
		return broken(replay, "it does not begin with facts", error);
	facts = malloc((size_t)replay->next.length + 1);
	if (!facts)
		return no_memory(error);
	facts[replay->next.length] = '\0';
	result = read_chunk_body(replay, facts, error);
	if (result > 0)
		result = take_facts(replay, facts, error);
	else if (!result)
		result = broken(replay, "it ends within its facts", error);
	free(facts);
	return result || take_answers(replay, error) < 0 ? -1 : 0;
}

struct source *source_replay_open(const char *path, struct op_error *error)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	struct stat status;

	if (!replay || !(replay->path = strdup(path))) {
		free(replay);
		no_memory(error);
		return NULL;
	}
	replay->source.ops = &replay_ops;
	replay->source.name = "recording";
	replay->source.fd = -1;
	replay->fd = open(path, O_RDONLY | O_CLOEXEC);
	replay->size = UINT64_MAX;
	if (replay->fd >= 0 && !fstat(replay->fd, &status) && S_ISREG(status.st_mode))
		replay->size = (uint64_t)status.st_size;
	if (replay->fd < 0)
		op_error_set(error, errno, "cannot open %s: %s", path, strerror(errno));
	if (replay->fd < 0 || check_head(replay, error) || read_start(replay, error)) {
		source_close(&replay->source);
		return NULL;
	}
	return &replay->source;
}
