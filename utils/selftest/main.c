// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oprofile-selftest: tells how far profiles can be trusted on this machine, with this event.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/base/option.h"
#include "libop/base/safe_text.h"
#include "machine.h"
#include "workloads.h"

#define SECONDS_DEFAULT 2

struct request {
	char *event, *callgraph;
	uint64_t frequency, seconds;
	bool keep;
};

static const struct op_option rows[] = {
	{"event", 'e', "EVENT", "what to sample, as operf takes it: NAME:COUNT",
	 OP_TEXT(struct request, event)},
	{"freq", 'F', "HZ", "samples per second, instead of a count",
	 OP_NUMBER(struct request, frequency, 1, 100000)},
	{"call-graph", 0, "METHOD",
	 "how operf takes call chains: fp (the default) or dwarf[,BYTES]",
	 OP_TEXT(struct request, callgraph)},
	{"seconds", 0, "N", "work so long for each check (2)",
	 OP_NUMBER(struct request, seconds, 1, 600)},
	{"keep", 0, NULL, "leave the sessions, and say where they are",
	 OP_FLAG(struct request, keep)},
	OP_OPTION_VERSION('v'),
	{0}};

static int selftest_parse(struct request *request, int argc, const char **argv,
			  struct op_error *error)
{
	const struct op_option_table tables[] = {{rows, request, NULL}, {0}};

	if (op_options_read(tables, "[OPTION...]", argc, argv, NULL, error))
		return -1;
	if (request->event && strchr(request->event, ','))
		return op_error_set(error, EINVAL, "--event=%s: more than one event",
				    request->event);
	return 0;
}

static int do_workload(int argc, char **argv)
{
	double amount;

	if (argc != 4 || !op_real_all(argv[3], &amount) || workload_run(argv[2], amount, stdout) ||
	    fflush(stdout))
		return OP_EXIT_FAILURE;
	return OP_EXIT_OK;
}

static void write_head(const struct bench *bench)
{
	char *cpuinfo = op_file_read("/proc/cpuinfo", (size_t)64 << 20, NULL, NULL);
	char *paranoid = op_file_read("/proc/sys/kernel/perf_event_paranoid", 100, NULL, NULL);
	const struct run *run = &bench->run;

	printf("oprofile-selftest " OP_VERSION "\n");
	machine_write(stdout, cpuinfo, paranoid);
	op_safe_line(stdout, "event:                %s, %.0f samples for each second of CPU time%s",
		     bench->rate.event, bench->rate.samples_per_second,
		     run->user_only ? ", user code only" : "");
	op_safe_line(stdout, "call graph:           %s", run->callgraph ? run->callgraph : "fp");
	putchar('\n');
	free(cpuinfo);
	free(paranoid);
}

static int do_checks(struct bench *bench, struct op_error *error)
{
	struct row shares[CHECKS_SHARES];

	if (run_open(&bench->run, error) || checks_begin(bench, shares, error))
		return -1;
	write_head(bench);
	table_begin(&bench->table, stdout);
	for (size_t i = 0; i < CHECKS_SHARES; i++)
		table_add(&bench->table, &shares[i]);
	if (checks_do(bench, error))
		return -1;
	table_end(&bench->table);
	return 0;
}

static int selftest(const struct request *request)
{
	struct bench bench = {
		.run = {.event = request->event,
			.frequency = request->frequency,
			.callgraph = request->callgraph},
		.seconds = request->seconds ? (double)request->seconds : SECONDS_DEFAULT,
	};
	struct op_error error;
	int status = OP_EXIT_OK;

	if (do_checks(&bench, &error)) {
		op_complain("%s", error.text);
		status = OP_EXIT_FAILURE;
	} else if (bench.table.off) {
		status = OP_EXIT_FAILURE;
	}
	if (request->keep && bench.run.dir)
		op_safe_line(stdout, "sessions: %s", bench.run.dir);
	run_close(&bench.run, request->keep);
	return status;
}

int main(int argc, char **argv)
{
	struct request request = {0};
	struct op_error error;
	int status;

	op_program_begin(argv[0]);
	if (argc > 1 && !strcmp(argv[1], WORKLOAD_OPTION))
		return do_workload(argc, argv);
	if (selftest_parse(&request, argc, (const char **)argv, &error))
		status = op_usage_error(&error);
	else
		status = selftest(&request);
	op_options_release((const struct op_option_table[]){{rows, &request, NULL}, {0}});
	return status;
}
