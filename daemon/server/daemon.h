/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The main loop of the daemon: waits for samples, signals, commands and the timer.
 */
#ifndef DAEMON_SERVER_DAEMON_H
#define DAEMON_SERVER_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "closer.h"
#include "metrics.h"
#include "control.h"
#include "options.h"
#include "syncer.h"
#include "daemon/count/profile.h"

struct daemon {
	const struct options *options;
	struct source *source;
	struct profile profile;
	struct control_server server;
	struct syncer syncer;
	struct closer closer;
	struct metrics metrics;
	int lock, epoll, signals, timer, watchdog; /* descriptors, -1 if closed */
	char *session;				   /* of op_session_open() */
	char *log, *complete_dump;		   /* paths */
	time_t started;
	bool serving; /* the control socket exists */
	bool done;
	bool failed; /* samples ended with an error */
};

/**
 * daemon_open - prepare everything
 * @daemon: filled in, also on error; daemon_close() frees what it holds
 *
 * The signals that the daemon handles must be blocked: daemon_block_signals().
 *
 * Return: 0, or -1 with @error set.
 */
int daemon_open(struct daemon *daemon, const struct options *options, struct op_error *error);

/* Runs until a signal or the end of a recording.  Return: 0, or -1 after an error. */
int daemon_run(struct daemon *daemon);

/* Closes the session, if it was opened, and removes the control socket. */
void daemon_close(struct daemon *daemon);

/* Blocks the signals that the daemon takes from a descriptor. */
void daemon_block_signals(void);

#endif
