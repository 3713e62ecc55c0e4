// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads {cg} files. */
#include "arc_files.h"

#include <stdlib.h>

#include "libop/base/memory.h"
#include "pp/select/multiplexing.h"
#include "pp/select/sample_read.h"

void pp_arc_add_end(struct pp_arc_reading *reading, const struct op_sample_name *name,
		    struct pp_frames *frames)
{
	struct pp_arcs *arcs = reading->arcs;

	arcs->ends =
		op_grow(arcs->ends, &arcs->ends_capacity, arcs->n_ends + 1, sizeof(*arcs->ends));
	arcs->ends[arcs->n_ends++] = (struct pp_sample_file){.name = *name, .frames = frames};
}

/* A key has both ends, 32 bits of each. */
static void make_end(struct pp_arc_file *arcs, enum pp_end end, bool is_kernel, bool sites)
{
	uint64_t *keys = op_alloc(arcs->n, sizeof(*keys));

	for (size_t i = 0; i < arcs->n; i++)
		keys[i] = end == PP_CALLER ? arcs->entries[i].key >> 32
					   : arcs->entries[i].key & UINT32_MAX;
	arcs->ends[end] = (struct pp_frames){
		.keys = keys,
		.n = arcs->n,
		.is_kernel = is_kernel,
		.is_narrow = true,
		.rows = op_alloc(arcs->n, sizeof(struct pp_row *)),
		.vmas = sites ? op_alloc(arcs->n, sizeof(uint64_t)) : NULL,
	};
}

static void arc_reading_read_file(struct pp_arc_reading *reading, const struct pp_sample_file *file)
{
	struct pp_arc_file *arcs = &reading->arcs->files[reading->arcs->n_files];
	struct op_sample_name callee = file->name;
	struct pp_sample_file end = {0};
	struct odb_header header;
	struct op_error error;

	if (pp_sample_read(file, &header, &arcs->entries, &arcs->n, &error)) {
		op_warnings_add(reading->warnings, OP_BAD_FILE, "skipped: %s", error.text);
		return;
	}
	reading->arcs->n_files++;
	arcs->class = file->class;
	pp_scale_entries(file, arcs->entries, arcs->n);
	make_end(arcs, PP_CALLER, header.is_kernel, reading->sites);
	make_end(arcs, PP_CALLEE, header.cg_to_is_kernel, reading->sites);
	pp_arc_add_end(reading, &file->name, &arcs->ends[PP_CALLER]);
	callee.dep = file->name.callee;
	end.name = callee;
	pp_arc_apps_choose(&reading->apps, &end, pp_arc_samples_class(reading, file->class));
	pp_arc_add_end(reading, &end.name, &arcs->ends[PP_CALLEE]);
}

void pp_arc_files_read(struct pp_arc_reading *reading)
{
	const struct pp_sample_list *list = reading->list;

	reading->arcs->files =
		op_alloc(list->n_arcs + list->n_weight_arcs, sizeof(*reading->arcs->files));
	for (size_t i = 0; i < list->n_arcs; i++)
		arc_reading_read_file(reading, &list->arcs[i]);
	for (size_t i = 0; i < list->n_weight_arcs; i++)
		arc_reading_read_file(reading, &list->weight_arcs[i]);
}

void pp_arc_files_free(struct pp_arcs *arcs)
{
	for (size_t i = 0; i < arcs->n_files; i++) {
		struct pp_arc_file *file = &arcs->files[i];

		free(file->entries);
		for (int end = 0; end < 2; end++) {
			free((void *)file->ends[end].keys);
			free(file->ends[end].rows);
			free(file->ends[end].vmas);
		}
	}
	free(arcs->files);
}
