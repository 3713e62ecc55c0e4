// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line.  What one look at it can show to be wrong is refused here, before
 * anything is done.
 */
#include "request.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/session/paths.h"
#include "module.h"
#include "samples.h"
#include "vmlinux.h"

/* Values of options; actions are below NR_ACTIONS. */
enum option {
	OPTION_HELP = NR_ACTIONS,
	OPTION_VERSION,
	OPTION_STATUS,
	OPTION_SETUP,
	OPTION_VERBOSE,
	OPTION_BACKEND,
	OPTION_MODULE,
	OPTION_SESSION_DIR,
	/* settings */
	OPTION_EVENT,
	OPTION_SEPARATE,
	OPTION_CALLGRAPH,
	OPTION_VMLINUX,
	OPTION_NO_VMLINUX,
	OPTION_KERNEL_RANGE,
	OPTION_IMAGE,
	OPTION_BUFFER_SIZE,
	OPTION_BUFFER_WATERSHED,
	OPTION_CPU_BUFFER_SIZE,
	OPTION_FREQUENCY,
	OPTION_PERF,
	OPTION_NO_PERF,
	OPTION_TIME_SLICE,
};

#define WORD(name, letter, option, text)                                                           \
	{                                                                                          \
		name, letter, POPT_ARG_NONE, NULL, option, text, NULL                              \
	}
#define VALUE(name, letter, option, text, value)                                                   \
	{                                                                                          \
		name, letter, POPT_ARG_STRING, NULL, option, text, value                           \
	}

static const struct poptOption actions[] = {
	WORD("init", '\0', ACTION_INIT, "load the module and mount oprofilefs"),
	WORD("start-daemon", '\0', ACTION_START_DAEMON, "start the daemon, but don't profile yet"),
	WORD("start", 's', ACTION_START, "start profiling, and the daemon if it does not run"),
	WORD("dump", 'd', ACTION_DUMP, "write all samples taken so far to the sample files"),
	WORD("stop", 't', ACTION_STOP, "stop profiling; the daemon stays"),
	WORD("shutdown", 'h', ACTION_SHUTDOWN, "stop profiling and end the daemon"),
	WORD("reset", '\0', ACTION_RESET, "throw the samples of the live session away"),
	VALUE("save", '\0', ACTION_SAVE, "keep the samples of the live session as session NAME",
	      "NAME"),
	WORD("deinit", '\0', ACTION_DEINIT, "shut down, unmount oprofilefs, unload the module"),
	WORD("list-events", 'l', ACTION_LIST_EVENTS, "list the events that can be counted"),
	POPT_TABLEEND,
};

static const struct poptOption more[] = {
	WORD("status", '\0', OPTION_STATUS, "print what runs, with which settings, and its losses"),
	WORD("setup", '\0', OPTION_SETUP, "only save settings"),
	{"verbose", 'V', POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, OPTION_VERBOSE,
	 "have the daemon log more (with --start and --start-daemon): all, sfile, arcs, samples, "
	 "module, misc",
	 "LIST"},
	VALUE("backend", '\0', OPTION_BACKEND,
	      "load the module with this backend (with --init and starts)", "NAME"),
	VALUE("module", '\0', OPTION_MODULE, "load this module (with --init and starts)", "FILE"),
	VALUE("session-dir", '\0', OPTION_SESSION_DIR, "where sessions are kept", "DIR"),
	WORD("version", 'v', OPTION_VERSION, "print the version"),
	WORD("help", '?', OPTION_HELP, "print this"),
	POPT_TABLEEND,
};

