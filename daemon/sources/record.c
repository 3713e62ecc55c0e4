// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A source that records another one.
 *
 * Each answer is written behind the buffer whose decoding asked for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "libop/foreign/output.h"
#include "libop/session/paths.h"
#include "libop/session/log.h"
#include "recording.h"

struct recorder {
	struct source source;
	struct source *inner;
	char *path;
	int fd; /* -1 after an error */
	uint64_t length;
};

static struct recorder *recorder_of(struct source *source)
{
	return (struct recorder *)source; /* its first member */
}

/* Writes all of @parts.  Return: 0, or -1 and errno. */
static int write_parts(int fd, struct iovec *parts, int count)
{
	while (count) {
		ssize_t n = writev(fd, parts, count);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		for (; count && (size_t)n >= parts->iov_len; count--)
			n -= (ssize_t)(parts++)->iov_len;
		if (count) {
			parts->iov_base = (char *)parts->iov_base + n;
			parts->iov_len -= (size_t)n;
		}
	}
	return 0;
}

/* A chunk that was written in part is cut off, so that the recording ends with a whole one. */
static void stop(struct recorder *recorder)
{
	log_line_errno("%s: the recording ends here", recorder->path);
	if (ftruncate(recorder->fd, (off_t)recorder->length))
		log_line_errno("%s: cannot remove an incomplete chunk", recorder->path);
	close(recorder->fd);
	recorder->fd = -1;
}

static void write_chunk(struct recorder *recorder, enum record_type type, const void *head,
			size_t head_length, const void *body, size_t body_length)
{
	static const char zeros[8];
	size_t length = head_length + body_length, padding = -length & 7;
	struct record_chunk chunk = {.type = type, .length = length};
	struct iovec parts[] = {
		{&chunk, sizeof(chunk)},
		{(void *)head, head_length},
		{(void *)body, body_length},
		{(void *)zeros, padding},
	};

	if (recorder->fd < 0)
		return;
	if (length > RECORD_LENGTH_MOST) {
		errno = EFBIG;
		stop(recorder);
	} else if (write_parts(recorder->fd, parts, 4)) {
		stop(recorder);
	} else {
		recorder->length += sizeof(chunk) + length + padding;
	}
}

static void write_text(struct recorder *recorder, enum record_type type, const char *text)
{
	if (text)
		write_chunk(recorder, type, NULL, 0, text, strlen(text));
}

static int record_read(struct source *source, const uint64_t **words, size_t *count,
		       struct op_error *error)
{
	struct recorder *recorder = recorder_of(source);
	int result = source_read(recorder->inner, words, count, error);

	source->kernel_code = recorder->inner->kernel_code;
	if (!result && *count)
		write_chunk(recorder, RECORD_BUFFER, NULL, 0, *words, *count * sizeof(**words));
	return result;
}

static int record_run(struct source *source, bool on, struct op_error *error)
{
	return source_run(recorder_of(source)->inner, on, error);
}

/* Not recorded: it does not affect the samples. */
static bool record_running(struct source *source)
{
	return source_running(recorder_of(source)->inner);
}

static int record_sync(struct source *source, struct op_error *error)
{
	return source_sync(recorder_of(source)->inner, error);
}

static int record_image(struct source *source, uint64_t cookie, struct image_facts *facts)
{
	struct recorder *recorder = recorder_of(source);
	const struct oprofile_image *reported = &facts->reported;
	int result = source_image(recorder->inner, cookie, facts);
	struct record_image image = {
		.cookie = cookie,
		.device = reported->device,
		.inode = reported->inode,
		.mtime = facts->mtime,
		.generation = reported->generation,
		.flags = reported->flags,
		.answer = facts->present ? RECORD_IMAGE_PRESENT : 0,
		.build_id_size = reported->build_id_size,
	};

	if (result)
		image = (struct record_image){.cookie = cookie, .answer = RECORD_IMAGE_UNKNOWN};
	else
		memcpy(image.build_id, reported->build_id, sizeof(image.build_id));
	write_chunk(recorder, RECORD_IMAGE, &image, sizeof(image), reported->path,
		    result ? 0 : strlen(reported->path));
	return result;
}

static char *record_maps(struct source *source, uint32_t tgid)
{
	struct recorder *recorder = recorder_of(source);
	char *text = source_maps(recorder->inner, tgid);
	struct record_maps maps = {
		.tgid = tgid,
		.answer = text ? 0 : RECORD_MAPS_NONE,
		.process = source_process(recorder->inner, tgid),
	};

	write_chunk(recorder, RECORD_MAPS, &maps, sizeof(maps), text, text ? strlen(text) : 0);
	return text;
}

