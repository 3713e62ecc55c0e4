/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The session that is being read, for read.c and read_stacks.c only. */
#ifndef PP_FORMATS_SESSION_READING_H
#define PP_FORMATS_SESSION_READING_H

#include "images.h"
#include "libdb/odb/odb.h"
#include "libop/session/thread_names.h"
#include "libop/tables/pair_table.h"
#include "pp/symbols/kallsyms.h"
#include "session.h"

/* What a sample file is of: numbers of what has a name. */
struct flat {
	uint32_t event, app, image;
	int64_t tgid, tid, cpu;
	uint32_t comm; /* the thread's name, which tells nothing apart */
};

struct reading {
	const struct pp_sample_list *list;
	struct prof_sink *sink;
	struct op_warnings *warnings;
	struct op_error *error;

	/* Of the session that is being read: */
	const char *dir;
	struct session_origin origin;
	struct pp_kallsyms kallsyms;
	struct session_images images;
	struct op_thread_names threads;

	struct flat *flats; /* one a sample file of the list */
	size_t n_flats, flats_capacity;
	struct op_hash by_flat;
	struct op_pair_table leaves; /* samples that were in stacks, by number of flat and key */
	struct prof_frame *frames;
	size_t frames_capacity;
	bool told_host;
	bool weights; /* the files of weights are being read */
	bool has_stacks; /* {cg} files would have their calls again */
	int result;   /* -1: the sink is full */
};

/* Those of the session's packs, whose files may all be unwanted. */
void session_read_packed_stacks(struct reading *reading);
void session_read_all_stacks(struct reading *reading);
/* The string of the name of the thread that a file is of; 0: it has none of its own. */
uint32_t session_read_comm_of(const struct reading *reading, const struct op_sample_name *name);
uint32_t session_read_event_of(struct reading *reading, const struct op_sample_name *name,
			       uint32_t code);
uint32_t session_read_find_flat(const struct reading *reading, const struct flat *wanted);
bool session_read_is_of_event(const struct op_sample_name *a, const struct op_sample_name *b);
bool session_read_is_of_session(const struct reading *reading, const struct pp_sample_file *file);

/* @unit: events that a count is */
void session_read_push(struct reading *reading, const struct flat *flat, size_t depth,
		       uint64_t count, uint64_t unit);

/*
 * How many events a count is, in files of samples or of weights.  Samples of an event without a
 * period weigh what the files of weights say; without these they count as one event each.
 */
uint64_t session_read_unit_of(const struct reading *reading, const struct op_sample_name *name);

#endif
