/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which samples are separated into sample files of their own (--separate-*): by application, by
 * thread, by CPU.  What is not separated is added up.
 */
#ifndef DAEMON_COUNT_SEPARATION_H
#define DAEMON_COUNT_SEPARATION_H

#include <stdbool.h>

#include "context.h"
#include "daemon/images/image.h"
#include "libop/session/sample_name.h"
#include "daemon/files/sample_key.h"

struct separation {
	bool lib;    /* samples of libraries, by application */
	bool kernel; /* samples in kernel mode, by application */
	bool thread; /* by process and thread */
	bool cpu;
};

/**
 * separation_application - the application below which samples of an image are stored
 * @is_kernel: whether they were taken in kernel mode
 * @program: the program of the process, or NULL if it is unknown
 *
 * Return: @image itself, @program, or NULL if the program is needed and unknown.
 */
static inline struct image *separation_application(const struct separation *separation,
						   struct image *image, bool is_kernel,
						   struct image *program)
{
	bool separate = is_kernel ? separation->kernel : separation->lib;

	return separate || image->id.kind == OP_IMAGE_ANON ? program : image;
}

/* True if @context tells all that samples are separated by. */
static inline bool separation_is_known(const struct separation *separation,
				       const struct context *context)
{
	return (context->has_cpu || !separation->cpu) && (context->has_task || !separation->thread);
}

/* Sets tgid, tid and cpu of the key of a sample file. */
static inline void separation_apply(const struct separation *separation,
				    const struct context *context, struct sample_key *key)
{
	key->tgid = separation->thread ? context->tgid : OP_ALL;
	key->tid = separation->thread ? context->tid : OP_ALL;
	key->cpu = separation->cpu ? context->cpu : OP_ALL;
}

#endif
