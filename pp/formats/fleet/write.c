// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing the tables of a fleet's store: see tables.h.
 *
 * Frames are lines of functions, so stacks that differ in addresses only are one.  Samples are
 * added up by all columns that tell rows apart: processes, threads and CPUs are not.
 */
#include "fleet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "identity.h"
#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/tables/pair_table.h"
#include "pp/formats/model/bounded.h"
#include "pp/formats/model/labels.h"
#include "pp/formats/model/mapped_image.h"
#include "pp/formats/session/symbolize.h"
#include "pp/symbols/image_name.h"

#define NS_PER_S    UINT64_C(1000000000)
#define DAY_S	    86400
#define TIME_MOST   UINT32_MAX /* of DateTime: the year 2106 */
#define STRING_MOST 4096       /* names of C++ are cut there */
#define ROW_BYTES   128	       /* columns of numbers, build-ids and hashes of any row are less */

/* What tells rows of samples apart, and what they have. */
struct row {
	uint8_t stack[FLEET_STACK_BYTES];
	uint64_t event;
	const char *app, *thread;
	char *cgroup; /* or NULL */
	uint64_t samples, weight;
};

struct writer {
	const struct prof *prof;
	struct prof_names *names;
	struct op_buffer tables[FLEET_TABLES_N];
	uint64_t n_rows[FLEET_TABLES_N];
	struct op_buffer columns;		    /* of a row that is being made */
	uint64_t *events, *images;		    /* identities, by number; 0: not written yet */
	struct op_pair_table known[FLEET_TABLES_N]; /* identities that were written */
	struct row *rows;
	size_t n_samples, rows_capacity;
	uint64_t rows_bytes; /* that they will have in the table */
	struct op_hash by_row;
	uint64_t *frames; /* of a stack */
	size_t frames_capacity;
	uint64_t origin, session; /* session: of what is sent, too */
	uint64_t label_set;	  /* what the host is called: identity */
	const struct op_strings *labels;
	uint32_t time;
};

/* ---- columns ---- */

/* At most, with the length. */
static uint64_t bytes_of_string(const char *text)
{
	return 2 + (text ? strnlen(text, STRING_MOST) : 0);
}

static void put_string(struct op_buffer *out, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	fleet_put_string(out, text, n < STRING_MOST ? n : STRING_MOST);
}

/* Begins a row whose number is the identity of its columns. */
static struct op_buffer *begin_row(struct writer *writer)
{
	writer->columns.used = 0;
	return &writer->columns;
}

/* Whether a table has no row of an identity yet. */
static bool is_new(struct writer *writer, enum fleet_table_id table, uint64_t first,
		   uint64_t second)
{
	uint64_t *known = op_pair_table_get(&writer->known[table], first, second);
	bool was_known = *known;

	*known = true;
	writer->n_rows[table] += !was_known;
	return !was_known;
}

/* Writes the row, if it is new.  Return: its identity. */
static uint64_t end_row(struct writer *writer, enum fleet_table_id table)
{
	uint64_t identity = fleet_identity(&writer->columns);

	if (!is_new(writer, table, identity, 0))
		return identity;
	op_buffer_u64(&writer->tables[table], identity);
	op_buffer_put(&writer->tables[table], writer->columns.bytes, writer->columns.used);
	return identity;
}

/* ---- what samples refer to ---- */

static uint64_t event_of(struct writer *writer, uint32_t number)
{
	const struct prof_event *event = &writer->prof->events[number];
	struct op_buffer *out;

	if (writer->events[number])
		return writer->events[number];
	out = begin_row(writer);
	put_string(out, event->name);
	put_string(out, event->unit ? event->unit : "count");
	op_buffer_u64(out, event->period);
	op_buffer_u64(out, event->frequency);
	op_buffer_u64(out, event->unit_mask);
	return writer->events[number] = end_row(writer, FLEET_EVENTS);
}

static enum fleet_image_kind kind_of(const struct prof_image *image)
{
	static const enum fleet_image_kind kinds[] = {
		[PROF_FILE] = FLEET_FILE,	[PROF_KERNEL] = FLEET_KERNEL,
		[PROF_MODULE] = FLEET_MODULE,	[PROF_VDSO] = FLEET_VDSO,
		[PROF_ANON] = FLEET_ANON,	[PROF_BPF] = FLEET_BPF,
		[PROF_UNKNOWN] = FLEET_UNKNOWN,
	};

	if (image->kind == PROF_UNKNOWN && image->is_kernel)
		return FLEET_UNKNOWN_KERNEL;
	return kinds[image->kind];
}

