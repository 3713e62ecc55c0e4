// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oprofiled: reads samples from the kernel module and counts them in the sample files of a
 * session.  See oprofiled(8).
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/server/background.h"
#include "libop/base/option.h"
#include "libop/base/page_guard.h"
#include "daemon/server/daemon.h"
#include "libop/session/log.h"
#include "libop/session/paths.h"

static int oprofiled_work(const struct options *options, int ready)
{
	struct op_error error = {0};
	struct daemon daemon;
	int result = daemon_open(&daemon, options, &error);

	if (!result && !options->foreground)
		result = log_open(daemon.log, &error);
	if (result) {
		op_complain("%s", error.text);
		daemon_close(&daemon);
		return OP_EXIT_FAILURE;
	}
	if (!options->foreground)
		background_ready(ready);
	result = daemon_run(&daemon);
	daemon_close(&daemon);
	return result ? OP_EXIT_FAILURE : OP_EXIT_OK;
}

int main(int argc, char **argv)
{
	struct options options;
	struct op_error error;
	int ready = -1, status;

	op_program_begin(argv[0]);
	if (options_parse(argc, (const char **)argv, &options, &error)) {
		options_free(&options);
		return op_usage_error(&error);
	}
	umask(OP_SESSION_UMASK);
	daemon_block_signals();
	page_guard_ignore_file_limit();
	if (!options.foreground) {
		ready = background_start();
		if (ready < 0)
			op_die_errno(OP_EXIT_FAILURE, "cannot run in the background");
		if (chdir("/"))
			op_warn_errno("cannot change to /");
	}
	status = oprofiled_work(&options, ready);
	options_free(&options);
	return status;
}
