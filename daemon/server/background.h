/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Going to the background, so that the command returns when the daemon is ready, or with its
 * error message and status when it could not start.
 */
#ifndef DAEMON_BACKGROUND_H
#define DAEMON_BACKGROUND_H

/**
 * background_start - go on in a process of its own
 *
 * Returns in the new process only, with a session of its own and a descriptor for
 * background_ready().  The old one waits and then ends the program: with status 0 when
 * background_ready() was called, and else with that of the new process, which has said on
 * stderr what went wrong.
 *
 * Return: the descriptor, or -1 and errno, in the old process.
 */
int background_start(void);

/* Lets the old process end.  @fd is closed. */
void background_ready(int fd);

#endif
