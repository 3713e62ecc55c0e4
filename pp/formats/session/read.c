// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading a session: see session.h.
 *
 * A sample that came with its callers is in a sample file and in a stack file.  So the stacks are
 * read first, and what the sample files have beyond the leaves of the stacks are samples without
 * callers.
 *
 * Files of weights are read in the same way, after them: each of their counts is a sample that
 * counts 0 and adds events.
 */
#include "reading.h"

#include "functions.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/cpu/type_names.h"
#include "libop/base/memory.h"
#include "libop/session/account.h"
#include "libop/session/statistics.h"
#include "pp/select/sample_read.h"
#include "libop/base/number.h"
#include "libop/foreign/door.h"

/* ---- events ---- */

uint32_t session_read_event_of(struct reading *reading, const struct op_sample_name *name,
			       uint32_t code)
{
	const struct session_origin_event *origin =
		session_origin_event(&reading->origin, name->event, name->count, name->unit_mask);
	struct prof_event event = {
		.name = name->event,
		.period = name->count,
		.unit_mask = name->unit_mask,
		.code = code,
		.type = PROF_NO_TYPE,
	};

	if (origin)
		event = origin->event;
	else if (!strcmp(event.name, "cpu-clock") || !strcmp(event.name, "task-clock"))
		event.unit = "nanoseconds";
	return reading->sink->event(reading->sink, &event);
}

/* ---- sample files ---- */

static uint64_t hash_flat(const struct flat *flat)
{
	uint64_t hash = op_hash_mix((uint64_t)flat->app << 32 | flat->image, flat->event);

	return op_hash_mix(op_hash_mix(hash, (uint64_t)flat->tgid << 32 | (uint32_t)flat->tid),
			   (uint64_t)flat->cpu);
}

uint32_t session_read_find_flat(const struct reading *reading, const struct flat *wanted)
{
	uint32_t id;

	op_hash_for_each_possible (&reading->by_flat, hash_flat(wanted), id) {
		const struct flat *flat = &reading->flats[id];

		if (flat->app == wanted->app && flat->image == wanted->image &&
		    flat->event == wanted->event && flat->tgid == wanted->tgid &&
		    flat->tid == wanted->tid && flat->cpu == wanted->cpu)
			return id;
	}
	return OP_HASH_NONE;
}

static void add_flat(struct reading *reading, const struct flat *flat)
{
	uint32_t id;

	if (session_read_find_flat(reading, flat) != OP_HASH_NONE)
		return;
	id = (uint32_t)reading->n_flats++;
	reading->flats = op_grow(reading->flats, &reading->flats_capacity, reading->n_flats,
				 sizeof(*reading->flats));
	reading->flats[id] = *flat;
	op_hash_add_or_exit(&reading->by_flat, hash_flat(flat), id);
}

static void tell_host(struct reading *reading, const struct odb_header *header)
{
	const char *type = op_cpu_type_name(op_cpu_type_of_file(header->version, header->cpu_type));
	const struct prof_host host = {.cpu_type = type, .cpu_mhz = header->cpu_speed};

	if (!reading->told_host)
		reading->sink->host(reading->sink, &host);
	reading->told_host = true;
}

/* The kernel cuts names of programs to this. */
#define COMM_MOST 15

/* A thread that was given no name has the program's, which is whole here. */
uint32_t session_read_comm_of(const struct reading *reading, const struct op_sample_name *name)
{
	const char *comm = NULL, *slash = strrchr(name->app.name, '/');
	const char *program = slash ? slash + 1 : name->app.name;

	if (name->tid >= 0 && name->tgid >= 0)
		comm = op_thread_names_find(&reading->threads, (uint32_t)name->tgid,
					    (uint32_t)name->tid);
	if (!comm || (strlen(comm) == COMM_MOST && !strncmp(comm, program, COMM_MOST)))
		return 0;
	return reading->sink->string(reading->sink, comm);
}

