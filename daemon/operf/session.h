/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session that operf fills.
 */
#ifndef OPERF_SESSION_H
#define OPERF_SESSION_H

#include <stdbool.h>

#include "libop/base/error.h"

#define SESSION_PREVIOUS "previous"	     /* the samples of the run before, below samples */
#define SESSION_LOG	 "samples/operf.log" /* below the session directory */

/**
 * session_begin - make the session, take its lock and, unless @append, put older samples aside
 *
 * Samples of the run before become samples/previous, in the place of those of an earlier one.
 *
 * Return: the lock, for lock_release(), or -1 with @error set.
 */
int session_begin(const char *dir, bool append, struct op_error *error);

#endif
