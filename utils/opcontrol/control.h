/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One call of opcontrol: the request, the settings, and the daemon of the session.
 */
#ifndef UTILS_OPCONTROL_CONTROL_H
#define UTILS_OPCONTROL_CONTROL_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "request.h"
#include "setting.h"

struct control {
	const struct request *request;
	struct settings settings; /* the daemon's, or what it would be started with */
	bool pending;		  /* other settings wait in daemonrc_new for the daemon's end */
	pid_t daemon;		  /* 0: none runs in settings.session_dir */
	const char *source; /* of its samples, or of the next one's: perf, module, recording */
	pid_t killed;	    /* the last daemon, if it did not end by itself; else 0 */
	bool unsaved;	    /* the settings are to be saved once the daemon has started */
	int pidfd;	    /* of the daemon, or -1 */
	int lock;	    /* other calls wait until it is closed */
	char *dir;	    /* of daemonrc */
};

/**
 * control_open - read the settings, apply the request, and find the daemon
 * @usage: set to true if the error is one of the command line, and nothing was changed
 *
 * Return: 0, or -1 with @error set.  control_close() in any case.
 */
int control_open(struct control *control, const struct request *request, bool *usage,
		 struct op_error *error);
/* Saves settings that waited for the start of the daemon: 0, or -1 with @error set. */
int control_keep(struct control *control, struct op_error *error);

/* Whether the daemon, or the next one, has its samples from the module. */
bool control_uses_module(const struct control *control);

void control_close(struct control *control);

#endif
