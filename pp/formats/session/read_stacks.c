// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading the stack files of a session: see read.c. */
#include "reading.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/session/paths.h"
#include "libop/base/memory.h"
#include "pp/select/sample_read.h"

/* ---- stack files ---- */

/* The frames of a node, leaf first.  Return: how many. */
static size_t frames_of(struct reading *reading, const struct stacks_content *content,
			const uint32_t *images, size_t node)
{
	size_t depth = 0;

	for (; node; node = content->nodes[node].parent) {
		const struct stacks_node *at = &content->nodes[node];
		uint32_t image = images[at->image];

		if (!at->image && at->offset >> 63)
			image = PROF_NO_KERNEL_IMAGE;
		reading->frames = op_grow(reading->frames, &reading->frames_capacity, depth + 1,
					  sizeof(*reading->frames));
		reading->frames[depth++] = (struct prof_frame){image, at->offset};
	}
	return depth;
}

static void read_stacks(struct reading *reading, const struct op_sample_name *name,
			const struct stacks_content *content)
{
	uint32_t *images = op_alloc(content->n_images, sizeof(*images));
	uint64_t unit = session_read_unit_of(reading, name);
	struct flat flat = {
		.event = UINT32_MAX, .tgid = name->tgid, .tid = name->tid, .cpu = name->cpu};
	struct op_error error;
	size_t other = 0;

	flat.app = session_images_number(&reading->images, &name->app, false, 0);
	flat.comm = session_read_comm_of(reading, name);
	/* the event's code is not in the file: it is that of a sample file with this name */
	for (size_t i = 0; i < reading->list->n; i++) {
		if (session_read_is_of_session(reading, &reading->list->files[i]) &&
		    session_read_is_of_event(&reading->list->files[i].name, name)) {
			struct odb_header header;

			if (pp_sample_header(&reading->list->files[i], &header, NULL))
				continue;
			flat.event = session_read_event_of(reading, name, header.ctr_event);
			break;
		}
	}
	for (size_t i = 1; i < content->n_images; i++) {
		struct op_image_name image;

		if (!strcmp(content->images[i].name, STACKS_OTHER))
			other = i;
		if (op_image_name_parse(content->images[i].name, &image, &error))
			continue;
		images[i] = session_images_number(&reading->images, &image,
						  content->images[i].flags & STACKS_IMAGE_KERNEL,
						  content->images[i].mtime);
		free(image.name);
	}
	for (size_t i = 1; flat.event != UINT32_MAX && i < content->n_nodes && !reading->result;
	     i++) {
		const struct stacks_node *node = &content->nodes[i];
		struct flat own = flat;
		size_t depth;
		uint32_t id;

		/* samples of unknown leaves are among those without callers */
		if (!node->count || (other && node->image == other))
			continue;
		depth = frames_of(reading, content, images, i);
		own.image = reading->frames[0].image;
		id = session_read_find_flat(reading, &own);
		if (id == OP_HASH_NONE) {
			/* where libraries are not separated, each image is its own application */
			own.app = own.image;
			id = session_read_find_flat(reading, &own);
		}
		if (id == OP_HASH_NONE)
			continue; /* these are not wanted */
		*op_pair_table_get(&reading->leaves, id, reading->frames[0].offset) += node->count;
		session_read_push(reading, &flat, depth, node->count, unit);
	}
	free(images);
}

static int visit_stacks(const char *path, const struct stat *status, void *context)
{
	struct reading *reading = context;
	struct op_sample_name name;
	struct stacks_content content;
	struct odb_error error;

	if (!S_ISREG(status->st_mode) ||
	    !strncmp(strrchr(path, '/') + 1, ODB_TEMPORARY, strlen(ODB_TEMPORARY)) ||
	    op_stacks_name_parse(path, &name, NULL))
		return 0;
	if (stacks_read(&content, path, &error)) {
		op_warnings_add(reading->warnings, OP_BAD_FILE, "skipped: %s", error.text);
	} else {
		read_stacks(reading, &name, &content);
		stacks_content_free(&content);
	}
	op_sample_name_free(&name);
	return 0;
}

void session_read_packed_stacks(struct reading *reading)
{
	char *path = op_format("%s/" OP_PACK_NAME, reading->dir);
	struct op_pack_walk *walk = op_alloc(1, sizeof(*walk));
	struct stacks_content content;
	struct op_pack_file file;
	struct op_sample_name name;
	struct op_pack *pack = NULL;
	struct op_error error;

	for (size_t i = 0; i < reading->list->n_packs; i++)
		if (!strcmp(op_pack_path(reading->list->packs[i]), path))
			walk->pack = pack = reading->list->packs[i];
	while (walk->pack && op_pack_next(walk, &file)) {
		bool is_weight = op_name_of_weighted(file.name) != file.name;

		if (file.kind != OP_PACK_STACKS || is_weight != reading->weights ||
		    op_stacks_name_parse(file.name, &name, NULL))
			continue;
		if (op_pack_stacks(pack, &file, &content, &error)) {
			op_warnings_add(reading->warnings, OP_BAD_FILE, "skipped: %s", error.text);
		} else {
			read_stacks(reading, &name, &content);
			stacks_content_free(&content);
		}
		op_sample_name_free(&name);
	}
	free(walk);
	free(path);
}

void session_read_all_stacks(struct reading *reading)
{
	size_t session = 0;
	char *path;

	while (session < reading->list->n_dirs &&
	       strcmp(reading->list->samples_dirs[session], reading->dir) != 0)
		session++;
	if (!pp_sample_session_is_held(reading->list, session))
		return;
	path = op_format("%s/%s" OP_SAMPLES_STACKS, reading->dir,
			 reading->weights ? OP_SAMPLES_WEIGHTS "/" : "");
	struct stat status;
	struct op_error error;

	if (!stat(path, &status) && op_walk(path, visit_stacks, reading, &error))
		op_warnings_add(reading->warnings, OP_BAD_DIRECTORY, "skipped: %s", error.text);
	free(path);
}
