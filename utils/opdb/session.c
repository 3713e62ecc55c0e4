// SPDX-License-Identifier: GPL-2.0-or-later
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/session/lock.h"
#include "libop/base/error.h"
#include "libop/base/file.h"
#include "libop/pack/session.h"
#include "libop/session/paths.h"

#define SESSION_UMASK 0027

static void complain_of_file(void *context, const char *text)
{
	(void)context;
	op_warn("not packed: %s", text);
}

/* The directory of samples that is meant, without links; the caller frees it.  NULL and errno. */
static char *samples_dir(const char *directory)
{
	char *current = op_path("%s/" OP_SESSION_CURRENT, directory), *path = NULL;

	if (current)
		path = realpath(current, NULL);
	if (!path && current && errno == ENOENT)
		path = realpath(directory, NULL);
	free(current);
	return path;
}

/* The session whose samples/current this is; the caller frees it.  NULL if it is none. */
static char *session_of(const char *path)
{
	static const char end[] = "/" OP_SESSION_CURRENT;
	size_t n = strlen(path), tail = strlen(end);

	if (n <= tail || strcmp(path + n - tail, end) != 0)
		return NULL;
	return strndup(path, n - tail);
}

static int run(const char *directory, bool pack)
{
	char *path = samples_dir(directory), *session = path ? session_of(path) : NULL;
	struct op_pack_result result;
	struct op_error error;
	int lock = -1, code = 0;

	umask(SESSION_UMASK);
	if (!path)
		code = op_error_set(&error, errno, "cannot open %s: %s", directory,
				    strerror(errno));
	if (session) {
		lock = lock_take(session, &error);
		code = lock < 0 ? -1 : 0;
	}
	if (!code)
		code = pack ? op_session_pack(path, complain_of_file, NULL, &result, &error)
			    : op_session_unpack(path, &result, &error);
	if (lock >= 0)
		lock_release(session, lock);
	if (!code && !result.done && !result.left)
		code = op_error_set(&error, ENOENT, "%s: no sample files in this directory", path);
	if (code) {
		op_complain("%s", error.text);
	} else {
		printf("%s: %" PRIu64 " files %s\n", path, result.done,
		       pack ? "packed" : "unpacked");
		code = result.left ? -1 : 0;
	}
	free(session);
	free(path);
	return code;
}

int session_pack(const char *directory)
{
	return run(directory, true);
}

int session_unpack(const char *directory)
{
	return run(directory, false);
}
