// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What readers read from: see input.h.
 *
 * Bytes come from a source (a descriptor, memory, or what unpacks a descriptor) into a buffer that
 * grows by doubling, and only when it is full of bytes that did arrive.
 */

#include "input_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/foreign/output.h"

/* ---- errors ---- */

int input_fail(const struct input *input, struct op_error *error, int code, uint64_t offset,
	       const char *format, ...)
{
	char text[768];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return op_error_set(error, code, "%.240s: byte %" PRIu64 ": %s", input->name, offset, text);
}

int input_fail_to_read(const struct input *input, struct op_error *error)
{
	return input_fail(input, error, errno, input->offset + (input->end - input->begin), "%s",
			  strerror(errno));
}

/* ---- opening ---- */

static struct input *new_input(const char *path)
{
	struct input *input = op_alloc(1, sizeof(*input));

	input->path = op_copy(path);
	input->name = op_copy(strcmp(path, "-") ? path : "standard input");
	input->fd = -1;
	return input;
}

static int open_source(struct input *input, struct op_error *error)
{
	bool is_standard = !strcmp(input->path, "-");
	struct stat status;
	off_t at;

	if (input->fd < 0)
		input->fd =
			is_standard ? dup(STDIN_FILENO) : open(input->path, O_RDONLY | O_CLOEXEC);
	if (input->fd < 0 || fstat(input->fd, &status))
		return op_error_errno(error, "%s", input->name);
	if (S_ISDIR(status.st_mode)) {
		input->is_directory = true;
		input->ended = true;
		return 0;
	}
	at = S_ISREG(status.st_mode) ? lseek(input->fd, 0, SEEK_CUR) : -1;
	if (at >= 0) {
		input->is_file = true;
		input->base = (uint64_t)at;
		input->size = status.st_size > at ? (uint64_t)(status.st_size - at) : 0;
	}
	return input_detect_packing(input, error);
}

struct input *input_open(const char *path, struct op_error *error)
{
	struct input *input = new_input(path);

	if (!open_source(input, error))
		return input;
	input_close(input);
	return NULL;
}

struct input *input_of_open(const char *path, int fd, struct op_error *error)
{
	struct input *input = new_input(path);

	input->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (input->fd < 0)
		op_error_errno(error, "%s", input->name);
	else if (!lseek(input->fd, 0, SEEK_SET) && !open_source(input, error))
		return input;
	input_close(input);
	return NULL;
}

struct input *input_of_bytes(const char *name, const void *bytes, size_t n)
{
	struct input *input = new_input(name);

	input->bytes = bytes;
	input->n_bytes = n;
	input->size = n;
	return input;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	if (input->fd >= 0)
		close(input->fd);
	input_end_unpacking(input);
	if (input->n_mapped)
		munmap(input->whole, input->n_mapped);
	else
		free(input->whole);
	free(input->buffer);
	free(input->path);
	free(input->name);
	free(input);
}

const char *input_path(const struct input *input)
{
	return input->path;
}

const char *input_name(const struct input *input)
{
	return input->name;
}

bool input_is_directory(const struct input *input)
{
	return input->is_directory;
}

uint64_t input_offset(const struct input *input)
{
	return input->offset;
}

