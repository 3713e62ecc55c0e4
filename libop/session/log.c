// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The daemon's log: see log.h.
 */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "paths.h"
#include "libop/base/safe_text.h"
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
	for (size_t i = 0; i < sizeof(topic_names) / sizeof(topic_names[0]); i++) {
		if (!strcmp(topic_names[i].name, name)) {
			log_topics |= topic_names[i].topics;
			return 0;
		}
	}
	return op_error_set(error, EINVAL,
			    "\"%s\" is not one of all, sfile, arcs, samples, module, misc, ext",
			    name);
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

int log_open(const char *path, struct op_error *error)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
		      OP_SESSION_FILE_MODE);

	if (fd < 0)
		return op_error_errno(error, "cannot open the log %s", path);
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
	return 0;
}
