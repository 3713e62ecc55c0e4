// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line.  Errors that it alone shows are found here, before anything is done.
 */
#include "request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/similar.h"
#include "libop/closed/samples.h"
#include "libop/session/paths.h"
#include "module.h"
#include "vmlinux.h"

#define SYNOPSIS "[OPTION...]"

/* Settings: members @value of their rows. */
enum {
	SET_EVENT,
	SET_SEPARATE,
	SET_CALLGRAPH,
	SET_VMLINUX,
	SET_NO_VMLINUX,
	SET_KERNEL_RANGE,
	SET_IMAGE,
	SET_BUFFER_SIZE,
	SET_BUFFER_WATERSHED,
	SET_CPU_BUFFER_SIZE,
	SET_FREQUENCY,
	SET_PERF,
	SET_NO_PERF,
	SET_TIME_SLICE,
	SET_SESSION_SIZE,
	SET_SESSION_FILES,
	SET_MIN_FREE,
	SET_CLOSE_EVERY,
	SET_SAVED_DAYS,
	SET_SAVED_SIZE,
	SET_METRICS,
};

/* The keys of daemonrc for settings whose value is stored unchanged. */
static const char *const setting_keys[] = {
	[SET_CALLGRAPH] = "CALLGRAPH",		[SET_KERNEL_RANGE] = "KERNEL_RANGE",
	[SET_BUFFER_SIZE] = "BUF_SIZE",		[SET_BUFFER_WATERSHED] = "BUF_WATERSHED",
	[SET_CPU_BUFFER_SIZE] = "CPU_BUF_SIZE", [SET_FREQUENCY] = "FREQUENCY",
	[SET_TIME_SLICE] = "TIME_SLICE",	[SET_SESSION_SIZE] = "SESSION_SIZE",
	[SET_SESSION_FILES] = "SESSION_FILES",	[SET_MIN_FREE] = "MIN_FREE",
	[SET_CLOSE_EVERY] = "CLOSE_EVERY",	[SET_SAVED_DAYS] = "SAVED_DAYS",
	[SET_SAVED_SIZE] = "SAVED_SIZE",	[SET_METRICS] = "METRICS",
};

/* ---- types of options ---- */

static int take_save(const struct op_option *option, void *field, const char *text,
		     struct op_error *error)
{
	struct request *request = field;
	struct op_error why;

	if (op_option_action.take(option, &request->chosen, NULL, error))
		return -1;
	if (samples_check_name(text, &why))
		return op_option_refuse(option, text, error, "%s", why.text);
	return op_option_text.take(option, &request->save_name, text, error);
}

static void release_save(void *field)
{
	op_option_text.release(&((struct request *)field)->save_name);
}

/* Settings are kept in the order of the command line and applied by request_apply(). */
static int take_setting(const struct op_option *option, void *field, const char *text,
			struct op_error *error)
{
	struct request *request = field;
	char *value = text ? strdup(text) : NULL;

	if ((text && !value) || op_array_extend(request->changes, request->nr_changes)) {
		free(value);
		return op_error_memory(error);
	}
	request->changes[request->nr_changes++] = (struct change){.option = option, .value = value};
	return 0;
}

static const char *const topic_words[] = {"all",    "sfile", "arcs", "samples",
					  "module", "misc",  NULL};

static bool is_topic(const char *word)
{
	for (size_t i = 0; topic_words[i]; i++)
		if (!strcmp(topic_words[i], word))
			return true;
	return false;
}

static int take_verbose(const struct op_option *option, void *field, const char *text,
			struct op_error *error)
{
	struct op_strings topics = {0};
	struct op_similar similar;
	int result = 0;

	if (!text)
		text = "all";
	if (op_strings_split(&topics, text, ','))
		result = op_error_memory(error);
	for (size_t i = 0; !result && i < topics.count; i++) {
		if (is_topic(topics.item[i]))
			continue;
		similar = op_similar_of(topics.item[i], topic_words);
		result = op_option_refuse(option, text, error,
					  "\"%s\" is not all, sfile, arcs, samples, module or "
					  "misc" OP_SIMILAR_FORMAT,
					  topics.item[i], OP_SIMILAR_ARGUMENTS(similar, ""));
	}
	op_strings_free(&topics);
	return result ? -1 : op_option_text.take(option, field, text, error);
}

