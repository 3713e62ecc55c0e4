// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing a session: see session.h.
 *
 * Counts of sample files are added up in memory, by file and key, and each file
 * is written in one go, so that no more than one is open.  Stack files are written as the samples
 * come, which is by application.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/cpu/detect.h"
#include "libop/cpu/type_names.h"
#include "libop/perf/event.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/saved/symbols.h"
#include "libop/session/images.h"
#include "libop/session/labels.h"
#include "libop/session/paths.h"
#include "libop/session/supplier.h"
#include "libop/session/thread_names.h"
#include "libop/session/tree.h"
#include "functions.h"
#include "image.h"
#include "libop/base/memory.h"
#include "libop/foreign/door.h"
#include "writing.h"

/* ---- adding up ---- */

static uint64_t hash_file(const struct file *file)
{
	return op_hash_mix(op_hash_mix(file->context, (uint64_t)file->event << 32 | file->image),
			   (uint64_t)file->callee << 1 | file->is_weight);
}

static uint32_t find_file(struct writing *writing, const struct file *wanted)
{
	uint64_t hash = hash_file(wanted);
	uint32_t id;

	op_hash_for_each_possible (&writing->by_file, hash, id)
		if (!memcmp(&writing->files[id], wanted, sizeof(*wanted)))
			return id;
	id = (uint32_t)writing->n_files++;
	writing->files = op_grow(writing->files, &writing->files_capacity, writing->n_files,
				 sizeof(*writing->files));
	writing->files[id] = *wanted;
	op_hash_add_or_exit(&writing->by_file, hash, id);
	return id;
}

