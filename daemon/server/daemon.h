/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon at work: waits for samples, signals, commands and the clock.
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "control.h"
#include "options.h"
#include "daemon/count/profile.h"

struct daemon {
	const struct options *options;
	struct source *source;
	struct profile profile;
	struct control_server server;
	int lock, epoll, signals, timer; /* descriptors, -1 if closed */
	char *log, *complete_dump;	 /* paths */
	time_t started;
	bool serving; /* the control socket is there */
	bool done;
	bool failed; /* the samples ended in an error */
};

/**
 * daemon_open - get ready to work
 * @daemon: filled in, also on error; daemon_close() ends all
 *
 * The signals that the daemon handles must be blocked: daemon_block_signals().
 *
 * Return: 0, or -1 with @error set.
 */
int daemon_open(struct daemon *daemon, const struct options *options, struct op_error *error);

/* Works until a signal or the end of a recording.  Return: 0, or -1 after an error. */
int daemon_run(struct daemon *daemon);

/* Writes the statistics, if it was opened, and leaves nothing behind but the session. */
void daemon_close(struct daemon *daemon);

/* Blocks the signals that the daemon takes from a descriptor. */
void daemon_block_signals(void);

#endif
