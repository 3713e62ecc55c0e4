/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that were counted, whether they brought samples or not. */
#ifndef PP_SELECT_SESSION_EVENTS_H
#define PP_SELECT_SESSION_EVENTS_H

#include "libop/events/spec.h"

/**
 * pp_session_events_read - the events that the daemon of a session counted
 * @samples_dir: SESSION/samples/NAME
 * @events: those of its file OP_SAMPLES_SOURCE are added; op_events_free() frees them
 */
void pp_session_events_read(const char *samples_dir, struct op_events *events);

#endif