static const struct poptOption settings_options[] = {
	VALUE("event", 'e', OPTION_EVENT, "count this event (may be repeated)", "SPEC|default"),
	VALUE("separate", 'p', OPTION_SEPARATE,
	      "keep apart: none, lib, kernel, thread, cpu, all (comma list)", "LIST"),
	VALUE("callgraph", 'c', OPTION_CALLGRAPH, "record call chains up to this depth, 0: none",
	      "DEPTH"),
	VALUE("vmlinux", '\0', OPTION_VMLINUX,
	      "take kernel symbols from this uncompressed image; default: from the running kernel",
	      "FILE|default"),
	WORD("no-vmlinux", '\0', OPTION_NO_VMLINUX, "don't resolve kernel samples to symbols"),
	VALUE("kernel-range", '\0', OPTION_KERNEL_RANGE, "addresses of the kernel's text, in hex",
	      "START,END"),
	VALUE("image", 'i', OPTION_IMAGE, "profile only these programs and libraries (comma list)",
	      "FILES|all"),
	VALUE("buffer-size", '\0', OPTION_BUFFER_SIZE, "event buffer, in 8-byte words", "N"),
	VALUE("buffer-watershed", '\0', OPTION_BUFFER_WATERSHED,
	      "wake the daemon when this many words are left", "N"),
	VALUE("cpu-buffer-size", '\0', OPTION_CPU_BUFFER_SIZE, "buffer of each CPU, in entries",
	      "N"),
	WORD("perf", '\0', OPTION_PERF, "sample by the kernel's perf events: no module is needed"),
	WORD("no-perf", '\0', OPTION_NO_PERF, "sample by the module"),
	VALUE("frequency", '\0', OPTION_FREQUENCY, "samples a second on each CPU (timer backends, perf)",
	      "HZ"),
	VALUE("time-slice", '\0', OPTION_TIME_SLICE,
	      "how long a group of events is counted, where events take turns", "MS"),
	POPT_TABLEEND,
};

static const struct poptOption options[] = {
	{NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)actions, 0, "Actions, one a call:", NULL},
	{NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)more, 0, "With actions or alone:", NULL},
	{NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)settings_options, 0,
	 "Settings, saved at once (0: the default):", NULL},
	POPT_TABLEEND,
};

/* How errors call an option. */
static const char *option_name(int value)
{
	static const struct poptOption *const tables[] = {actions, more, settings_options};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		for (const struct poptOption *option = tables[i]; option->longName; option++) {
			if (option->val == value)
				return option->longName;
		}
	}
	return "?";
}

/* The key of daemonrc that an option sets, if it is as simple as that. */
static const char *option_key(int option)
{
	switch (option) {
	case OPTION_CALLGRAPH:
		return "CALLGRAPH";
	case OPTION_KERNEL_RANGE:
		return "KERNEL_RANGE";
	case OPTION_BUFFER_SIZE:
		return "BUF_SIZE";
	case OPTION_BUFFER_WATERSHED:
		return "BUF_WATERSHED";
	case OPTION_CPU_BUFFER_SIZE:
		return "CPU_BUF_SIZE";
	case OPTION_FREQUENCY:
		return "FREQUENCY";
	case OPTION_TIME_SLICE:
		return "TIME_SLICE";
	default:
		return NULL;
	}
}

static int no_memory(struct op_error *error)
{
	return op_error_set(error, ENOMEM, "out of memory");
}

static int take_action(struct request *request, enum action_id action, char *value,
		       struct op_error *error)
{
	if (request->action && request->action != action) {
		free(value);
		return op_error_set(error, EINVAL, "--%s and --%s exclude each other",
				    option_name(request->action), option_name(action));
	}
	request->action = action;
	if (action != ACTION_SAVE)
		return 0;
	free(request->save_name);
	request->save_name = value;
	return 0;
}

static int take_change(struct request *request, int option, char *value, struct op_error *error)
{
	struct change *changes;

	changes = reallocarray(request->changes, request->nr_changes + 1, sizeof(*changes));
	if (!changes) {
		free(value);
		return no_memory(error);
	}
	request->changes = changes;
	changes[request->nr_changes++] = (struct change){.option = option, .value = value};
	return 0;
}

static void take_text(char **text, char *value)
{
	free(*text);
	*text = value;
}

/* @value is the option's argument, or NULL; it becomes the request's. */
static int take(struct request *request, int option, char *value, struct op_error *error)
{
	if (option < NR_ACTIONS)
		return take_action(request, option, value, error);
	if (option >= OPTION_EVENT)
		return take_change(request, option, value, error);
	switch (option) {
	case OPTION_HELP:
		request->help = true;
		break;
	case OPTION_VERSION:
		request->version = true;
		break;
	case OPTION_STATUS:
		request->status = true;
		break;
	case OPTION_SETUP:
		request->setup = true;
		break;
	case OPTION_VERBOSE:
		take_text(&request->verbose, value ? value : strdup("all"));
		return request->verbose ? 0 : no_memory(error);
	case OPTION_BACKEND:
		take_text(&request->backend, value);
		break;
	case OPTION_MODULE:
		take_text(&request->module, value);
		break;
	case OPTION_SESSION_DIR:
		take_text(&request->session_dir, value);
		break;
	}
	return 0;
}

bool request_starts_daemon(const struct request *request)
{
	return request->action == ACTION_START || request->action == ACTION_START_DAEMON;
}

