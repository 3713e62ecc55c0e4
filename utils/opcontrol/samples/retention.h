/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long saved sessions are kept: --saved-days and --saved-size.
 *
 * Each --save removes sessions that are too old and then, the oldest first, those beyond the size.
 * The live samples, the session that was just saved, and those that are being read stay, and are
 * part of the size.  A session is as old as the last change of its directory samples/NAME, which
 * saving is.
 */
#ifndef UTILS_OPCONTROL_SAMPLES_RETENTION_H
#define UTILS_OPCONTROL_SAMPLES_RETENTION_H

#include <stdint.h>

#include "libop/base/error.h"

/* What saved sessions may have; 0: no limit. */
struct retention_limits {
	uint64_t days; /* of age */
	uint64_t size; /* MiB, of all together, in blocks of the disk */
};

/**
 * retention_apply - remove saved sessions beyond limits
 * @saved: the name of the session that was just saved
 *
 * Prints the name of each, and why.  Without limits, nothing is looked at.
 *
 * Return: 0, or -1 with @error set: a session could not be measured or removed; others may be
 * removed by then, but none in part that is still one.
 */
int retention_apply(const char *session_dir, const struct retention_limits *limits,
		    const char *saved, struct op_error *error);

#endif
