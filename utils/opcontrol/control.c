// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The settings of a call.  A daemon that runs keeps the settings it was started with (the
 * session directory is one of them, and stop and shutdown must find it there), so what
 * changes meanwhile waits in daemonrc_new.
 */
#include "control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon.h"
#include "libop/session/lock.h"
#include "daemonrc.h"
#include "driver.h"
#include "events.h"
#include "libop/base/file.h"
#include "load.h"
#include "perf.h"

/* Of a command line. */
#define ARGUMENTS_MOST (1 << 20)

static bool has_argument(const char *arguments, size_t length, const char *wanted)
{
	size_t n = strlen(wanted);

	for (const char *at = arguments; at < arguments + length; at += strlen(at) + 1)
		if (!strncmp(at, wanted, n) && (!at[n] || at[n] == '='))
			return true;
	return false;
}

/*
 * Where the samples come from, as the settings have it or, where a daemon runs that others than
 * opcontrol may have started, as its command line has it: a daemon that hangs would not answer.
 */
static const char *find_source(const struct control *control)
{
	const char *source = control->settings.perf ? "perf" : "module";
	char path[64], *arguments = NULL;
	size_t length = 0;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", control->daemon);
	if (control->daemon)
		arguments = op_file_read(path, ARGUMENTS_MOST, &length, NULL);
	if (arguments && length)
		source = has_argument(arguments, length, "--perf")     ? "perf"
			 : has_argument(arguments, length, "--replay") ? "recording"
								       : "module";
	free(arguments);
	return source;
}

bool control_uses_module(const struct control *control)
{
	return !strcmp(control->source, "module");
}

static int find_daemon(struct control *control, struct op_error *error)
{
	if (control->pidfd >= 0)
		close(control->pidfd);
	control->killed = 0;
	if (lock_find_daemon(control->settings.session_dir, &control->daemon, &control->pidfd,
			     error))
		return -1;
	if (!control->daemon)
		control->killed = lock_find_killed(control->settings.session_dir);
	control->source = find_source(control);
	return 0;
}

/* Reads the current settings; those deferred to the daemon's end become current. */
static int control_load(struct control *control, bool *found, struct op_error *error)
{
	struct settings *settings = &control->settings;

	if (daemonrc_load(control->dir, DAEMONRC, settings, found, error) ||
	    find_daemon(control, error))
		return -1;
	if (control->daemon)
		return 0;
	if (daemonrc_adopt_new(control->dir, error))
		return -1;
	settings_free(settings);
	if (daemonrc_load(control->dir, DAEMONRC, settings, found, error))
		return -1;
	return find_daemon(control, error);
}

/* Checks the new settings against the driver, which knows the events of the CPU. */
static int check_driver(const struct settings *settings, struct op_error *error)
{
	if (settings->perf)
		return perf_check(settings, error);
	if (driver_is_mounted())
		return driver_check(settings, error) || events_check(settings, error) ? -1 : 0;
	if (settings->events.count)
		return op_error_set(error, ENOENT,
				    "event \"%s\": the events are known only once the module is "
				    "loaded: opcontrol --init",
				    settings->events.item[0]);
	return 0;
}

/* What a daemon is to be started with is saved when it has started. */
static int save(struct control *control, const struct settings *fresh, struct op_error *error)
{
	int ret;

	control->unsaved = request_starts_daemon(control->request) && !control->daemon;
	if (control->unsaved)
		return 0;
	ret = daemonrc_save(control->dir, control->daemon ? DAEMONRC_NEW : DAEMONRC, fresh, error);
	control->pending = !ret && control->daemon;
	return ret;
}

static int change(struct control *control, bool found, bool *usage, struct op_error *error)
{
	struct settings fresh;
	bool pending = false;
	int ret;

	if (control->daemon && daemonrc_load(control->dir, DAEMONRC_NEW, &fresh, &pending, error))
		return -1;
	control->pending = pending;
	if (!pending) {
		if (control->daemon)
			settings_free(&fresh);
		if (settings_copy(&fresh, &control->settings, error))
			return -1;
	}
	if (!request_keeps_settings(control->request)) {
		settings_free(&fresh);
		return 0;
	}

	ret = request_apply(control->request, &fresh, error);
	*usage = ret;
	if (!ret && request_starts_daemon(control->request) && !fresh.perf)
		ret = load_driver(control->request, error);
	/* The settings are for the backend and the counters of the next start. */
	if (!ret && !control->daemon && !fresh.perf && driver_is_mounted())
		ret = driver_remount(error);
	if (!ret)
		ret = check_driver(&fresh, error);
	if (!ret && (!found || pending || !settings_equal(&fresh, &control->settings)))
		ret = save(control, &fresh, error);
	if (ret || control->daemon) {
		settings_free(&fresh);
		return ret;
	}
	settings_free(&control->settings);
	control->settings = fresh;
	return find_daemon(control, error);
}

int control_open(struct control *control, const struct request *request, bool *usage,
		 struct op_error *error)
{
	bool found;

	*control = (struct control){.request = request, .pidfd = -1};
	*usage = false;
	control->lock = daemonrc_open_dir(&control->dir, error);
	if (control->lock < 0 || control_load(control, &found, error) ||
	    change(control, found, usage, error))
		return -1;
	if (request_keeps_settings(request) || !request->session_dir)
		return 0;
	/* For this call only. */
	if (settings_set(&control->settings, "SESSION_DIR", request->session_dir, error)) {
		*usage = true;
		return -1;
	}
	return find_daemon(control, error);
}

int control_keep(struct control *control, struct op_error *error)
{
	return control->unsaved ? daemonrc_save(control->dir, DAEMONRC, &control->settings, error)
				: 0;
}

void control_close(struct control *control)
{
	settings_free(&control->settings);
	free(control->dir);
	if (control->pidfd >= 0)
		close(control->pidfd);
	if (control->lock >= 0)
		close(control->lock);
}
