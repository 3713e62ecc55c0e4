/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the kernel can be asked for the build-ids of what processes map.
 */
#ifndef DAEMON_SOURCES_PERF_BUILD_IDS_H
#define DAEMON_SOURCES_PERF_BUILD_IDS_H

#include <stdbool.h>

/**
 * perf_build_ids_leak - whether asking for build-ids changes records of other programs' events
 *
 * Linux 6.18, for one, marks the records of all events that see a mapping as having a build-id once
 * one of the events wants it: each "perf record" of a perf that does not expect it aborts.  This is
 * found out by two events of this thread, once.
 *
 * Return: false also if such events cannot be opened here.
 */
bool perf_build_ids_leak(void);

#endif
