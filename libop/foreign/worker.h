/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process apart (apart.h), as its parent has it: started, asked, waited for, ended.  One thread
 * at a time.
 */
#ifndef LIBOP_FOREIGN_WORKER_H
#define LIBOP_FOREIGN_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "libop/base/error.h"
#include "question.h"

/* struct worker_talk - a question that was asked, and as much of the answer as has come */
struct worker_talk {
	bool is_open; /* it has not been answered, or nobody has taken the answer */
	bool is_answered;
	uint64_t key; /* what was asked */
	size_t answer_most;
	double seconds, computed, begun;
	uint64_t length; /* of the answer */
	size_t n_length; /* bytes of that number that have come */
	struct op_buffer answer;
	const char *reason; /* why the process must end; NULL: it has ended */
};

/* All zero, but for whose files it reads: there is no process yet. */
struct worker {
	bool is_known;
	uid_t user;
	dev_t device; /* of files whose user is not known: containers do not share a process */
	uint64_t account;
	pid_t pid; /* 0: there is none */
	int socket;
	clockid_t clock;    /* of what it computes */
	uint64_t questions; /* that it has answered */
	uint64_t last_use;
	struct worker_talk talk;
	double spent; /* seconds, on the question that failed last */
};

/* How much memory, in bytes, a process may allocate; where this one has a limit, a quarter of it
 * (foreign_memory_most()) if that is less. */
extern uint64_t worker_memory_most;

enum worker_progress { WORKER_ANSWERED, WORKER_WAITING, WORKER_FAILED };

/* Seconds of a clock. */
double worker_clock(clockid_t clock);

/**
 * worker_ask - ask a process, which is started if there is none, and has no open question
 * @key: for the caller
 *
 * Return: 0, or -1 with @error set; there may be no process any more then.
 */
int worker_ask(struct worker *worker, const struct apart_question *question, uint64_t key,
	       struct op_error *error);

/**
 * worker_wait - wait for the answer, which is in worker->talk then
 * @seconds: how long; INFINITY: until the process takes too long
 */
enum worker_progress worker_wait(struct worker *worker, double seconds);

/* Frees the answer: the process may be asked something else. */
void worker_drop_talk(struct worker *worker);

/* Ends a process whose question failed.  Return: -1 with @error set to why. */
int worker_fail(struct worker *worker, struct op_error *error);

/**
 * worker_end - end a process, and forget its question
 *
 * One that does not end although it is killed waits for a file system that does not answer: no
 * other is started for its account, nor for anybody while 64 are so.
 *
 * Return: its status, as of waitpid(2).
 */
int worker_end(struct worker *worker);

/* After fork(): those that did not end are another process's. */
void worker_forget_lasting(void);

#endif
