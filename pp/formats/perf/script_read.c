// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading what perf script prints: a line for each sample, and its frames below it, or the leaf on
 * the same line.
 *
 * There are no mappings, so functions are places by name (named_places.h).
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "pp/formats/model/format.h"
#include "pp/formats/model/named_places.h"
#include "losses.h"
#include "script_line.h"

#define LINE_MOST    ((size_t)1 << 20)
#define FRAMES_MOST  65536 /* of a stack, before the deepest are cut off */
#define TEXT_MOST    ((size_t)16 << 20)
#define LOST_SAMPLES "LOST_SAMPLES "

/* A frame whose texts are in reader::text. */
struct kept_frame {
	size_t function, image;
	size_t file; /* only with a line */
	int64_t line;
	bool is_kernel, is_inlined;
};

/*
 * What begins a sample, which depends on the fields that perf script was asked for.  What all
 * samples have is what the first one has, for any text with a number looks like a program and a
 * process.
 */
enum style {
	HEADS,	  /* a head with a CPU, a time or an event */
	BARE,	  /* or one without: -F comm,pid,ip,sym */
	NAMES,	  /* a program: -F comm,ip,sym */
	HEADLESS, /* the first frame behind an empty line: -F ip,sym */
};

struct reader {
	struct prof_sink *sink;
	struct named_places *places;
	struct op_error *error;

	enum style style;

	/* The sample that is read; texts are offsets in @text, which grows. */
	bool is_open;
	bool is_whole; /* but for the line of source of its only frame */
	struct script_head head;
	size_t comm, event;
	char *text;
	size_t n_text, text_capacity;
	struct kept_frame *kept;
	size_t n_kept, kept_capacity;
	struct prof_frame *frames;

	uint64_t unknown, unread, records, cut; /* frames, lines, lines, frames */
	struct perf_losses losses;
	uint64_t unread_at; /* the first one */
};

