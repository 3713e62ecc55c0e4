// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Session directories: which one is meant.
 */
#include "paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"

char *op_session_dir(const char *option)
{
	struct stat status;
	char *cwd, *path;

	if (!option) {
		if (stat("oprofile_data", &status) || !S_ISDIR(status.st_mode))
			return strdup(OP_SESSION_DEFAULT_DIR);
		option = "oprofile_data";
	}
	if (*option == '/')
		return strdup(option);
	cwd = getcwd(NULL, 0);
	if (!cwd)
		return NULL;
	path = op_path("%s/%s", cwd, option);
	free(cwd);
	return path;
}

/* When the account was written, which is with each dump and at the end; -1: never. */
static time_t written(const char *dir)
{
	char *path = op_path("%s/" OP_SESSION_CURRENT "/" OP_SAMPLES_ACCOUNT, dir);
	struct stat status;
	time_t when = path && !stat(path, &status) ? status.st_mtime : -1;

	free(path);
	return when;
}

bool op_session_is_newer(const char *dir, const char *other)
{
	return written(dir) > written(other) && written(other) >= 0;
}
