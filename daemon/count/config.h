/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to count, and which samples get sample files of their own.
 */
#ifndef DAEMON_COUNT_CONFIG_H
#define DAEMON_COUNT_CONFIG_H

#include "daemon/budget/budget.h"
#include "daemon/images/kernel.h"
#include "libop/base/strings.h"
#include "separation.h"

struct profile_config {
	const char *session_dir;
	const char *events;	  /* as of --events; NULL: those of the source */
	const char *command_line; /* of this process, for the reader of reports; may be NULL */
	struct op_strings filter; /* as of images::filter */
	struct kernel_config kernel;
	struct separation separation;
	struct budget_config budget;
	bool discards; /* samples are for the feed (feed.h), and are not stored */
	bool packs; /* files that are idle are packed; at the end, profile_pack() does it */
};

#endif
