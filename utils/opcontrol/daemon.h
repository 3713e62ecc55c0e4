/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon oprofiled: is it there, starting it, asking it, ending it.
 */
#ifndef UTILS_OPCONTROL_DAEMON_H
#define UTILS_OPCONTROL_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"
#include "patience.h"
#include "setting.h"

#define DAEMON_NAME	   "oprofiled"
#define DAEMON_ENVIRONMENT "OPROFILE_DAEMON" /* another program to start */

/* Starts it so, and returns when it is ready: 0, or -1 with @error set. */
int daemon_start(const struct settings *settings, const char *events, const char *verbose,
		 struct op_error *error);

/**
 * daemon_dump - have all samples taken so far written to sample files
 * @patience: with a daemon that doesn't answer; NULL: without an end
 *
 * Return: 0, or -1 with @error set (ETIMEDOUT: no answer in time).
 */
int daemon_dump(const char *session_dir, struct patience *patience, struct op_error *error);

/**
 * daemon_end - end the daemon, and wait for its end
 * @pidfd: of the daemon
 * @patience: with which it begins, and after which it is killed
 *
 * Return: 0, 1 if it had to be killed, or -1 with @error set.
 */
int daemon_end(int pidfd, const struct patience *patience, struct op_error *error);

#endif
