/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file OP_SAMPLES_SOURCE of a session: where its samples came from.
 */
#ifndef DAEMON_COUNT_ORIGIN_H
#define DAEMON_COUNT_ORIGIN_H

#include "daemon/sources/source.h"

/**
 * origin_save - add the source, its CPU type and events to a session, unless they are there
 * @dir: samples/NAME of the session
 * @events: as of --events
 *
 * Errors are logged.
 */
void origin_save(const char *dir, const struct source *source, const char *events);

#endif
