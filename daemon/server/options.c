// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line of oprofiled: see options.h.
 */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/sources/module.h"
#include "daemon/sources/perf/unwind.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/base/option.h"
#include "libop/base/strings.h"
#include "libop/session/log.h"
#include "libop/session/paths.h"

#define SYNOPSIS "[OPTION...]"

/* The usual value of perf_event_max_sample_rate. */
#define FREQUENCY_MOST 100000
/* In bytes it fits 64 bits. */
#define MIB_MOST (UINT64_C(1) << 30)
/* Of --saved-size: so many sessions fit into it, if it is not too small for that. */
#define SESSIONS_LEAST	  8
#define SESSION_MIB_LEAST 64
#define CLOSED_DAYS_MOST  36500

/* ---- types of arguments ---- */

/*
 * Absolute, as the daemon changes to "/".  Links are kept: whether to follow them, and with whose
 * rights, is decided when what they lead to is opened (libop/foreign).
 */
static int take_path(const struct op_option *option, void *field, const char *text,
		     struct op_error *error)
{
	char **path = field, *given;

	if (op_option_text.take(option, field, text, error))
		return -1;
	given = *path;
	*path = op_session_dir(given);
	free(given);
	return *path ? 0 : op_error_memory(error);
}

/* Images are known by their real paths. */
static int take_image(const struct op_option *option, void *field, const char *text,
		      struct op_error *error)
{
	char **path = field, *real;

	if (take_path(option, field, text, error))
		return -1;
	real = realpath(text, NULL);
	if (real) {
		free(*path);
		*path = real;
	}
	return 0;
}

static void release_path(void *field)
{
	op_option_text.release(field);
}

static int take_switch(const struct op_option *option, void *field, const char *text,
		       struct op_error *error)
{
	uint64_t value;

	if (op_number_parse(text, option->name, 0, 1, &value, NULL))
		return op_option_refuse(option, text, error, "neither 0 nor 1");
	*(bool *)field = value;
	return 0;
}

static bool take_address(const char **text, uint64_t *address)
{
	if (!strncmp(*text, "0x", 2) || !strncmp(*text, "0X", 2))
		*text += 2;
	return op_number_take(text, 16, UINT64_MAX, address);
}

/* START,END in hexadecimal, with or without 0x; '-' is accepted for ',' as well. */
static int take_range(const struct op_option *option, void *field, const char *text,
		      struct op_error *error)
{
	struct kernel_config *kernel = field;
	const char *at = text;
	bool good = take_address(&at, &kernel->start) && (*at == ',' || *at == '-');

	at += good;
	if (!good || !take_address(&at, &kernel->end) || *at || kernel->start >= kernel->end)
		return op_option_refuse(option, text, error, "not START,END in hexadecimal");
	return 0;
}

/* What is not a file is the name of a kernel module. */
static int take_filter(const struct op_option *option, void *field, const char *text,
		       struct op_error *error)
{
	struct op_strings names = {0};
	int result = op_strings_split(&names, text, ',');

	(void)option;
	for (size_t i = 0; !result && i < names.count; i++) {
		char *real = realpath(names.item[i], NULL);

		if (*names.item[i])
			result = op_strings_add(field, real ? real : names.item[i]);
		free(real);
	}
	op_strings_free(&names);
	return result ? op_error_memory(error) : 0;
}

static void release_filter(void *field)
{
	op_strings_free(field);
}

/* Which counters exist is known later; the syntax is checked now. */
static int take_events(const struct op_option *option, void *field, const char *text,
		       struct op_error *error)
{
	struct op_events events;
	struct op_error cause;

	if (op_events_parse(text, &events, &cause))
		return op_option_refuse(option, text, error, "%s", cause.text);
	op_events_free(&events);
	return op_option_text.take(option, field, text, error);
}

static int take_callgraph(const struct op_option *option, void *field, const char *text,
			  struct op_error *error)
{
	struct options *options = field;
	struct op_error cause;

	options->has_callgraph = true;
	if (perf_unwind_parse(text, &options->unwind, &cause))
		return op_option_refuse(option, text, error, "%s", cause.text);
	options->callgraph = UINT16_MAX;
	return options->unwind ? 0
			       : op_option_number.take(option, &options->callgraph, text, error);
}

static int take_topics(const struct op_option *option, void *field, const char *text,
		       struct op_error *error)
{
	struct op_error cause;

	(void)field;
	if (!text)
		log_topics |= LOG_ALL;
	else if (log_topics_parse(text, &cause))
		return op_option_refuse(option, text, error, "%s", cause.text);
	return 0;
}

