// SPDX-License-Identifier: GPL-2.0-or-later
#include "describe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/memory.h"
#include "pp/formats/model/labels.h"

void description_add(struct description *description, const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		abort();
	description->text = op_grow(description->text, &description->capacity,
				    description->n + (size_t)n + 1, 1);
	memcpy(description->text + description->n, text, (size_t)n + 1);
	description->n += (size_t)n;
	free(text);
}

static struct prof *read_input(const struct format *format, struct input *input,
			       struct op_error *error)
{
	struct prof *prof = prof_new(format->by, 0);

	error->code = 0;
	error->text[0] = '\0';
	if (format->read(input, &prof->sink, error) && !error->text[0])
		abort();
	prof_finish(prof);
	input_close(input);
	return prof;
}

struct prof *read_bytes(const struct format *format, const void *bytes, size_t n,
			struct op_error *error)
{
	return read_input(format, input_of_bytes("made", bytes, n), error);
}

struct prof *read_path(const struct format *format, const char *path, struct op_error *error)
{
	struct input *input = input_open(path, error);

	if (!input) {
		fprintf(stderr, "%s\n", error->text);
		abort();
	}
	return read_input(format, input, error);
}

int write_path(const struct format *format, struct prof *prof, const char *path,
	       struct op_error *error)
{
	struct output output = {.path = path, .command = "test"};
	int result;

	if (!format->writes_directory) {
		output.file = fopen(path, "w");
		if (!output.file)
			abort();
	}
	result = format->write(prof, &output, error);
	if (output.file)
		fclose(output.file);
	return result;
}

static void add_frame(struct description *to, const struct prof *prof,
		      const struct prof_sample *sample, size_t index)
{
	const struct prof_frame *frame = &sample->frames[index];
	struct prof_frame place = {frame->image, prof_lookup_offset(prof, sample, index)};
	const struct prof_line *lines;
	size_t n = prof_lines(prof, &place, &lines);

	description_add(to, " %s+%" PRIx64, prof->images[frame->image].path, place.offset);
	for (size_t i = 0; i < n; i++) {
		description_add(to, "[%s", lines[i].function);
		if (lines[i].file)
			description_add(to, " %s", lines[i].file);
		if (lines[i].line)
			description_add(to, ":%" PRId64, lines[i].line);
		description_add(to, "]");
	}
}

char *describe_samples(const struct prof *prof)
{
	struct description to = {0};
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	description_add(&to, "%s", "");
	while (prof_next(prof, &cursor, &sample)) {
		for (size_t i = 0; i < sample.n_values; i++)
			description_add(&to, "%s%" PRIu64 "/%" PRIu64, i ? " " : "",
					sample.values[i].count, sample.values[i].events);
		for (size_t i = 0; i < sample.depth; i++)
			add_frame(&to, prof, &sample, i);
		if (sample.comm)
			description_add(&to, " comm=%s", prof->strings[sample.comm]);
		if (sample.pid != PROF_ANY)
			description_add(&to, " pid=%" PRId64, sample.pid);
		if (sample.tid != PROF_ANY)
			description_add(&to, " tid=%" PRId64, sample.tid);
		if (sample.cpu != PROF_ANY)
			description_add(&to, " cpu=%" PRId64, sample.cpu);
		for (size_t i = 0; i < sample.n_labels; i++) {
			char *text = prof_label_text(prof, &sample.labels[i]);

			description_add(&to, " %s=%s", prof->strings[sample.labels[i].name], text);
			free(text);
		}
		description_add(&to, "\n");
	}
	prof_cursor_free(&cursor);
	return to.text;
}

char *describe_head(const struct prof *prof)
{
	struct description to = {0};

	description_add(&to, "%s", "");
	for (size_t i = 0; i < prof->n_events; i++)
		description_add(
			&to, "event %s %s %" PRIu64 ": %" PRIu64 "/%" PRIu64 "\n",
			prof->events[i].name, prof->events[i].unit ? prof->events[i].unit : "count",
			prof->events[i].period, prof->totals[i].count, prof->totals[i].events);
	for (size_t i = PROF_NO_KERNEL_IMAGE + 1; i < prof->n_images; i++) {
		const struct prof_image *image = &prof->images[i];

		description_add(&to, "image %s %" PRIx64 "-%" PRIx64 " @%" PRIx64, image->path,
				image->start, image->end, image->offset);
		if (image->build_id_length)
			description_add(&to, " id=");
		for (unsigned int j = 0; j < image->build_id_length; j++)
			description_add(&to, "%02x", image->build_id[j]);
		description_add(&to, "\n");
	}
	for (size_t i = 0; i < prof->n_facts; i++)
		description_add(&to, "fact %s=%s\n", prof->facts[i].key, prof->facts[i].value);
	for (size_t i = 0; i < prof->n_notes; i++)
		description_add(&to, "note %s\n", prof->notes[i]);
	return to.text;
}

const char *corpora(void)
{
	const char *path = getenv("OPROFILE_CORPORA");

	if (!path)
		path = CORPORA;
	if (!access(path, R_OK))
		return path;
	fprintf(stderr, "skipped: no real profiles in %s\n", path);
	return NULL;
}
