/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The context of samples: what the records before them say.
 */
#ifndef DAEMON_COUNT_CONTEXT_H
#define DAEMON_COUNT_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

struct image;

enum context_mode { CONTEXT_NO_MODE, CONTEXT_KERNEL, CONTEXT_USER };

struct context {
	enum context_mode mode;
	bool has_cpu, has_task;
	int32_t cpu, tid, tgid;
	uint64_t app, cookie;  /* cookies: of the program, and of the image that is mapped */
	struct image *program; /* of @app, if @program_known; NULL: unknown to the source */
	bool program_known;
};

#endif