static uint64_t image_of(struct writer *writer, uint32_t number)
{
	static const char digits[] = "0123456789abcdef";
	const struct prof_image *image = &writer->prof->images[number];
	char build_id[2 * PROF_BUILD_ID_MOST + 1] = "";
	struct mapping mapping;
	struct op_buffer *out;

	if (writer->images[number])
		return writer->images[number];
	for (size_t i = 0; i < image->build_id_length; i++) {
		build_id[2 * i] = digits[image->build_id[i] >> 4];
		build_id[2 * i + 1] = digits[image->build_id[i] & 15];
	}
	mapping = mapping_of(image);
	out = begin_row(writer);
	op_buffer_u8(out, (uint8_t)kind_of(image));
	put_string(out, pp_image_without_named(mapping.name));
	put_string(out, build_id);
	free(mapping.name);
	return writer->images[number] = end_row(writer, FLEET_IMAGES);
}

/* A place without a name is a frame without a function. */
static uint64_t frame_of(struct writer *writer, uint32_t image, const struct prof_line *line,
			 bool is_known, bool is_inlined)
{
	uint64_t image_identity = image_of(writer, image);
	struct op_buffer *out = begin_row(writer);

	op_buffer_u64(out, image_identity);
	put_string(out, !is_known ? "" : line->system_name ? line->system_name : line->function);
	put_string(out, is_known ? line->file : NULL);
	op_buffer_u32(out, is_known && line->line > 0 && line->line <= UINT32_MAX
				   ? (uint32_t)line->line
				   : 0);
	op_buffer_u8(out, is_inlined);
	return end_row(writer, FLEET_FRAMES);
}

/* Writes the stack of the first @n of writer::frames. */
static void put_stack(struct writer *writer, size_t n, uint8_t identity[FLEET_STACK_BYTES])
{
	struct op_buffer *out = &writer->tables[FLEET_STACKS];
	uint64_t halves[2];

	fleet_stack_identity(writer->frames, n, identity);
	memcpy(halves, identity, sizeof(halves));
	if (!is_new(writer, FLEET_STACKS, halves[0], halves[1]))
		return;
	op_buffer_put(out, identity, FLEET_STACK_BYTES);
	op_buffer_leb128(out, n);
	for (size_t i = 0; i < n; i++)
		op_buffer_u64(out, writer->frames[i]);
}

static void stack_of(struct writer *writer, const struct prof_sample *sample,
		     uint8_t identity[FLEET_STACK_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < sample->depth; i++) {
		const struct prof_name *name = names_of_frame(writer->names, sample, i);

		writer->frames = op_grow(writer->frames, &writer->frames_capacity, n + name->n,
					 sizeof(*writer->frames));
		for (size_t k = 0; k < name->n; k++)
			writer->frames[n++] =
				frame_of(writer, sample->frames[i].image, &name->lines[k],
					 name->is_known, k + 1 < name->n);
	}
	put_stack(writer, n, identity);
}

/* Where samples of a program are that found no room. */
static void stack_of_left_out(struct writer *writer, uint32_t program,
			      uint8_t identity[FLEET_STACK_BYTES])
{
	const struct prof_line line = {.function = BOUNDED_LEFT_OUT};

	writer->frames =
		op_grow(writer->frames, &writer->frames_capacity, 1, sizeof(*writer->frames));
	writer->frames[0] = frame_of(writer, program, &line, true, false);
	put_stack(writer, 1, identity);
}

/* ---- samples ---- */

static bool row_is_same(const struct row *a, const struct row *b)
{
	return !memcmp(a->stack, b->stack, FLEET_STACK_BYTES) && a->event == b->event &&
	       !strcmp(a->app, b->app) && !strcmp(a->thread, b->thread) &&
	       !strcmp(a->cgroup ? a->cgroup : "", b->cgroup ? b->cgroup : "");
}

/* At most; columns of numbers take less than ROW_BYTES. */
static uint64_t bytes_of_row(const struct writer *writer, const struct row *row)
{
	return ROW_BYTES + bytes_of_string(writer->prof->host.hostname) +
	       bytes_of_string(row->app) + bytes_of_string(row->thread) +
	       bytes_of_string(row->cgroup);
}

static void add_row(struct writer *writer, const struct row *row)
{
	uint64_t hash = op_hash_text(op_hash_text(row->event, row->app), row->thread);
	struct row *known;
	uint32_t id;

	hash = op_hash_bytes(hash, row->stack, FLEET_STACK_BYTES);
	op_hash_for_each_possible (&writer->by_row, hash, id) {
		known = &writer->rows[id];
		if (!row_is_same(known, row))
			continue;
		known->samples += row->samples;
		known->weight += row->weight;
		return;
	}
	id = (uint32_t)writer->n_samples++;
	writer->rows = op_grow(writer->rows, &writer->rows_capacity, writer->n_samples,
			       sizeof(*writer->rows));
	writer->rows[id] = *row;
	writer->rows[id].cgroup = row->cgroup ? op_copy(row->cgroup) : NULL;
	writer->rows_bytes += bytes_of_row(writer, row);
	op_hash_add_or_exit(&writer->by_row, hash, id);
}

