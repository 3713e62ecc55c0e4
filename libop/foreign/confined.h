/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work on a foreign file in a process that can do nothing but read it and answer.
 */
#ifndef LIBOP_FOREIGN_CONFINED_H
#define LIBOP_FOREIGN_CONFINED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/error.h"

struct confined {
	uid_t user;	    /* whose rights it has */
	int fd;		    /* stays open in it, under the same number; or -1 */
	uint64_t memory;    /* bytes that it may allocate */
	unsigned int time;  /* seconds that it may compute; it may take ten times as long */
	size_t answer_most; /* bytes */
	/* Writes the answer to @out.  Called in the child; ends with its descriptors closed. */
	void (*work)(void *context, int out);
	void *context;
};

/**
 * confined_run - do work in a child, and wait for its answer
 *
 * The child has the rights of @user, no group, no privileges and no way to get any; @fd, @out and
 * no other descriptor; limits of memory and time; and system calls to read files and to allocate
 * memory.  Its environment has no servers of debug files.  Only root can confine.
 *
 * Return: the answer, which the caller frees, or NULL with @error set: the child was killed, or
 * answered too much.  An answer is as little to be trusted as the file.
 */
void *confined_run(const struct confined *confined, size_t *length, struct op_error *error);

#endif
