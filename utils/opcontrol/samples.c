// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --save and --reset.  The session directory is root's, but a mistyped --session-dir may be
 * anybody's: below it no symbolic link is followed.
 */
#include "samples.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/session/paths.h"
#include "libop/base/remove_tree.h"

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
		return op_error_set(
			error, EINVAL,
			"\"%s\": a name is made of A-Z a-z 0-9 _ : . - and does not begin "
			"with a dot",
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
	int session, samples, code;

	session = open(session_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (session < 0 && errno == ENOENT)
		return -2;
	if (session < 0)
		return op_error_set(error, errno, "cannot open session directory %s: %s",
				    session_dir, strerror(errno));
	samples = openat(session, OP_SESSION_SAMPLES,
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	code = errno;
	close(session);
	if (samples < 0 && code == ENOENT)
		return -2;
	if (samples < 0)
		return op_error_set(error, code, "%s/%s: %s", session_dir, OP_SESSION_SAMPLES,
				    code == ENOTDIR || code == ELOOP ? "not a directory"
								     : strerror(code));
	if (fstatat(samples, CURRENT, current, AT_SYMLINK_NOFOLLOW)) {
		code = errno;
		close(samples);
		if (code == ENOENT)
			return -2;
		return op_error_set(error, code, "%s/%s: %s", session_dir, OP_SESSION_CURRENT,
				    strerror(code));
	}
	if (!S_ISDIR(current->st_mode)) {
		close(samples);
		return op_error_set(error, ENOTDIR,
				    "%s/%s is not a directory but %s: nothing was done",
				    session_dir, OP_SESSION_CURRENT,
				    S_ISLNK(current->st_mode) ? "a symbolic link" : "a file");
	}
	return samples;
}

/* An empty samples/current in the place of the one that was like @old. */
static int make_current(int samples, const char *session_dir, const struct stat *old,
			struct op_error *error)
{
	int fd;

	/* A daemon that was quick may have made it. */
	if (mkdirat(samples, CURRENT, 0700)) {
		if (errno == EEXIST)
			return 0;
		goto fail;
	}
	fd = openat(samples, CURRENT, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		goto fail;
	if ((geteuid() == 0 && fchown(fd, old->st_uid, old->st_gid)) ||
	    fchmod(fd, old->st_mode & 07777)) {
		int code = errno;

		close(fd);
		errno = code;
		goto fail;
	}
	close(fd);
	return 0;
fail:
	return op_error_set(error, errno, "cannot make a new %s/%s: %s", session_dir,
			    OP_SESSION_CURRENT, strerror(errno));
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
		ret = make_current(samples, session_dir, &current, error);
	} else if (errno == EEXIST) {
		ret = op_error_set(error, EEXIST,
				   "there is a session \"%s\" in %s/%s: choose another name", name,
				   session_dir, OP_SESSION_SAMPLES);
	} else {
		ret = op_error_set(error, errno, "cannot rename %s/%s to %s: %s", session_dir,
				   OP_SESSION_CURRENT, name, strerror(errno));
	}
	close(samples);
	return ret;
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
	for (unsigned int i = 0;; i++) {
		snprintf(waste->name, sizeof(waste->name), WASTE_PREFIX "%u", i);
		if (!renameat2(waste->samples, CURRENT, waste->samples, waste->name,
			       RENAME_NOREPLACE))
			break;
		if (errno != EEXIST) {
			op_error_set(error, errno, "cannot move %s/%s aside: %s", session_dir,
				     OP_SESSION_CURRENT, strerror(errno));
			goto fail;
		}
	}
	if (!make_current(waste->samples, session_dir, &current, error))
		return 0;
	/* Does nothing if the directory was made, but not its owner and mode. */
	renameat2(waste->samples, waste->name, waste->samples, CURRENT, RENAME_NOREPLACE);
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
		return op_error_set(error, errno, "cannot read the samples directory: %s",
				    strerror(errno));
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
