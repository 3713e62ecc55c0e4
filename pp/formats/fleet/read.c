// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading the tables of a fleet's store: see tables.h.
 *
 * What rows refer to comes before them.  A frame and those that are inlined into it are one place
 * of its image; as it has no address, places are numbered.
 *
 * In a store each host writes what it likes, and what one of them has left out, or made up, must
 * not cost the samples of the others: what rows refer to and is not there gets a name that says so,
 * and a note; kinds that are not known, and texts that are too long, are taken for what they are.
 */
#include "fleet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/reader.h"
#include "libop/tables/name_index.h"
#include "libop/tables/pair_table.h"
#include "pp/formats/model/labels.h"
#include "pp/formats/model/named_places.h"
#include "pp/formats/store/tables.h"

#define FILE_MOST    ((size_t)1 << 32)
#define STRING_MOST  8192
#define NS_PER_S     UINT64_C(1000000000)
#define PLACE_STRIDE 2 /* a caller returns to the second: named_places.h */

struct fleet_frame {
	const char *function, *file; /* NULL: not known */
	uint32_t image;		     /* of the sink */
	uint32_t line;
	bool is_inlined;
};

/* A stack: frames are numbers of struct fleet_frame. */
struct fleet_stack {
	size_t first, n;
};

/* An event as a row has it.  Hosts take samples at different rates, and of one rate at different
 * periods, as CPUs differ: those that count the same are one event, whose samples have weights. */
struct fleet_event {
	uint64_t identity;
	struct prof_event event;
	size_t first;	 /* of those that count the same: an index */
	bool is_various; /* of the first one: the others have another period or frequency */
};

/* Labels of a host: from @first on in fleet_reader::labels. */
struct fleet_label_set {
	size_t first, n;
};

struct fleet_reader {
	struct input *input;
	struct prof_sink *sink;
	struct op_error *error;
	const uint8_t *bytes;
	struct op_reader rows; /* of the section that is read */
	enum fleet_table_id table;

	/* by identity: numbers of the sink, of @frames and @stacks, one more than they are */
	struct op_pair_table events, events_counted, images, frame_ids, stack_ids, label_set_ids,
		places;
	struct op_pair_table unknown_stacks;   /* by image and whether one is wanted, of @stacks */
	uint64_t unknown_event, unknown_frame; /* as in those; 0: not needed yet */
	uint64_t n_unknown;		       /* references to what is not there */
	struct fleet_event *event_rows;
	size_t n_event_rows, event_rows_capacity;
	struct fleet_frame *frames;
	size_t n_frames, frames_capacity;
	struct fleet_stack *stacks;
	size_t n_stacks, stacks_capacity;
	uint32_t *stack_frames;
	size_t n_stack_frames, stack_frames_capacity;
	struct fleet_label_set *label_sets;
	size_t n_label_sets, label_sets_capacity;
	struct prof_label *labels; /* of all label sets, one after the other */
	size_t n_labels, labels_capacity;
	struct prof_label *labels_of_sample;
	size_t labels_of_sample_capacity;
	struct op_names texts;
	struct named_places *named; /* images */
	struct prof_host host;	    /* of all sessions */
	size_t n_sessions;
	struct prof_frame *places_of_sample;
	size_t places_capacity;
	struct prof_line *lines;
	size_t lines_capacity;
};

static int fleet_fail(const struct fleet_reader *reader, const char *what)
{
	return input_fail(reader->input, reader->error, EINVAL,
			  (uint64_t)(reader->rows.at - reader->bytes), "in the table %s: %s",
			  fleet_tables[reader->table].name, what);
}

/* ---- columns ---- */

/* Return: a text that lives as long as the reader, cut off if it is longer than any that is
 * written; "" if there is none. */
static const char *take_string(struct fleet_reader *reader)
{
	uint64_t n = op_reader_leb128(&reader->rows);
	const char *bytes = op_reader_take(&reader->rows, n);
	char text[STRING_MOST];

	if (!bytes)
		return "";
	if (n >= STRING_MOST)
		n = STRING_MOST - 1;
	memcpy(text, bytes, n);
	text[n] = '\0';
	return op_names_keep(&reader->texts, text);
}

static const char *known_text(const char *text)
{
	return *text ? text : NULL;
}

/* ---- rows ---- */

static bool has_weights(const struct prof_event *event)
{
	return event->period || event->frequency;
}

