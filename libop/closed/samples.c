// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --save and --reset.  A mistyped --session-dir may be another user's: see trusted_dir.h.
 */
#include "samples.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/session/paths.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/pinned_path.h"
#include "libop/base/remove_tree.h"
#include "libop/session/tree.h"
#include "libop/session/trusted_dir.h"

/* The live samples, as seen from the samples directory. */
#define CURRENT "current"
/* Directories on their way out; no name that --save takes begins with a dot. */
#define WASTE_PREFIX ".reset-"

int samples_check_name(const char *name, struct op_error *error)
{
	static const char bytes[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_:.-";

	if (!*name)
		return op_error_set(error, EINVAL, "the name is empty");
	if (strlen(name) > NAME_MAX)
		return op_error_set(error, ENAMETOOLONG, "the name is longer than %d bytes",
				    NAME_MAX);
	if (strchr(name, '/'))
		return op_error_set(error, EINVAL,
				    "\"%s\" names a directory: sessions are kept in the samples "
				    "directory and have plain names",
				    name);
	if (*name == '.' || name[strspn(name, bytes)])
		return op_error_set(error, EINVAL,
				    "\"%s\": a name consists of A-Z a-z 0-9 _ : . - and does not "
				    "begin with a dot",
				    name);
	if (!strcmp(name, CURRENT))
		return op_error_set(error, EINVAL, "\"%s\" is the name of the live samples", name);
	return 0;
}

/*
 * Opens the samples directory and looks for samples/current in it.  Returns the descriptor,
 * -1 with @error set, or -2 if there is none of them.
 */
static int open_samples(const char *session_dir, struct stat *current, struct op_error *error)
{
	char *path = op_path("%s/" OP_SESSION_CURRENT, session_dir);
	struct op_error cause = {.code = ENOMEM, .text = OP_OUT_OF_MEMORY};
	int fd[3] = {-1, -1, -1}, samples;

	if (path)
		fd[0] = trusted_dir_open(session_dir, TRUSTED_DIR_FIND, &cause);
	if (fd[0] >= 0) {
		path[strlen(path) - strlen("/" CURRENT)] = '\0';
		fd[1] = trusted_dir_open_below(fd[0], OP_SESSION_SAMPLES, path, TRUSTED_DIR_FIND,
					       &cause);
		path[strlen(path)] = '/';
	}
	if (fd[1] >= 0)
		fd[2] = trusted_dir_open_below(fd[1], CURRENT, path, TRUSTED_DIR_FIND, &cause);
	if (fd[2] >= 0 && !fstat(fd[2], current)) {
		samples = fd[1];
		fd[1] = -1;
	} else {
		samples = cause.code == ENOENT ? -2
					       : op_error_set(error, cause.code, "%s", cause.text);
	}
	for (size_t i = 0; i < OP_ARRAY_SIZE(fd); i++) {
		if (fd[i] >= 0)
			close(fd[i]);
	}
	free(path);
	return samples;
}

/* What is right already stays: the service may neither give files away nor set these bits. */
static int make_like(int fd, const struct stat *old)
{
	struct stat status;

	if (fstat(fd, &status))
		return -1;
	if (geteuid() == 0 && (status.st_uid != old->st_uid || status.st_gid != old->st_gid)) {
		if (fchown(fd, old->st_uid, old->st_gid))
			return -1;
		status.st_mode = 0; /* it may have lost bits */
	}
	return (status.st_mode ^ old->st_mode) & 07777 ? fchmod(fd, old->st_mode & 07777) : 0;
}

/* Creates an empty samples/current with the owner and mode of @old. */
static int make_current(int samples, const char *session_dir, const struct stat *old,
			struct op_error *error)
{
	int fd;

	/* A daemon that was quick may have made it. */
	if (mkdirat(samples, CURRENT, old->st_mode & 0777)) {
		if (errno == EEXIST)
			return 0;
		goto fail;
	}
	fd = openat(samples, CURRENT, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		goto fail;
	if (make_like(fd, old)) {
		int code = errno;

		close(fd);
		errno = code;
		goto fail;
	}
	close(fd);
	return 0;
fail:
	return op_error_errno(error, "cannot create a new %s/%s", session_dir, OP_SESSION_CURRENT);
}

/*
 * Whether what was renamed is samples/current again, to which the daemon still writes.  The new one
 * may be there without its owner and mode.
 */
static bool take_back(int samples, const char *name)
{
	unlinkat(samples, CURRENT, AT_REMOVEDIR);
	return !renameat2(samples, name, samples, CURRENT, RENAME_NOREPLACE);
}

int samples_save(const char *session_dir, const char *name, bool *saved, struct op_error *error)
{
	struct stat current;
	int samples, ret;

	*saved = false;
	if (samples_check_name(name, error))
		return -1;
	samples = open_samples(session_dir, &current, error);
	if (samples == -2)
		return 0;
	if (samples < 0)
		return -1;
	if (!renameat2(samples, CURRENT, samples, name, RENAME_NOREPLACE)) {
		*saved = true;
		/* its age begins now, whenever samples came */
		utimensat(samples, name, NULL, AT_SYMLINK_NOFOLLOW);
		ret = make_current(samples, session_dir, &current, error);
		if (ret)
			*saved = !take_back(samples, name);
	} else if (errno == EEXIST) {
		ret = op_error_set(error, EEXIST,
				   "the session \"%s\" exists in %s/%s: choose another name", name,
				   session_dir, OP_SESSION_SAMPLES);
	} else {
		ret = op_error_errno(error, "cannot rename %s/%s to %s", session_dir,
				     OP_SESSION_CURRENT, name);
	}
	close(samples);
	return ret;
}

/* Sessions of one second, where the clock was set back. */
#define CLOSED_MOST 100000

int samples_close(const char *session_dir, const struct session_times *times,
		  char name[SAMPLES_CLOSED_NAME], struct op_error *error)
{
	char plain[SESSION_TIMES_NAME_MOST];
	bool saved = false;
	int result;

	session_times_name(times, plain);
	snprintf(name, SAMPLES_CLOSED_NAME, "%s", plain);
	for (unsigned int i = 2; i < CLOSED_MOST; i++) {
		result = samples_save(session_dir, name, &saved, error);
		if (!result && !saved)
			return op_error_set(error, ENOENT, "%s has no " OP_SESSION_CURRENT,
					    session_dir);
		if (!result || error->code != EEXIST)
			return result;
		snprintf(name, SAMPLES_CLOSED_NAME, "%s.%u", plain, i);
	}
	return -1;
}

int samples_pack(const char *session_dir, const char *name, op_pack_report *report,
		 struct op_error *error)
{
	char *below = op_path(OP_SESSION_SAMPLES "/%s", name);
	char *session = below ? op_session_find(session_dir, below, error) : NULL;
	char *dir = session ? op_path("%s/%s", session, below) : NULL;
	struct op_pack_result packed;
	int result = -1;

	if (dir)
		result = op_session_pack(dir, report, NULL, &packed, error);
	else if (!below || session)
		op_error_memory(error);
	if (session)
		op_pinned_close(session);
	free(below);
	free(dir);
	return result;
}

/* @waste: set to the name it has then.  Return: 0, or -1 and errno. */
static int move_aside(int samples, const char *name, char waste[SAMPLES_WASTE_NAME])
{
	for (unsigned int i = 0;; i++) {
		snprintf(waste, SAMPLES_WASTE_NAME, WASTE_PREFIX "%u", i);
		if (!renameat2(samples, name, samples, waste, RENAME_NOREPLACE))
			return 0;
		if (errno != EEXIST)
			return -1;
	}
}

int samples_remove(int samples, const char *name, struct op_error *error)
{
	char waste[SAMPLES_WASTE_NAME];

	if (move_aside(samples, name, waste))
		return op_error_errno(error, "cannot move the session %s aside", name);
	return op_tree_remove(samples, waste, error);
}

int samples_reset_begin(const char *session_dir, struct samples_waste *waste,
			struct op_error *error)
{
	struct stat current;

	waste->samples = open_samples(session_dir, &current, error);
	if (waste->samples == -2)
		return 0;
	if (waste->samples < 0)
		return -1;
	if (move_aside(waste->samples, CURRENT, waste->name)) {
		op_error_errno(error, "cannot move %s/%s aside", session_dir, OP_SESSION_CURRENT);
		goto fail;
	}
	if (!make_current(waste->samples, session_dir, &current, error))
		return 0;
	take_back(waste->samples, waste->name);
fail:
	close(waste->samples);
	waste->samples = -1;
	return -1;
}

static int remove_wastes(int samples, struct op_error *error)
{
	int fd = openat(samples, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat status;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return op_error_errno(error, "cannot read the samples directory");
	}
	while (!ret && (entry = readdir(dir))) {
		if (!strncmp(entry->d_name, WASTE_PREFIX, strlen(WASTE_PREFIX)) &&
		    !fstatat(samples, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) &&
		    S_ISDIR(status.st_mode))
			ret = op_tree_remove(samples, entry->d_name, error);
	}
	closedir(dir);
	return ret;
}

int samples_reset_end(struct samples_waste *waste, struct op_error *error)
{
	int ret;

	if (waste->samples < 0)
		return 0;
	ret = remove_wastes(waste->samples, error);
	close(waste->samples);
	waste->samples = -1;
	return ret;
}
