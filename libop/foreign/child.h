/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other side of apart.h: a process that answers questions about files.
 *
 * A question is a head, which comes with the descriptor of the file, and its bytes.  An answer is
 * its length, as 64 bits, and its bytes.
 */
#ifndef LIBOP_FOREIGN_CHILD_H
#define LIBOP_FOREIGN_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#include "question.h"

struct apart_head {
	apart_work *work; /* at the same address in the child */
	uint64_t length;
};

/**
 * apart_child_run - confine this process, and answer questions until there are no more
 * @user: whose files it may read
 * @memory: bytes that it may allocate
 * @seconds: that it may compute, in all
 * @socket: where questions come from
 */
_Noreturn void apart_child_run(uid_t user, uint64_t memory, unsigned int seconds, int socket);

#endif