/* Adds an event to those that count the same. */
static void add_event(struct fleet_reader *reader, uint64_t identity,
		      const struct prof_event *event)
{
	const size_t number = reader->n_event_rows++;
	struct fleet_event *added, *first;
	uint64_t *counted =
		op_pair_table_get(&reader->events_counted,
				  op_hash_text(op_hash_text(event->unit_mask, event->name),
					       event->unit ? event->unit : ""),
				  has_weights(event));

	if (!*counted)
		*counted = number + 1;
	reader->event_rows = op_grow(reader->event_rows, &reader->event_rows_capacity, number + 1,
				     sizeof(*reader->event_rows));
	added = &reader->event_rows[number];
	*added = (struct fleet_event){identity, *event, *counted - 1, false};
	first = &reader->event_rows[added->first];
	first->is_various |= has_weights(event) && (first->event.period != event->period ||
						    first->event.frequency != event->frequency);
}

/* Once all of them are known. */
static void tell_events(struct fleet_reader *reader)
{
	for (size_t i = 0; i < reader->n_event_rows; i++) {
		const struct fleet_event *row = &reader->event_rows[i];
		struct prof_event event = row->event;

		if (reader->event_rows[row->first].is_various)
			event.period = event.frequency = 0;
		*op_pair_table_get(&reader->events, row->identity, 0) =
			(uint64_t)reader->sink->event(reader->sink, &event) + 1;
	}
}

static int take_event(struct fleet_reader *reader)
{
	uint64_t identity = op_reader_u64(&reader->rows);
	struct prof_event event = {.type = PROF_NO_TYPE};

	event.name = take_string(reader);
	event.unit = known_text(take_string(reader));
	event.period = op_reader_u64(&reader->rows);
	event.frequency = op_reader_u64(&reader->rows);
	event.unit_mask = op_reader_u64(&reader->rows);
	if (reader->rows.failed)
		return fleet_fail(reader, "an event that ends too early");
	if (!*event.name)
		event.name = "unknown";
	add_event(reader, identity, &event);
	return 0;
}

static int take_image(struct fleet_reader *reader)
{
	uint64_t identity = op_reader_u64(&reader->rows);
	unsigned int kind = op_reader_u8(&reader->rows);
	const char *path = take_string(reader);
	bool is_kernel = kind == FLEET_KERNEL || kind == FLEET_MODULE || kind == FLEET_BPF ||
			 kind == FLEET_UNKNOWN_KERNEL;

	take_string(reader);
	if (reader->rows.failed)
		return fleet_fail(reader, "an image that ends too early");
	*op_pair_table_get(&reader->images, identity, 0) =
		!*path ? (is_kernel ? PROF_NO_KERNEL_IMAGE : PROF_NO_IMAGE) + 1
		       : (uint64_t)named_places_image(reader->named, path, is_kernel) + 1;
	return 0;
}

/* Return: its number, one more than its index. */
static uint64_t add_frame(struct fleet_reader *reader, const struct fleet_frame *frame)
{
	reader->frames = op_grow(reader->frames, &reader->frames_capacity, reader->n_frames + 1,
				 sizeof(*reader->frames));
	reader->frames[reader->n_frames++] = *frame;
	return reader->n_frames;
}

static int take_frame(struct fleet_reader *reader)
{
	uint64_t identity = op_reader_u64(&reader->rows);
	const uint64_t *image =
		op_pair_table_find(&reader->images, op_reader_u64(&reader->rows), 0);
	struct fleet_frame frame = {0};

	frame.function = known_text(take_string(reader));
	frame.file = known_text(take_string(reader));
	frame.line = op_reader_u32(&reader->rows);
	frame.is_inlined = op_reader_u8(&reader->rows);
	if (reader->rows.failed)
		return fleet_fail(reader, "a frame that ends too early");
	reader->n_unknown += !image;
	frame.image = image ? (uint32_t)(*image - 1) : PROF_NO_IMAGE;
	*op_pair_table_get(&reader->frame_ids, identity, 0) = add_frame(reader, &frame);
	return 0;
}

static uint64_t frame_of(struct fleet_reader *reader, uint64_t identity)
{
	const struct fleet_frame unknown = {.function = "[frame not known]",
					    .image = PROF_NO_IMAGE};
	const uint64_t *frame = op_pair_table_find(&reader->frame_ids, identity, 0);

	if (frame)
		return *frame;
	reader->n_unknown++;
	if (!reader->unknown_frame)
		reader->unknown_frame = add_frame(reader, &unknown);
	return reader->unknown_frame;
}

