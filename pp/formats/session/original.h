/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What OProfile itself reads: versions 0.9.9 and 1.4 know neither packs, stacks, weights nor CPU
 * types that are newer.
 */
#ifndef PP_FORMATS_SESSION_ORIGINAL_H
#define PP_FORMATS_SESSION_ORIGINAL_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "pp/formats/model/format.h"
#include "pp/select/classes.h"
#include "pp/select/sample_list.h"

#define ORIGINAL_0_9 0x12 /* version of sample files: OProfile 0.9.8 and 0.9.9 */
#define ORIGINAL_1   0x13 /* 1.0 to 1.4 */

/**
 * original_write - write sample files of sessions as a tree that OProfile reads
 * @version: ORIGINAL_0_9 or ORIGINAL_1
 * @dir: an empty directory, which becomes the session directory
 *
 * Return: 0, or -1 with @error set; what was written so far stays.
 */
int original_write(uint32_t version, const struct format_sessions *sessions, const char *dir,
		   struct op_error *error);

/* Of struct format, for OProfile 1: write and write_sessions. */
int original_write_profile_1(struct prof *prof, struct output *output, struct op_error *error);
int original_write_sessions_1(const struct format_sessions *sessions, struct output *output,
			      struct op_error *error);

/* An event as OProfile is to see it. */
struct original_event {
	uint32_t cpu_type, code, unit_mask;
	uint64_t count; /* events that a sample is */
	uint64_t own;	/* the same in the session */
	/* If samples do not all weigh the same, @samples of them are made of @events. */
	bool by_events;
	uint64_t samples, events;
	uint64_t rest[2]; /* of the division: of samples, and of arcs */
};

/**
 * original_events_make - the events of a list's classes
 * @list: its files have classes, headers and sums
 *
 * Return: an array with one event for each class, which the caller frees.
 */
struct original_event *original_events_make(uint32_t version, const struct pp_sample_list *list,
					    const struct pp_classes *classes);

/* How many samples @events are.  What is less than a sample goes to the next call. */
uint64_t original_event_take(struct original_event *event, bool is_arc, uint64_t events);

/**
 * original_write_rest - what a tree has beside sample files: statistics, and code of JIT compilers
 * @dir: of the samples
 *
 * Return: 0, or -1 with @error set.
 */
int original_write_rest(uint32_t version, const struct pp_sample_list *list, const char *dir,
			struct op_error *error);

#endif
