/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of operf: what it profiles, and where the samples go. */
#ifndef DAEMON_OPERF_RUN_H
#define DAEMON_OPERF_RUN_H

#include <time.h>

#include "collect.h"
#include "daemon/sources/perf/perf.h"
#include "libop/perf/command.h"
#include "libop/perf/event.h"
#include "request.h"

struct run {
	const struct request *request;
	struct op_perf_events events;
	struct command command;
	struct source *source;
	struct profile profile;
	struct collect collect;
	char *session;	 /* of op_session_open() */
	int lock;	 /* of the session; -1: not taken */
	int messages;	 /* where stderr was before it became the log */
	bool appends;	 /* there were samples, to which those of this run are added */
	bool user_only;	 /* no event samples the kernel */
	bool is_watched; /* somebody reads the messages, on a terminal */
	struct timespec begun;
};

#endif
