// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of sample files: see sample_list.h. */
#include "sample_list.h"

#include <stdlib.h>
#include <string.h>

#include "libop/pack/hold.h"

bool pp_same_image(const struct op_image_name *a, const struct op_image_name *b)
{
	return a->kind == b->kind && !strcmp(a->name, b->name) &&
	       (a->kind != OP_IMAGE_ANON ||
		(a->tgid == b->tgid && a->start == b->start && a->end == b->end));
}

size_t pp_sample_session(const struct pp_sample_list *list, const char *path)
{
	size_t i = 0;

	while (i + 1 < list->n_dirs) {
		size_t length = strlen(list->samples_dirs[i]);

		if (!strncmp(path, list->samples_dirs[i], length) && path[length] == '/')
			break;
		i++;
	}
	return i;
}

bool pp_sample_session_is_held(const struct pp_sample_list *list, size_t session)
{
	return session < list->n_holds && list->holds[session] >= 0;
}

void pp_sample_file_free(struct pp_sample_file *file)
{
	op_sample_name_free(&file->name);
	free(file->path);
	free(file->entries);
}

void pp_sample_list_free(struct pp_sample_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		pp_sample_file_free(&list->files[i]);
	for (size_t i = 0; i < list->n_arcs; i++)
		pp_sample_file_free(&list->arcs[i]);
	for (size_t i = 0; i < list->n_weights; i++)
		pp_sample_file_free(&list->weights[i]);
	for (size_t i = 0; i < list->n_weight_arcs; i++)
		pp_sample_file_free(&list->weight_arcs[i]);
	for (size_t i = 0; i < list->n_stacks; i++)
		pp_sample_file_free(&list->stacks[i]);
	for (size_t i = 0; i < list->n_dirs; i++)
		free(list->samples_dirs[i]);
	for (size_t i = 0; i < list->n_holds; i++)
		op_hold_release(list->holds[i]);
	free(list->holds);
	op_events_free(&list->counted);
	for (size_t i = 0; i < list->n_packs; i++)
		op_pack_close(list->packs[i]);
	free(list->packs);
	for (size_t i = 0; i < list->n_scales; i++)
		free(list->scales[i]);
	free(list->scales);
	free(list->files);
	free(list->arcs);
	free(list->weights);
	free(list->weight_arcs);
	free(list->stacks);
	free(list->samples_dirs);
	memset(list, 0, sizeof(*list));
}