static const char *path_of_program(const struct writer *writer, uint32_t program)
{
	return program == PROF_NO_IMAGE
		       ? ""
		       : pp_image_without_named(writer->prof->images[program].path);
}

/* Adds a row for each event of a sample. */
static void add_rows(struct writer *writer, struct row *row, const struct prof_sample *sample)
{
	for (size_t i = 0; i < sample->n_values; i++) {
		row->event = event_of(writer, sample->values[i].event);
		row->samples = sample->values[i].count;
		row->weight = sample->values[i].events;
		add_row(writer, row);
	}
}

static void add_sample(void *context, const struct prof_sample *sample)
{
	struct writer *writer = context;
	const struct prof *prof = writer->prof;
	const struct prof_label *cgroup = prof_label_named(prof, sample, PROF_LABEL_CGROUP);
	struct row row = {
		.app = path_of_program(writer, sample->app),
		.thread = prof->strings[sample->comm],
		.cgroup = cgroup ? prof_label_text(prof, cgroup) : NULL,
	};

	stack_of(writer, sample, row.stack);
	add_rows(writer, &row, sample);
	free(row.cgroup);
}

/* ---- samples within bounds ---- */

static uint64_t bytes_used(void *context)
{
	const struct writer *writer = context;
	uint64_t bytes = writer->rows_bytes;

	for (size_t i = 0; i < FLEET_SAMPLES; i++)
		bytes += writer->tables[i].used;
	return bytes;
}

static uint64_t cost_of_sample(void *context, const struct prof_sample *sample)
{
	struct writer *writer = context;

	return sample->n_values * (ROW_BYTES + 4 * STRING_MOST) +
	       names_bytes_of_stack(writer->names, writer->prof, sample, ROW_BYTES);
}

static uint64_t left_out_cost(void *context, const struct prof_sample *sample)
{
	const struct writer *writer = context;

	return sample->n_values * (ROW_BYTES + bytes_of_string(writer->prof->host.hostname)) +
	       3 * (ROW_BYTES + bytes_of_string(path_of_program(writer, sample->app)));
}

static void add_left_out(void *context, const struct prof_sample *sample)
{
	struct writer *writer = context;
	struct row row = {.app = path_of_program(writer, sample->app), .thread = ""};

	stack_of_left_out(writer, sample->app, row.stack);
	add_rows(writer, &row, sample);
}

static const struct bounded_writer bounded_writer = {
	.used = bytes_used,
	.cost = cost_of_sample,
	.add = add_sample,
	.left_out_cost = left_out_cost,
	.add_left_out = add_left_out,
};

/* ---- rows of the session ---- */

static const char *host_of(const struct writer *writer)
{
	const char *name = writer->prof->host.hostname;

	return name ? name : "";
}

static void put_row(struct op_buffer *out, const struct row *row)
{
	op_buffer_u64(out, row->event);
	put_string(out, row->app);
	put_string(out, row->thread);
	put_string(out, row->cgroup);
	op_buffer_put(out, row->stack, FLEET_STACK_BYTES);
	op_buffer_u64(out, row->samples);
	op_buffer_u64(out, row->weight);
}

static uint64_t row_identity(struct writer *writer, const struct row *row)
{
	struct op_buffer *columns = begin_row(writer);

	put_row(columns, row);
	return fleet_identity(columns);
}

/* Columns that rows of a session begin with. */
static struct op_buffer *put_session(struct writer *writer, enum fleet_table_id table)
{
	struct op_buffer *out = &writer->tables[table];

	op_buffer_u16(out, (uint16_t)(writer->time / DAY_S));
	op_buffer_u32(out, writer->time);
	put_string(out, host_of(writer));
	op_buffer_u64(out, writer->session);
	writer->n_rows[table]++;
	return out;
}

static void put_samples(struct writer *writer)
{
	for (size_t i = 0; i < writer->n_samples; i++) {
		struct op_buffer *out = put_session(writer, FLEET_SAMPLES);

		op_buffer_u64(out, writer->label_set);
		put_row(out, &writer->rows[i]);
	}
}

static void put_label(struct op_buffer *names, struct op_buffer *texts, const char *name, size_t n,
		      const char *text)
{
	fleet_put_string(names, name, n);
	put_string(texts, text);
}

