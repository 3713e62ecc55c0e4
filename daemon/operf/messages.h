/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What operf says on stderr of a run. */
#ifndef DAEMON_OPERF_MESSAGES_H
#define DAEMON_OPERF_MESSAGES_H

#include "run.h"

/* "operf: sampling the system by cpu-clock, with call chains; Ctrl-C ends it" */
void messages_begin(const struct run *run);

/*
 * For struct collect: rewrites a line with what there is so far; @context is the run.  Not for a
 * run with a command, which writes to the same terminal.
 */
void messages_progress(void *context);
void messages_end_progress(const struct run *run);

/* At the end: samples stored and lost, where to look at them, and a warning of each kind of time
 * that is missing. */
void messages_end(const struct run *run);

/* The hottest functions and lines, and by which commands to go on.  That they can't be shown is a
 * warning: the profile is there. */
void messages_show_hottest(const struct request *request);

#endif
