/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names and cgroups of running threads, from /proc.
 */
#ifndef UTILS_OPTOP_TASKS_H
#define UTILS_OPTOP_TASKS_H

#include "model.h"

/* Threads that are read at most in one interval, and seconds after which they are read again. */
#define TASKS_READ_MOST	 256
#define TASKS_READ_AGAIN 10

/* Describes the threads of the model that had samples since they were described. */
void tasks_describe(struct model *model);

#endif
