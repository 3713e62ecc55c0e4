// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles that others own: see read_apart.h. */
#include "read_apart.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pp/formats/input/archive_library.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/confined.h"
#include "libop/foreign/door.h"
#include "libop/foreign/output.h"
#include "parcel.h"

#define PIPE_BLOCK ((size_t)1 << 18)

/* ---- which ---- */

/* Stops at a file that is not root's. */
static int find_foreign(const char *path, const struct stat *status, void *context)
{
	(void)path;
	(void)context;
	return foreign_owner(status) != 0;
}

/* The process of who is not root cannot open what is in a directory. */
static bool is_needed(int fd, const char *path)
{
	struct stat status;

	if (foreign_status(fd, &status))
		return false;
	if (S_ISDIR(status.st_mode))
		return !geteuid() &&
		       (foreign_owner(&status) || op_walk(path, find_foreign, NULL, NULL) == 1);
	return S_ISREG(status.st_mode) && !foreign_is_trusted(&status);
}

/* ---- pipes ---- */

/* A file without a name that can only be read, and @out, of the same, that can be written. */
static int make_temporary(int *out, struct op_error *error)
{
	const char *top = foreign_temporary_top();
	char *name = op_format("%s/oprofile-XXXXXX", top);
	int in = -1;

	*out = mkostemp(name, O_CLOEXEC);
	if (*out >= 0) {
		in = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		unlink(name);
	}
	if (in < 0)
		op_error_errno(error, "cannot create a temporary file in %s", top);
	free(name);
	return in;
}

static int copy_pipe(int from, int to, struct op_error *error)
{
	char *block = op_chunk(PIPE_BLOCK);
	ssize_t n;

	while ((n = read(from, block, PIPE_BLOCK)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && op_file_write_all(to, block, (size_t)n))
			break;
	if (n)
		op_error_errno(error, n < 0 ? "cannot read stdin"
					    : "cannot write a temporary file of stdin");
	free(block);
	return n ? -1 : 0;
}

/* What comes by a pipe may be anybody's: root asks the process twice, and it cannot wait. */
static int take_pipe(int pipe, struct op_error *error)
{
	int out = -1, in = make_temporary(&out, error);
	int result = in < 0 ? -1 : copy_pipe(pipe, out, error);

	if (!result && !foreign_mark(in, FOREIGN_NOBODY))
		result = op_error_errno(error, "cannot give a temporary file away");
	if (out >= 0)
		close(out);
	if (result && in >= 0)
		close(in);
	return result ? -1 : in;
}

static bool is_stream(const struct stat *status)
{
	return !S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode);
}

/* Which of this process's descriptors a path is, as of a shell's "<(...)"; -1: none. */
static int descriptor_of(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	uint64_t number;

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdin"))
		return STDIN_FILENO;
	for (size_t i = 0; i < OP_ARRAY_SIZE(folders); i++)
		if (!strncmp(path, folders[i], strlen(folders[i])) &&
		    op_number_all(path + strlen(folders[i]), 10, INT_MAX, &number))
			return (int)number;
	return -1;
}

/* A FIFO of root is waited for, as its name was given; one of others is not even opened. */
static int open_fifo(const char *path, struct op_error *error)
{
	int found = open(path, O_PATH | O_CLOEXEC), fd = -1;
	struct stat status;
	char again[64];

	if (found >= 0 && !fstat(found, &status) && S_ISFIFO(status.st_mode)) {
		if (!foreign_is_trusted(&status)) {
			op_error_set(error, EPERM,
				     "%s: a FIFO of user %u, which root does not read", path,
				     (unsigned int)foreign_owner(&status));
			close(found);
			return -2;
		}
		snprintf(again, sizeof(again), "/proc/self/fd/%d", found);
		fd = open(again, O_RDONLY | O_CLOEXEC);
	}
	if (found >= 0)
		close(found);
	return fd;
}

/* Return: a descriptor; -1: this process is to say what is wrong, or -2 with @error set. */
static int open_input(const char *path, struct op_error *error)
{
	int fd = descriptor_of(path);

	if (fd >= 0)
		return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fd = foreign_open(path, FOREIGN_ANY, FOREIGN_FOLLOW);
	if (fd >= 0 || geteuid())
		return fd;
	return open_fifo(path, error);
}

int read_apart_open(const char *path, int *fd, struct op_error *error)
{
	struct stat status;
	int pipe;

	*fd = open_input(path, error);
	if (*fd == -2)
		return -1;
	if (*fd >= 0 && !geteuid() && !fstat(*fd, &status) && is_stream(&status)) {
		pipe = *fd;
		*fd = take_pipe(pipe, error);
		close(pipe);
		return *fd < 0 ? -1 : 0;
	}
	if (*fd >= 0 && !is_needed(*fd, path)) {
		close(*fd);
		*fd = -1;
	}
	return 0;
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
