// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading what perf script prints: a line for each sample, and its frames below it, or the leaf on
 * the same line.
 *
 * There are no mappings, so functions are places by name (named_places.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "pp/formats/model/format.h"
#include "pp/formats/model/named_places.h"
#include "script_line.h"

#define LINE_MOST   ((size_t)1 << 20)
#define FRAMES_MOST 65536 /* of a stack, before the deepest are cut off */
#define TEXT_MOST   ((size_t)16 << 20)

/* A frame whose texts are in reader::text. */
struct kept_frame {
	size_t function, image;
	bool is_kernel, is_inlined;
};

struct reader {
	struct prof_sink *sink;
	struct named_places *places;
	struct op_error *error;

	/* The sample that is read; texts are offsets in @text, which grows. */
	bool is_open;
	struct script_head head;
	size_t comm, event;
	char *text;
	size_t n_text, text_capacity;
	struct kept_frame *kept;
	size_t n_kept, kept_capacity;
	struct prof_frame *frames;

	uint64_t unknown, unread, records, cut; /* frames, lines, lines, frames */
	uint64_t unread_at;			/* the first one */
};

static size_t keep(struct reader *reader, const char *text)
{
	size_t at = reader->n_text, n = strlen(text) + 1;

	reader->text = pp_grow(reader->text, &reader->text_capacity, at + n, 1);
	memcpy(reader->text + at, text, n);
	reader->n_text += n;
	return at;
}

/* ---- samples ---- */

static uint32_t event_of(struct reader *reader)
{
	const char *name = reader->text + reader->event;
	bool is_clock = !strcmp(name, "cpu-clock") || !strcmp(name, "task-clock");
	const struct prof_event event = {
		.name = *name ? name : "samples",
		.unit = is_clock ? "nanoseconds" : NULL,
		.period = reader->head.period ? 0 : 1,
		.type = PROF_NO_TYPE,
	};

	return reader->sink->event(reader->sink, &event);
}

/* What is inlined is in the image of the function that it is inlined in, which follows. */
static const struct kept_frame *image_frame(const struct reader *reader, size_t i)
{
	while (i + 1 < reader->n_kept && reader->kept[i].is_inlined)
		i++;
	return &reader->kept[i];
}

static void make_frames(struct reader *reader)
{
	if (reader->n_kept > PROF_DEPTH_MOST) {
		reader->cut += reader->n_kept - PROF_DEPTH_MOST;
		reader->n_kept = PROF_DEPTH_MOST;
	}
	for (size_t i = 0; i < reader->n_kept; i++) {
		const struct kept_frame *frame = image_frame(reader, i);
		const char *image = reader->text + frame->image;
		const struct prof_line line = {.function =
						       reader->text + reader->kept[i].function};

		reader->unknown += !*line.function;
		reader->frames[i] = named_places_frame(
			reader->places,
			named_places_image(reader->places, *image ? image : "[unknown]",
					   frame->is_kernel),
			&line, i > 0);
	}
}

static int end_sample(struct reader *reader)
{
	const char *comm;
	struct prof_value value = {.count = 1};
	struct prof_sample sample = {.values = &value, .n_values = 1};

	if (!reader->is_open)
		return 0;
	reader->is_open = false;
	make_frames(reader);
	comm = reader->text + reader->comm;
	value.event = event_of(reader);
	value.events = reader->head.period ? reader->head.period : 1;
	sample.frames = reader->frames;
	sample.depth = reader->n_kept;
	sample.app = named_places_image(reader->places, comm, false);
	sample.comm = reader->sink->string(reader->sink, comm);
	sample.pid = reader->head.pid;
	sample.tid = reader->head.tid;
	sample.cpu = reader->head.cpu;
	sample.time = reader->head.time;
	return reader->sink->sample(reader->sink, &sample, reader->error);
}

/* ---- lines ---- */

static bool add_frame(struct reader *reader, char *line)
{
	struct script_frame frame;

	if (!script_frame_parse(line, &frame))
		return false;
	if (reader->n_kept == FRAMES_MOST || reader->n_text > TEXT_MOST) {
		reader->cut++;
		return true;
	}
	reader->kept = pp_grow(reader->kept, &reader->kept_capacity, reader->n_kept + 1,
			       sizeof(*reader->kept));
	reader->kept[reader->n_kept++] = (struct kept_frame){
		.function = keep(reader, frame.function),
		.image = keep(reader, frame.image),
		.is_kernel = frame.address >> 63,
		.is_inlined = frame.is_inlined,
	};
	return true;
}

/* "MMAP2 ...", "LOST lost 12", "LOST_SAMPLES lost 12" */
static void take_record(struct reader *reader, const char *record)
{
	const char *lost = strstr(record, "lost ");
	uint64_t count;

	reader->records++;
	if (strncmp(record, "LOST", 4) || !lost)
		return;
	lost += strlen("lost ");
	if (op_number_take(&lost, 10, INT64_MAX, &count))
		reader->sink->lost(reader->sink, "ring buffer full", count);
}

/* The leaf on this line is all that there is of the stack. */
static int begin_sample(struct reader *reader, const struct script_head *head)
{
	reader->head = *head;
	reader->n_text = reader->n_kept = 0;
	reader->comm = keep(reader, head->comm);
	reader->event = keep(reader, head->event ? head->event : "");
	reader->is_open = true;
	return *head->rest && add_frame(reader, head->rest) ? end_sample(reader) : 0;
}

static int take_line(struct reader *reader, char *line, uint64_t at)
{
	struct script_head head;

	if (!line[strspn(line, " \t\r")])
		return end_sample(reader);
	if (*line == '#' || (reader->is_open && *line == '\t' && add_frame(reader, line)))
		return 0;
	if (*line != '\t' && script_head_parse(line, &head)) {
		if (end_sample(reader))
			return -1;
		if (!head.record)
			return begin_sample(reader, &head);
		take_record(reader, head.record);
		return 0;
	}
	if (reader->is_open && add_frame(reader, line))
		return 0;
	if (!reader->unread++)
		reader->unread_at = at;
	return 0;
}

static int read_lines(struct reader *reader, struct input *input)
{
	uint64_t at = input_offset(input);
	char *line;
	size_t n;
	int got;

	for (; (got = input_line(input, LINE_MOST, &line, &n, reader->error)) > 0;
	     at = input_offset(input)) {
		while (n && strchr("\r ", line[n - 1]))
			line[--n] = '\0';
		if (take_line(reader, line, at))
			return -1;
	}
	return end_sample(reader) ? -1 : got;
}

static void tell(struct reader *reader)
{
	if (reader->unknown)
		prof_sink_note(reader->sink,
			       "%" PRIu64 " frames have no symbol; their addresses are not kept",
			       reader->unknown);
	if (reader->unread)
		prof_sink_note(reader->sink,
			       "%" PRIu64 " lines are neither samples nor frames; the first one "
			       "is at byte %" PRIu64,
			       reader->unread, reader->unread_at);
	if (reader->records)
		prof_sink_note(reader->sink, "%" PRIu64 " records that are no samples are not kept",
			       reader->records);
	if (reader->cut)
		prof_sink_note(reader->sink, "%" PRIu64 " frames beyond %d of a stack were left out",
			       reader->cut, PROF_DEPTH_MOST);
}

static int read_script(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct reader reader = {.sink = sink, .error = error};
	int result;

	reader.places = named_places_new(sink);
	reader.frames = pp_alloc(PROF_DEPTH_MOST, sizeof(*reader.frames));
	result = read_lines(&reader, input);
	tell(&reader);
	named_places_free(reader.places);
	free(reader.text);
	free(reader.kept);
	free(reader.frames);
	return result;
}

/* The first line that is no comment begins a sample, and a frame follows there or below. */
static int probe(const uint8_t *bytes, size_t n)
{
	char *text = pp_alloc(1, n + 1), *rest = text, *line = NULL;
	struct script_frame frame;
	struct script_head head;
	int sure = 0;

	memcpy(text, bytes, n);
	while (rest && (line = strsep(&rest, "\n")) && (!*line || *line == '#'))
		;
	if (line && script_head_parse(line, &head)) {
		sure = head.event || head.record ? 30 : 15;
		if (head.rest && script_frame_parse(head.rest, &frame))
			sure += 30;
		else if (rest && *rest == '\t' && script_frame_parse(strsep(&rest, "\n"), &frame))
			sure += 40;
	}
	free(text);
	return sure;
}

const struct format format_perf_script = {
	.name = "perf-script",
	.description = "text that perf script prints",
	.probe = probe,
	.read = read_script,
};
