/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long sessions are kept that have ended: opcontrol's --saved-days and --saved-size.
 *
 * Each --save, and each session that the daemon closes by the clock, removes sessions that are too
 * old and then, the oldest first, those beyond the size.  The live samples, the session that was
 * just saved, and those that are being read stay.  What is being read and would go counts as gone,
 * so that no newer one goes in its place: it goes with a later call.  Of such sessions as much
 * stays as the size is, beyond it: readers may not fill the disk.  A session is as old as the last
 * change of its directory samples/NAME, which saving is.
 */
#ifndef LIBOP_CLOSED_RETENTION_H
#define LIBOP_CLOSED_RETENTION_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"

/* What saved sessions may have; 0: no limit. */
struct retention_limits {
	uint64_t days; /* of age */
	uint64_t size; /* MiB, of all together, in blocks of the disk */
};

/* What there is of saved sessions. */
struct retention_usage {
	size_t sessions;
	uint64_t bytes; /* in blocks of the disk */
	int64_t oldest; /* seconds since 1970 */
};

/* Return: 0, or -1 with @error set; a session directory that is missing has no sessions. */
int retention_measure(const char *session_dir, struct retention_usage *usage,
		      struct op_error *error);

/* Told what was removed: "Removed NAME, which is older than 7 days." */
typedef void retention_report(const char *text);

/**
 * retention_apply - remove saved sessions beyond limits
 * @saved: the name of the session that was just saved
 * @report: told the name of each, and why
 *
 * Without limits, nothing is looked at.
 *
 * Return: 0, or -1 with @error set: a session could not be measured or removed; others may be
 * removed by then, but none in part that is still one.
 */
int retention_apply(const char *session_dir, const struct retention_limits *limits,
		    const char *saved, retention_report *report, struct op_error *error);

#endif
