/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session's note of where its samples came from: OP_SAMPLES_SOURCE.
 */
#ifndef DAEMON_ORIGIN_H
#define DAEMON_ORIGIN_H

#include "daemon/sources/source.h"

/**
 * origin_save - add the source, its CPU type and events to a session, unless they are there
 * @dir: samples/NAME of the session
 * @events: as of --events
 *
 * What goes wrong is logged.
 */
void origin_save(const char *dir, const struct source *source, const char *events);

#endif
