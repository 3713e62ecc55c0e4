/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files OP_SAMPLES_SOURCE and OP_SAMPLES_ORIGIN of a session: what took its samples; and where,
 * when and by which command.
 */
#ifndef DAEMON_COUNT_ORIGIN_H
#define DAEMON_COUNT_ORIGIN_H

#include "daemon/sources/source.h"
#include "libop/events/spec.h"

/**
 * origin_save - add the source, its CPU type and events to a session, unless they are there
 * @dir: samples/NAME of the session
 * @events: those that are counted
 * @command_line: of this process; NULL: not said
 *
 * Of a source that is live, also the machine, the time and the command line, where the session does
 * not say so already; then the time is that of its first samples.
 *
 * Errors are logged.
 */
void origin_save(const char *dir, const struct source *source, const struct op_events *events,
		 const char *command_line);

/*
 * Adds which backend of the source takes the samples now, and why that one, to the session in
 * @dir; nothing where the source does not say.  Errors are logged.
 */
void origin_save_backend(const char *dir, struct source *source);

#endif
