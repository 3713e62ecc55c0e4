// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles that others own: see read_apart.h. */
#include "read_apart.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pp/formats/input/archive_library.h"
#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/confined.h"
#include "libop/foreign/door.h"
#include "parcel.h"

/* ---- which ---- */

/* Stops at a file that is not root's. */
static int find_foreign(const char *path, const struct stat *status, void *context)
{
	(void)path;
	(void)context;
	return foreign_owner(status) != 0;
}

static bool is_needed(int fd, const char *path)
{
	struct stat status;

	if (fstat(fd, &status))
		return false;
	if (S_ISDIR(status.st_mode))
		return foreign_owner(&status) || op_walk(path, find_foreign, NULL, NULL) == 1;
	return S_ISREG(status.st_mode) && foreign_owner(&status);
}

int read_apart_open(const char *path)
{
	int fd;

	if (geteuid())
		return -1;
	if (!strcmp(path, "-"))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	else
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fd = foreign_open(path, FOREIGN_ANY, FOREIGN_FOLLOW);
	if (fd < 0 || is_needed(fd, path))
		return fd;
	close(fd);
	return -1;
}

/* ---- in the process ---- */

enum task { TASK_FORMAT, TASK_READ };

static struct input *open_asked(int fd, const char *path, struct op_error *error)
{
	struct stat status;

	if (fstat(fd, &status) || !S_ISDIR(status.st_mode))
		return input_of_open(path, fd, error);
	return input_open(path, error);
}

static void put_error(struct op_buffer *answer, int result, const struct op_error *error)
{
	op_buffer_u32(answer, result ? (uint32_t)error->code : 0);
	parcel_put_text(answer, result ? error->text : "");
}

static void read_it(struct input *input, const struct format *format, unsigned int by,
		    struct op_buffer *answer)
{
	struct prof *prof = prof_new(by & ~PROF_COUNTS_ONLY, 0);
	struct op_error error = {0};
	int result = format->read(input, &prof->sink, &error);

	prof_finish(prof);
	put_error(answer, result, &error);
	op_buffer_u64(answer, input_stored_size(input));
	parcel_put(answer, prof);
	prof_free(prof);
}

static void read_apart_work(int fd, struct op_reader *question, struct op_buffer *answer)
{
	enum task task = op_reader_u8(question);
	unsigned int by = op_reader_u32(question);
	const char *path = parcel_text(question), *name = parcel_text(question);
	struct op_error error = {0};
	struct input *input = path ? open_asked(fd, path, &error) : NULL;
	const struct format *format = NULL;

	if (input)
		format = name ? format_named(name) : format_of(input, &error);
	if (!format || task == TASK_FORMAT) {
		put_error(answer, format ? 0 : -1, &error);
		parcel_put_text(answer, format ? format->name : NULL);
	} else {
		read_it(input, format, by, answer);
	}
	input_close(input);
}

/* ---- in this process ---- */

static void *read_apart_ask(int fd, const char *path, enum task task, const struct format *format,
			    unsigned int by, size_t *length, struct op_error *error)
{
	struct op_buffer question = {0};
	struct op_error cause;
	void *answer;

	archive_library(&cause); /* the process can't load it */
	confined_file_most = READ_APART_UNPACKED_MOST;
	op_buffer_u8(&question, (uint8_t)task);
	op_buffer_u32(&question, by);
	parcel_put_text(&question, path);
	parcel_put_text(&question, format ? format->name : NULL);
	if (question.failed)
		op_out_of_memory();
	answer = apart_ask(&(struct apart_question){.work = read_apart_work,
						    .fd = fd,
						    .path = path,
						    .bytes = question.bytes,
						    .length = question.used,
						    .seconds = READ_APART_SECONDS,
						    .answer_most = READ_APART_MOST},
			   length, &cause);
	if (!answer)
		op_error_set(error, cause.code, "%s: %s", path, cause.text);
	op_buffer_free(&question);
	return answer;
}

/* Return: 0, or -1 with @error set, as put_error() was told. */
static int take_error(struct op_reader *reader, struct op_error *error)
{
	uint32_t code = op_reader_u32(reader);
	const char *text = parcel_text(reader);

	if (reader->failed || !text)
		return op_error_set(error, EBADMSG, "what was read of it is damaged");
	return code ? op_error_set(error, (int)code, "%s", text) : 0;
}

const struct format *read_apart_format(int fd, const char *path, struct op_error *error)
{
	const struct format *format = NULL;
	struct op_reader reader;
	size_t length;
	void *answer = read_apart_ask(fd, path, TASK_FORMAT, NULL, 0, &length, error);
	const char *name;

	if (!answer)
		return NULL;
	reader = op_reader_of(answer, length, false);
	if (!take_error(&reader, error)) {
		name = parcel_text(&reader);
		format = name ? format_named(name) : NULL;
		if (!format)
			op_error_set(error, EBADMSG, "%s: what was read of it is damaged", path);
	}
	free(answer);
	return format;
}

int read_apart(int fd, const char *path, const struct format *format, unsigned int by,
	       struct prof_sink *sink, uint64_t *stored, struct op_error *error)
{
	struct op_reader reader;
	struct op_error cause;
	size_t length;
	void *answer = read_apart_ask(fd, path, TASK_READ, format, by, &length, error);
	int result;

	*stored = 0;
	if (!answer)
		return -1;
	reader = op_reader_of(answer, length, false);
	result = take_error(&reader, error);
	*stored = op_reader_u64(&reader);
	if (parcel_take(&reader, sink, &cause))
		result = op_error_set(error, cause.code, "%s: %s", path, cause.text);
	free(answer);
	return result;
}