static int take_backend(const struct op_option *option, void *field, const char *text,
			struct op_error *error)
{
	if (!*text || strlen(text) >= MODULE_BACKEND_MAX ||
	    text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return op_option_refuse(option, text, error,
					"not the name of a backend, such as nmi_timer or timer");
	return op_option_text.take(option, field, text, error);
}

static int take_session_dir(const struct op_option *option, void *field, const char *text,
			    struct op_error *error)
{
	char *absolute;

	if (!*text)
		return op_option_refuse(option, text, error, "the path is empty");
	absolute = op_session_dir(text);
	if (!absolute)
		return op_option_refuse(option, text, error, "%s", strerror(errno));
	free(*(char **)field);
	*(char **)field = absolute;
	return 0;
}

static void release_text(void *field)
{
	op_option_text.release(field);
}

static const struct op_option_type save_type = {.take = take_save, .release = release_save},
				   setting_type = {.take = take_setting},
				   verbose_type = {.take = take_verbose, .release = release_text},
				   backend_type = {.take = take_backend, .release = release_text},
				   session_dir_type = {.take = take_session_dir,
						       .release = release_text};

/* ---- tables ---- */

#define ACTION(number)	  OP_ACTION(struct request, chosen, number)
#define SETTING(number)	  .type = &setting_type, .value = number
#define OWN(kind, member) .type = &kind, .field = OP_FIELD(struct request, member, char *)

static const struct op_option actions[] = {
	{"init", 0, NULL, "load the module and mount oprofilefs", ACTION(ACTION_INIT)},
	{"start-daemon", 0, NULL, "start the daemon, but don't profile yet",
	 ACTION(ACTION_START_DAEMON)},
	{"start", 's', NULL, "start profiling, and the daemon if it does not run",
	 ACTION(ACTION_START)},
	{"dump", 'd', NULL, "write all samples taken so far to the sample files",
	 ACTION(ACTION_DUMP)},
	{"stop", 't', NULL, "stop profiling; the daemon stays", ACTION(ACTION_STOP)},
	{"shutdown", 'h', NULL, "stop profiling and end the daemon", ACTION(ACTION_SHUTDOWN)},
	{"reset", 0, NULL, "remove the samples of the live session", ACTION(ACTION_RESET)},
	{"save", 0, "NAME", "keep the samples of the live session as session NAME",
	 .type = &save_type, .value = ACTION_SAVE},
	{"deinit", 0, NULL, "shut down, unmount oprofilefs, unload the module",
	 ACTION(ACTION_DEINIT)},
	{"list-events", 'l', NULL, "list the events that can be counted",
	 ACTION(ACTION_LIST_EVENTS)},
	{0}};

static const struct op_option more[] = {
	{"status", 0, NULL,
	 "print what runs, with which settings, and its losses; alone: exit with 3 without a "
	 "daemon",
	 OP_FLAG(struct request, status)},
	{"json", 0, NULL, "with --status: as JSON", OP_FLAG(struct request, json)},
	{"setup", 0, NULL, "only save settings", OP_FLAG(struct request, setup)},
	{"verbose", 'V', "LIST",
	 "the daemon logs these topics (with --start and --start-daemon): all, sfile, arcs, "
	 "samples, module, misc",
	 OWN(verbose_type, verbose), .optional = true},
	{"backend", 0, "NAME", "load the module with this backend (with --init and starts)",
	 OWN(backend_type, backend)},
	{"module", 0, "FILE", "load this module (with --init and starts)",
	 OP_TEXT(struct request, module)},
	{"session-dir", 0, "DIR", "where sessions are kept", OWN(session_dir_type, session_dir)},
	OP_OPTION_VERSION('v'),
	{0}};

static const struct op_option settings_rows[] = {
	/* of older versions */
	{"xen", 0, "FILE", NULL, OP_HINT("Xen is not supported")},
	{"active-domains", 0, "LIST", NULL, OP_HINT("Xen is not supported")},
	{"note-table-size", 0, "N", NULL, OP_HINT("the driver has no such buffer any more")},
	{"ctr0-event", 0, "NAME", NULL, OP_HINT("counters are chosen for --event=NAME:COUNT")},
	{"ctr0-count", 0, "N", NULL, OP_HINT("counters are chosen for --event=NAME:COUNT")},
	{"event", 'e', "SPEC", "count this event (may be repeated); default: the default event",
	 SETTING(SET_EVENT)},
	{"separate", 'p', "LIST",
	 "count separately: none, lib, kernel, thread, cpu, all (comma list)",
	 SETTING(SET_SEPARATE)},
	{"callgraph", 'c', "DEPTH", "record call chains up to this depth, 0: none",
	 SETTING(SET_CALLGRAPH)},
	{"vmlinux", 0, "FILE",
	 "take kernel symbols from this uncompressed image; default: from the running kernel",
	 SETTING(SET_VMLINUX)},
	{"no-vmlinux", 0, NULL, "don't resolve kernel samples to symbols", SETTING(SET_NO_VMLINUX)},
	{"kernel-range", 0, "START,END", "addresses of the kernel's text, in hex",
	 SETTING(SET_KERNEL_RANGE)},
	{"image", 'i', "LIST", "profile only these programs and libraries; all: everything",
	 SETTING(SET_IMAGE)},
	{"buffer-size", 0, "N", "event buffer, in 8-byte words", SETTING(SET_BUFFER_SIZE)},
	{"buffer-watershed", 0, "N", "wake the daemon when this many words are left",
	 SETTING(SET_BUFFER_WATERSHED)},
	{"cpu-buffer-size", 0, "N", "buffer of each CPU, in entries", SETTING(SET_CPU_BUFFER_SIZE)},
	{"perf", 0, NULL, "sample by the kernel's perf events, without the module",
	 SETTING(SET_PERF)},
	{"no-perf", 0, NULL, "sample by the module", SETTING(SET_NO_PERF)},
	{"frequency", 0, "HZ", "samples per second on each CPU (timer backends, perf)",
	 SETTING(SET_FREQUENCY)},
	{"time-slice", 0, "MS", "how long a group of multiplexed events is counted",
	 SETTING(SET_TIME_SLICE)},
	{"session-size", 0, "MIB", "the most that the session may take of the disk",
	 SETTING(SET_SESSION_SIZE)},
	{"session-files", 0, "N", "the most files and directories of the session",
	 SETTING(SET_SESSION_FILES)},
	{"min-free", 0, "MIB", "what the session leaves free on its disk; 0: nothing",
	 SETTING(SET_MIN_FREE)},
	{"close-every", 0, "TIME",
	 "have the daemon save the session at each multiple of TIME (10m, 1h) by the clock",
	 SETTING(SET_CLOSE_EVERY)},
	{"saved-days", 0, "DAYS",
	 "--save and --close-every remove saved sessions that are older; 0: none",
	 SETTING(SET_SAVED_DAYS)},
	{"saved-size", 0, "MIB",
	 "--save and --close-every remove the oldest of saved sessions beyond it; 0: none",
	 SETTING(SET_SAVED_SIZE)},
	{"metrics", 0, "FILE",
	 "have the daemon write what it counts to this file, for Prometheus; none: no more",
	 SETTING(SET_METRICS)},
	{0}};

/* An initializer of an array of struct op_option_table. */
#define TABLES(request)                                                                            \
	{                                                                                          \
		{actions, request, "Actions, one per call:"},                                      \
			{more, request, "With actions or alone:"},                                 \
			{settings_rows, request, "Settings, saved at once (0: the default):"},     \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

bool request_starts_daemon(const struct request *request)
{
	return request->action == ACTION_START || request->action == ACTION_START_DAEMON;
}

static bool has_change(const struct request *request, int setting)
{
	for (size_t i = 0; i < request->nr_changes; i++) {
		if (request->changes[i].option->value == setting)
			return true;
	}
	return false;
}

/* Checks which options are combined. */
static int check_combination(const struct request *request, struct op_error *error)
{
	const char *action = request->chosen ? request->chosen->name : NULL;

	if (request->nr_changes && request->action && !request_starts_daemon(request))
		return op_error_set(error, EINVAL,
				    "--%s takes no settings (--%s): they go with --start, "
				    "--start-daemon or --setup",
				    action, request->changes[0].option->name);
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
	if (request->json && (!request->status || request->action))
		return op_error_set(error, EINVAL, "--json goes with --status alone");
	if (has_change(request, SET_VMLINUX) && has_change(request, SET_NO_VMLINUX))
		return op_error_set(error, EINVAL, "--vmlinux and --no-vmlinux exclude each other");
	if (has_change(request, SET_PERF) && has_change(request, SET_NO_PERF))
		return op_error_set(error, EINVAL, "--perf and --no-perf exclude each other");
	if (has_change(request, SET_PERF) && (request->backend || request->module))
		return op_error_set(error, EINVAL,
				    "--perf uses no module: it excludes --backend and --module");
	return 0;
}

int request_parse(int argc, const char **argv, struct request *request, struct op_error *error)
{
	const struct op_option_table tables[] = TABLES(request);

	*request = (struct request){.help = argc <= 1};
	if (op_options_read(tables, SYNOPSIS, argc, argv, NULL, error))
		return -1;
	request->action = request->chosen ? request->chosen->value : ACTION_NONE;
	return check_combination(request, error);
}

void request_free(struct request *request)
{
	op_options_release((const struct op_option_table[])TABLES(request));
	for (size_t i = 0; i < request->nr_changes; i++)
		free(request->changes[i].value);
	free(request->changes);
	*request = (struct request){0};
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
		return op_error_set(error, EINVAL, "default cannot be combined with other events");
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
		return op_error_set(error, errno, "%s", strerror(errno));
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
		op_error_memory(error);
		goto done;
	}
	for (size_t i = 0; i < names.count; i++) {
		path = realpath(names.item[i], NULL);
		if (!path) {
			op_error_errno(error, "\"%s\"", names.item[i]);
			goto done;
		}
		longer = op_path("%s%s%s", list ? list : "", list ? "," : "", path);
		free(path);
		free(list);
		list = longer;
		if (!list) {
			op_error_memory(error);
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
	switch (change->option->value) {
	case SET_EVENT:
		return apply_event(settings, change->value, events_before, error);
	case SET_SEPARATE:
		return settings_separate(settings, change->value, error);
	case SET_VMLINUX:
		return apply_vmlinux(settings, change->value, error);
	case SET_NO_VMLINUX:
		return settings_set(settings, "VMLINUX", "none", error);
	case SET_PERF:
		return settings_set(settings, "PERF", "1", error);
	case SET_NO_PERF:
		return settings_set(settings, "PERF", "0", error);
	case SET_IMAGE:
		return apply_images(settings, change->value, error);
	default:
		return settings_set(settings, setting_keys[change->option->value], change->value,
				    error);
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
	if (has_change(request, SET_VMLINUX) || has_change(request, SET_NO_VMLINUX))
		settings_set(settings, "KERNEL_RANGE", "", NULL);
	for (size_t i = 0; i < request->nr_changes; i++) {
		const struct change *change = &request->changes[i];

		if (apply_change(settings, change, events, &why))
			return op_option_refuse(change->option, change->value, error, "%s",
						why.text);
		events += change->option->value == SET_EVENT;
	}
	return settings_check(settings, error);
}

void request_print_help(void)
{
	op_options_print_help((const struct op_option_table[])TABLES(NULL), SYNOPSIS);
}
