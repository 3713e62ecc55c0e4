/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the samples of a session were taken.
 *
 * A session has the time of its beginning in OP_SAMPLES_ORIGIN ("start-time NS"), and once the
 * daemon has closed it by the clock that of its end ("end-time NS").  Such a session is named by
 * both, in UTC, so that names sort as times: 20261128T150000Z-20261128T151000Z.
 */
#ifndef LIBOP_CLOSED_TIMES_H
#define LIBOP_CLOSED_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"

/* Nanoseconds since 1970, by the clock of the machine, which may have been set in between. */
struct session_times {
	uint64_t begin, end; /* @end 0: it has not ended, or is not known */
};

#define SESSION_TIMES_NAME_MOST 40

/* How often a session can be closed, in seconds: what one costs is some tenths of a second, and
 * sessions of more than a day are what --save is for. */
#define CLOSE_EVERY_LEAST 1
#define CLOSE_EVERY_MOST  86400

/**
 * session_times_read - read when the samples of a session were taken
 * @samples_dir: its samples/NAME
 *
 * Return: false if it does not say: sessions of OProfile, and of recordings without a time.
 */
bool session_times_read(const char *samples_dir, struct session_times *times);

/**
 * session_times_end - write when a session of this daemon has ended
 *
 * Return: 0, or -1 with @error set; then the session is as it was.
 */
int session_times_end(const char *samples_dir, uint64_t end, struct op_error *error);

/* The name of a closed session, as of samples_check_name(). */
void session_times_name(const struct session_times *times, char name[SESSION_TIMES_NAME_MOST]);

/* Whether a name is one of session_times_name(), perhaps with the ".N" of a second one. */
bool session_times_is_name(const char *name);

#endif