static struct flat flat_of(struct reading *reading, const struct op_sample_name *name,
			   const struct odb_header *header)
{
	struct flat flat = {.tgid = name->tgid, .tid = name->tid, .cpu = name->cpu};

	flat.event = session_read_event_of(reading, name, header->ctr_event);
	/* first the one that more is known of: it may be the application, too */
	flat.image = session_images_number(&reading->images, &name->dep, header->is_kernel,
					   header->mtime);
	flat.app = session_images_number(&reading->images, &name->app, false, 0);
	flat.comm = session_read_comm_of(reading, name);
	return flat;
}

bool session_read_is_of_event(const struct op_sample_name *a, const struct op_sample_name *b)
{
	return a->count == b->count && a->unit_mask == b->unit_mask && !strcmp(a->event, b->event);
}

bool session_read_is_of_session(const struct reading *reading, const struct pp_sample_file *file)
{
	size_t n = strlen(reading->dir);

	return !strncmp(file->path, reading->dir, n) && file->path[n] == '/';
}

/* What sample files there are, so that stacks find theirs. */
static void note_files(struct reading *reading)
{
	for (size_t i = 0; i < reading->list->n; i++) {
		const struct pp_sample_file *file = &reading->list->files[i];
		struct odb_header header;
		struct flat flat;

		/* told when it is read */
		if (!session_read_is_of_session(reading, file) ||
		    pp_sample_header(file, &header, NULL))
			continue;
		tell_host(reading, &header);
		flat = flat_of(reading, &file->name, &header);
		add_flat(reading, &flat);
	}
}

/* ---- samples ---- */

/* What a sample has beside its frames and values. */
static struct prof_sample common_of(const struct flat *flat)
{
	return (struct prof_sample){
		.has_entry = true,
		.app = flat->app,
		.comm = flat->comm,
		.pid = flat->tgid,
		.tid = flat->tid,
		.cpu = flat->cpu,
	};
}

void session_read_push(struct reading *reading, const struct flat *flat, size_t depth,
		       uint64_t count, uint64_t unit)
{
	uint64_t events;
	const struct prof_value value = {
		.event = flat->event,
		.count = reading->weights ? 0 : count,
		.events = __builtin_mul_overflow(count, unit, &events) ? UINT64_MAX : events,
	};
	struct prof_sample sample = common_of(flat);

	sample.frames = reading->frames;
	sample.depth = depth;
	reading->has_stacks |= depth > 1;
	sample.values = &value;
	sample.n_values = 1;
	if (!reading->result)
		reading->result = reading->sink->sample(reading->sink, &sample, reading->error);
}

/* A file of weights of the event in this session, or NULL. */
static const struct pp_sample_file *weights_of(const struct reading *reading,
					       const struct op_sample_name *name)
{
	for (size_t i = 0; i < reading->list->n_weights; i++) {
		const struct pp_sample_file *file = &reading->list->weights[i];

		if (session_read_is_of_session(reading, file) &&
		    session_read_is_of_event(&file->name, name))
			return file;
	}
	return NULL;
}

uint64_t session_read_unit_of(const struct reading *reading, const struct op_sample_name *name)
{
	const struct pp_sample_file *weights;
	struct odb_header header;

	if (!reading->weights && name->count)
		return name->count;
	weights = weights_of(reading, name);
	if (!reading->weights)
		return weights ? 0 : 1;
	return weights && !pp_sample_header(weights, &header, NULL) && header.ctr_count
		       ? header.ctr_count
		       : 1;
}

/* ---- what is in no stack ---- */

static void push_places(struct reading *reading, const struct flat *flat,
			const struct prof_place_count *places, size_t n, uint64_t unit)
{
	const struct prof_flat_sample samples = {
		.common = common_of(flat),
		.image = flat->image,
		.event = flat->event,
		.unit = unit,
		.is_weight = reading->weights,
		.places = places,
		.n = n,
	};

	if (n && !reading->result)
		reading->result = reading->sink->flat(reading->sink, &samples, reading->error);
}