static void add_stack_frame(struct fleet_reader *reader, uint64_t frame)
{
	reader->stack_frames = op_grow(reader->stack_frames, &reader->stack_frames_capacity,
				       reader->n_stack_frames + 1, sizeof(*reader->stack_frames));
	reader->stack_frames[reader->n_stack_frames++] = (uint32_t)(frame - 1);
}

/* Return: its number, one more than its index. */
static uint64_t add_stack(struct fleet_reader *reader, size_t first)
{
	reader->stacks = op_grow(reader->stacks, &reader->stacks_capacity, reader->n_stacks + 1,
				 sizeof(*reader->stacks));
	reader->stacks[reader->n_stacks++] =
		(struct fleet_stack){first, reader->n_stack_frames - first};
	return reader->n_stacks;
}

static int take_stack(struct fleet_reader *reader)
{
	uint64_t first = op_reader_u64(&reader->rows), second = op_reader_u64(&reader->rows);
	uint64_t n = op_reader_leb128(&reader->rows);
	size_t begin = reader->n_stack_frames;

	for (; n && !reader->rows.failed; n--) {
		uint64_t frame = op_reader_u64(&reader->rows);

		if (!reader->rows.failed)
			add_stack_frame(reader, frame_of(reader, frame));
	}
	if (reader->rows.failed)
		return fleet_fail(reader, "a stack that ends too early");
	*op_pair_table_get(&reader->stack_ids, first, second) = add_stack(reader, begin);
	return 0;
}

static int take_label_set(struct fleet_reader *reader)
{
	uint64_t identity = op_reader_u64(&reader->rows), n = op_reader_leb128(&reader->rows), k;
	struct fleet_label_set set = {.first = reader->n_labels};

	set.n = n < FLEET_LABELS_MOST ? n : FLEET_LABELS_MOST;
	reader->labels = op_grow(reader->labels, &reader->labels_capacity, reader->n_labels + set.n,
				 sizeof(*reader->labels));
	memset(reader->labels + set.first, 0, set.n * sizeof(*reader->labels));
	for (uint64_t i = 0; i < n && !reader->rows.failed; i++) {
		const char *name = take_string(reader);

		if (i < set.n)
			reader->labels[set.first + i].name =
				reader->sink->string(reader->sink, name);
	}
	k = op_reader_leb128(&reader->rows);
	for (uint64_t i = 0; i < k && !reader->rows.failed; i++) {
		const char *text = take_string(reader);

		if (i < set.n)
			reader->labels[set.first + i].value =
				reader->sink->string(reader->sink, text);
	}
	if (reader->rows.failed)
		return fleet_fail(reader, "labels of a host that end too early");
	reader->n_labels += set.n;
	reader->label_sets = op_grow(reader->label_sets, &reader->label_sets_capacity,
				     reader->n_label_sets + 1, sizeof(*reader->label_sets));
	reader->label_sets[reader->n_label_sets++] = set;
	*op_pair_table_get(&reader->label_set_ids, identity, 0) = reader->n_label_sets;
	return 0;
}

/* ---- samples ---- */

/* The place of @n frames, all but the last of which are inlined: one is told when it is met first.
 */
static struct prof_frame place_of(struct fleet_reader *reader, const uint32_t *numbers, size_t n)
{
	const struct fleet_frame *outer = &reader->frames[numbers[n - 1]];
	uint64_t hash = 0, *place;
	struct prof_frame frame = {.image = outer->image};
	size_t known = reader->places.n;

	/* 128 bits, half of them secret: nobody can choose two places that are taken for one */
	hash = op_hash_bytes(n, numbers, n * sizeof(*numbers));
	place = op_pair_table_get(&reader->places, hash,
				  op_hash_content(n, numbers, n * sizeof(*numbers)));
	if (reader->places.n > known)
		*place = reader->places.n;
	frame.offset = *place * PLACE_STRIDE;
	if (reader->places.n == known || !outer->function)
		return frame;
	reader->lines = op_grow(reader->lines, &reader->lines_capacity, n, sizeof(*reader->lines));
	for (size_t i = 0; i < n; i++) {
		const struct fleet_frame *line = &reader->frames[numbers[i]];

		reader->lines[i] = (struct prof_line){
			.function = line->function ? line->function : outer->function,
			.system_name = line->function,
			.file = line->file,
			.line = line->line,
		};
	}
	reader->sink->lines(reader->sink, &frame, reader->lines, n);
	return frame;
}

