// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of actions, and the steps of each.
 */
#include "action.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "libop/session/lock.h"
#include "driver.h"
#include "events.h"
#include "libop/closed/retention.h"
#include "libop/closed/samples.h"
#include "libop/session/control_socket.h"
#include "libop/base/safe_text.h"
#include "load.h"
#include "module.h"
#include "perf.h"
#include "vmlinux.h"

/* How long --shutdown waits for a daemon that does nothing, and for one that works, in seconds. */
#define IDLE_SECONDS_MOST 15
#define WORK_SECONDS_MOST 600

/* Starts or stops sampling, of the module or of perf events. */
static int set_running(const struct control *control, bool on, struct op_error *error)
{
	const struct settings *settings = &control->settings;
	struct op_error ignored;

	if (!control_uses_module(control))
		return perf_run(settings, on, error);
	if (driver_write("enable", on, error))
		return -1;
	/* The daemon notices the start when it is called, and measures the profiled time from then.
	 */
	if (on)
		op_control_call(settings->session_dir, "status", NULL, &ignored);
	return 0;
}

static int init(struct control *control, struct op_error *error)
{
	const bool stale = driver_is_mounted() && !control->daemon;
	char type[DRIVER_CPU_TYPE_MAX];

	if (load_driver(control->request, error) || (stale && driver_remount(error)) ||
	    driver_cpu_type(type, error))
		return -1;
	op_safe_line(stdout, "The driver is ready in %s; CPU type: %s.", driver_dir(), type);
	return 0;
}

/*
 * Has the driver count the events, on counters that are free at this moment.
 * @argument: the daemon's --events, which the caller frees; NULL if it needs none
 */
static int program_events(const struct settings *settings, char **argument, struct op_error *error)
{
	struct events events;
	int ret;

	if (events_open(settings, &events, error))
		return -1;
	ret = events_place(&events, error);
	if (!ret)
		ret = events_argument(&events, argument, error);
	if (!ret && events_program(&events, error)) {
		free(*argument);
		ret = -1;
	}
	events_close(&events);
	return ret;
}

/* Gets the source of samples ready.  @events: as of program_events() */
static int prepare_source(struct control *control, char **events, struct op_error *error)
{
	const struct settings *settings = &control->settings;

	if (settings->perf)
		return perf_argument(settings, events, error);
	if (load_driver(control->request, error) || driver_check_free(error) ||
	    driver_remount(error) || driver_configure(settings, error))
		return -1;
	return program_events(settings, events, error);
}

static int start_daemon(struct control *control, struct op_error *error)
{
	const struct settings *settings = &control->settings;
	char *events;
	int ret;

	if (control->daemon) {
		op_safe_line(stdout, "The daemon runs already (pid %d, session %s).",
			     control->daemon, settings->session_dir);
		return 0;
	}
	if (settings->vmlinux && strcmp(settings->vmlinux, "none") &&
	    vmlinux_check(settings->vmlinux, error))
		return -1;
	if (prepare_source(control, &events, error))
		return -1;
	ret = daemon_start(settings, events, control->request->verbose, error);
	free(events);
	if (ret ||
	    lock_find_daemon(settings->session_dir, &control->daemon, &control->pidfd, error))
		return -1;
	if (!control->daemon)
		return op_error_set(error, ESRCH,
				    "the daemon has ended right after its start: see %s/"
				    "samples/oprofiled.log",
				    settings->session_dir);
	op_safe_line(stdout, "The daemon runs (pid %d, session %s).", control->daemon,
		     settings->session_dir);
	return 0;
}

static int control_start(struct control *control, struct op_error *error)
{
	if (start_daemon(control, error) || set_running(control, true, error))
		return -1;
	printf("Profiling.\n");
	return 0;
}

static int need_daemon(const struct control *control, struct op_error *error)
{
	if (control->daemon)
		return 0;
	return op_error_set(error, ESRCH,
			    "no daemon runs in the session %s: \"opcontrol --start\" starts one",
			    control->settings.session_dir);
}

static int dump(struct control *control, struct op_error *error)
{
	if (need_daemon(control, error))
		return -1;
	return daemon_dump(control->settings.session_dir, NULL, error);
}

/* First disabled, then dumped: what was sampled until the end is in the files. */
static int stop(struct control *control, struct op_error *error)
{
	if (need_daemon(control, error) || set_running(control, false, error) ||
	    daemon_dump(control->settings.session_dir, NULL, error))
		return -1;
	printf("Profiling has stopped; the daemon waits (\"opcontrol --shutdown\" ends it).\n");
	return 0;
}

