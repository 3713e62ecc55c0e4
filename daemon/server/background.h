/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the daemon in the background: the command returns when it is ready, or with its error
 * message and status when it could not start.
 */
#ifndef DAEMON_SERVER_BACKGROUND_H
#define DAEMON_SERVER_BACKGROUND_H

/**
 * background_start - continue in a new process
 *
 * Returns in the new process only, with a session of its own and a descriptor for
 * background_ready().  The old one waits and then exits: with status 0 when background_ready() was
 * called, else with that of the new process, which has written the error to stderr.
 *
 * Return: the descriptor, or -1 and errno, in the old process.
 */
int background_start(void);

/* Lets the old process exit.  @fd is closed. */
void background_ready(int fd);

#endif
