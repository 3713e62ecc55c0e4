// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is counted, as a file: see save.h.
 */
#include "save.h"

#include "libop/foreign/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "table.h"

#define FOLDED ".folded"

/* A name in a folded line: without what separates names. */
static void put_frame(struct op_buffer *out, const char *name)
{
	size_t begin = out->used;

	table_fit(out, name, strlen(name), TABLE_ANY_WIDTH);
	for (size_t i = begin; !out->failed && i < out->used; i++)
		if (out->bytes[i] == ';')
			out->bytes[i] = ':';
}

static void put_chain(struct op_buffer *out, const struct model *model, uint32_t node)
{
	uint32_t function[MODEL_FRAMES_MOST];
	int frames = 0;

	for (; node && frames < MODEL_FRAMES_MOST; node = model->node[node].caller)
		function[frames++] = model->node[node].function;
	if (!frames)
		function[frames++] = MODEL_OTHER;
	while (frames--) {
		op_buffer_u8(out, ';');
		put_frame(out, model->function[function[frames]].name);
	}
}

/* Writes the call chains of an event: a line "program;function;... samples" each. */
static void save_folded(FILE *out, const struct model *model, uint32_t event)
{
	struct op_buffer line = {0};

	for (uint32_t i = 0; i < model->entries; i++) {
		const struct model_entry *entry = &model->entry[i];
		double samples = entry->amount[MODEL_ALL].samples + entry->now.samples;

		if (entry->event != event || samples < 1)
			continue;
		line.used = 0;
		put_frame(&line, model->images.item[entry->app]);
		put_chain(&line, model, entry->node);
		if (!line.failed)
			fprintf(out, "%.*s %.0f\n", (int)line.used, (const char *)line.bytes,
				samples);
	}
	op_buffer_free(&line);
}

static bool is_folded(const char *path)
{
	size_t length = strlen(path), suffix = strlen(FOLDED);

	return length > suffix && !strcmp(path + length - suffix, FOLDED);
}

int save_file(const char *path, const struct model *model, const struct view *view,
	      const struct view_request *request, struct op_error *error)
{
	struct foreign_place place;
	FILE *out = NULL;
	int result = foreign_place_find(&place, path, FOREIGN_PARENTS_FIND, FOREIGN_REFUSE, error),
	    fd;

	if (!result) {
		fd = foreign_place_open(&place, 0666, error);
		out = fd < 0 ? NULL : fdopen(fd, "w");
	}
	if (!out) {
		foreign_place_leave(&place);
		return -1;
	}
	if (is_folded(path))
		save_folded(out, model, request->event);
	else
		result = table_write(out, model, view, request, SIZE_MAX);
	if (result)
		op_error_memory(error);
	else if (fflush(out) || ferror(out))
		result = op_error_errno(error, "cannot write %s", path);
	fclose(out);
	if (result)
		foreign_place_remove(&place, place.name);
	foreign_place_leave(&place);
	return result;
}
