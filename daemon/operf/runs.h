/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several runs of a command, each with a session of its own (--runs).
 */
#ifndef DAEMON_OPERF_RUNS_H
#define DAEMON_OPERF_RUNS_H

#include "request.h"

/**
 * runs_do - run the command @request->runs times, one after the other
 * @profile: profiles one run, in a process of its own: no run sees what the one before has changed
 * of it, such as signals and limits.  Returns its exit status.
 *
 * A run that fails, or a signal that ends programs, is the end of the series.  Such a signal is
 * passed on to the run.
 *
 * Return: the exit status of the first run that failed, or 0; 128 and the number of the signal, if
 * the run that it was passed on to has not failed.
 */
int runs_do(const struct request *request, int (*profile)(const struct request *request));

#endif