/* Not recorded: the maps of a changed process are read, and they have the number. */
static uint64_t record_process(struct source *source, uint32_t tgid)
{
	return source_process(recorder_of(source)->inner, tgid);
}

/* Not recorded, either: sessions of recordings have no names of threads. */
static char *record_thread_name(struct source *source, uint32_t tgid, uint32_t tid)
{
	return source_thread_name(recorder_of(source)->inner, tgid, tid);
}

static char *record_modules(struct source *source)
{
	struct recorder *recorder = recorder_of(source);
	char *text = source_modules(recorder->inner);

	write_text(recorder, RECORD_MODULES, text);
	return text;
}

static char *record_kallsyms(struct source *source)
{
	struct recorder *recorder = recorder_of(source);
	char *text = source_kallsyms(recorder->inner);

	write_text(recorder, RECORD_KALLSYMS, text);
	return text;
}

static char *record_stats(struct source *source)
{
	struct recorder *recorder = recorder_of(source);
	char *text = source_stats(recorder->inner);

	write_text(recorder, RECORD_STATS, text);
	return text;
}

static void record_close(struct source *source)
{
	struct recorder *recorder = recorder_of(source);

	source_close(recorder->inner);
	if (recorder->fd >= 0)
		close(recorder->fd);
	free(recorder->path);
	free(recorder);
}

static const struct source_ops record_ops = {
	.read = record_read,
	.sync = record_sync,
	.run = record_run,
	.running = record_running,
	.image = record_image,
	.maps = record_maps,
	.process = record_process,
	.thread_name = record_thread_name,
	.modules = record_modules,
	.kallsyms = record_kallsyms,
	.stats = record_stats,
	.close = record_close,
};

static int write_head(struct recorder *recorder)
{
	static const struct record_head head = {
		.magic = RECORD_MAGIC,
		.version = RECORD_VERSION,
		.byte_order = RECORD_BYTE_ORDER,
	};
	struct iovec part = {(void *)&head, sizeof(head)};

	recorder->length = sizeof(head);
	return write_parts(recorder->fd, &part, 1);
}

static void write_facts(struct recorder *recorder)
{
	const struct source *inner = recorder->inner;
	struct utsname system;
	char *text;

	uname(&system);
	if (asprintf(&text,
		     "pointer_size 8\n"
		     "cpu_type %s\n"
		     "cpu_mhz %.3f\n"
		     "buffer_words %zu\n"
		     "events %s\n"
		     "kernel %s %s\n"
		     "machine %s\n"
		     "time %" PRId64 "\n"
		     "writer oprofiled %s\n",
		     inner->cpu_type, inner->cpu_mhz, inner->buffer_words,
		     inner->events ? inner->events : "", system.release, system.version,
		     system.machine, (int64_t)time(NULL), OP_VERSION) < 0)
		return;
	write_text(recorder, RECORD_FACTS, text);
	free(text);
}

static void copy_facts(struct source *to, const struct source *from)
{
	to->name = from->name;
	to->fd = from->fd;
	to->buffer_words = from->buffer_words;
	to->syncs_all = from->syncs_all;
	memcpy(to->cpu_type, from->cpu_type, sizeof(to->cpu_type));
	to->cpu_mhz = from->cpu_mhz;
	to->events = from->events; /* @from's, which lives as long */
	to->is_live = from->is_live;
	to->rate = from->rate;
}

struct source *source_record_open(struct source *inner, const char *path, struct op_error *error)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	if (!recorder || !(recorder->path = strdup(path))) {
		free(recorder);
		source_close(inner);
		op_error_memory(error);
		return NULL;
	}
	recorder->source.ops = &record_ops;
	copy_facts(&recorder->source, inner);
	recorder->source.needs_all_images = true;
	recorder->inner = inner;
	recorder->fd = foreign_create(path, FOREIGN_PARENTS_FIND, FOREIGN_REFUSE,
				      OP_SESSION_FILE_MODE, error);
	if (recorder->fd < 0) {
		source_close(&recorder->source);
		return NULL;
	}
	if (write_head(recorder)) {
		op_error_errno(error, "cannot write the recording %s", path);
		source_close(&recorder->source);
		return NULL;
	}
	write_facts(recorder);
	return &recorder->source;
}