static size_t places_of(struct fleet_reader *reader, const struct fleet_stack *stack)
{
	const uint32_t *numbers = reader->stack_frames + stack->first;
	size_t depth = 0;

	for (size_t i = 0, n; i < stack->n; i += n) {
		for (n = 1; i + n < stack->n && reader->frames[numbers[i + n - 1]].is_inlined;)
			n++;
		reader->places_of_sample =
			op_grow(reader->places_of_sample, &reader->places_capacity, depth + 1,
				sizeof(*reader->places_of_sample));
		reader->places_of_sample[depth] = place_of(reader, numbers + i, n);
		/* callers have the address behind the call */
		reader->places_of_sample[depth].offset += depth > 0;
		depth++;
	}
	return depth;
}

static void take_session_columns(struct fleet_reader *reader, struct prof_host *host)
{
	op_reader_u16(&reader->rows);
	host->start_time = op_reader_u32(&reader->rows) * NS_PER_S;
	host->hostname = known_text(take_string(reader));
	op_reader_u64(&reader->rows);
}

static size_t put_label(struct fleet_reader *reader, struct prof_label *label, const char *name,
			const char *value)
{
	if (!value || !*value)
		return 0;
	*label = (struct prof_label){
		.name = reader->sink->string(reader->sink, name),
		.value = reader->sink->string(reader->sink, value),
	};
	return 1;
}

/* What an operator calls a host goes before what it says itself. */
static size_t set_label(struct prof_label *labels, size_t n, const struct prof_label *label)
{
	size_t i = 0;

	while (i < n && labels[i].name != label->name)
		i++;
	labels[i] = *label;
	return i < n ? n : n + 1;
}

/* Return: how many labels a sample has, in fleet_reader::labels_of_sample. */
static size_t labels_of(struct fleet_reader *reader, uint64_t label_set, const char *cgroup,
			const char *host)
{
	const uint64_t *number = op_pair_table_find(&reader->label_set_ids, label_set, 0);
	struct fleet_label_set set = {0};
	size_t n = 0;

	if (number)
		set = reader->label_sets[*number - 1];
	reader->labels_of_sample =
		op_grow(reader->labels_of_sample, &reader->labels_of_sample_capacity, set.n + 2,
			sizeof(*reader->labels_of_sample));
	n += put_label(reader, reader->labels_of_sample, PROF_LABEL_CGROUP, cgroup);
	n += put_label(reader, reader->labels_of_sample + n, FLEET_LABEL_HOST, host);
	for (size_t i = 0; i < set.n; i++)
		if (reader->labels[set.first + i].name && reader->labels[set.first + i].value)
			n = set_label(reader->labels_of_sample, n, &reader->labels[set.first + i]);
	return n;
}

static uint64_t event_of(struct fleet_reader *reader, uint64_t identity)
{
	const struct prof_event unknown = {.type = PROF_NO_TYPE, .name = "unknown"};
	const uint64_t *event = op_pair_table_find(&reader->events, identity, 0);

	if (event)
		return *event;
	reader->n_unknown++;
	if (!reader->unknown_event)
		reader->unknown_event = (uint64_t)reader->sink->event(reader->sink, &unknown) + 1;
	return reader->unknown_event;
}

/*
 * @image: of the program, whose samples are known to be its own, at least.  Zeros stand for all
 * stacks of the program.
 */
static uint64_t stack_of(struct fleet_reader *reader, uint64_t first, uint64_t second,
			 uint32_t image)
{
	const bool is_wanted = first || second;
	const struct fleet_frame unknown = {
		.function = is_wanted ? "[stack not known]" : "[any function]", .image = image};
	const uint64_t *stack = op_pair_table_find(&reader->stack_ids, first, second);
	uint64_t *known;

	if (stack)
		return *stack;
	reader->n_unknown += is_wanted;
	known = op_pair_table_get(&reader->unknown_stacks, image, is_wanted);
	if (!*known) {
		add_stack_frame(reader, add_frame(reader, &unknown));
		*known = add_stack(reader, reader->n_stack_frames - 1);
	}
	return *known;
}

