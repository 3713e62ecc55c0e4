// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opcontrol: control the profiler.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "action.h"
#include "control.h"
#include "driver.h"
#include "libop/base/error.h"
#include "libop/session/paths.h"
#include "request.h"
#include "status.h"

/* With another driver directory, the permissions of its files decide. */
static void need_root(void)
{
	if (geteuid() && !driver_is_given())
		op_die(OP_EXIT_FAILURE, "only root can control the profiler: try sudo");
}

static void warn_pending(const struct control *control)
{
	if (control->pending && request_keeps_settings(control->request))
		op_warn("the daemon (pid %d) keeps the settings it runs with: the new ones are for "
			"its next start (opcontrol --shutdown, then --start)",
			control->daemon);
}

/* Then the exit code is the answer; else it is whether the rest was done. */
static bool asks_only(const struct request *request)
{
	return request->status && !request->action && !request_keeps_settings(request);
}

int main(int argc, const char **argv)
{
	struct request request;
	struct control control;
	struct op_error error;
	enum op_exit status = OP_EXIT_OK;
	bool usage;
	int ret;

	op_program_begin(argv[0]);
	if (request_parse(argc, argv, &request, &error)) {
		request_free(&request);
		return op_usage_error(&error);
	}
	if (request.help) {
		request_print_help();
		request_free(&request);
		return OP_EXIT_OK;
	}
	need_root();
	/* for directories of a session: the service may not change their modes afterwards */
	umask(OP_SESSION_UMASK);

	ret = control_open(&control, &request, &usage, &error);
	if (!ret) {
		warn_pending(&control);
		ret = action_run(&control, &error);
	}
	if (!ret)
		ret = control_keep(&control, &error);
	if (!ret && request.status)
		ret = request.json ? status_print_json(&control, &error)
				   : status_print(&control, &error);
	if (!ret && asks_only(&request) && !control.daemon)
		status = OP_EXIT_FINDING;
	control_close(&control);
	request_free(&request);
	if (ret)
		op_die(usage ? OP_EXIT_USAGE : OP_EXIT_FAILURE, "%s", error.text);
	if (fflush(stdout))
		op_die(OP_EXIT_FAILURE, "cannot write to stdout");
	return status;
}
