// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Session directories: which one is meant, and making one.
 */
#include "paths.h"

#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
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

static int make_directory(const char *path, const struct group *group, struct op_error *error)
{
	struct stat status;

	if (mkdir(path, OP_SESSION_DIR_MODE)) {
		if (errno == EEXIST && !stat(path, &status) && S_ISDIR(status.st_mode))
			return 0;
		return op_error_set(error, errno, "cannot create session directory %s: %s", path,
				    strerror(errno));
	}
	/* Who is not root makes a session of his own, in his own group. */
	if (!group || geteuid())
		return 0;
	if (chown(path, (uid_t)-1, group->gr_gid) || chmod(path, OP_SESSION_DIR_MODE | S_ISGID))
		return op_error_set(error, errno, "cannot give %s to the group %s: %s", path,
				    OP_SESSION_GROUP, strerror(errno));
	return 0;
}

int op_session_make(const char *session_dir, struct op_error *error)
{
	static const char *const below[] = {"", "/" OP_SESSION_SAMPLES, "/" OP_SESSION_CURRENT};
	const struct group *group = getgrnam(OP_SESSION_GROUP);
	int result = op_mkdir_parents(session_dir, 0755, error);

	for (size_t i = 0; !result && i < sizeof(below) / sizeof(below[0]); i++) {
		char *path = op_path("%s%s", session_dir, below[i]);

		result = path ? make_directory(path, group, error)
			      : op_error_set(error, ENOMEM, "out of memory");
		free(path);
	}
	return result;
}
