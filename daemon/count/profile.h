/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile in the making: from a source to the sample files of a session.
 */
#ifndef DAEMON_PROFILE_H
#define DAEMON_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "anonymous.h"
#include "image.h"
#include "kernel.h"
#include "libop/events/spec.h"
#include "libop/base/strings.h"
#include "overhead.h"
#include "sample_file.h"
#include "daemon/sources/source.h"
#include "call_chains.h"
#include "stats.h"
#include "decoder.h"
#include "multiplexed_times.h"

struct profile_config {
	const char *session_dir;
	const char *events;	  /* as of --events; NULL: those of the source */
	struct op_strings filter; /* as of images::filter */
	struct kernel_config kernel;
	bool separate_lib, separate_kernel, separate_thread, separate_cpu;
};

struct profile {
	struct profile_config config;
	struct source *source;
	char *current_dir, *stats_dir;

	struct op_events events;
	int16_t event_of[OP_COUNTERS_MAX]; /* by counter: index into @events, or -1 */

	struct images images;
	struct anon anon;
	struct kernel kernel;
	struct sample_files files;
	struct stats stats;
	struct times times;
	struct overhead overhead;
	struct stream stream;
	struct stack stack;
	uint64_t buffers; /* decoded so far */
	uint64_t rested;  /* when files were taken out of memory; seconds, monotonic */
};

/**
 * profile_open - get ready to count
 * @profile: filled in; profile_close() frees what it holds, not @source
 * @config: copied, not so what it points to
 *
 * The directories of the session must exist.
 *
 * Return: 0, or -1 with @error set.
 */
int profile_open(struct profile *profile, const struct profile_config *config,
		 struct source *source, struct op_error *error);
void profile_close(struct profile *profile);

/**
 * profile_run - start or stop sampling
 *
 * Return: 0, or -1 with @error set: ENOTSUP if others do that.
 */
int profile_run(struct profile *profile, bool on, struct op_error *error);

/**
 * profile_app - the application below which samples of an image are stored
 * @is_kernel: whether they were taken in kernel mode
 * @program: that the task ran, or NULL
 *
 * Return: the image itself, @program, or NULL if that is needed and not known.
 */
static inline struct image *profile_app(const struct profile *profile, struct image *image,
					bool is_kernel, struct image *program)
{
	bool separate = is_kernel ? profile->config.separate_kernel : profile->config.separate_lib;

	return separate || image->id.kind == OP_IMAGE_ANON ? program : image;
}

/*
 * Whether samples are being taken.  Where others start and stop the source, the statistics are
 * the more exact on how long that was the sooner it is asked.
 */
bool profile_is_running(struct profile *profile);

/**
 * profile_take - count what the next buffer of the source holds
 * @words: set to the number of words that were in it; may be NULL
 *
 * Return: 0, SOURCE_END, or -1 with @error set.
 */
int profile_take(struct profile *profile, size_t *words, struct op_error *error);

/**
 * profile_dump - count all samples taken before this call
 *
 * On return they are in the sample files.
 *
 * Return: 0, SOURCE_END, or -1 with @error set.
 */
int profile_dump(struct profile *profile, struct op_error *error);

/**
 * profile_reopen - go on in a session whose samples/current may have been emptied or moved away
 *
 * If its statistics are still there it is the same session, and they go on.
 *
 * Return: 0, or -1 with @error set.
 */
int profile_reopen(struct profile *profile, struct op_error *error);

/**
 * profile_pack - pack the samples of a session, whose profile was closed
 *
 * The session's lock must be held.  Files that cannot be packed are logged; a file system that
 * cannot do it at all is no error: what stays loose is as good.
 *
 * Return: 0, or -1 with @error set.
 */
int profile_pack(const char *session_dir, struct op_error *error);

/* Writes the statistics to the session; what goes wrong is logged. */
void profile_save_stats(struct profile *profile);

/* Writes the statistics to the log. */
void profile_log_stats(const struct profile *profile);

#endif
