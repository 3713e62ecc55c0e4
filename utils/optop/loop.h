/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loops of optop: on a terminal, and without one.
 */
#ifndef UTILS_OPTOP_LOOP_H
#define UTILS_OPTOP_LOOP_H

#include "libop/base/error.h"
#include "request.h"
#include "source.h"

/* Blocks the signals that the loops take, before threads and children are made. */
void loop_block_signals(void);

/**
 * loop_run - show pictures until the user, a signal or the number of pictures ends it
 * @signal: set to the signal that ended it; 0: none
 *
 * Return: 0, or -1 with @error set.
 */
int loop_run(const struct request *request, struct model *model, struct source *source, int *signal,
	     struct op_error *error);

#endif