static void session_write_add(struct writing *writing, const struct file *file, uint64_t key,
			      uint64_t count)
{
	uint64_t *sum = op_pair_table_get(&writing->entries, find_file(writing, file), key);

	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

/* Adds the samples of a value, and what they weigh beyond the period. */
static void add_value(struct writing *writing, struct file file, uint64_t key,
		      const struct prof_value *value)
{
	uint64_t weight = session_weight(&writing->names.events[value->event], value);

	session_write_add(writing, &file, key,
			  session_samples(&writing->names.events[value->event], value->count));
	file.is_weight = 1;
	if (weight)
		session_write_add(writing, &file, key, weight);
}

/*
 * The stack of a sample and its sample file have the same key, so it must be one that stack files
 * can hold: of 48 bits, the sign extended.  Code is at no other place; what a stack without frame
 * pointers had instead, is a frame without an address.
 */
uint64_t session_write_key_of(const struct writing *writing, const struct prof_frame *frame)
{
	uint64_t key = session_key(&writing->prof->images[frame->image], frame->offset);
	uint64_t top = key >> (STACKS_OFFSET_BITS - 1);

	return !top || top == UINT64_MAX >> (STACKS_OFFSET_BITS - 1) ? key : 0;
}

/* Without merge_libs, contexts that differ in nothing that names show are one. */
static uint32_t context_of(const struct writing *writing, const struct prof_sample *sample)
{
	const struct prof *prof = writing->prof;
	const struct prof_context wanted = {
		.app = sample->app, .pid = sample->pid, .tid = sample->tid, .cpu = sample->cpu};
	uint32_t id = writing->context;

	for (; id < prof->n_contexts; id++) {
		const struct prof_context *c = &prof->contexts[id];

		if (c->app == wanted.app && c->pid == wanted.pid && c->tid == wanted.tid &&
		    c->cpu == wanted.cpu)
			break;
	}
	return id;
}

/* ---- stack files ---- */

#define STACKS_UNIT	   UINT64_C(16)	 /* bytes */
#define STACKS_UNITS_LEAST UINT64_C(256) /* fewer hold next to nothing */

/* Slots are the events, and behind them, for their files of weights, the events again. */
static bool is_weight_slot(const struct writing *writing, uint32_t slot)
{
	return slot >= writing->prof->n_events;
}

/* Gives back what the file did not take. */
static void close_stack_file(struct writing *writing, struct stack_file *file)
{
	struct stat status;

	stacks_close(file->stacks);
	if (file->taken && !stat(file->path, &status)) {
		uint64_t used = file->names + (uint64_t)status.st_size;

		writing->room.stacks += used < file->taken ? file->taken - used : 0;
	}
	free(file->path);
	*file = (struct stack_file){0};
}

static void close_stacks(struct writing *writing)
{
	for (size_t i = 0; i < 2 * writing->prof->n_events; i++)
		close_stack_file(writing, &writing->stacks[i]);
	op_pair_table_clear(&writing->stack_images);
}

int session_write_make_directories(const char *path, struct op_error *error)
{
	return op_mkdir_parents(path, OP_SESSION_DIR_MODE, error);
}

static char *stacks_path(struct writing *writing, uint32_t slot)
{
	bool is_weight = is_weight_slot(writing, slot);
	/* the program, whatever image the samples are in */
	const struct file file = {
		writing->context, slot - (is_weight ? (uint32_t)writing->prof->n_events : 0),
		writing->prof->contexts[writing->context].app, is_weight, PROF_NO_IMAGE};
	struct op_sample_name name = session_write_name_of(writing, &file);
	char *relative, *path;

	name.app = writing->names.apps[file.image];
	relative = op_stacks_name_make(&name);
	if (!relative) {
		op_error_set(writing->error, errno, "%s: no name for its stack file",
			     name.app.name);
		return NULL;
	}
	path = op_format("%s/%s%s", writing->dir, is_weight ? OP_SAMPLES_WEIGHTS "/" : "",
			 relative);
	free(relative);
	return path;
}

/* Takes room for a file: an equal share of what is left, for files of as many events are open.
 * Return: how many units it may have; 0: there is no room for it. */
static uint32_t take_units(struct writing *writing, struct stack_file *file)
{
	uint64_t names =
		session_room_of_file(writing->dir, file->path + strlen(writing->dir) + 1, 0);
	uint64_t share = writing->room.stacks / (2 * writing->prof->n_events);
	uint64_t most = STACKS_UNITS_MOST * STACKS_UNIT;

	if (share < names || share - names < STACKS_UNITS_LEAST * STACKS_UNIT)
		return 0;
	if (share - names < most)
		most = share - names;
	file->names = names;
	file->taken = names + most;
	session_room_take(&writing->room.stacks, file->taken);
	return (uint32_t)(most / STACKS_UNIT);
}

/* Return: NULL without room for it, or with the error set. */
static struct stacks *open_stacks(struct writing *writing, uint32_t slot)
{
	struct stack_file *file = &writing->stacks[slot];
	struct odb_error cause;
	uint32_t units;

	if (file->stacks || file->refused)
		return file->stacks;
	file->path = stacks_path(writing, slot);
	if (!file->path)
		return NULL;
	units = session_room_is_name("", file->path) ? take_units(writing, file) : 0;
	file->refused = !units;
	if (!units || session_write_make_directories(file->path, writing->error))
		return NULL;
	if (stacks_open(&file->stacks, file->path, units, &cause))
		op_error_set(writing->error, cause.code, "%s", cause.text);
	return file->stacks;
}

static uint32_t stack_image(struct writing *writing, struct stacks *stacks, uint32_t slot,
			    uint32_t image)
{
	const struct prof_image *known = &writing->prof->images[image];
	uint64_t *stored = op_pair_table_find(&writing->stack_images, slot, image);
	uint32_t number;

	if (stored)
		return (uint32_t)*stored;
	number = stacks_image(stacks, writing->names.texts[image],
			      known->is_kernel ? STACKS_IMAGE_KERNEL : 0,
			      known->mtime <= UINT32_MAX ? (uint32_t)known->mtime : 0, NULL);
	/* without room for its name, no node can be made */
	if (!number)
		number = NONE;
	*op_pair_table_get(&writing->stack_images, slot, image) = number;
	return number;
}

/* Frame number @index as stacks have it: where the kernel was entered, there is the instruction
 * itself, also of a profile whose reader gave all callers as return addresses. */
static struct prof_frame frame_of_stack(const struct prof *prof, const struct prof_sample *sample,
					size_t index)
{
	struct prof_frame frame = sample->frames[index];

	frame.offset -= !prof->has_entries && prof_is_entry(prof, sample, index) && frame.offset;
	return frame;
}

/* Return: what stacks_add() returned, or STACKS_FAILED, with the error set. */
static enum stacks_result add_to_slot(struct writing *writing, const struct prof_sample *sample,
				      uint32_t slot, uint64_t count)
{
	struct stacks *stacks = open_stacks(writing, slot);
	enum stacks_result result;
	struct odb_error cause;

	if (!stacks)
		return writing->stacks[slot].refused ? STACKS_MERGED : STACKS_FAILED;
	writing->frames = op_grow(writing->frames, &writing->frames_capacity, sample->depth,
				  sizeof(*writing->frames));
	for (size_t i = 0; i < sample->depth; i++) {
		const struct prof_frame frame = frame_of_stack(writing->prof, sample, i);

		writing->frames[i].image = stack_image(writing, stacks, slot, frame.image);
		writing->frames[i].offset = session_write_key_of(writing, &frame);
	}
	result = stacks_add(stacks, writing->frames, sample->depth, count, &cause);
	if (result == STACKS_FAILED)
		op_error_set(writing->error, cause.code, "%s", cause.text);
	return result;
}

static int add_stack(struct writing *writing, const struct prof_sample *sample,
		     const struct prof_value *value)
{
	const struct session_event *event = &writing->names.events[value->event];
	uint64_t weight = session_in_units(session_weight(event, value), event->unit);
	uint32_t slot = value->event + (uint32_t)writing->prof->n_events;
	uint64_t samples = session_samples(event, value->count);
	enum stacks_result result = add_to_slot(writing, sample, value->event, samples);
	/* weights without their samples would be of no use */
	bool refused = writing->stacks[value->event].refused;

	if (refused)
		writing->other_stacks += samples;
	else if (result == STACKS_MERGED)
		writing->merged += samples;
	if (result != STACKS_FAILED && weight && !refused)
		result = add_to_slot(writing, sample, slot, weight);
	return result == STACKS_FAILED ? -1 : 0;
}

/* ---- samples ---- */

static int add_sample(struct writing *writing, const struct prof_sample *sample)
{
	static const struct prof_frame nowhere = {PROF_NO_IMAGE, 0};
	const struct prof_frame *leaf = sample->depth ? sample->frames : &nowhere;

	for (size_t i = 0; i < sample->n_values; i++) {
		const struct prof_value *value = &sample->values[i];
		const struct file file = {writing->context, value->event, leaf->image, 0,
					  PROF_NO_IMAGE};

		if (!value->count)
			continue;
		add_value(writing, file, session_write_key_of(writing, leaf), value);
		writing->stored +=
			session_samples(&writing->names.events[value->event], value->count);
		if (sample->depth < 2 || writing->options->no_callgraph)
			continue;
		if (add_stack(writing, sample, value))
			return -1;
	}
	return 0;
}

/* ---- calls, of a profile without stacks: {cg} files ---- */

/* The context of the samples of a program; n_contexts: it has none. */
static uint32_t context_of_app(const struct prof *prof, uint32_t app)
{
	uint32_t i = 0;

	while (i < prof->n_contexts && prof->contexts[i].app != app)
		i++;
	return i;
}

static void add_calls(struct writing *writing, const bool *contexts)
{
	const struct prof *prof = writing->prof;
	uint32_t context = 0;

	for (size_t i = 0; i < prof->n_calls; i++) {
		const struct prof_call *call = &prof->calls[i];
		const struct session_event *event = &writing->names.events[call->value.event];
		uint64_t caller = session_write_key_of(writing, &call->caller);
		uint64_t callee = session_write_key_of(writing, &call->callee);
		uint64_t weight = session_weight(event, &call->value);
		struct file file;

		/* they are in the order of programs */
		if (!i || call->app != call[-1].app)
			context = context_of_app(prof, call->app);
		file = (struct file){context, call->value.event, call->caller.image, 0,
				     call->callee.image};
		if (context == prof->n_contexts || (contexts && !contexts[context]))
			continue;
		/* a {cg} file has 32 bits of each; places by name have fewer */
		if (caller > UINT32_MAX || callee > UINT32_MAX || file.callee == PROF_NO_IMAGE) {
			writing->other_calls++;
			continue;
		}
		session_write_add(writing, &file, caller << 32 | callee,
				  session_samples(event, call->value.count));
		file.is_weight = 1;
		if (weight)
			session_write_add(writing, &file, caller << 32 | callee, weight);
	}
}

/* ---- all of them ---- */

static int add_all(struct writing *writing)
{
	bool *contexts = session_selected_contexts(writing->prof, &writing->options->selection);
	struct prof_cursor cursor = {.contexts = contexts};
	struct prof_sample sample;
	int result = 0;

	while (!result && prof_next(writing->prof, &cursor, &sample)) {
		uint32_t context = context_of(writing, &sample);

		if (context != writing->context)
			close_stacks(writing);
		writing->context = context;
		result = add_sample(writing, &sample);
	}
	close_stacks(writing);
	if (!result && !writing->options->no_callgraph)
		add_calls(writing, contexts);
	prof_cursor_free(&cursor);
	free(contexts);
	return result;
}

/* ---- all together ---- */

/* perf_event_attr's numbers for types of events that the CPU counts. */
static bool is_of_cpu(const struct prof_event *event)
{
	return event->type == 0 || event->type == 3 || event->type == 4;
}

/* Whether the kernel's perf interface counted them. */
static bool is_of_perf(const struct prof *prof)
{
	for (size_t i = 0; i < prof->n_events; i++)
		if (prof->events[i].type != PROF_NO_TYPE)
			return true;
	return false;
}

/* The type of a CPU called "GenuineIntel,6,94,3". */
static int cpu_type_of_id(const char *id)
{
	struct op_cpu_id cpu = {.siblings = 1};
	size_t length = strcspn(id, ",");
	const char *at = id + length;
	uint64_t family, model;

	if (!length || length >= sizeof(cpu.vendor) || *at++ != ',' ||
	    !op_number_take(&at, 10, UINT_MAX, &family) || *at++ != ',' ||
	    !op_number_take(&at, 10, UINT_MAX, &model))
		return OP_CPU_NONE;
	memcpy(cpu.vendor, id, length);
	cpu.family = (unsigned int)family;
	cpu.model = (unsigned int)model;
	return op_cpu_id_type(&cpu);
}

static int cpu_type_of(const struct prof *prof)
{
	int type = prof->host.cpu_type ? op_cpu_type_number(prof->host.cpu_type) : OP_CPU_NONE;

	for (size_t i = 0; type == OP_CPU_NONE && prof->host.cpu_id && i < prof->n_events; i++)
		if (is_of_cpu(&prof->events[i]))
			type = cpu_type_of_id(prof->host.cpu_id);
	/* what is said of events of a CPU that is not known would be wrong */
	if (type == OP_CPU_NONE)
		type = is_of_perf(prof) ? op_cpu_type_number(OP_PERF_CPU_TYPE) : OP_CPU_TIMER;
	return type;
}

static void prepare(struct writing *writing)
{
	const struct prof *prof = writing->prof;

	session_names_make(&writing->names, prof);
	for (size_t i = 0; i < prof->n_events; i++)
		if (writing->names.events[i].sample_unit > 1)
			op_warn("event %s: %" PRIu64 " samples are counted by the %" PRIu64
				"; their weights are exact",
				writing->names.events[i].name, prof->totals[i].count,
				writing->names.events[i].sample_unit);
	writing->stacks = op_alloc(2 * prof->n_events, sizeof(*writing->stacks));
	session_room_open(&writing->room, writing->options->input);
	writing->packed.dir = writing->dir;
	writing->cpu_type = cpu_type_of(prof);
}

static void clean_up(struct writing *writing)
{
	session_names_free(&writing->names, writing->prof);
	free(writing->stacks);
	op_pair_table_free(&writing->stack_images);
	op_pair_table_free(&writing->others);
	session_packed_close(&writing->packed);
	free(writing->frames);
	free(writing->files);
	op_hash_free(&writing->by_file);
	op_pair_table_free(&writing->entries);
	free(writing->dir);
}

/* What identifies the images, and their symbols: files may change before a report is made. */
static int write_images(const char *samples_dir, struct op_error *error)
{
	struct op_image_list list = {0};
	int result = 0;

	op_image_list_read(&list, samples_dir);
	if (saved_symbols_identify(&list))
		result = op_image_list_save(&list, samples_dir, error);
	saved_symbols_save_all(&list, 0, samples_dir);
	op_image_list_free(&list);
	return result;
}

static int write_label(const struct writing *writing)
{
	const struct session_selection *selection = &writing->options->selection;

	return selection->label && selection->value
		       ? op_label_write(writing->dir, selection->label, selection->value,
					writing->error)
		       : 0;
}

static int write_thread_names(const struct prof *prof, const char *samples_dir,
			      struct op_error *error)
{
	struct op_thread_names names = {0};
	int result = 0;

	for (size_t i = 0; i < prof->n_contexts; i++) {
		const struct prof_context *context = &prof->contexts[i];
		const char *name = prof_thread_name(prof, context->pid, context->tid);

		if (*name && context->pid >= 0 && context->pid <= INT32_MAX && context->tid >= 0 &&
		    context->tid <= INT32_MAX)
			op_thread_names_set(&names, (uint32_t)context->pid, (uint32_t)context->tid,
					    name);
	}
	if (names.n)
		result = op_thread_names_save(&names, samples_dir, error);
	op_thread_names_free(&names);
	return result;
}

int session_write(const struct prof *prof, const char *dir, const struct session_options *options,
		  struct op_error *error)
{
	struct writing writing = {
		.prof = prof,
		.options = options,
		.dir = op_format("%s/" OP_SESSION_CURRENT, dir),
		.error = error,
	};
	int result = op_session_make(dir, error);

	if (result) {
		free(writing.dir);
		return -1;
	}
	/* what this process makes itself is not read with the supplier's rights */
	if (options->is_supplied)
		foreign_restrict_except(dir);
	prepare(&writing);
	if (add_all(&writing) || session_write_files(&writing) || session_write_stats(&writing) ||
	    session_write_branches(&writing) ||
	    session_functions_write(prof, &writing.names, writing.dir, error) ||
	    session_origin_write(prof, &writing.names, writing.dir, error) ||
	    (options->is_supplied && op_supplier_write(writing.dir, options->supplier, error)) ||
	    session_kernel_write(prof, writing.dir, error) || write_images(writing.dir, error) ||
	    write_thread_names(prof, writing.dir, error) || write_label(&writing))
		result = -1;
	clean_up(&writing);
	return result;
}
