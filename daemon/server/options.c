// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line of oprofiled: see options.h.
 */
#include "options.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/session/paths.h"
#include "libop/session/log.h"
#include "daemon/sources/module.h"

enum { OPT_VERBOSE = 1, OPT_VERSION };

/* As perf_event_max_sample_rate is unless it was raised. */
#define FREQUENCY_MOST 100000

/* Arguments as popt hands them over. */
struct raw {
	char *session_dir, *oprofilefs, *vmlinux, *range, *image, *events, *record, *replay;
	char *topics;
	int no_vmlinux, foreground, perf, stopped, loose;
	char *lib, *kernel, *thread, *cpu;
	char *frequency, *callgraph;
};

static int no_memory(struct op_error *error)
{
	return op_error_set(error, ENOMEM, "out of memory");
}

/* The path of a file that may not exist yet, from the root. */
static char *absolute(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : op_session_dir(path);
}

static int take_flag(const char *text, const char *option, bool *flag, struct op_error *error)
{
	uint64_t value;

	if (!text)
		return 0;
	if (op_number_parse(text, option, 0, 1, &value, error))
		return -1;
	*flag = value;
	return 0;
}

/* START,END in hexadecimal, with or without 0x; '-' is taken for ',' as well. */
static int take_range(const char *text, struct kernel_config *kernel, struct op_error *error)
{
	char *end, *behind;
	bool good;

	kernel->start = strtoull(text, &end, 16);
	good = end > text && (*end == ',' || *end == '-');
	kernel->end = good ? strtoull(end + 1, &behind, 16) : 0;
	if (!good || behind == end + 1 || *behind || kernel->start >= kernel->end)
		return op_error_set(error, EINVAL,
				    "--kernel-range: \"%s\" is not START,END in hexadecimal", text);
	return 0;
}

static int take_kernel(const struct raw *raw, struct options *options, struct op_error *error)
{
	struct kernel_config *kernel = &options->config.kernel;

	if (raw->vmlinux && raw->no_vmlinux)
		return op_error_set(error, EINVAL, "--vmlinux and --no-vmlinux contradict");
	if (raw->range && raw->no_vmlinux)
		return op_error_set(error, EINVAL, "--kernel-range and --no-vmlinux contradict");
	if (raw->no_vmlinux)
		kernel->mode = KERNEL_NO_VMLINUX;
	if (raw->vmlinux) {
		kernel->mode = KERNEL_VMLINUX;
		kernel->vmlinux = options->vmlinux = absolute(raw->vmlinux);
		if (!options->vmlinux)
			return no_memory(error);
	}
	return raw->range ? take_range(raw->range, kernel, error) : 0;
}

/* Images are known by their real paths; what is no file is the name of a kernel module. */
static int take_filter(const char *list, struct op_strings *filter, struct op_error *error)
{
	struct op_strings names = {0};
	int result = op_strings_split(&names, list, ',');

	for (size_t i = 0; !result && i < names.count; i++) {
		char *real = realpath(names.item[i], NULL);

		if (*names.item[i])
			result = op_strings_add(filter, real ? real : names.item[i]);
		free(real);
	}
	op_strings_free(&names);
	return result ? no_memory(error) : 0;
}

static int take_paths(const struct raw *raw, struct options *options, struct op_error *error)
{
	const char *session = raw->session_dir ? raw->session_dir : OP_SESSION_DEFAULT_DIR;
	const char *oprofilefs = raw->oprofilefs ? raw->oprofilefs : OPROFILEFS_DEFAULT_DIR;

	if (raw->record && raw->replay)
		return op_error_set(error, EINVAL, "--record and --replay contradict");
	options->session_dir = absolute(session);
	options->oprofilefs = absolute(oprofilefs);
	options->record = raw->record ? absolute(raw->record) : NULL;
	options->replay = raw->replay ? absolute(raw->replay) : NULL;
	if (!options->session_dir || !options->oprofilefs || (raw->record && !options->record) ||
	    (raw->replay && !options->replay))
		return no_memory(error);
	options->config.session_dir = options->session_dir;
	return 0;
}

