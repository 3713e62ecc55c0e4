/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a daemon has profiled, noted each second in OP_SAMPLES_ALIVE: its account is written
 * each ten seconds, so one that is killed would leave a session of fewer seconds than its samples
 * are of.  The file is removed when the daemon ends.
 */
#ifndef LIBOP_SESSION_ALIVE_H
#define LIBOP_SESSION_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

/* Milliseconds of the whole session, as of its account. */
struct op_alive_times {
	uint64_t profiling_ms, cpu_ms;
};

/* The file in the directory of a session's samples, to be written; created if there is none.
 * Return: a descriptor, or -1 with errno set. */
int op_alive_open(const char *samples_dir);

/* Notes the times; what fails is tried again the next time.  @fd: may be -1. */
void op_alive_write(int fd, const struct op_alive_times *times);

/* Return: whether a daemon left the file, and @times are set. */
bool op_alive_read(const char *samples_dir, struct op_alive_times *times);

/* Closes the file of a session that was moved or removed; what it notes counts no more. */
void op_alive_close(int fd);

/* Closes @fd, which may be -1, and removes the file. */
void op_alive_end(int fd, const char *samples_dir);

#endif
