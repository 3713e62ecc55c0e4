// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of files that others own: see symbols_apart.h. */
#include "symbols_apart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/memory.h"
#include "libop/foreign/confined.h"
#include "libop/foreign/door.h"
#include "symbols_cache.h"

/* A file of 500,000 symbols takes 175 MiB, 0.2 s and 25 MiB: there is room for six million. */
#define MEMORY_MOST  (UINT64_C(2) << 30)
#define SECONDS_MOST 30
#define ANSWER_MOST  (512 << 20)

/* A user that owns nothing: for root's files in containers, where anybody may be root. */
#define NO_USER 65534

/* struct answer - what the process writes first; then the text of the error, the path of the debug
 * file, and the symbols */
struct answer {
	uint32_t status;
	uint32_t error_length, debug_length; /* 0: there is none */
};

/* ---- in the confined process ---- */

struct task {
	const struct pp_symbols_request *request;
	int fd;
};

static void put(int out, const void *bytes, size_t length)
{
	for (const char *at = bytes; length;) {
		ssize_t n = write(out, at, length);

		if (n <= 0)
			_exit(1);
		at += n;
		length -= (size_t)n;
	}
}

static uint32_t length_of(const char *text)
{
	return text ? (uint32_t)strlen(text) : 0;
}

static void work(void *context, int out)
{
	const struct task *task = context;
	const struct pp_symbols_request *request = task->request;
	struct op_error error = {0};
	struct pp_symbols symbols = {0};
	struct answer answer;
	size_t length = 0;
	void *bytes;

	foreign_lend(request->path, task->fd);
	answer.status = request->read(&symbols, request->path, request->root, request->want_lines,
				      &error);
	answer.error_length = answer.status == PP_SYMBOLS_OK ? 0 : length_of(error.text);
	answer.debug_length = length_of(symbols.debug_path);
	bytes = pp_symbols_pack(&symbols, &length);
	put(out, &answer, sizeof(answer));
	put(out, error.text, answer.error_length);
	put(out, symbols.debug_path, answer.debug_length);
	put(out, bytes, bytes ? length : 0);
}

/* ---- in this one ---- */

/* Whether the file takes a process, and whose rights this has. */
static bool is_needed(int fd, const char *path, uid_t *user)
{
	struct stat status;

	if (geteuid() || fstat(fd, &status))
		return false;
	*user = status.st_uid ? status.st_uid : NO_USER;
	return status.st_uid || (!strncmp(path, "/proc/", 6) && strstr(path, "/root/"));
}

/* Return: a copy of the next @length bytes as a string, or NULL if there are none. */
static char *take_text(const char **at, size_t *left, uint32_t length)
{
	char *text;

	if (!length || length > *left)
		return NULL;
	text = pp_format("%.*s", (int)length, *at);
	*at += length;
	*left -= length;
	return text;
}

static bool take(struct pp_symbols *symbols, const char *at, size_t left,
		 enum pp_symbols_status *status, struct op_error *error)
{
	char *text, *debug_path;
	struct answer answer;
	void *table;

	if (left < sizeof(answer))
		return false;
	memcpy(&answer, at, sizeof(answer));
	at += sizeof(answer);
	left -= sizeof(answer);
	text = take_text(&at, &left, answer.error_length);
	debug_path = take_text(&at, &left, answer.debug_length);
	table = malloc(left ? left : 1);
	if (!table)
		pp_out_of_memory();
	memcpy(table, at, left);
	*status = answer.status == PP_SYMBOLS_OK ? PP_SYMBOLS_OK : PP_SYMBOLS_DAMAGED;
	if (*status == PP_SYMBOLS_DAMAGED)
		op_error_set(error, EBADMSG, "%s", text ? text : "it is damaged");
	free(text);
	if (!pp_symbols_unpack(symbols, table, left)) {
		free(debug_path);
		return false;
	}
	symbols->debug_path = debug_path;
	return true;
}

bool pp_symbols_read_apart(struct pp_symbols *symbols, const struct pp_symbols_request *request,
			   enum pp_symbols_status *status, struct op_error *error)
{
	int fd = foreign_open(request->path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	struct task task = {request, fd};
	struct confined confined = {.fd = fd,
				    .memory = MEMORY_MOST,
				    .time = SECONDS_MOST,
				    .answer_most = ANSWER_MOST,
				    .work = work,
				    .context = &task};
	size_t length = 0;
	void *answer;

	if (fd < 0 || !is_needed(fd, request->path, &confined.user)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	answer = confined_run(&confined, &length, error);
	close(fd);
	if (!answer || !take(symbols, answer, length, status, error)) {
		*status = PP_SYMBOLS_DAMAGED;
		if (answer)
			op_error_set(error, EBADMSG, "reading it gave no symbols");
	}
	free(answer);
	return true;
}
