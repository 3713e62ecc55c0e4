// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The session that operf writes: see session.h.
 */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
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

/* Whether @name of the directory of sessions has samples; symbolic links have none. */
static bool has_samples(int sessions, const char *name)
{
	int fd = openat(sessions, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool has = fd >= 0 && (!faccessat(fd, OP_SAMPLES_ACCOUNT, F_OK, 0) ||
			       !faccessat(fd, OP_SAMPLES_STATS, F_OK, 0));

	if (fd >= 0)
		close(fd);
	return has;
}

/* Return: the directory of sessions below @dir, or -1 with @error set. */
static int open_sessions(const char *dir, struct op_error *error)
{
	char *path = op_path("%s/" OP_SESSION_SAMPLES, dir);
	int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0)
		op_error_errno(error, "cannot open %s", path ? path : dir);
	free(path);
	return fd;
}

static int put_aside(const char *dir, struct op_error *error)
{
	int sessions = open_sessions(dir, error), result = 0;

	if (sessions < 0)
		return -1;
	if (has_samples(sessions, CURRENT)) {
		if (!faccessat(sessions, SESSION_PREVIOUS, F_OK, AT_SYMLINK_NOFOLLOW))
			result = op_tree_remove(sessions, SESSION_PREVIOUS, error);
		if (!result && renameat(sessions, CURRENT, sessions, SESSION_PREVIOUS))
			result = op_error_errno(error,
						"cannot move the samples of the previous run: "
						"%s/" OP_SESSION_SAMPLES,
						dir);
	}
	close(sessions);
	return result;
}

struct run_name {
	char text[sizeof(SESSION_RUN) + 10];
};

static struct run_name run_name(unsigned int run)
{
	struct run_name name;

	snprintf(name.text, sizeof(name.text), SESSION_RUN, run);
	return name;
}

static bool has_run(int sessions, unsigned int run)
{
	return !faccessat(sessions, run_name(run).text, F_OK, AT_SYMLINK_NOFOLLOW);
}

static int drop_runs(int sessions, const char *dir, struct op_error *error)
{
	for (unsigned int run = 1; run <= SESSION_RUNS_MOST; run++)
		if (has_run(sessions, run) && !has_samples(sessions, run_name(run).text))
			return op_error_set(error, EEXIST,
					    "%s/" OP_SESSION_SAMPLES "/%s is no session, and is "
					    "not replaced: move it away",
					    dir, run_name(run).text);
	for (unsigned int run = 1; run <= SESSION_RUNS_MOST; run++)
		if (has_run(sessions, run) && op_tree_remove(sessions, run_name(run).text, error))
			return -1;
	return 0;
}

int session_drop_runs(const char *dir, struct op_error *error)
{
	int sessions = open_sessions(dir, error), result;

	if (sessions < 0)
		return -1;
	result = drop_runs(sessions, dir, error);
	close(sessions);
	return result;
}

int session_keep_run(const char *dir, unsigned int run, struct op_error *error)
{
	int sessions = open_sessions(dir, error), result = 0;

	if (sessions < 0)
		return -1;
	if (renameat2(sessions, CURRENT, sessions, run_name(run).text, RENAME_NOREPLACE))
		result = op_error_errno(error, "cannot make %s/" OP_SESSION_SAMPLES "/%s", dir,
					run_name(run).text);
	close(sessions);
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

int session_begin(const char *dir, enum session_begin how, struct op_error *error)
{
	int lock = lock_take(dir, error);

	if (lock < 0)
		return -1;
	if ((how == SESSION_BEGIN_RUNS && session_drop_runs(dir, error)) ||
	    (how != SESSION_APPEND && (put_aside(dir, error) || op_session_make(dir, error)))) {
		lock_release(dir, lock);
		return -1;
	}
	return lock;
}
