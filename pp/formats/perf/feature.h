/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Header features: facts of the recording and its host, the names of events, and build-ids.
 *
 * They stand behind the data of a file, or in records of a pipe.
 */
#ifndef PP_FORMATS_PERF_FEATURE_H
#define PP_FORMATS_PERF_FEATURE_H

#include "build_ids.h"
#include "events.h"
#include "pp/formats/model/profile.h"

struct perf_features {
	struct prof_sink *sink;
	struct perf_events *events;
	struct perf_build_ids *build_ids;
};

/* Whether perf_feature_read() does more than to pass over it. */
bool perf_feature_is_known(unsigned int bit);

/* Decodes one; if it is damaged, what is before the fault counts and the sink gets a note. */
void perf_feature_read(struct perf_features *features, unsigned int bit, struct op_reader body);

/* Makes a note. */
void perf_feature_damaged(struct perf_features *features, unsigned int bit, const char *why);

#endif
