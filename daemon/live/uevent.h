/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel tells of devices that come and go: here, of CPUs.
 *
 * Between two looks at the list of CPUs, one can have gone and come back, and the list is the same.
 * These messages wait for us until we read them.
 */
#ifndef DAEMON_UEVENT_H
#define DAEMON_UEVENT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * uevent_open - listen to the kernel
 *
 * Return: a descriptor that is readable when a device has come or gone, or -1 where that is
 * refused, as in some containers.
 */
int uevent_open(void);

/**
 * uevent_take - read all that was told
 * @fd: of uevent_open()
 *
 * Return: whether any CPU went online or offline; also if messages were lost, so that one may have.
 */
bool uevent_take(int fd);

/* Whether the message, which need not end with NUL, is of a CPU that went online or offline. */
bool uevent_is_cpu(const char *message, size_t size);

#endif
