/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work on files that others own in processes apart (confined.h): one for each owner, which is
 * started when it is first needed, and asked until this process ends.  Whoever runs this program,
 * files of root and of that user are not others'.
 *
 * A file reaches the process as a descriptor that the door (door.h) has opened; what is asked and
 * what is answered are bytes.  An answer is as little to be trusted as the file.
 */
#ifndef LIBOP_FOREIGN_APART_H
#define LIBOP_FOREIGN_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "question.h"

/* What a report waits for at most, in seconds, and what stops the daemon at most. */
#define APART_SECONDS_OF_REPORT 20
#define APART_SECONDS_OF_DAEMON 2

/**
 * apart_is_needed - whether the work on a file takes a process of its own
 * @path: may be NULL
 *
 * Return: false if the file is root's own or this user's, which nobody else may write to
 * (foreign_is_trusted()), and no container's; also in such a process.
 */
bool apart_is_needed(int fd, const char *path);

/* Whose account (account.h) a file is on: a number for foreign_kept_left(). */
uint64_t apart_account(int fd);

/**
 * apart_ask - have work done apart, and wait for the answer
 *
 * After some failures of files of one account (account.h), or one that took 20 s, further ones of
 * that account are refused: they cost no time.
 *
 * Return: the answer, of malloc(), which the caller frees; or NULL with @error, which is not NULL,
 * set: the process died, computed for too long, or answered too much.  EAGAIN: it takes longer than
 * this process may wait (apart_wait_at_most()); whoever asks again soon may get the answer.
 */
void *apart_ask(const struct apart_question *question, size_t *length, struct op_error *error);

/**
 * apart_or_here - as apart_ask() if apart_is_needed(), or else do the work in this process
 *
 * One way to read a file, whoever owns it: the caller takes the same answer from both.
 */
void *apart_or_here(const struct apart_question *question, size_t *length, struct op_error *error);

/**
 * apart_wait_at_most - how long this process waits for answers
 * @each: seconds a minute for the files of one account
 * @all: seconds a minute for those of all accounts
 *
 * For a process that has other work: the daemon, whose samples wait meanwhile.  Each may be
 * INFINITY, as at first.
 */
void apart_wait_at_most(double each, double all);

/* Ends processes that have taken too long, without waiting: for a process that has said how long it
 * waits, from time to time. */
void apart_tend(void);

/* How many questions had no answer, but for EAGAIN. */
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
