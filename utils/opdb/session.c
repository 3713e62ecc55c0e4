// SPDX-License-Identifier: GPL-2.0-or-later
#include "session.h"

#include <errno.h>
#include <fcntl.h>
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
#include "libop/base/pinned_path.h"
#include "libop/base/safe_text.h"
#include "libop/pack/session.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"

static void complain_of_file(void *context, const char *text)
{
	(void)context;
	op_warn("not packed: %s", text);
}

/* A directory of samples. */
struct place {
	char *shown;   /* its path as the user knows it */
	char *session; /* of samples/NAME of a session: its pinned directory; else NULL */
	char *path;    /* below session, or as shown */
};

static bool exists(const char *path)
{
	return path && !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* Absolute, and no "." or ".." at its end; the caller frees it.  NULL and errno. */
static char *absolute(const char *directory)
{
	char *path = op_session_dir(directory), *slash, *real;

	while (path && (slash = strrchr(path, '/')) != path && (!slash[1] || !strcmp(slash, "/.")))
		*slash = '\0';
	if (!path || strcmp(slash, "/..") != 0)
		return path;
	real = realpath(path, NULL);
	free(path);
	return real;
}

/* What is before "/samples/NAME" at the end of @path, the number of bytes; 0: it ends otherwise. */
static size_t session_length(const char *path)
{
	static const char before[] = "/" OP_SESSION_SAMPLES;
	const size_t n = strlen(before);
	const char *slash = strrchr(path, '/');
	size_t length = (size_t)(slash - path);

	return slash[1] && length > n && !memcmp(slash - n, before, n) ? length - n : 0;
}

static void place_close(struct place *place)
{
	op_pinned_close(place->session);
	free(place->path);
	free(place->shown);
}

/* Sets session and path, of which both ways to samples/NAME are trusted. */
static int open_session(struct place *place, size_t length, struct op_error *error)
{
	char *dir = strndup(place->shown, length);

	if (!dir)
		return op_error_memory(error);
	place->session = op_session_find(dir, place->shown + length + 1, error);
	free(dir);
	if (!place->session)
		return -1;
	place->path = op_path("%s%s", place->session, place->shown + length);
	return place->path ? 0 : op_error_memory(error);
}

/* The directory of samples that is meant; place_close() frees what it holds. */
static int place_open(struct place *place, const char *directory, struct op_error *error)
{
	char *path = absolute(directory);
	char *current = path ? op_path("%s/" OP_SESSION_CURRENT, path) : NULL;
	bool is_session = exists(current);
	size_t length;

	*place = (struct place){.shown = is_session ? current : path};
	free(is_session ? path : current);
	if (!place->shown)
		return op_error_errno(error, "cannot open %s", directory);
	length = session_length(place->shown);
	if (length)
		return open_session(place, length, error);
	place->path = strdup(place->shown);
	return place->path ? 0 : op_error_memory(error);
}

static int lock_current(const struct place *place, struct op_error *error)
{
	const char *name = strrchr(place->path, '/') + 1;
	bool live = place->session && !strcmp(name, strrchr(OP_SESSION_CURRENT, '/') + 1);

	return live ? lock_take(place->session, error) : 0;
}

static int opdb_session_work(const struct place *place, bool pack, struct op_pack_result *result,
			     struct op_error *error)
{
	int lock = lock_current(place, error), code;

	if (lock < 0)
		return -1;
	code = pack ? op_session_pack(place->path, complain_of_file, NULL, result, error)
		    : op_session_unpack(place->path, result, error);
	if (lock > 0)
		lock_release(place->session, lock);
	if (!code && !result->done && !result->left)
		return op_error_set(error, ENOENT, "%s: no sample files in this directory",
				    place->shown);
	return code;
}

static int opdb_session_run(const char *directory, bool pack)
{
	struct op_pack_result result;
	struct op_error error;
	struct place place;
	int code;

	umask(OP_SESSION_UMASK);
	code = place_open(&place, directory, &error) ||
			       opdb_session_work(&place, pack, &result, &error)
		       ? -1
		       : 0;
	if (code) {
		op_complain("%s", error.text);
	} else {
		op_safe_line(stdout, "%s: %" PRIu64 " files %s", place.shown, result.done,
			     pack ? "packed" : "unpacked");
		if (!pack && result.left)
			op_complain("%s: %" PRIu64 " files stay packed: their names are too long "
				    "for files", place.shown, result.left);
		code = result.left ? -1 : 0;
	}
	place_close(&place);
	return code;
}

int session_pack(const char *directory)
{
	return opdb_session_run(directory, true);
}

int session_unpack(const char *directory)
{
	return opdb_session_run(directory, false);
}