static int take_sample(struct fleet_reader *reader)
{
	struct prof_sample sample = {.pid = PROF_ANY, .tid = PROF_ANY, .cpu = PROF_ANY};
	struct prof_host host = {0};
	struct prof_value value;
	uint64_t first, second, label_set, event, stack;
	const char *app, *thread, *cgroup;

	take_session_columns(reader, &host);
	label_set = op_reader_u64(&reader->rows);
	event = op_reader_u64(&reader->rows);
	app = take_string(reader);
	thread = take_string(reader);
	cgroup = take_string(reader);
	first = op_reader_u64(&reader->rows);
	second = op_reader_u64(&reader->rows);
	value.count = op_reader_u64(&reader->rows);
	value.events = op_reader_u64(&reader->rows);
	if (reader->rows.failed)
		return fleet_fail(reader, "a sample that ends too early");
	value.event = (uint32_t)(event_of(reader, event) - 1);
	sample.app = *app ? named_places_image(reader->named, app, false) : PROF_NO_IMAGE;
	sample.comm = *thread ? reader->sink->string(reader->sink, thread) : 0;
	sample.n_labels = labels_of(reader, label_set, cgroup, host.hostname);
	sample.labels = reader->labels_of_sample;
	stack = stack_of(reader, first, second, sample.app);
	sample.depth = places_of(reader, &reader->stacks[stack - 1]);
	sample.frames = reader->places_of_sample;
	sample.values = &value;
	sample.n_values = 1;
	return reader->sink->sample(reader->sink, &sample, reader->error);
}

static int take_loss(struct fleet_reader *reader)
{
	struct prof_host host = {0};
	const char *cause;
	uint64_t count;

	take_session_columns(reader, &host);
	cause = take_string(reader);
	count = op_reader_u64(&reader->rows);
	if (reader->rows.failed)
		return fleet_fail(reader, "a loss that ends too early");
	reader->sink->lost(reader->sink, cause, count);
	return 0;
}

/* A fact of all sessions; NULL: they differ. */
static void join_fact(const char **fact, const char *text, bool is_first)
{
	if (is_first)
		*fact = text;
	else if (*fact && (!text || strcmp(*fact, text) != 0))
		*fact = NULL;
}

static void join_host(struct fleet_reader *reader, const struct prof_host *host)
{
	struct prof_host *all = &reader->host;
	bool is_first = !reader->n_sessions++;

	join_fact(&all->hostname, host->hostname, is_first);
	join_fact(&all->os_release, host->os_release, is_first);
	join_fact(&all->arch, host->arch, is_first);
	join_fact(&all->cpu_description, host->cpu_description, is_first);
	join_fact(&all->cpu_type, host->cpu_type, is_first);
	join_fact(&all->command_line, host->command_line, is_first);
	if (is_first)
		all->cpu_mhz = host->cpu_mhz;
	if (is_first || host->start_time < all->start_time)
		all->start_time = host->start_time;
	if (__builtin_add_overflow(all->duration, host->duration, &all->duration))
		all->duration = UINT64_MAX;
}

static int take_session(struct fleet_reader *reader)
{
	struct prof_host host = {0};

	take_session_columns(reader, &host);
	op_reader_u64(&reader->rows);
	op_reader_u64(&reader->rows);
	host.duration = op_reader_u64(&reader->rows);
	host.os_release = known_text(take_string(reader));
	host.arch = known_text(take_string(reader));
	host.cpu_description = known_text(take_string(reader));
	host.cpu_type = known_text(take_string(reader));
	host.cpu_mhz = op_reader_u32(&reader->rows);
	host.command_line = known_text(take_string(reader));
	op_reader_u64(&reader->rows);
	op_reader_u64(&reader->rows);
	if (reader->rows.failed)
		return fleet_fail(reader, "a session that ends too early");
	join_host(reader, &host);
	return 0;
}

/* ---- the file ---- */

static int (*const row_readers[FLEET_TABLES_N])(struct fleet_reader *reader) = {
	[FLEET_EVENTS] = take_event,	     [FLEET_IMAGES] = take_image,
	[FLEET_FRAMES] = take_frame,	     [FLEET_STACKS] = take_stack,
	[FLEET_LABEL_SETS] = take_label_set, [FLEET_SAMPLES] = take_sample,
	[FLEET_LOSSES] = take_loss,	     [FLEET_SESSIONS] = take_session,
};

/* The table of a name; FLEET_TABLES_N: there is none. */
static enum fleet_table_id table_named(const char *name)
{
	unsigned int table = 0;