static int take_perf(const struct raw *raw, struct options *options, struct op_error *error)
{
	options->perf = raw->perf;
	options->stopped = raw->stopped;
	options->loose = raw->loose;
	if (!raw->perf && (raw->frequency || raw->callgraph || raw->stopped || raw->loose))
		return op_error_set(error, EINVAL, "--freq, --callgraph, --stopped and --no-pack "
						   "go with --perf only");
	if (raw->perf && raw->replay)
		return op_error_set(error, EINVAL, "--perf and --replay contradict");
	if (raw->frequency && op_number_parse(raw->frequency, "--freq", 1, FREQUENCY_MOST,
					      &options->frequency, error))
		return -1;
	options->unwind = raw->callgraph && !strcmp(raw->callgraph, "dwarf");
	if (options->unwind) {
		options->callgraph = UINT16_MAX;
		return 0;
	}
	return raw->callgraph ? op_number_parse(raw->callgraph, "--callgraph", 0, UINT16_MAX,
						&options->callgraph, error)
			      : 0;
}

static int take_all(const struct raw *raw, struct options *options, struct op_error *error)
{
	struct profile_config *config = &options->config;

	options->foreground = raw->foreground || raw->replay;
	if (raw->events) {
		struct op_events events;

		/* which counters there are is known later; whether it makes sense, now */
		if (op_events_parse(raw->events, &events, error))
			return -1;
		op_events_free(&events);
		options->events = strdup(raw->events);
		if (!options->events)
			return no_memory(error);
	}
	/* perf events may get other counts than they are given, so their source tells them */
	if (!raw->perf)
		config->events = options->events;
	if (raw->topics && log_topics_parse(raw->topics, error))
		return -1;
	if (take_perf(raw, options, error) || take_paths(raw, options, error) ||
	    take_kernel(raw, options, error) ||
	    take_flag(raw->lib, "--separate-lib", &config->separation.lib, error) ||
	    take_flag(raw->kernel, "--separate-kernel", &config->separation.kernel, error) ||
	    take_flag(raw->thread, "--separate-thread", &config->separation.thread, error) ||
	    take_flag(raw->cpu, "--separate-cpu", &config->separation.cpu, error))
		return -1;
	config->separation.lib |= config->separation.kernel;
	return raw->image ? take_filter(raw->image, &config->filter, error) : 0;
}

static int read_line(poptContext context, struct op_error *error)
{
	int option;

	while ((option = poptGetNextOpt(context)) > 0) {
		if (option == OPT_VERBOSE)
			log_topics |= LOG_ALL;
		if (option == OPT_VERSION) {
			printf("oprofiled: oprofile %s\n", OP_VERSION);
			exit(OP_EXIT_OK);
		}
	}
	if (option < -1)
		return op_error_set(error, EINVAL, "%s: %s",
				    poptBadOption(context, POPT_BADOPTION_NOALIAS),
				    poptStrerror(option));
	if (poptPeekArg(context))
		return op_error_set(error, EINVAL, "unexpected argument: %s", poptPeekArg(context));
	return 0;
}