static int check_verbose(const char *list, struct op_error *error)
{
	static const char *const words[] = {"all", "sfile", "arcs", "samples", "module", "misc"};
	const char *end;
	size_t i;

	for (const char *p = list; p; p = *end ? end + 1 : NULL) {
		end = strchrnul(p, ',');
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			if (strlen(words[i]) == (size_t)(end - p) && !strncmp(words[i], p, end - p))
				break;
		}
		if (i == sizeof(words) / sizeof(words[0]))
			return op_error_set(error, EINVAL,
					    "--verbose: \"%.*s\" is not all, sfile, arcs, samples, "
					    "module or misc",
					    (int)(end - p), p);
	}
	return 0;
}

static int check_backend(const char *name, struct op_error *error)
{
	if (!*name || strlen(name) >= MODULE_BACKEND_MAX ||
	    name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return op_error_set(error, EINVAL,
				    "--backend: \"%s\" is not the name of a backend, such as "
				    "nmi_timer or timer",
				    name);
	return 0;
}

static bool has_change(const struct request *request, int option)
{
	for (size_t i = 0; i < request->nr_changes; i++) {
		if (request->changes[i].option == option)
			return true;
	}
	return false;
}

/* Which options may stand together. */
static int check_combination(const struct request *request, struct op_error *error)
{
	const char *action = option_name(request->action);

	if (request->nr_changes && request->action && !request_starts_daemon(request))
		return op_error_set(error, EINVAL,
				    "--%s takes no settings (--%s): they go with --start, "
				    "--start-daemon or --setup",
				    action, option_name(request->changes[0].option));
	if (request->setup && request->action && !request_starts_daemon(request))
		return op_error_set(error, EINVAL, "--setup and --%s exclude each other", action);
	if (request->verbose && !request_starts_daemon(request))
		return op_error_set(error, EINVAL,
				    "--verbose goes with --start and --start-daemon only");
	if ((request->backend || request->module) && !request_starts_daemon(request) &&
	    request->action != ACTION_INIT)
		return op_error_set(error, EINVAL,
				    "--%s goes with --init, --start and --start-daemon only",
				    request->backend ? "backend" : "module");
	if (has_change(request, OPTION_VMLINUX) && has_change(request, OPTION_NO_VMLINUX))
		return op_error_set(error, EINVAL, "--vmlinux and --no-vmlinux exclude each other");
	if (has_change(request, OPTION_PERF) && has_change(request, OPTION_NO_PERF))
		return op_error_set(error, EINVAL, "--perf and --no-perf exclude each other");
	if (has_change(request, OPTION_PERF) && (request->backend || request->module))
		return op_error_set(error, EINVAL,
				    "--perf needs no module: --backend and --module don't go with "
				    "it");
	return 0;
}

static int check_session_dir(struct request *request, struct op_error *error)
{
	char *absolute;

	if (!*request->session_dir)
		return op_error_set(error, EINVAL, "--session-dir: the path is empty");
	absolute = op_session_dir(request->session_dir);
	if (!absolute)
		return op_error_set(error, errno, "--session-dir: %s: %s", request->session_dir,
				    strerror(errno));
	take_text(&request->session_dir, absolute);
	return 0;
}

static int check(struct request *request, struct op_error *error)
{
	struct op_error why;

	if (check_combination(request, error) ||
	    (request->verbose && check_verbose(request->verbose, error)) ||
	    (request->backend && check_backend(request->backend, error)) ||
	    (request->session_dir && check_session_dir(request, error)))
		return -1;
	if (request->action == ACTION_SAVE && samples_check_name(request->save_name, &why))
		return op_error_set(error, why.code, "--save: %s", why.text);
	return 0;
}

int request_parse(int argc, const char **argv, struct request *request, struct op_error *error)
{
	poptContext context;
	int option, ret = 0;

	memset(request, 0, sizeof(*request));
	context = poptGetContext(NULL, argc, argv, options, 0);
	if (!context)
		return no_memory(error);
	while (!ret && (option = poptGetNextOpt(context)) > 0)
		ret = take(request, option, poptGetOptArg(context), error);
	if (!ret && option < -1)
		ret = op_error_set(error, EINVAL, "%s: %s", poptBadOption(context, 0),
				   poptStrerror(option));
	if (!ret && poptPeekArg(context))
		ret = op_error_set(error, EINVAL, "\"%s\" is not an option", poptPeekArg(context));
	poptFreeContext(context);
	if (!ret && argc <= 1)
		request->help = true;
	if (!ret && !request->help && !request->version)
		ret = check(request, error);
	return ret;
}

void request_free(struct request *request)
{
	free(request->save_name);
	free(request->verbose);
	free(request->backend);
	free(request->module);
	free(request->session_dir);
	for (size_t i = 0; i < request->nr_changes; i++)
		free(request->changes[i].value);
	free(request->changes);
	memset(request, 0, sizeof(*request));
}

bool request_keeps_settings(const struct request *request)
{
	return request->setup || request->nr_changes ||
	       (request->session_dir &&
		(request_starts_daemon(request) || (!request->action && !request->status)));
}

/* The first --event of a call replaces the events of earlier ones. */
static int apply_event(struct settings *settings, const char *spec, int nr_before,
		       struct op_error *error)
{
	bool is_default = !strcmp(spec, "default");

	if (!nr_before)
		op_strings_free(&settings->events);
	else if (is_default || !settings->events.count)
		return op_error_set(error, EINVAL, "default goes with no other event");
	return is_default ? 0 : settings_add_event(settings, spec, error);
}

static int apply_vmlinux(struct settings *settings, const char *value, struct op_error *error)
{
	char *path;
	int ret;

	if (!strcmp(value, "default"))
		return settings_set(settings, "VMLINUX", "", error);
	if (!*value)
		return op_error_set(error, EINVAL, "the path is empty");
	path = realpath(value, NULL);
	if (!path)
		return op_error_set(error, errno, "%s: %s", value, strerror(errno));
	ret = vmlinux_check(path, error);
	if (!ret)
		ret = settings_set(settings, "VMLINUX", path, error);
	free(path);
	return ret;
}

/* The list of --image with the real path of each file. */
static int apply_images(struct settings *settings, const char *value, struct op_error *error)
{
	struct op_strings names = {0};
	char *list = NULL, *longer, *path;
	int ret = -1;

	if (!strcmp(value, "all"))
		return settings_set(settings, "IMAGE_FILTER", "", error);
	if (op_strings_split(&names, value, ',')) {
		no_memory(error);
		goto done;
	}
	for (size_t i = 0; i < names.count; i++) {
		path = realpath(names.item[i], NULL);
		if (!path) {
			op_error_set(error, errno, "\"%s\": %s", names.item[i], strerror(errno));
			goto done;
		}
		longer = op_path("%s%s%s", list ? list : "", list ? "," : "", path);
		free(path);
		free(list);
		list = longer;
		if (!list) {
			no_memory(error);
			goto done;
		}
	}
	ret = settings_set(settings, "IMAGE_FILTER", list, error);
done:
	op_strings_free(&names);
	free(list);
	return ret;
}

static int apply_change(struct settings *settings, const struct change *change, int events_before,
			struct op_error *error)
{
	switch (change->option) {
	case OPTION_EVENT:
		return apply_event(settings, change->value, events_before, error);
	case OPTION_SEPARATE:
		return settings_separate(settings, change->value, error);
	case OPTION_VMLINUX:
		return apply_vmlinux(settings, change->value, error);
	case OPTION_NO_VMLINUX:
		return settings_set(settings, "VMLINUX", "none", error);
	case OPTION_PERF:
		return settings_set(settings, "PERF", "1", error);
	case OPTION_NO_PERF:
		return settings_set(settings, "PERF", "0", error);
	case OPTION_IMAGE:
		return apply_images(settings, change->value, error);
	default:
		return settings_set(settings, option_key(change->option), change->value, error);
	}
}

int request_apply(const struct request *request, struct settings *settings, struct op_error *error)
{
	struct op_error why;
	int events = 0;

	if (request->session_dir &&
	    settings_set(settings, "SESSION_DIR", request->session_dir, &why))
		return op_error_set(error, why.code, "--session-dir: %s", why.text);
	/* The range is one of the image before. */
	if (has_change(request, OPTION_VMLINUX) || has_change(request, OPTION_NO_VMLINUX))
		settings_set(settings, "KERNEL_RANGE", "", NULL);
	for (size_t i = 0; i < request->nr_changes; i++) {
		const struct change *change = &request->changes[i];

		if (apply_change(settings, change, events, &why))
			return op_error_set(error, why.code, "--%s: %s",
					    option_name(change->option), why.text);
		events += change->option == OPTION_EVENT;
	}
	return settings_check(settings, error);
}

void request_print_help(void)
{
	const char *argv[] = {op_program(), NULL};
	poptContext context = poptGetContext(NULL, 1, argv, options, 0);

	poptPrintHelp(context, stdout, 0);
	poptFreeContext(context);
}
