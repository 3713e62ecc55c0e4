// SPDX-License-Identifier: GPL-2.0-or-later
/* Finding and naming what holds counters, and how to free them. */
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/syscall.h>

#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "utils/opcontrol/counter_holder.h"

TEST(holders_are_named_with_a_remedy)
{
	static const struct {
		struct counter_holders holders;
		const char *texts[3];
	} cases[] = {
		{{.nmi_watchdog = true},
		 {"the NMI watchdog is on", "sysctl kernel.nmi_watchdog=0", "frees them"}},
		{{.perf = 812, .perf_name = "perf"}, {"process 812 (perf)", "end it", ""}},
		{{.nmi_watchdog = true, .perf = 812, .perf_name = "perf"},
		 {"kernel.nmi_watchdog=0", "; ", "process 812 (perf)"}},
		{{0}, {"the NMI watchdog is off", "no process has perf events open",
		       "a start tries again"}},
	};
	char text[512];

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		counter_holders_explain(&cases[i].holders, text, sizeof(text));
		for (int k = 0; k < 3; k++) {
			if (!strstr(text, cases[i].texts[k]))
				fail_msg("case %zu: \"%s\" is not in: %s", i, cases[i].texts[k],
					 text);
		}
	}
}

TEST(a_process_with_perf_events_is_found)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.exclude_kernel = 1,
	};
	struct counter_holders holders;
	int ready[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0)
			_exit(1);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) == 1) {
		counter_holders_find(&holders);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		/* there may be another one */
		assert_true(holders.perf > 0);
		assert_true(*holders.perf_name);
		close(ready[0]);
		return;
	}
	waitpid(pid, &status, 0);
	close(ready[0]);
	print_message("skipped: perf events cannot be opened here\n");
	skip();
}
