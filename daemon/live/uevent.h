/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of the kernel about CPUs that go online or offline.
 *
 * The list of online CPUs does not show a CPU that went offline and came back between two reads of
 * it.  Messages wait until they are read.
 */
#ifndef DAEMON_LIVE_UEVENT_H
#define DAEMON_LIVE_UEVENT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * uevent_open - subscribe to messages
 *
 * Return: a descriptor that is readable when there are messages, or -1 where they are
 * refused, as in some containers.
 */
int uevent_open(void);

/**
 * uevent_read - read all messages
 * @fd: of uevent_open()
 *
 * Return: true if a CPU went online or offline, or if messages were lost.
 */
bool uevent_read(int fd);

/* Whether a message is about a CPU that went online or offline; it need not end with NUL. */
bool uevent_is_cpu(const char *message, size_t size);

#endif