/* Ends the daemon whatever else fails, and then reports what failed. */
static int shutdown(struct control *control, struct op_error *error)
{
	const char *session_dir = control->settings.session_dir;
	struct patience patience;
	struct op_error why;
	bool failed = false;
	int ret;

	if (!control->daemon) {
		op_safe_line(stdout, "No daemon runs in the session %s.", session_dir);
		return 0;
	}
	if (set_running(control, false, &why)) {
		op_complain("%s", why.text);
		failed = true;
	}
	patience_begin(&patience, control->daemon, IDLE_SECONDS_MOST, WORK_SECONDS_MOST);
	if (daemon_dump(session_dir, &patience, &why)) {
		op_complain("the last samples may be lost: %s", why.text);
		failed = true;
	}
	ret = daemon_end(control->pidfd, &patience, error);
	if (ret < 0)
		return -1;
	if (ret)
		return op_error_set(
			error, ETIMEDOUT,
			"the daemon (pid %d) did nothing for %d seconds, or worked for %d, "
			"instead of ending, and was killed; samples since the last dump may be "
			"lost",
			control->daemon, IDLE_SECONDS_MOST, WORK_SECONDS_MOST);
	control->daemon = 0;
	if (failed)
		return op_error_set(error, EIO, "the daemon has ended, but not cleanly");
	printf("The daemon has ended.\n");
	return 0;
}

/* Before the live samples are moved: add the samples taken so far. */
static int settle(const struct control *control, struct op_error *error)
{
	return control->daemon ? daemon_dump(control->settings.session_dir, NULL, error) : 0;
}

/* After they have been moved: the daemon is to begin with new files. */
static int reopen(const struct control *control, struct op_error *error)
{
	if (!control->daemon)
		return 0;
	return op_control_call(control->settings.session_dir, "reopen", NULL, error);
}

static int reset(struct control *control, struct op_error *error)
{
	struct samples_waste waste;
	struct op_error why;
	int ret;

	/* what the daemon could not store is thrown away with the rest */
	if (settle(control, error)) {
		if (error->code != EIO)
			return -1;
		op_warn("%s", error->text);
	}
	if (samples_reset_begin(control->settings.session_dir, &waste, error))
		return -1;
	ret = reopen(control, error);
	if (!samples_reset_end(&waste, ret ? &why : error))
		return ret;
	if (ret)
		op_complain("%s", why.text);
	return -1;
}

static void warn_unpacked(void *context, const char *text)
{
	(void)context;
	op_warn("not packed: %s", text);
}

/* Loose files take 30 inodes a program, for ever. */
static void pack_saved(const char *session_dir, const char *name)
{
	struct op_error error;

	if (samples_pack(session_dir, name, warn_unpacked, &error) && error.code != EOPNOTSUPP)
		op_warn("%s is not packed: %s", name, error.text);
}

static void print_removed(const char *text)
{
	op_safe_line(stdout, "%s", text);
}

static int save(struct control *control, struct op_error *error)
{
	const char *session_dir = control->settings.session_dir;
	const char *name = control->request->save_name;
	const struct retention_limits limits = {.days = control->settings.saved_days,
						.size = control->settings.saved_size};
	bool saved;

	if (settle(control, error) || samples_save(session_dir, name, &saved, error) ||
	    reopen(control, error))
		return -1;
	if (!saved) {
		op_safe_line(stdout, "There is nothing to save: %s has no live samples.",
			     session_dir);
		return 0;
	}
	pack_saved(session_dir, name);
	op_safe_line(stdout, "Saved as %s.", name);
	return retention_apply(session_dir, &limits, name, print_removed, error);
}

static int deinit(struct control *control, struct op_error *error)
{
	if (control->daemon && shutdown(control, error))
		return -1;
	if (driver_unmount(error) || (!driver_is_given() && module_unload(error)))
		return -1;
	printf("The driver is unloaded.\n");
	return 0;
}

static int list_events(struct control *control, struct op_error *error)
{
	(void)control;
	if (!driver_is_mounted())
		return op_error_set(
			error, ENOENT,
			"the events are known only once the module is loaded: opcontrol --init");
	return events_list(error);
}

static int (*const actions[])(struct control *control, struct op_error *error) = {
	[ACTION_INIT] = init,		[ACTION_START_DAEMON] = start_daemon,
	[ACTION_START] = control_start, [ACTION_DUMP] = dump,
	[ACTION_STOP] = stop,		[ACTION_SHUTDOWN] = shutdown,
	[ACTION_RESET] = reset,		[ACTION_SAVE] = save,
	[ACTION_DEINIT] = deinit,	[ACTION_LIST_EVENTS] = list_events,
};

int action_run(struct control *control, struct op_error *error)
{
	enum action_id action = control->request->action;

	return action ? actions[action](control, error) : 0;
}
