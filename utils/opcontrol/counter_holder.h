/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What may hold counters that the driver does not offer, and how to free them.
 */
#ifndef UTILS_OPCONTROL_COUNTER_HOLDER_H
#define UTILS_OPCONTROL_COUNTER_HOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "holder.h"

/* Read from the system or, in tests, made up. */
struct counter_holders {
	bool nmi_watchdog; /* it is switched on */
	pid_t perf;	   /* a process that has perf events open, or 0 */
	char perf_name[HOLDER_NAME_SIZE];
};

void counter_holders_find(struct counter_holders *holders);

/* Writes the names of the holders and how to free the counters. */
void counter_holders_explain(const struct counter_holders *holders, char *text, size_t size);

#endif