static void session_read_read_file(struct reading *reading, const struct pp_sample_file *file)
{
	struct prof_place_count *places;
	struct odb_entry *entries;
	struct odb_header header;
	struct op_error error;
	struct flat flat;
	uint64_t unit;
	uint32_t id;
	size_t n, n_places = 0;

	if (pp_sample_read(file, &header, &entries, &n, &error)) {
		op_warnings_add(reading->warnings, OP_BAD_FILE, "skipped: %s", error.text);
		return;
	}
	flat = flat_of(reading, &file->name, &header);
	id = session_read_find_flat(reading, &flat);
	unit = session_read_unit_of(reading, &file->name);
	places = op_chunk(n * sizeof(*places));
	for (size_t i = 0; i < n; i++) {
		uint64_t *leaf = op_pair_table_find(&reading->leaves, id, entries[i].key);
		uint64_t taken = 0;

		if (leaf) {
			taken = *leaf < entries[i].count ? *leaf : entries[i].count;
			*leaf -= taken;
		}
		if (entries[i].count != taken)
			places[n_places++] = (struct prof_place_count){entries[i].key,
								       entries[i].count - taken};
	}
	push_places(reading, &flat, places, n_places, unit);
	free(places);
	free(entries);
}

/* ---- calls ---- */

/* Both ends of an arc have 32 bits, which addresses of code in no image may not have. */
static bool has_narrow_keys(const struct op_image_name *image)
{
	return image->kind != OP_IMAGE_KERNEL || strcmp(image->name, OP_NO_VMLINUX) != 0;
}

static void read_calls_of(struct reading *reading, const struct pp_sample_file *file)
{
	struct odb_entry *entries;
	struct odb_header header;
	struct prof_call call = {0};
	struct op_error error;
	struct flat flat;
	uint64_t unit, events;
	size_t n;

	if (!has_narrow_keys(&file->name.dep) || !has_narrow_keys(&file->name.callee))
		return;
	if (pp_sample_read(file, &header, &entries, &n, &error)) {
		op_warnings_add(reading->warnings, OP_BAD_FILE, "skipped: %s", error.text);
		return;
	}
	flat = flat_of(reading, &file->name, &header);
	unit = session_read_unit_of(reading, &file->name);
	call.app = flat.app;
	call.caller.image = flat.image;
	call.callee.image = session_images_number(&reading->images, &file->name.callee,
						  header.cg_to_is_kernel, 0);
	for (size_t i = 0; i < n && !reading->result; i++) {
		uint64_t count = entries[i].count;

		call.caller.offset = entries[i].key >> 32;
		call.callee.offset = entries[i].key & UINT32_MAX;
		call.value = (struct prof_value){
			.event = flat.event,
			.count = reading->weights ? 0 : count,
			.events = __builtin_mul_overflow(count, unit, &events) ? UINT64_MAX
									       : events,
		};
		reading->result = reading->sink->call(reading->sink, &call, reading->error);
	}
	free(entries);
}

/* Those of {cg} files. */
static void read_calls(struct reading *reading, const struct pp_sample_file *files, size_t n)
{
	for (size_t i = 0; i < n && !reading->result && !reading->has_stacks; i++)
		if (session_read_is_of_session(reading, &files[i]))
			read_calls_of(reading, &files[i]);
}

/* ---- branches ---- */

static bool parse_end(struct reading *reading, const char *offset, const char *text,
		      struct prof_frame *frame)
{
	struct op_image_name name;

	if (!op_number_all(offset, 16, UINT64_MAX, &frame->offset) ||
	    op_image_name_parse(text, &name, NULL))
		return false;
	frame->image = session_images_number(&reading->images, &name, false, 0);
	free(name.name);
	return true;
}

