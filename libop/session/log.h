/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's log: lines with the time, on stderr, which is oprofiled.log once the daemon is
 * in the background.  Control characters and what is not UTF-8 are escaped (safe_text.h).
 */
#ifndef LIBOP_SESSION_LOG_H
#define LIBOP_SESSION_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/error.h"

/* What -V switches on. */
enum log_topic {
	LOG_SFILE = 1 << 0,   /* sample files opened and closed */
	LOG_ARCS = 1 << 1,    /* each call arc */
	LOG_SAMPLES = 1 << 2, /* each sample */
	LOG_MODULE = 1 << 3,  /* the kernel and its modules */
	LOG_MISC = 1 << 4,    /* buffers, images, processes, commands */
	LOG_ALL = (1 << 5) - 1,
};

/* The topics that are switched on. */
extern unsigned int log_topics;

/**
 * log_topics_parse - switch topics on
 * @list: names separated by commas: all, sfile, arcs, samples, module, misc; "ext" is accepted
 *	for compatibility and has no effect
 *
 * Return: 0, or -1 with @error set.
 */
int log_topics_parse(const char *list, struct op_error *error);

/* Writes one line. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes one line, with ": strerror(errno)" at its end. */
void log_line_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes one line if @topic is switched on. */
#define log_verbose(topic, ...)                                                                    \
	do {                                                                                       \
		if (log_topics & (topic))                                                          \
			log_line(__VA_ARGS__);                                                     \
	} while (0)

/* A message that may be frequent; all zero at first. */
struct log_limit {
	int64_t next;  /* not before this time, in seconds of the monotonic clock */
	uint64_t held; /* messages suppressed since the last one that was written */
};

/* Writes one line at most once a minute; the next one has the number of those suppressed. */
void log_limited(struct log_limit *limit, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A log of so many bytes is renamed, with LOG_OLDER behind its name, in place of the one before,
 * and a new one begins.  With topics it may be larger: it is read to find an error as it occurs.
 */
#define LOG_MOST	 ((off_t)1 << 20)
#define LOG_VERBOSE_MOST ((off_t)64 << 20)
#define LOG_OLDER	 ".1"

/**
 * log_open - from now on stdout and stderr are appended to a file
 * @path: the log, in a trusted directory (trusted_dir.h), which is kept open; made with
 *	OP_SESSION_FILE_MODE if it is missing
 *
 * Return: 0, or -1 with @error set; then all is as it was.
 */
int log_open(const char *path, struct op_error *error);

#endif