int options_parse(int argc, const char **argv, struct options *options, struct op_error *error)
{
	struct raw raw = {0};
	const struct poptOption table[] = {
		{"session-dir", 0, POPT_ARG_STRING, &raw.session_dir, 0,
		 "where sample files go (" OP_SESSION_DEFAULT_DIR ")", "DIR"},
		{"events", 'e', POPT_ARG_STRING, &raw.events, 0,
		 "what the counters count: NAME:code:counter:count:unitmask:kernel:user,...",
		 "LIST"},
		{"vmlinux", 'k', POPT_ARG_STRING, &raw.vmlinux, 0, "the kernel's ELF file", "FILE"},
		{"kernel-range", 'r', POPT_ARG_STRING, &raw.range, 0,
		 "where the kernel's code is, in hexadecimal", "START,END"},
		{"no-vmlinux", 0, POPT_ARG_NONE, &raw.no_vmlinux, 0,
		 "count all kernel code as one image", NULL},
		{"image", 0, POPT_ARG_STRING, &raw.image, 0,
		 "count only samples in these images and programs", "LIST"},
		{"separate-lib", 0, POPT_ARG_STRING, &raw.lib, 0,
		 "count libraries apart for each program", "0|1"},
		{"separate-kernel", 0, POPT_ARG_STRING, &raw.kernel, 0,
		 "count libraries and the kernel apart for each program", "0|1"},
		{"separate-thread", 0, POPT_ARG_STRING, &raw.thread, 0, "count each thread apart",
		 "0|1"},
		{"separate-cpu", 0, POPT_ARG_STRING, &raw.cpu, 0, "count each CPU apart", "0|1"},
		{"perf", 0, POPT_ARG_NONE, &raw.perf, 0,
		 "take samples from the kernel's perf events: no module is needed", NULL},
		{"freq", 0, POPT_ARG_STRING, &raw.frequency, 0,
		 "samples a second of perf events, whatever their counts", "HZ"},
		{"callgraph", 0, POPT_ARG_STRING, &raw.callgraph, 0,
		 "with --perf: take up to so many callers of each sample", "DEPTH|dwarf"},
		{"stopped", 0, POPT_ARG_NONE, &raw.stopped, 0,
		 "with --perf: wait for the command \"start\"", NULL},
		{"no-pack", 0, POPT_ARG_NONE, &raw.loose, 0,
		 "with --perf: leave sample files loose at the end", NULL},
		{"record", 0, POPT_ARG_STRING, &raw.record, 0,
		 "also keep the raw event stream in a new file", "FILE"},
		{"replay", 0, POPT_ARG_STRING, &raw.replay, 0,
		 "take samples from such a file, not from the kernel", "FILE"},
		{"oprofilefs", 0, POPT_ARG_STRING, &raw.oprofilefs, 0,
		 "where oprofilefs is mounted (" OPROFILEFS_DEFAULT_DIR ")", "DIR"},
		{"foreground", 0, POPT_ARG_NONE, &raw.foreground, 0,
		 "stay in the foreground, log to stderr", NULL},
		{"verbose", 'V', POPT_ARG_STRING, &raw.topics, 0,
		 "log some things: all,sfile,arcs,samples,module,misc,ext", "LIST"},
		{NULL, 'v', POPT_ARG_NONE, NULL, OPT_VERBOSE, "log everything", NULL},
		{"version", 0, POPT_ARG_NONE, NULL, OPT_VERSION, "show the version", NULL},
		POPT_AUTOHELP POPT_TABLEEND};
	char **const strings[] = {&raw.session_dir, &raw.oprofilefs, &raw.vmlinux, &raw.range,
				  &raw.image,	    &raw.events,     &raw.record,  &raw.replay,
				  &raw.topics,	    &raw.lib,	     &raw.kernel,  &raw.thread,
				  &raw.cpu,	    &raw.frequency,  &raw.callgraph};
	poptContext context = poptGetContext(NULL, argc, argv, table, 0);
	int result;

	*options = (struct options){0};
	if (!context)
		return no_memory(error);
	result = read_line(context, error);
	if (!result)
		result = take_all(&raw, options, error);
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		free(*strings[i]);
	poptFreeContext(context);
	return result;
}

void options_free(struct options *options)
{
	op_strings_free(&options->config.filter);
	free(options->session_dir);
	free(options->oprofilefs);
	free(options->events);
	free(options->vmlinux);
	free(options->record);
	free(options->replay);
	*options = (struct options){0};
}