static int take_interval(const struct op_option *option, void *field, const char *text,
			 struct op_error *error)
{
	struct op_error cause;

	if (!strcmp(text, "0")) {
		*(uint64_t *)field = 0;
		return 0;
	}
	if (op_duration_parse(text, "interval", CLOSE_EVERY_LEAST, CLOSE_EVERY_MOST, field, &cause))
		return op_option_refuse(option, text, error, "%s", cause.text);
	return 0;
}

static const struct op_option_type path_type = {.take = take_path, .release = release_path},
				   image_type = {.take = take_image, .release = release_path},
				   switch_type = {.take = take_switch},
				   range_type = {.take = take_range},
				   filter_type = {.take = take_filter, .release = release_filter},
				   events_type = {.take = take_events, .release = release_path},
				   callgraph_type = {.take = take_callgraph},
				   topics_type = {.take = take_topics},
				   interval_type = {.take = take_interval};

#define PATH(member)   .type = &path_type, .field = OP_FIELD(struct options, member, char *)
#define SWITCH(member) .type = &switch_type, .field = OP_FIELD(struct options, member, bool)

static const struct op_option rows[] = {
	{"session-dir", 0, "DIR", "where sample files go (" OP_SESSION_DEFAULT_DIR ")",
	 PATH(session_dir)},
	{"events", 'e', "LIST",
	 "what the counters count: NAME:CODE:COUNTER:COUNT:UNITMASK:KERNEL:USER",
	 .type = &events_type, .field = OP_FIELD(struct options, events, char *)},
	{"vmlinux", 'k', "FILE", "the kernel's ELF file", .type = &image_type,
	 .field = OP_FIELD(struct options, vmlinux, char *)},
	{"kernel-range", 'r', "START,END", "addresses of the kernel's code, in hexadecimal",
	 .type = &range_type,
	 .field = OP_FIELD(struct options, config.kernel, struct kernel_config)},
	{"no-vmlinux", 0, NULL, "count all kernel code as one image",
	 OP_FLAG(struct options, no_vmlinux)},
	{"image", 0, "LIST", "count only samples in these images and programs",
	 .type = &filter_type, .field = OP_FIELD(struct options, config.filter, struct op_strings)},
	{"separate-lib", 0, "0|1", "count libraries separately for each program",
	 SWITCH(config.separation.lib)},
	{"separate-kernel", 0, "0|1", "count libraries and the kernel separately for each program",
	 SWITCH(config.separation.kernel)},
	{"separate-thread", 0, "0|1", "count each thread separately",
	 SWITCH(config.separation.thread)},
	{"separate-cpu", 0, "0|1", "count each CPU separately", SWITCH(config.separation.cpu)},
	{"perf", 0, NULL, "take samples from the kernel's perf events, without the module",
	 OP_FLAG(struct options, perf)},
	{"freq", 0, "HZ", "with --perf: samples per second, instead of counts",
	 OP_NUMBER(struct options, frequency, 1, FREQUENCY_MOST)},
	{"callgraph", 0, "DEPTH",
	 "with --perf: record up to DEPTH callers of each sample; \"auto\" or \"dwarf\": all "
	 "callers, by call frame information",
	 .type = &callgraph_type, .max = UINT16_MAX},
	{"stopped", 0, NULL, "with --perf: wait for the command \"start\"",
	 OP_FLAG(struct options, stopped)},
	{"no-pack", 0, NULL, "with --perf: do not pack the session at the end",
	 OP_FLAG(struct options, loose)},
	{"session-size", 0, "MIB", "the most that the session may take of the disk (4096)",
	 OP_NUMBER(struct options, session_mib, 1, MIB_MOST)},
	{"session-files", 0, "N", "the most files and directories of the session (200000)",
	 OP_NUMBER(struct options, config.budget.inodes, 1, UINT64_C(1) << 30)},
	{"min-free", 0, "MIB",
	 "what the session leaves free on its disk (1/64, at most 256); 0: nothing",
	 OP_NUMBER(struct options, min_free_mib, 0, MIB_MOST)},
	{"close-every", 0, "TIME",
	 "close the session at each multiple of TIME (10m, 1h) by the clock, and begin a new one",
	 .type = &interval_type, .field = OP_FIELD(struct options, closing.seconds, uint64_t)},
	{"saved-days", 0, "DAYS", "remove sessions that have ended and are older; 0: none",
	 OP_NUMBER(struct options, closing.limits.days, 0, CLOSED_DAYS_MOST)},
	{"saved-size", 0, "MIB", "remove the oldest sessions that have ended beyond it; 0: none",
	 OP_NUMBER(struct options, closing.limits.size, 0, MIB_MOST)},
	{"metrics", 0, "FILE", "write what was counted to this file, for Prometheus",
	 PATH(metrics)},
	{"record", 0, "FILE", "also write the raw event stream to a new file", PATH(record)},
	{"replay", 0, "FILE", "take samples from a file of --record, not from the kernel",
	 PATH(replay)},
	{"oprofilefs", 0, "DIR", "where oprofilefs is mounted (" OPROFILEFS_DEFAULT_DIR ")",
	 PATH(oprofilefs)},
	{"foreground", 0, NULL, "stay in the foreground, log to stderr",
	 OP_FLAG(struct options, foreground)},
	{"verbose", 'V', "LIST", "log these topics: all,sfile,arcs,samples,module,misc,ext",
	 .type = &topics_type},
	{NULL, 'v', NULL, "log all topics", .type = &topics_type},
	OP_OPTION_VERSION(0),
	{0}};