static uint64_t size_of_directory(const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, NULL);
	struct stat status;
	uint64_t sum = 0;

	for (int i = 0; i < n; i++) {
		char *name = op_format("%s/%s", path, names[i]->d_name);

		if (!stat(name, &status) && S_ISREG(status.st_mode))
			sum += (uint64_t)status.st_size;
		free(name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return sum;
}

uint64_t input_stored_size(const struct input *input)
{
	if (input->is_directory)
		return size_of_directory(input->path);
	if (input->n_packed)
		return input->n_packed;
	return input->is_file || input->fd < 0 ? input->size
					       : input->offset + (input->end - input->begin);
}

/* ---- reading ---- */

ptrdiff_t input_peek(struct input *input, size_t n, const uint8_t **bytes, struct op_error *error)
{
	size_t there;

	if (input_fill(input, n, error))
		return -1;
	there = input->end - input->begin;
	*bytes = there ? input->buffer + input->begin : (const uint8_t *)"";
	return (ptrdiff_t)(there < n ? there : n);
}

const uint8_t *input_take(struct input *input, size_t n, struct op_error *error)
{
	const uint8_t *bytes;
	size_t there = input->end - input->begin;

	if (there < n) {
		if (input_fill(input, n, error))
			return NULL;
		there = input->end - input->begin;
	}
	if (there < n) {
		input_fail(input, error, ENODATA, input->offset,
			   "the file ends after %zu of %zu bytes", there, n);
		return NULL;
	}
	bytes = n ? input->buffer + input->begin : (const uint8_t *)"";
	input->begin += n;
	input->offset += n;
	return bytes;
}

/* Moves in a regular file without reading. */
static int move(struct input *input, uint64_t offset, struct op_error *error)
{
	if (input->fd < 0)
		input->at_byte = (size_t)offset;
	else if (lseek(input->fd, (off_t)(input->base + offset), SEEK_SET) < 0)
		return input_fail_to_read(input, error);
	input->begin = input->end = 0;
	input->offset = offset;
	input->ended = false;
	return 0;
}

int input_skip(struct input *input, uint64_t n, struct op_error *error)
{
	uint64_t end = input->offset + n;
	size_t piece;

	if ((input->is_file || input->fd < 0) && n > input->end - input->begin &&
	    end >= input->offset && end <= input->size)
		return move(input, end, error);
	while (n) {
		if (input_fill(input, 1, error))
			return -1;
		piece = input->end - input->begin;
		if (!piece)
			return input_fail(input, error, ENODATA, input->offset,
					  "the file ends here, %" PRIu64 " bytes too early", n);
		if (piece > n)
			piece = (size_t)n;
		input->begin += piece;
		input->offset += piece;
		n -= piece;
	}
	return 0;
}

size_t input_mark_length(const uint8_t *bytes, size_t n)
{
	static const char mark[] = "\xef\xbb\xbf";

	return n >= sizeof(mark) - 1 && !memcmp(bytes, mark, sizeof(mark) - 1) ? sizeof(mark) - 1
									       : 0;
}

int input_skip_mark(struct input *input, struct op_error *error)
{
	size_t n;

	if (input->offset)
		return 0;
	if (input_fill(input, 3, error))
		return -1;
	n = input->end - input->begin;
	n = n ? input_mark_length(input->buffer + input->begin, n) : 0;
	input->begin += n;
	input->offset += n;
	return 0;
}

int input_at_end(struct input *input, struct op_error *error)
{
	if (input_fill(input, 1, error))
		return -1;
	return input->begin == input->end;
}

int input_line(struct input *input, size_t most, char **line, size_t *n, struct op_error *error)
{
	size_t seen = 0, there, want = 1;
	uint8_t *at, *end;

	if (input_skip_mark(input, error))
		return -1;
	for (;;) {
		if (input_fill(input, want, error))
			return -1;
		there = input->end - input->begin;
		at = input->buffer + input->begin;
		end = there > seen ? memchr(at + seen, '\n', there - seen) : NULL;
		if (end || there < want || there > most)
			break;
		seen = there;
		want = there + 1;
	}
	if (!there)
		return 0;
	if (!end && there <= most) {
		/* the last line lacks its end: make room for the NUL */
		if (input->end == input->capacity)
			input->buffer =
				op_grow(input->buffer, &input->capacity, input->capacity + 1, 1);
		at = input->buffer + input->begin;
		end = at + there;
	}
	if (!end || (size_t)(end - at) > most)
		return input_fail(input, error, EINVAL, input->offset,
				  "a line is longer than %zu bytes", most);
	*n = (size_t)(end - at);
	*line = (char *)at;
	*end = '\0';
	there = *n + ((size_t)(end - input->buffer) < input->end);
	input->begin += there;
	input->offset += there;
	return 1;
}

void input_gather(struct input *input)
{
	input->gathers = true;
}

/* The buffer itself, as it may be large, and no longer than its @n bytes and a NUL: a sanitiser
 * sees what reads beyond. */
static uint8_t *hand_over_buffer(struct input *input, size_t n)
{
	uint8_t *bytes = input->buffer;

	if (n && input->begin)
		memmove(bytes, bytes + input->begin, n);
	bytes = realloc(bytes, n + 1);
	if (!bytes)
		op_out_of_memory();
	bytes[n] = '\0';
	input->buffer = NULL;
	input->begin = input->end = input->capacity = 0;
	input->offset += n;
	return bytes;
}

uint8_t *input_rest(struct input *input, size_t most, size_t *n, struct op_error *error)
{
	size_t there, want = 1;

	input_gather(input);
	if (input_skip_mark(input, error))
		return NULL;
	do {
		if (input_fill(input, want, error))
			return NULL;
		there = input->end - input->begin;
		want = there + 1;
	} while (!input->ended && there <= most);
	if (there > most) {
		input_fail(input, error, EFBIG, input->offset, "there are more than %zu bytes",
			   most);
		return NULL;
	}
	*n = there;
	return hand_over_buffer(input, there);
}

/* Whether it can be mapped: reading bytes that another has cut off would end this process. */
static bool is_sealed(const struct input *input)
{
	const int needed = F_SEAL_WRITE | F_SEAL_SHRINK;
	int seals = input->is_file && !input->packing ? fcntl(input->fd, F_GET_SEALS) : -1;

	return seals >= 0 && (seals & needed) == needed && !input->base && !input->offset;
}

const uint8_t *input_whole(struct input *input, size_t most, size_t *n, struct op_error *error)
{
	void *mapped;

	if (is_sealed(input) && input->size && input->size <= most) {
		mapped = mmap(NULL, input->size, PROT_READ, MAP_PRIVATE, input->fd, 0);
		if (mapped != MAP_FAILED) {
			input->whole = mapped;
			*n = input->n_mapped = input->size;
			return mapped;
		}
	}
	input->whole = input_rest(input, most, n, error);
	return input->whole;
}

/* ---- moving ---- */

static int temporary_file(const struct input *input, struct op_error *error)
{
	const char *dir = foreign_temporary_top();
	char *name;
	int fd;

	name = op_format("%s/oprofile-XXXXXX", dir);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	else if (errno == EPERM) /* read_apart.h: no file can be made then */
		fd = memfd_create("oprofile", MFD_CLOEXEC);
	if (fd < 0)
		op_error_errno(error, "%s: cannot create a temporary file in %s", input->name, dir);
	free(name);
	return fd;
}

/* How large a temporary copy may get: a few bytes can unpack to more than any disk holds. */
static uint64_t room_for_copy(int fd)
{
	struct statvfs status;

	if (fstatvfs(fd, &status))
		return 0;
	/* memory has no size; how large a file is has a limit */
	return status.f_blocks ? (uint64_t)status.f_bavail * status.f_frsize / 2 : UINT64_MAX;
}

int input_seekable(struct input *input, struct op_error *error)
{
	uint64_t size = 0, room;
	size_t piece;
	int fd;

	if (input->is_file || input->fd < 0)
		return 0;
	input_gather(input);
	fd = temporary_file(input, error);
	if (fd < 0)
		return -1;
	room = room_for_copy(fd);
	for (;;) {
		if (input_fill(input, 1, error))
			goto fail;
		piece = input->end - input->begin;
		if (!piece)
			break;
		if (size + piece > room) {
			op_error_set(error, ENOSPC,
				     "%s: a temporary copy would take more than half of the free "
				     "space, %" PRIu64 " bytes",
				     input->name, room);
			goto fail;
		}
		if (op_file_write_all(fd, input->buffer + input->begin, piece)) {
			op_error_errno(error, "%s: a temporary copy can't be written", input->name);
			goto fail;
		}
		size += piece;
		input->begin = input->end = 0;
		input->offset += piece;
	}
	close(input->fd);
	input->fd = fd;
	input_end_unpacking(input);
	input->is_file = true;
	input->base = 0;
	input->size = size;
	return move(input, 0, error);
fail:
	close(fd);
	return -1;
}

uint64_t input_size(const struct input *input)
{
	return input->size;
}

int input_seek(struct input *input, uint64_t offset, struct op_error *error)
{
	if (offset > input->size)
		return input_fail(input, error, ENODATA, offset,
				  "this is beyond the end of the file (%" PRIu64 " bytes)",
				  input->size);
	if (offset >= input->offset && offset - input->offset <= input->end - input->begin) {
		input->begin += (size_t)(offset - input->offset);
		input->offset = offset;
		return 0;
	}
	return move(input, offset, error);
}
