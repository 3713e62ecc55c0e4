// SPDX-License-Identifier: GPL-2.0-or-later
/* From a profile to a session: see import_session.h. */
#include "pp/formats/session/import.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"
#include "libop/base/memory.h"

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

static void remove_all(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int import_session_check(const char *dir, struct op_error *error)
{
	char *current = pp_format("%s/" OP_SESSION_CURRENT, dir);
	int result = 0;

	/* an empty one goes; it is made anew */
	if (rmdir(current) && errno != ENOENT)
		result = errno == ENOTEMPTY || errno == EEXIST
				 ? op_error_set(error, EEXIST,
						"%s: there are samples already: save them with "
						"opcontrol --save, or choose another --output",
						current)
				 : op_error_set(error, errno, "%s: %s", current, strerror(errno));
	free(current);
	return result;
}

static int move(const char *from, const char *to, struct op_error *error)
{
	if (!rename(from, to))
		return 0;
	return op_error_set(error, errno, "%s can't be renamed to %s: %s", from, to,
			    strerror(errno));
}

int import_session(const struct prof *prof, const char *dir, const struct session_options *options,
		   struct op_error *error)
{
	char *fresh, *from, *to;
	int result;

	if (import_session_check(dir, error) || op_session_make(dir, error))
		return -1;
	fresh = pp_format("%s/samples/.import-XXXXXX", dir);
	from = to = NULL;
	if (!mkdtemp(fresh)) {
		result = op_error_set(error, errno, "%s: %s", fresh, strerror(errno));
	} else {
		result = session_write(prof, fresh, options, error);
		from = pp_format("%s/" OP_SESSION_CURRENT, fresh);
		to = pp_format("%s/" OP_SESSION_CURRENT, dir);
		if (!result)
			result = import_session_check(dir, error) || move(from, to, error) ? -1 : 0;
		remove_all(fresh);
	}
	free(from);
	free(to);
	free(fresh);
	return result;
}
