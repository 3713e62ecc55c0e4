/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an import asks about a file or directory: a process apart if it is not root's own.
 */
#ifndef PP_ARCHIVE_QUESTION_H
#define PP_ARCHIVE_QUESTION_H

#include <stddef.h>

#include "libop/base/error.h"
#include "libop/foreign/apart.h"

/* Bytes of an answer that has a gigabyte of content. */
#define ANSWER_MOST ((UINT64_C(1) << 30) + 4096)

/**
 * question_ask - have work done on an open file; the question is its path
 * @fd: closed
 * @work: answers a code, then what it is about, or if the code is not 0 the text of an error
 * @reader: set to what follows the code
 *
 * Return: the answer, which the caller frees, or NULL with @error set.
 */
void *question_ask(int fd, const char *path, apart_work *work, struct op_reader *reader,
		   struct op_error *error);

/* The path, in the work. */
const char *question_path(struct op_reader *question);

/* Answers an error. */
void question_fail(struct op_buffer *answer, int code, const char *text);

#endif