/* What all hosts have, and what their operators call them. */
static void identify_labels(struct writer *writer)
{
	const struct prof_host *host = &writer->prof->host;
	struct op_buffer names = {0}, texts = {0}, *columns;
	const struct {
		const char *name, *text;
	} facts[] = {
		{"kernel", host->os_release}, {"arch", host->arch}, {"cpu", host->cpu_description}};
	size_t n = OP_ARRAY_SIZE(facts) + (writer->labels ? writer->labels->count : 0);

	for (size_t i = 0; i < OP_ARRAY_SIZE(facts); i++)
		put_label(&names, &texts, facts[i].name, strlen(facts[i].name), facts[i].text);
	for (size_t i = 0; i < n - OP_ARRAY_SIZE(facts); i++) {
		const char *label = writer->labels->item[i], *text = strchr(label, '=');

		put_label(&names, &texts, label, (size_t)(text - label), text + 1);
	}
	columns = begin_row(writer);
	op_buffer_leb128(columns, n);
	op_buffer_put(columns, names.bytes, names.used);
	op_buffer_leb128(columns, n);
	op_buffer_put(columns, texts.bytes, texts.used);
	columns->failed |= names.failed || texts.failed;
	writer->label_set = end_row(writer, FLEET_LABEL_SETS);
	op_buffer_free(&names);
	op_buffer_free(&texts);
}

static void put_losses(struct writer *writer)
{
	for (size_t i = 0; i < writer->prof->n_losses; i++) {
		struct op_buffer *out = put_session(writer, FLEET_LOSSES);

		put_string(out, writer->prof->losses[i].cause);
		op_buffer_u64(out, writer->prof->losses[i].count);
	}
}

static void put_host(struct writer *writer)
{
	const struct prof_host *host = &writer->prof->host;
	struct op_buffer *out = put_session(writer, FLEET_SESSIONS);
	uint64_t samples = 0;

	for (size_t i = 0; i < writer->n_samples; i++)
		samples += writer->rows[i].samples;
	op_buffer_u64(out, writer->label_set);
	op_buffer_u64(out, writer->origin);
	op_buffer_u64(out, host->duration);
	put_string(out, host->os_release);
	put_string(out, host->arch);
	put_string(out, host->cpu_description);
	put_string(out, host->cpu_type);
	op_buffer_u32(out, (uint32_t)host->cpu_mhz);
	put_string(out, host->command_line);
	op_buffer_u64(out, writer->n_rows[FLEET_SAMPLES]);
	op_buffer_u64(out, samples);
}

/* What is sent again is the same session, and two of one host at one time are not. */
static void identify_session(struct writer *writer)
{
	const struct prof_host *host = &writer->prof->host;
	struct op_buffer *columns = begin_row(writer);
	uint64_t seconds = host->start_time / NS_PER_S;

	put_string(columns, host_of(writer));
	op_buffer_u64(columns, host->start_time);
	op_buffer_u64(columns, host->duration);
	for (size_t i = 0; i < writer->prof->n_events; i++) {
		op_buffer_u64(columns, writer->prof->totals[i].count);
		op_buffer_u64(columns, writer->prof->totals[i].events);
	}
	writer->origin = writer->session = fleet_identity(columns);
	writer->session += writer->label_set;
	for (size_t i = 0; i < writer->n_samples; i++)
		writer->session += row_identity(writer, &writer->rows[i]);
	writer->time = seconds > TIME_MOST ? TIME_MOST : (uint32_t)seconds;
}

/* ---- the file ---- */

static bool write_tables(struct writer *writer, FILE *file)
{
	bool failed = writer->columns.failed;

	fputs(FLEET_MAGIC, file);
	for (size_t i = 0; i < FLEET_TABLES_N; i++) {
		struct op_buffer head = {0};

		fleet_section_begin(&head, (enum fleet_table_id)i, writer->tables[i].used);
		failed |= head.failed || writer->tables[i].failed;
		fwrite(head.bytes, 1, head.used, file);
		fwrite(writer->tables[i].bytes, 1, writer->tables[i].used, file);
		op_buffer_free(&head);
	}
	return !failed;
}

static void writer_free(struct writer *writer)
{
	for (size_t i = 0; i < FLEET_TABLES_N; i++) {
		op_buffer_free(&writer->tables[i]);
		op_pair_table_free(&writer->known[i]);
	}
	for (size_t i = 0; i < writer->n_samples; i++)
		free(writer->rows[i].cgroup);
	op_buffer_free(&writer->columns);
	op_hash_free(&writer->by_row);
	free(writer->events);
	free(writer->images);
	free(writer->rows);
	free(writer->frames);
}

int fleet_write(struct prof *prof, struct output *output, struct op_error *error)
{
	struct writer writer = {
		.prof = prof, .names = output->names, .labels = output->host_labels};
	int result;

	writer.events = op_alloc(prof->n_events, sizeof(*writer.events));
	writer.images = op_alloc(prof->n_images, sizeof(*writer.images));
	bounded_add_samples(prof, output->most, &bounded_writer, &writer);
	identify_labels(&writer);
	identify_session(&writer);
	put_samples(&writer);
	put_losses(&writer);
	put_host(&writer);
	result = write_tables(&writer, output->file) ? 0 : op_error_memory(error);
	writer_free(&writer);
	return result;
}
