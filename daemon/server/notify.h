/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to the service manager that has started this process, or its parent: datagrams to the
 * socket $NOTIFY_SOCKET, as sd_notify(3) describes them.  Without that variable nothing is sent.
 */
#ifndef DAEMON_SERVER_NOTIFY_H
#define DAEMON_SERVER_NOTIFY_H

#include <stdint.h>

/* Sends lines like "READY=1".  A manager that does not listen is no error. */
void op_notify(const char *lines);

/*
 * The microseconds after which the manager kills a service that has not sent "WATCHDOG=1"; 0:
 * never.  $WATCHDOG_PID is not compared: it names the process that has started the daemon.
 */
uint64_t op_notify_watchdog(void);

#endif
