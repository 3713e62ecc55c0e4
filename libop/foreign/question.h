/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process apart (apart.h) is asked.
 */
#ifndef LIBOP_FOREIGN_QUESTION_H
#define LIBOP_FOREIGN_QUESTION_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/buffer.h"
#include "libop/base/reader.h"

/**
 * apart_work - a kind of work, which is done in the process
 * @fd: the file; it is closed afterwards
 * @question: what apart_ask() was given; its bytes are gone afterwards
 * @answer: to be filled in
 *
 * What it keeps in static variables is there at the next question, unless the process had to be
 * started again.
 */
typedef void apart_work(int fd, struct op_reader *question, struct op_buffer *answer);

struct apart_question {
	apart_work *work;
	int fd;		  /* the file */
	const char *path; /* of the file: one in a container is not read with the rights of root */
	const void *bytes;
	size_t length;
	unsigned int seconds; /* that it may compute; it ends after three times as many, too */
	size_t answer_most;   /* bytes */
};

#endif
