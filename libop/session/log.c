// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The daemon's log: see log.h.
 */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "paths.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/safe_text.h"
#include "libop/base/similar.h"
#include "libop/base/strings.h"

#define LIMIT_SECONDS 60

unsigned int log_topics;

static const struct {
	const char *name;
	unsigned int topics;
} topic_names[] = {
	{"all", LOG_ALL},	{"sfile", LOG_SFILE}, {"arcs", LOG_ARCS}, {"samples", LOG_SAMPLES},
	{"module", LOG_MODULE}, {"misc", LOG_MISC},   {"ext", 0},
};

static int switch_on(const char *name, struct op_error *error)
{
	struct op_similar similar = {.word = name};

	for (size_t i = 0; i < OP_ARRAY_SIZE(topic_names); i++) {
		op_similar_try(&similar, topic_names[i].name);
		if (!strcmp(topic_names[i].name, name)) {
			log_topics |= topic_names[i].topics;
			return 0;
		}
	}
	return op_error_set(error, EINVAL,
			    "\"%s\" is not one of all, sfile, arcs, samples, module, misc, "
			    "ext" OP_SIMILAR_FORMAT,
			    name, OP_SIMILAR_ARGUMENTS(similar, ""));
}

int log_topics_parse(const char *list, struct op_error *error)
{
	struct op_strings names = {0};
	int result = 0;

	if (op_strings_split(&names, list, ','))
		result = op_error_memory(error);
	for (size_t i = 0; !result && i < names.count; i++)
		result = switch_on(names.item[i], error);
	op_strings_free(&names);
	return result;
}

/* ---- the file ---- */

/* struct log_file - where stderr goes, if that is a log; written with stderr locked */
static struct log_file {
	int dir; /* -1: there is no log */
	char *name, *older;
	struct stat status; /* of the file: which one it is */
} log_file = {.dir = -1};

static bool session_log_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int log_file_open_file(const struct log_file *file)
{
	return openat(file->dir, file->name,
		      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, OP_SESSION_FILE_MODE);
}

/* Takes @fd as stdout and stderr. */
static void write_to(struct log_file *file, int fd)
{
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
	fstat(STDERR_FILENO, &file->status);
}

static off_t size_most(void)
{
	return log_topics ? LOG_VERBOSE_MOST : LOG_MOST;
}

/*
 * Puts a log that is full aside, in place of the one before.  Where no other can be begun, as on a
 * full disk, it is emptied: the log may not take more than it may.
 */
static void rotate(struct log_file *file)
{
	struct stat now, named;
	int fd;

	if (file->dir < 0 || fstat(STDERR_FILENO, &now) || now.st_size < size_most() ||
	    !session_log_is_same(&now, &file->status))
		return;
	if (!fstatat(file->dir, file->name, &named, AT_SYMLINK_NOFOLLOW) &&
	    session_log_is_same(&named, &now) &&
	    renameat(file->dir, file->name, file->dir, file->older))
		fd = -1;
	else
		fd = log_file_open_file(file);
	if (fd >= 0)
		write_to(file, fd);
	else if (ftruncate(STDERR_FILENO, 0))
		return; /* nobody can be told */
}

static void close_file(struct log_file *file)
{
	if (file->dir >= 0)
		close(file->dir);
	free(file->name);
	free(file->older);
	*file = (struct log_file){.dir = -1};
}

/* Opens the directory of a log.  Return: 0, or -1 with errno set. */
static int open_dir(struct log_file *file, const char *path)
{
	const char *name = strrchr(path, '/');
	char *dir = name ? op_path("%.*s/", (int)(name - path), path) : op_path(".");

	name = name ? name + 1 : path;
	*file = (struct log_file){
		.dir = dir ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1,
		.name = op_path("%s", name),
		.older = op_path("%s" LOG_OLDER, name),
	};
	free(dir);
	return file->dir >= 0 && file->name && file->older ? 0 : -1;
}

int log_open(const char *path, struct op_error *error)
{
	struct log_file file;
	int fd = open_dir(&file, path) ? -1 : log_file_open_file(&file);

	if (fd < 0) {
		op_error_errno(error, "cannot open the log %s", path);
		close_file(&file);
		return -1;
	}
	flockfile(stderr);
	close_file(&log_file);
	log_file = file;
	write_to(&log_file, fd);
	rotate(&log_file);
	funlockfile(stderr);
	return 0;
}

/* ---- lines ---- */

static void write_line(const char *format, va_list args, int code, uint64_t held)
{
	time_t now = time(NULL);
	struct tm local;
	char stamp[32];

	strftime(stamp, sizeof(stamp), "%F %T", localtime_r(&now, &local));
	flockfile(stderr);
	fprintf(stderr, "%s ", stamp);
	op_safe_vprintf(stderr, format, args);
	if (code)
		fprintf(stderr, ": %s", strerror(code));
	if (held)
		fprintf(stderr, " (and %" PRIu64 " times more since this was last said)", held);
	fputc('\n', stderr);
	rotate(&log_file);
	funlockfile(stderr);
}

void log_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(format, args, 0, 0);
	va_end(args);
}

void log_line_errno(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(format, args, errno, 0);
	va_end(args);
}

void log_limited(struct log_limit *limit, const char *format, ...)
{
	struct timespec now;
	va_list args;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (now.tv_sec < limit->next) {
		limit->held++;
		return;
	}
	va_start(args, format);
	write_line(format, args, 0, limit->held);
	va_end(args);
	limit->next = now.tv_sec + LIMIT_SECONDS;
	limit->held = 0;
}
