/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work on files that others own, for root, in processes apart (confined.h): one for each owner,
 * which is started when it is first needed, and asked until this process ends.
 *
 * A file reaches the process as a descriptor that the door (door.h) has opened; what is asked and
 * what is answered are bytes.  An answer is as little to be trusted as the file.
 */
#ifndef LIBOP_FOREIGN_APART_H
#define LIBOP_FOREIGN_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/buffer.h"
#include "libop/base/error.h"
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
	unsigned int seconds; /* that it may compute; it may take three times as long */
	size_t answer_most;   /* bytes */
};

/* What a report waits for at most, in seconds, and what stops the daemon at most. */
#define APART_SECONDS_OF_REPORT 20
#define APART_SECONDS_OF_DAEMON 2

/* How much memory, in bytes, a process may allocate. */
extern uint64_t apart_memory_most;

/**
 * apart_is_needed - whether the work on a file takes a process of its own
 * @path: may be NULL
 *
 * Return: false if this process is not root's, or the file is root's own, which nobody else may
 * write to, and no container's.
 */
bool apart_is_needed(int fd, const char *path);

/**
 * apart_ask - have work done apart, and wait for the answer
 *
 * After some failures of one owner's files within ten minutes, further ones of that owner are
 * refused: they cost no time.
 *
 * Return: the answer, of malloc(), which the caller frees; or NULL with @error set: the process
 * died, computed for too long, or answered too much.
 */
void *apart_ask(const struct apart_question *question, size_t *length, struct op_error *error);

/**
 * apart_or_here - as apart_ask() if apart_is_needed(), or else do the work in this process
 *
 * One way to read a file, whoever owns it: the caller takes the same answer from both.
 */
void *apart_or_here(const struct apart_question *question, size_t *length, struct op_error *error);

/* How many questions had no answer. */
unsigned long apart_failures(void);

/**
 * apart_warn - say that files cost what could not be read of them
 * @what: such as "call frame information"
 *
 * One line at the first failure, the second, the fourth, and so on.
 */
void apart_warn(const char *what, const char *reason);

/* Ends the processes, which end with this one anyway. */
void apart_end(void);

#endif
