// SPDX-License-Identifier: GPL-2.0-or-later
/* From a profile to a session: see import.h. */
#include "import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/pinned_path.h"
#include "libop/session/trusted_dir.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"
#include "libop/base/memory.h"
#include "libop/base/remove_tree.h"
#include "pp/formats/session/room.h"

#define CURRENT (&OP_SESSION_CURRENT[sizeof(OP_SESSION_SAMPLES)]) /* in OP_SESSION_SAMPLES */

/* @current is CURRENT in the directory @samples. */
static int check_current(int samples, const char *current, struct op_error *error)
{
	int fd = trusted_dir_open_below(samples, CURRENT, current, TRUSTED_DIR_FIND, error);

	if (fd < 0)
		return -1;
	close(fd);
	/* remove an empty one; it is created again */
	if (!unlinkat(samples, CURRENT, AT_REMOVEDIR) || errno == ENOENT)
		return 0;
	return errno == ENOTEMPTY || errno == EEXIST
		       ? op_error_set(error, EEXIST,
				      "%s has samples already: save them with "
				      "opcontrol --save, or choose another --output",
				      current)
		       : op_error_errno(error, "%s", current);
}

int import_session_check(const char *dir, struct op_error *error)
{
	char *samples = op_format("%s/" OP_SESSION_SAMPLES, dir);
	char *current = op_format("%s/" OP_SESSION_CURRENT, dir);
	struct op_error cause = {0};
	int result = 0, samples_fd = -1, fd = trusted_dir_open(dir, TRUSTED_DIR_FIND, &cause);

	if (fd >= 0)
		samples_fd = trusted_dir_open_below(fd, OP_SESSION_SAMPLES, samples,
						    TRUSTED_DIR_FIND, &cause);
	if ((samples_fd < 0 || check_current(samples_fd, current, &cause)) &&
	    cause.code != ENOENT) {
		result = op_error_set(error, cause.code, "%s", cause.text);
		op_session_suggest("--output", error);
	}
	if (samples_fd >= 0)
		close(samples_fd);
	if (fd >= 0)
		close(fd);
	free(samples);
	free(current);
	return result;
}

static int move(const char *from, const char *to, struct op_error *error)
{
	if (!rename(from, to))
		return 0;
	return op_error_errno(error, "%s can't be renamed to %s", from, to);
}

int import_session(const struct prof *prof, const char *dir, const struct session_options *options,
		   struct op_error *error)
{
	char *fresh, *from, *to, *pinned;
	struct op_error ignored;
	int result;

	if (import_session_check(dir, error))
		return -1;
	pinned = op_session_open(dir, error);
	if (!pinned) {
		op_session_suggest("--output", error);
		return -1;
	}
	dir = pinned;
	fresh = op_format("%s/samples/.import-XXXXXX", dir);
	from = to = NULL;
	if (!mkdtemp(fresh)) {
		result = op_error_errno(error, "%s", fresh);
	} else {
		result = session_write(prof, fresh, options, error) ||
					 session_room_check(fresh, options->input, error)
				 ? -1
				 : 0;
		from = op_format("%s/" OP_SESSION_CURRENT, fresh);
		to = op_format("%s/" OP_SESSION_CURRENT, dir);
		if (!result)
			result = import_session_check(dir, error) || move(from, to, error) ? -1 : 0;
		op_tree_remove(AT_FDCWD, fresh, &ignored);
	}
	free(from);
	free(to);
	free(fresh);
	op_pinned_close(pinned);
	return result;
}
