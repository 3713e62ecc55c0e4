// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of files that others own: see symbols_apart.h. */
#include "symbols_apart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/memory.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/door.h"
#include "symbols_cache.h"

#define ANSWER_MOST (512 << 20)

/* struct answer - what the process says first; then the text of the error, the path of the debug
 * file, and the symbols */
struct answer {
	uint32_t status;
	uint32_t error_length, debug_length; /* 0: there is none */
};

/* struct question - what it is asked first; then the path and the root, each with its NUL */
struct question {
	pp_symbols_reader *read;
	struct pp_kernel_place place;
	uint32_t path_size, root_size;
	bool has_place, want_lines;
};

/* ---- in the process apart ---- */

static uint32_t length_of(const char *text)
{
	return text ? (uint32_t)strlen(text) : 0;
}

static void symbols_put_symbols(const struct pp_symbols *symbols, struct op_buffer *out)
{
	size_t length = 0;
	void *bytes = pp_symbols_pack(symbols, &length);

	if (bytes)
		op_buffer_put(out, bytes, length);
	free(bytes);
}

static void symbols_apart_work(int fd, struct op_reader *reader, struct op_buffer *out)
{
	struct question question;
	struct op_error error = {0};
	struct pp_symbols symbols = {0};
	struct answer answer;
	const char *path, *root;

	if (!op_reader_copy(reader, &question, sizeof(question)))
		return;
	path = op_reader_text(reader, question.path_size);
	root = op_reader_text(reader, question.root_size);
	foreign_lend(path, fd);
	answer.status = question.read(&symbols, path, root, question.want_lines,
				      question.has_place ? &question.place : NULL, &error);
	foreign_lend(NULL, -1);
	answer.error_length = answer.status == PP_SYMBOLS_OK ? 0 : length_of(error.text);
	answer.debug_length = length_of(symbols.debug_path);
	op_buffer_put(out, &answer, sizeof(answer));
	op_buffer_put(out, error.text, answer.error_length);
	op_buffer_put(out, symbols.debug_path, answer.debug_length);
	symbols_put_symbols(&symbols, out);
	pp_symbols_free(&symbols);
}

/* ---- in this one ---- */

/* Return: a copy of the next @length bytes as a string, or NULL if there are none. */
static char *take_text(const char **at, size_t *left, uint32_t length)
{
	char *text;

	if (!length || length > *left)
		return NULL;
	text = op_format("%.*s", (int)length, *at);
	*at += length;
	*left -= length;
	return text;
}

/* Takes the answer over, which is @bytes.  Return: false if it is no answer. */
static bool symbols_take(struct pp_symbols *symbols, char *bytes, size_t left,
			 enum pp_symbols_status *status, struct op_error *error)
{
	const char *at = bytes;
	char *text, *debug_path;
	struct answer answer;

	if (left < sizeof(answer)) {
		free(bytes);
		return false;
	}
	memcpy(&answer, at, sizeof(answer));
	at += sizeof(answer);
	left -= sizeof(answer);
	text = take_text(&at, &left, answer.error_length);
	debug_path = take_text(&at, &left, answer.debug_length);
	*status = answer.status == PP_SYMBOLS_OK ? PP_SYMBOLS_OK : PP_SYMBOLS_DAMAGED;
	if (*status == PP_SYMBOLS_DAMAGED)
		op_error_set(error, EBADMSG, "%s", text ? text : "it is damaged");
	free(text);
	memmove(bytes, at, left); /* where numbers are aligned */
	if (!pp_symbols_unpack(symbols, bytes, left)) {
		free(debug_path);
		return false;
	}
	symbols->debug_path = debug_path;
	return true;
}

/* What the symbols take, with an answer of @length bytes, which has the names. */
static uint64_t bytes_of(const struct pp_symbols *symbols, size_t length)
{
	return length + symbols->n * sizeof(*symbols->items) +
	       symbols->n_aliases * sizeof(*symbols->aliases) +
	       symbols->n_code * sizeof(*symbols->code);
}

/* Half of what may be kept, as the symbols take no more than the answer does. */
static size_t answer_most(uint64_t account)
{
	uint64_t half = foreign_kept_left(account) / 2;

	return half < ANSWER_MOST ? (size_t)half : ANSWER_MOST;
}

/* Symbols that may not be kept are as good as damaged. */
static void keep(struct pp_symbols *symbols, uint64_t account, size_t length,
		 enum pp_symbols_status *status, struct op_error *error)
{
	struct foreign_kept kept = {0};

	if (foreign_kept_add(&kept, account, bytes_of(symbols, length))) {
		symbols->kept = kept;
		return;
	}
	pp_symbols_free(symbols);
	*status = PP_SYMBOLS_DAMAGED;
	op_error_set(error, ENOMEM, "files of its owner take too much memory");
}

static void *symbols_request_ask(const struct pp_symbols_request *request, int fd, size_t *length,
				 struct op_error *error)
{
	const struct question head = {
		.read = request->read,
		.place = request->place ? *request->place : (struct pp_kernel_place){0},
		.path_size = (uint32_t)strlen(request->path) + 1,
		.root_size = (uint32_t)strlen(request->root) + 1,
		.has_place = request->place,
		.want_lines = request->want_lines,
	};
	struct apart_question question = {.work = symbols_apart_work,
					  .fd = fd,
					  .path = request->path,
					  .seconds = APART_SECONDS_OF_REPORT,
					  .answer_most = answer_most(apart_account(fd))};
	struct op_buffer bytes = {0};
	void *answer;

	op_buffer_put(&bytes, &head, sizeof(head));
	op_buffer_put(&bytes, request->path, head.path_size);
	op_buffer_put(&bytes, request->root, head.root_size);
	op_buffer_check(&bytes);
	question.bytes = bytes.bytes;
	question.length = bytes.used;
	answer = apart_ask(&question, length, error);
	op_buffer_free(&bytes);
	return answer;
}

bool pp_symbols_read_apart(struct pp_symbols *symbols, const struct pp_symbols_request *request,
			   enum pp_symbols_status *status, struct op_error *error)
{
	int fd = foreign_open(request->path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	uint64_t account;
	size_t length = 0;
	void *answer;

	if (fd < 0 || !apart_is_needed(fd, request->path)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	answer = symbols_request_ask(request, fd, &length, error);
	account = apart_account(fd);
	close(fd);
	if (!answer) {
		*status = PP_SYMBOLS_DAMAGED;
	} else if (!symbols_take(symbols, answer, length, status, error)) {
		*status = PP_SYMBOLS_DAMAGED;
		op_error_set(error, EBADMSG, "reading it gave no symbols");
	} else {
		keep(symbols, account, length, status, error);
	}
	return true;
}
