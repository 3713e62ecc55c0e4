/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemon's proof to the service manager that its main loop turns. */
#ifndef DAEMON_SERVER_WATCHDOG_H
#define DAEMON_SERVER_WATCHDOG_H

/*
 * watchdog_open - a timer that is readable twice in each period of the manager's watchdog
 *
 * Return: its descriptor, which the caller closes; -1 if there is no watchdog, or no timer.
 */
int watchdog_open(void);

/* Takes what the timer @fd has, and says that the daemon lives. */
void watchdog_answer(int fd);

#endif
