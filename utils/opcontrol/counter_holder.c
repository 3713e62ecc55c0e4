// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel does not report what holds a counter.  It is perf in the end: for the NMI watchdog,
 * which takes one on every CPU, or for a process that has perf events open.  While it has any
 * hardware event, it holds all counters.
 */
#include "counter_holder.h"

#include <stdio.h>
#include <stdlib.h>

#include "libop/base/file.h"

#define NMI_WATCHDOG "/proc/sys/kernel/nmi_watchdog"
#define PERF_LINK    "anon_inode:[perf_event]" /* where /proc/PID/fd/N of a perf event points */

void counter_holders_find(struct counter_holders *holders)
{
	char *text = op_file_read(NMI_WATCHDOG, 64, NULL, NULL);

	*holders = (struct counter_holders){.nmi_watchdog = text && *text == '1'};
	free(text);
	holders->perf = holder_find(PERF_LINK, holders->perf_name);
}

void counter_holders_explain(const struct counter_holders *holders, char *text, size_t size)
{
	char process[64 + HOLDER_NAME_SIZE] = "";

	if (holders->perf)
		snprintf(process, sizeof(process), "process %d (%s) has perf events open: end it",
			 holders->perf, holders->perf_name);
	if (holders->nmi_watchdog)
		snprintf(text, size,
			 "the NMI watchdog is on and holds counters: "
			 "\"sysctl kernel.nmi_watchdog=0\" frees them%s%s",
			 *process ? "; " : "", process);
	else if (*process)
		snprintf(text, size, "%s", process);
	else
		snprintf(text, size,
			 "the NMI watchdog is off and no process has perf events open: what held "
			 "them when oprofilefs was mounted may be gone, and a start tries again");
}