static void read_branches(struct reading *reading)
{
	char *path = op_format("%s/" SESSION_BRANCHES, reading->dir), *line;
	struct op_error error;
	char *text = foreign_read(path, (size_t)1 << 30, NULL, &error), *rest = text;

	while ((line = strsep(&rest, "\n")) && !reading->result) {
		struct prof_branch branch;
		char *part[7];
		size_t n = 0;

		while (n < 7 && line)
			part[n++] = strsep(&line, "\t");
		if (n < 7)
			continue;
		if (op_number_all(part[0], 10, UINT64_MAX, &branch.count) &&
		    op_number_all(part[1], 10, UINT64_MAX, &branch.mispredicted) &&
		    op_number_all(part[2], 10, UINT64_MAX, &branch.cycles) &&
		    parse_end(reading, part[3], part[5], &branch.from) &&
		    parse_end(reading, part[4], part[6], &branch.to))
			reading->result =
				reading->sink->branch(reading->sink, &branch, reading->error);
	}
	free(text);
	free(path);
}

/* ---- what was lost ---- */

/* By a daemon or operf: what an import lost is in its origin. */
static void tell_losses(struct reading *reading)
{
	char *source = op_format("%s/" OP_SAMPLES_SOURCE, reading->dir), *text = NULL;
	struct prof_sink *sink = reading->sink;

	if (!access(source, F_OK))
		op_account_read(reading->dir, &text);
	for (enum stat_id i = 0; text && i < STAT_COUNT; i++) {
		uint64_t n = op_account_number(text, op_stats[i].key);

		if (!n || op_stat_is_of_kernel(i))
			continue;
		if (op_stat_is_lost_sample(i))
			sink->lost(sink, op_stats[i].text, n);
		else if (i == STAT_KERNEL_RECORDS) /* over all starts */
			sink->lost(sink, "in the kernel", n);
	}
	free(text);
	free(source);
}

/* ---- all together ---- */

/* Stacks, and then what @files have beyond them. */
static void read_counts(struct reading *reading, const struct pp_sample_file *files, size_t n)
{
	session_read_packed_stacks(reading);
	session_read_all_stacks(reading);
	for (size_t i = 0; i < n && !reading->result; i++)
		if (session_read_is_of_session(reading, &files[i]))
			session_read_read_file(reading, &files[i]);
	op_pair_table_clear(&reading->leaves);
}

static void read_session(struct reading *reading)
{
	struct op_error error;

	session_origin_read(&reading->origin, reading->dir, reading->sink);
	op_thread_names_read(&reading->threads, reading->dir);
	/* without, kernel code has no addresses; there may be a list of modules alone */
	if (pp_kallsyms_read(&reading->kallsyms, reading->dir, &error) && reading->warnings)
		pp_kallsyms_warn(reading->warnings, &error);
	note_files(reading);
	read_counts(reading, reading->list->files, reading->list->n);
	read_calls(reading, reading->list->arcs, reading->list->n_arcs);
	reading->weights = true;
	if (reading->list->n_weights)
		read_counts(reading, reading->list->weights, reading->list->n_weights);
	read_calls(reading, reading->list->weight_arcs, reading->list->n_weight_arcs);
	reading->weights = false;
	reading->has_stacks = false;
	read_branches(reading);
	tell_losses(reading);
	session_functions_read(&reading->images, reading->dir);
	session_origin_free(&reading->origin);
	pp_kallsyms_free(&reading->kallsyms);
	session_images_free(&reading->images);
	op_thread_names_free(&reading->threads);
	reading->n_flats = 0;
	op_hash_free(&reading->by_flat);
}

int session_read(const struct pp_sample_list *list, struct pp_image_search *search,
		 struct prof_sink *sink, struct op_warnings *warnings, struct op_error *error)
{
	struct reading reading = {
		.list = list,
		.sink = sink,
		.warnings = warnings,
		.error = error,
		.images = {.sink = sink,
			   .search = search,
			   .origin = &reading.origin,
			   .kallsyms = &reading.kallsyms},
	};

	if (search) {
		search->samples_dirs = list->samples_dirs;
		search->n_dirs = list->n_dirs;
	}
	for (size_t i = 0; i < list->n_dirs && !reading.result; i++) {
		reading.dir = list->samples_dirs[i];
		read_session(&reading);
	}
	free(reading.flats);
	op_pair_table_free(&reading.leaves);
	free(reading.frames);
	return reading.result;
}
