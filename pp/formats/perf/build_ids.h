/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Build-ids that a recording tells of paths, apart from mappings.
 */
#ifndef PP_FORMATS_PERF_BUILD_IDS_H
#define PP_FORMATS_PERF_BUILD_IDS_H

#include "libop/base/hash.h"
#include "libop/perf/record.h"
#include "pp/formats/model/profile.h"

struct perf_build_ids {
	struct prof_image *list; /* kind, path, build-id; the paths are owned */
	size_t n, capacity;
	struct op_hash by_path;
};

void perf_build_ids_free(struct perf_build_ids *ids);

/* Keeps one, and gives it to the sink's images. */
void perf_build_ids_add(struct perf_build_ids *ids, const struct perf_build_id *id,
			struct prof_sink *sink);

/* Fills in the build-id of an image that has none. */
void perf_build_ids_apply(const struct perf_build_ids *ids, struct prof_image *image);

#endif
