// SPDX-License-Identifier: GPL-2.0-or-later
/* How long saved sessions are kept: see retention.h. */
#include "retention.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/base/pinned_path.h"
#include "libop/pack/hold.h"
#include "libop/session/paths.h"
#include "libop/session/trusted_dir.h"
#include "samples.h"

#define DAY   ((int64_t)24 * 60 * 60)
#define MIB   (UINT64_C(1) << 20)
#define BLOCK 512 /* the unit of st_blocks */

struct saved_session {
	char *name;
	int64_t changed;
	uint64_t bytes;
};

/* The saved sessions, the oldest first. */
struct retention {
	const struct retention_limits *limits;
	const char *saved;
	retention_report *report;
	int samples;	 /* the directory, which belongs to its path */
	char *dir;	 /* the pinned path */
	uint64_t bytes;	 /* of all, with those that stay, without @spared */
	uint64_t spared; /* of those that somebody reads, who keeps them from being removed */
	struct saved_session *sessions;
	size_t n;
};

static int retention_add_bytes(const char *path, const struct stat *status, void *context)
{
	(void)path;
	*(uint64_t *)context += (uint64_t)status->st_blocks * BLOCK;
	return 0;
}

static int measure_session(const struct retention *retention, struct saved_session *session,
			   struct op_error *error)
{
	char *path = op_path("%s/%s", retention->dir, session->name);
	int result;

	if (!path)
		return op_error_memory(error);
	result = op_walk(path, retention_add_bytes, &session->bytes, error);
	free(path);
	return result;
}

/* Adds what is a saved session.  Symbolic links are none. */
static int retention_add(struct retention *retention, const char *name, struct op_error *error)
{
	struct saved_session session = {0};
	struct op_error ignored;
	struct stat status;

	if (samples_check_name(name, &ignored) ||
	    fstatat(retention->samples, name, &status, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISDIR(status.st_mode))
		return 0;
	session.name = strdup(name);
	session.changed = status.st_mtime;
	if (!session.name || op_array_extend(retention->sessions, retention->n)) {
		free(session.name);
		return op_error_memory(error);
	}
	retention->sessions[retention->n++] = session;
	if (!retention->limits->size)
		return 0;
	if (measure_session(retention, &retention->sessions[retention->n - 1], error))
		return -1;
	retention->bytes += retention->sessions[retention->n - 1].bytes;
	return 0;
}

static int compare_ages(const void *a, const void *b)
{
	const struct saved_session *left = a, *right = b;

	if (left->changed != right->changed)
		return left->changed < right->changed ? -1 : 1;
	return strcmp(left->name, right->name);
}

static int retention_list(struct retention *retention, struct op_error *error)
{
	int fd = openat(retention->samples, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		op_error_errno(error, "cannot read %s", retention->dir);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (!result && (entry = readdir(dir)))
		result = retention_add(retention, entry->d_name, error);
	closedir(dir);
	if (retention->n)
		qsort(retention->sessions, retention->n, sizeof(*retention->sessions),
		      compare_ages);
	return result;
}

static bool is_read(const struct retention *retention, const char *name)
{
	char *path = op_path("%s/%s", retention->dir, name);
	int hold = path ? op_hold_to_move(path) : -1;

	free(path);
	if (hold >= 0)
		op_hold_release(hold);
	return hold < 0;
}

static void retention_tell(const struct retention *retention, const char *name, bool is_old)
{
	const struct retention_limits *limits = retention->limits;
	char *text =
		is_old ? op_path("Removed %s, which is older than %" PRIu64 " days.", name,
				 limits->days)
		       : op_path("Removed %s, as saved sessions had more than %" PRIu64 " MiB.",
				 name, limits->size);

	if (text)
		retention->report(text);
	free(text);
}

/* A session that is being read goes later; until then none goes in its place. */
static void spare(struct retention *retention, const struct saved_session *session)
{
	if (session->bytes > retention->limits->size * MIB - retention->spared)
		return;
	retention->spared += session->bytes;
	retention->bytes -= session->bytes;
}

/* Removes the session if it is beyond a limit. */
static int retention_judge(struct retention *retention, const struct saved_session *session,
			   struct op_error *error)
{
	const struct retention_limits *limits = retention->limits;
	bool is_old = limits->days && time(NULL) - session->changed > (int64_t)limits->days * DAY;
	bool is_beyond = limits->size && retention->bytes > limits->size * MIB;

	if ((!is_old && !is_beyond) || !strcmp(session->name, retention->saved))
		return 0;
	if (is_read(retention, session->name)) {
		spare(retention, session);
		return 0;
	}
	if (samples_remove(retention->samples, session->name, error))
		return -1;
	retention->bytes -= session->bytes;
	retention_tell(retention, session->name, is_old);
	return 0;
}

static void retention_free(struct retention *retention)
{
	for (size_t i = 0; i < retention->n; i++)
		free(retention->sessions[i].name);
	free(retention->sessions);
	op_pinned_close(retention->dir);
}

/* Return: a pinned path of the samples directory, whose descriptor is @samples; NULL: @error. */
static char *retention_open(const char *session_dir, int *samples, struct op_error *error)
{
	char *path = op_path("%s/" OP_SESSION_SAMPLES, session_dir), *pinned;
	int fd = path ? trusted_dir_open(session_dir, TRUSTED_DIR_FIND, error) : -1;

	if (!path)
		op_error_memory(error);
	*samples = fd < 0 ? -1
			  : trusted_dir_open_below(fd, OP_SESSION_SAMPLES, path, TRUSTED_DIR_FIND,
						   error);
	if (fd >= 0)
		close(fd);
	pinned = *samples < 0 ? NULL : trusted_dir_pin(*samples, path, error);
	free(path);
	return pinned;
}

int retention_apply(const char *session_dir, const struct retention_limits *limits,
		    const char *saved, retention_report *report, struct op_error *error)
{
	struct retention retention = {.limits = limits, .saved = saved, .report = report};
	int result;

	if (!limits->days && !limits->size)
		return 0;
	retention.dir = retention_open(session_dir, &retention.samples, error);
	if (!retention.dir)
		return -1;
	result = retention_list(&retention, error);
	for (size_t i = 0; !result && i < retention.n; i++)
		result = retention_judge(&retention, &retention.sessions[i], error);
	retention_free(&retention);
	return result;
}

int retention_measure(const char *session_dir, struct retention_usage *usage,
		      struct op_error *error)
{
	static const struct retention_limits all = {.size = UINT64_MAX};
	struct retention retention = {.limits = &all};
	int result;

	*usage = (struct retention_usage){0};
	retention.dir = retention_open(session_dir, &retention.samples, error);
	if (!retention.dir)
		return error->code == ENOENT ? 0 : -1;
	result = retention_list(&retention, error);
	usage->sessions = retention.n;
	usage->bytes = retention.bytes;
	if (retention.n)
		usage->oldest = retention.sessions[0].changed;
	retention_free(&retention);
	return result;
}