static size_t script_read_keep(struct reader *reader, const char *text)
{
	size_t at = reader->n_text, n = strlen(text) + 1;

	reader->text = op_grow(reader->text, &reader->text_capacity, at + n, 1);
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

/* The image of a frame, and its function, which without a symbol is called after the image. */
static struct prof_frame make_frame(struct reader *reader, size_t i)
{
	const char *image = reader->text + image_frame(reader, i)->image;
	const char *function = reader->text + reader->kept[i].function;
	char *unnamed = *function ? NULL : named_places_unnamed(image);
	const struct kept_frame *kept = &reader->kept[i];
	const struct prof_line line = {.function = unnamed ? unnamed : function,
				       .file = kept->line ? reader->text + kept->file : NULL,
				       .line = kept->line};
	struct prof_frame frame =
		named_places_frame(reader->places,
				   named_places_image(reader->places, *image ? image : "[unknown]",
						      image_frame(reader, i)->is_kernel),
				   &line, i > 0);

	reader->unknown += !*function;
	free(unnamed);
	return frame;
}

static void make_frames(struct reader *reader)
{
	if (reader->n_kept > PROF_DEPTH_MOST) {
		reader->cut += reader->n_kept - PROF_DEPTH_MOST;
		reader->n_kept = PROF_DEPTH_MOST;
	}
	for (size_t i = 0; i < reader->n_kept; i++)
		reader->frames[i] = make_frame(reader, i);
}

static int end_sample(struct reader *reader)
{
	const char *comm;
	struct prof_value value = {.count = 1};
	struct prof_sample sample = {.values = &value, .n_values = 1};

	if (!reader->is_open)
		return 0;
	reader->is_open = reader->is_whole = false;
	make_frames(reader);
	comm = reader->text + reader->comm;
	value.event = event_of(reader);
	value.events = reader->head.period ? reader->head.period : 1;
	sample.frames = reader->frames;
	sample.depth = reader->n_kept;
	if (*comm) {
		sample.app = named_places_image(reader->places, comm, false);
		sample.comm = reader->sink->string(reader->sink, comm);
	}
	sample.pid = reader->head.pid;
	sample.tid = reader->head.tid;
	sample.cpu = reader->head.cpu;
	sample.time = reader->head.time;
	return reader->sink->sample(reader->sink, &sample, reader->error);
}

/* ---- lines ---- */

static bool script_read_add_frame(struct reader *reader, char *line)
{
	struct script_frame frame;

	if (!script_frame_parse(line, &frame))
		return false;
	if (reader->n_kept == FRAMES_MOST || reader->n_text > TEXT_MOST) {
		reader->cut++;
		return true;
	}
	reader->kept = op_grow(reader->kept, &reader->kept_capacity, reader->n_kept + 1,
			       sizeof(*reader->kept));
	reader->kept[reader->n_kept++] = (struct kept_frame){
		.function = script_read_keep(reader, frame.function),
		.image = script_read_keep(reader, frame.image),
		.is_kernel = frame.address >> 63,
		.is_inlined = frame.is_inlined,
	};
	return true;
}

/* "  busy.c:12" below a frame. */
static bool add_source(struct reader *reader, char *line)
{
	struct kept_frame *frame;
	const char *file;
	int64_t number;

	if (!reader->is_open || !reader->n_kept)
		return false;
	if (!script_source_parse(line, &file, &number))
		return false;
	frame = &reader->kept[reader->n_kept - 1];
	if (number && reader->n_text <= TEXT_MOST) {
		frame->file = script_read_keep(reader, file);
		frame->line = number;
	}
	return true;
}

/* "MMAP2 ...", "LOST lost 12", "LOST_SAMPLES lost 12" */
static void take_record(struct reader *reader, const char *record, uint64_t time)
{
	const char *lost = strstr(record, "lost ");
	uint64_t count;

	reader->records++;
	if (strncmp(record, "LOST", 4) || !lost)
		return;
	lost += strlen("lost ");
	if (!op_number_take(&lost, 10, INT64_MAX, &count))
		return;
	if (strncmp(record, LOST_SAMPLES, strlen(LOST_SAMPLES)) != 0)
		perf_losses_add(&reader->losses.meanwhile, count);
	else if (!time)
		perf_losses_add(&reader->losses.at_end, count);
	else
		reader->sink->lost(reader->sink, PROF_LOST_CPU_FULL, count);
}

/* The leaf on this line is all that there is of the stack; its line of source may follow. */
static int begin_sample(struct reader *reader, const struct script_head *head)
{
	reader->head = *head;
	reader->n_text = reader->n_kept = 0;
	reader->comm = script_read_keep(reader, head->comm);
	reader->event = script_read_keep(reader, head->event ? head->event : "");
	reader->is_open = true;
	reader->is_whole = *head->rest && script_read_add_frame(reader, head->rest);
	return 0;
}

/* A sample of @comm, of which nothing else is known. */
static int begin_named(struct reader *reader, char *comm)
{
	char nothing[] = "";
	const struct script_head head = {
		.comm = comm, .rest = nothing, .pid = -1, .tid = -1, .cpu = -1};

	return begin_sample(reader, &head);
}

/* A line that is no frame of the sample that is open.  Return: 1, 0 if it begins none, or -1 with
 * the error set. */
static int take_head(struct reader *reader, char *line)
{
	char nothing[] = "";
	struct script_head head;

	if (reader->style == HEADLESS || reader->style == NAMES) {
		if (reader->is_open || (reader->style == NAMES && isspace((unsigned char)*line)))
			return 0;
		begin_named(reader, reader->style == NAMES ? line : nothing);
		reader->is_open = reader->style == NAMES || script_read_add_frame(reader, line);
		return reader->is_open;
	}
	if (*line == '\t' || !script_head_parse(line, &head) ||
	    (head.is_bare && reader->style != BARE))
		return 0;
	if (end_sample(reader))
		return -1;
	if (head.record)
		take_record(reader, head.record, head.time);
	else if (begin_sample(reader, &head))
		return -1;
	return 1;
}

static int script_read_take_line(struct reader *reader, char *line, uint64_t at)
{
	int took;

	if (!line[strspn(line, " \t\r")])
		return end_sample(reader);
	if (add_source(reader, line))
		return 0;
	if (reader->is_whole && end_sample(reader))
		return -1;
	if (*line == '#' ||
	    (reader->is_open && *line == '\t' && script_read_add_frame(reader, line)))
		return 0;
	took = take_head(reader, line);
	if (took)
		return took < 0 ? -1 : 0;
	if (!(reader->is_open && script_read_add_frame(reader, line)) && !reader->unread++)
		reader->unread_at = at;
	return 0;
}

/* ---- recognising ---- */

/* How sure a head is one, with the line behind it. */
static int weigh_head(const struct script_head *head, char *next)
{
	struct script_frame frame;
	int sure = 0;

	if (!head->is_bare)
		sure = head->event || head->record ? 30 : 15;
	if (*head->rest && script_frame_parse(head->rest, &frame))
		sure += 30;
	else if (next && strchr("\t ", *next) && script_frame_parse(next, &frame))
		sure += 40;
	return sure;
}

/* What begins the samples of a text, by its first line that is no comment and the next one.
 * @sure: as format::probe() returns it. */
static enum style find_style(const uint8_t *bytes, size_t n, int *sure)
{
	char *text = op_alloc(1, n + 1), *rest = text, *line = NULL, *next;
	struct script_head head;
	enum style style = HEADS;

	memcpy(text, bytes, n);
	while (rest && (line = strsep(&rest, "\n")) && (!*line || *line == '#'))
		;
	next = rest ? strsep(&rest, "\n") : NULL;
	*sure = 0;
	if (line && script_is_headless(line)) {
		style = HEADLESS;
		*sure = 30;
	} else if (line && script_head_parse(line, &head)) {
		*sure = weigh_head(&head, next);
		style = head.is_bare ? BARE : HEADS;
	} else if (line && *line && next && script_is_headless(next)) {
		style = NAMES;
		*sure = 30;
	}
	free(text);
	return style;
}

/* ---- all ---- */

static int script_read_lines(struct reader *reader, struct input *input)
{
	uint64_t at = input_offset(input);
	const uint8_t *bytes;
	ptrdiff_t peeked = input_peek(input, FORMAT_PROBE_BYTES, &bytes, reader->error);
	char *line;
	size_t n;
	int got;

	if (peeked < 0)
		return -1;
	reader->style = find_style(bytes, (size_t)peeked, &got);
	for (; (got = input_line(input, LINE_MOST, &line, &n, reader->error)) > 0;
	     at = input_offset(input)) {
		while (n && strchr("\r ", line[n - 1]))
			line[--n] = '\0';
		if (script_read_take_line(reader, line, at))
			return -1;
	}
	return end_sample(reader) ? -1 : got;
}

static void script_read_tell(struct reader *reader)
{
	uint64_t lost = perf_losses_all(&reader->losses);

	if (lost)
		reader->sink->lost(reader->sink, PROF_LOST_RECORDER_FULL, lost);
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
		prof_sink_note(reader->sink,
			       "%" PRIu64 " frames beyond %d of a stack were left out", reader->cut,
			       PROF_DEPTH_MOST);
}

static int read_script(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct reader reader = {.sink = sink, .error = error};
	int result;

	if (input_skip_mark(input, error))
		return -1;
	reader.places = named_places_new(sink);
	reader.frames = op_alloc(PROF_DEPTH_MOST, sizeof(*reader.frames));
	result = script_read_lines(&reader, input);
	script_read_tell(&reader);
	named_places_free(reader.places);
	free(reader.text);
	free(reader.kept);
	free(reader.frames);
	return result;
}

static int script_read_probe(const uint8_t *bytes, size_t n)
{
	int sure;

	find_style(bytes, n, &sure);
	return sure;
}

const struct format format_perf_script = {
	.name = "perf-script",
	.description = "text that perf script prints",
	.probe = script_read_probe,
	.read = read_script,
};
