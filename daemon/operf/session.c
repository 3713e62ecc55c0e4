// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The session that operf writes: see session.h.
 */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libop/saved/store.h"
#include "libop/session/lock.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/session/paths.h"
#include "libop/session/trusted_dir.h"
#include "libop/session/tree.h"
#include "libop/base/remove_tree.h"

#define CURRENT "current"

/* Whether a directory of samples has any. */
static bool has_samples(int samples)
{
	return !faccessat(samples, CURRENT "/" OP_SAMPLES_STATS, F_OK, 0);
}

static int put_aside(const char *dir, struct op_error *error)
{
	char *path = op_path("%s/" OP_SESSION_SAMPLES, dir);
	int samples = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1, result = 0;

	if (samples < 0) {
		result = op_error_errno(error, "cannot open %s", path ? path : dir);
	} else if (has_samples(samples)) {
		if (!faccessat(samples, SESSION_PREVIOUS, F_OK, AT_SYMLINK_NOFOLLOW))
			result = op_tree_remove(samples, SESSION_PREVIOUS, error);
		if (!result && renameat(samples, CURRENT, samples, SESSION_PREVIOUS))
			result = op_error_errno(
				error, "cannot move the samples of the previous run: %s", path);
	}
	if (samples >= 0)
		close(samples);
	free(path);
	return result;
}

/* Return: whether the environment has a user's or group's id that is not root's. */
static bool read_id(const char *name, uint64_t *id)
{
	const char *text = getenv(name);

	/* the largest number stands for no id */
	return text && !op_number_parse(text, name, 1, UINT32_MAX - 1, id, NULL);
}

void session_let_sudo_user_read(void)
{
	uint64_t user, group;

	if (!geteuid() && read_id("SUDO_UID", &user) && read_id("SUDO_GID", &group)) {
		trusted_dir_set_readers((gid_t)group);
		saved_keep_in_sessions();
	}
}

int session_begin(const char *dir, bool append, struct op_error *error)
{
	int lock = lock_take(dir, error);

	if (lock < 0)
		return -1;
	if (!append && (put_aside(dir, error) || op_session_make(dir, error))) {
		lock_release(dir, lock);
		return -1;
	}
	return lock;
}
