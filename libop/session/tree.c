// SPDX-License-Identifier: GPL-2.0-or-later
/* The directories of a session that is written: see tree.h. */
#include "tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/pinned_path.h"
#include "paths.h"
#include "trusted_dir.h"

/* Checks the directories of samples/NAME, which is open as @samples. */
static int check_content(int samples, const char *path, struct op_error *error)
{
	static const char *const names[] = {OP_SAMPLES_STATS,	OP_SAMPLES_STACKS,
					    OP_SAMPLES_WEIGHTS, OP_SAMPLES_SYMBOLS,
					    "{root}",		"{kern}"};
	int result = 0;

	for (size_t i = 0; !result && i < OP_ARRAY_SIZE(names); i++) {
		char *below = op_path("%s/%s", path, names[i]);
		struct op_error cause = {.code = ENOMEM, .text = OP_OUT_OF_MEMORY};
		int fd = below ? trusted_dir_open_below(samples, names[i], below, TRUSTED_DIR_FIND,
							&cause)
			       : -1;

		if (fd >= 0)
			close(fd);
		else if (cause.code != ENOENT)
			result = op_error_set(error, cause.code, "%s", cause.text);
		free(below);
	}
	return result;
}

/* Makes or checks samples/NAME of the session directory that is open as @session. */
static int visit_below(int session, const char *session_dir, const char *below,
		       enum trusted_dir_missing missing, struct op_error *error)
{
	char *samples = op_path("%s/" OP_SESSION_SAMPLES, session_dir);
	char *path = op_path("%s/%s", session_dir, below);
	int samples_fd = -1, fd = -1, result = -1;

	if (samples && path)
		samples_fd = trusted_dir_open_below(session, OP_SESSION_SAMPLES, samples, missing,
						    error);
	else
		op_error_memory(error);
	if (samples_fd >= 0)
		fd = trusted_dir_open_below(samples_fd, strrchr(path, '/') + 1, path, missing,
					    error);
	if (fd >= 0)
		result = check_content(fd, path, error);
	if (fd >= 0)
		close(fd);
	if (samples_fd >= 0)
		close(samples_fd);
	free(samples);
	free(path);
	return result;
}

static char *open_session(const char *session_dir, const char *below,
			  enum trusted_dir_missing missing, struct op_error *error)
{
	int fd = trusted_dir_open(session_dir, missing, error);

	if (fd < 0)
		return NULL;
	if (visit_below(fd, session_dir, below, missing, error)) {
		close(fd);
		return NULL;
	}
	return trusted_dir_pin(fd, session_dir, error);
}

char *op_session_open(const char *session_dir, struct op_error *error)
{
	return open_session(session_dir, OP_SESSION_CURRENT, TRUSTED_DIR_MAKE, error);
}

void op_session_suggest(const char *option, struct op_error *error)
{
	static const int of_places[] = {EACCES, EPERM, EROFS, ENOTDIR, ENOSPC, EDQUOT, ENOENT};
	size_t length = strlen(error->text);

	for (size_t i = 0; i < OP_ARRAY_SIZE(of_places); i++)
		if (error->code == of_places[i])
			snprintf(error->text + length, sizeof(error->text) - length,
				 "; %s=DIR names another place", option);
}

char *op_session_find(const char *session_dir, const char *below, struct op_error *error)
{
	return open_session(session_dir, below, TRUSTED_DIR_FIND, error);
}

int op_session_make(const char *session_dir, struct op_error *error)
{
	char *path = op_session_open(session_dir, error);
	bool made = path;

	op_pinned_close(path);
	return made ? 0 : -1;
}