	while (table < FLEET_TABLES_N && strcmp(fleet_tables[table].name, name) != 0)
		table++;
	return (enum fleet_table_id)table;
}

static int find_section(struct fleet_reader *reader, struct op_reader *file,
			struct op_reader sections[static FLEET_TABLES_N])
{
	enum fleet_table_id table;
	const void *rows;
	uint64_t length;

	reader->rows = *file;
	table = table_named(take_string(reader));
	length = op_reader_u64(&reader->rows);
	if (reader->rows.failed || table == FLEET_TABLES_N)
		return input_fail(reader->input, reader->error, EINVAL,
				  (uint64_t)(file->at - reader->bytes),
				  "no table of a fleet begins here");
	reader->table = table;
	if (sections[table].at)
		return fleet_fail(reader, "it is there twice");
	rows = op_reader_take(&reader->rows, length);
	if (!rows)
		return fleet_fail(reader, "not all of it is here");
	sections[table] = op_reader_of(rows, length, op_swap_for(false));
	*file = reader->rows;
	return 0;
}

/* Finds the rows of each table: sections are in any order. */
static int find_sections(struct fleet_reader *reader, struct op_reader *file,
			 struct op_reader sections[static FLEET_TABLES_N])
{
	while (op_reader_left(file))
		if (find_section(reader, file, sections))
			return -1;
	reader->rows = *file;
	for (unsigned int i = 0; i < FLEET_TABLES_N; i++) {
		reader->table = (enum fleet_table_id)i;
		if (!sections[i].at)
			return fleet_fail(reader, "it is not here");
	}
	return 0;
}

static int fleet_read_section(struct fleet_reader *reader, const struct op_reader *rows)
{
	reader->rows = *rows;
	while (op_reader_left(&reader->rows))
		if (row_readers[reader->table](reader))
			return -1;
	if (reader->table == FLEET_EVENTS)
		tell_events(reader);
	return 0;
}

static void fleet_reader_free(struct fleet_reader *reader)
{
	op_names_free_kept(&reader->texts);
	named_places_free(reader->named);
	free(reader->event_rows);
	free(reader->frames);
	free(reader->stacks);
	free(reader->stack_frames);
	free(reader->places_of_sample);
	free(reader->lines);
	free(reader->label_sets);
	free(reader->labels);
	free(reader->labels_of_sample);
	op_pair_table_free(&reader->label_set_ids);
	op_pair_table_free(&reader->unknown_stacks);
	op_pair_table_free(&reader->events);
	op_pair_table_free(&reader->events_counted);
	op_pair_table_free(&reader->images);
	op_pair_table_free(&reader->frame_ids);
	op_pair_table_free(&reader->stack_ids);
	op_pair_table_free(&reader->places);
}

static int fleet_read(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct fleet_reader reader = {.input = input, .sink = sink, .error = error};
	struct op_reader sections[FLEET_TABLES_N] = {0}, file;
	int result;
	size_t n;

	reader.bytes = input_whole(input, FILE_MOST, &n, error);
	if (!reader.bytes)
		return -1;
	reader.named = named_places_new(sink);
	file = op_reader_of(reader.bytes, n, op_swap_for(false));
	op_reader_take(&file, strlen(FLEET_MAGIC));
	result = find_sections(&reader, &file, sections);
	for (unsigned int i = 0; !result && i < FLEET_TABLES_N; i++) {
		reader.table = (enum fleet_table_id)i;
		result = fleet_read_section(&reader, &sections[i]);
	}
	reader.host.tool = "oprofile";
	if (reader.n_unknown)
		prof_sink_note(sink,
			       "%" PRIu64 " rows refer to stacks, frames, images or events "
			       "that are not there",
			       reader.n_unknown);
	if (reader.n_sessions)
		sink->host(sink, &reader.host);
	fleet_reader_free(&reader);
	return result;
}

static int fleet_probe(const uint8_t *bytes, size_t n)
{
	size_t length = strlen(FLEET_MAGIC);

	return n >= length && !memcmp(bytes, FLEET_MAGIC, length) ? 95 : 0;
}

const struct format format_fleet = {
	.name = "fleet",
	.description = "tables of a fleet's store, as oppush sends them",
	.probe = fleet_probe,
	.read = fleet_read,
	.write = fleet_write,
	.is_bounded = true,
	.has_host_labels = true,
	.by = PROF_BY_COMM | PROF_BY_LABELS,
};
