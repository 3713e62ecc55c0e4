// SPDX-License-Identifier: GPL-2.0-or-later
/* Questions about files: see question.h. */
#include "question.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/foreign/confined.h"

void *question_ask(int fd, const char *path, apart_work *work, struct op_reader *reader,
		   struct op_error *error)
{
	const struct apart_question question = {.work = work,
						.fd = fd,
						.path = path,
						.bytes = path,
						.length = strlen(path) + 1,
						.seconds = APART_SECONDS_OF_REPORT,
						.answer_most = ANSWER_MOST};
	struct op_error cause;
	size_t length;
	uint32_t code;
	void *answer;

	confined_file_most = ANSWER_MOST; /* packs are joined in memory */
	answer = apart_or_here(&question, &length, &cause);
	close(fd);
	if (!answer) {
		op_error_set(error, cause.code, "%s: %s", path, cause.text);
		return NULL;
	}
	*reader = op_reader_of(answer, length, false);
	code = op_reader_u32(reader);
	if (!reader->failed && !code)
		return answer;
	op_error_set(error, code ? (int)code : EBADMSG, "%s",
		     code ? op_reader_text(reader, op_reader_left(reader)) : path);
	free(answer);
	return NULL;
}

const char *question_path(struct op_reader *question)
{
	return op_reader_text(question, op_reader_left(question));
}

void question_fail(struct op_buffer *answer, int code, const char *text)
{
	op_buffer_u32(answer, (uint32_t)code);
	op_buffer_put(answer, text, strlen(text) + 1);
}