/* ---- the whole command line ---- */

static int server_options_check(const struct options *options, struct op_error *error)
{
	const struct {
		bool first, second;
		const char *names;
	} exclusive[] = {
		{options->vmlinux, options->no_vmlinux, "--vmlinux and --no-vmlinux"},
		{options->config.kernel.end, options->no_vmlinux,
		 "--kernel-range and --no-vmlinux"},
		{options->record, options->replay, "--record and --replay"},
		{options->perf, options->replay, "--perf and --replay"},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(exclusive); i++)
		if (exclusive[i].first && exclusive[i].second)
			return op_error_set(error, EINVAL, "%s exclude each other",
					    exclusive[i].names);
	if ((options->closing.limits.days || options->closing.limits.size) &&
	    !options->closing.seconds)
		return op_error_set(error, EINVAL,
				    "--saved-days and --saved-size go with --close-every only");
	if (!options->perf &&
	    (options->frequency || options->has_callgraph || options->stopped || options->loose))
		return op_error_set(error, EINVAL,
				    "--freq, --callgraph, --stopped and --no-pack "
				    "go with --perf only");
	return 0;
}

/* One of the sessions that share --saved-size may not push out most of the others: any user can
 * fill what a session may have of programs of users. */
static uint64_t session_bytes(const struct options *options)
{
	uint64_t mib = options->closing.limits.size / SESSIONS_LEAST;

	if (options->session_mib)
		return options->session_mib << 20;
	if (!options->closing.limits.size)
		return 0;
	mib = mib > SESSION_MIB_LEAST ? mib : SESSION_MIB_LEAST;
	return mib < BUDGET_BYTES >> 20 ? mib << 20 : BUDGET_BYTES;
}

/* What other options and defaults say. */
static int complete(struct options *options, struct op_error *error)
{
	struct profile_config *config = &options->config;

	if (!options->session_dir)
		options->session_dir = op_session_dir(OP_SESSION_DEFAULT_DIR);
	if (!options->oprofilefs)
		options->oprofilefs = strdup(OPROFILEFS_DEFAULT_DIR);
	if (!options->session_dir || !options->oprofilefs)
		return op_error_memory(error);
	options->foreground |= options->replay != NULL;
	config->budget.bytes = session_bytes(options);
	config->budget.fills_disk = !options->min_free_mib;
	if (options->min_free_mib != UINT64_MAX)
		config->budget.free = options->min_free_mib << 20;
	config->session_dir = options->session_dir;
	config->command_line = options->command_line;
	/* the source of perf events reports the counts that they really have */
	if (!options->perf)
		config->events = options->events;
	if (options->no_vmlinux)
		config->kernel.mode = KERNEL_NO_VMLINUX;
	if (options->vmlinux) {
		config->kernel.mode = KERNEL_VMLINUX;
		config->kernel.vmlinux = options->vmlinux;
	}
	config->separation.lib |= config->separation.kernel;
	return 0;
}

int options_parse(int argc, const char **argv, struct options *options, struct op_error *error)
{
	const struct op_option_table tables[] = {{rows, options, NULL}, {0}};

	*options = (struct options){.command_line = op_command_line(argc, argv),
				    .min_free_mib = UINT64_MAX};
	if (!options->command_line)
		return op_error_memory(error);
	if (op_options_read(tables, SYNOPSIS, argc, argv, NULL, error) ||
	    server_options_check(options, error))
		return -1;
	return complete(options, error);
}

void options_free(struct options *options)
{
	op_options_release((const struct op_option_table[]){{rows, options, NULL}, {0}});
	free(options->command_line);
	*options = (struct options){0};
}
