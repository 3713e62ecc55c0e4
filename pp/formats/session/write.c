// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing a session: see session.h.
 *
 * Counts of sample files and {cg} files are added up in memory, by file and key, and each file
 * is written in one go, so that no more than one is open.  Stack files are written as the samples
 * come, which is by application.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libop/cpu/detect.h"
#include "libop/cpu/type_names.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"
#include "image.h"
#include "libop/base/memory.h"
#include "writing.h"

/* ---- adding up ---- */

static uint64_t hash_file(const struct file *file)
{
	return op_hash_mix(op_hash_mix(file->context, (uint64_t)file->event << 32 | file->image),
			   (uint64_t)file->is_weight << 32 | file->callee);
}

static uint32_t find_file(struct writing *writing, const struct file *wanted)
{
	uint64_t hash = hash_file(wanted);
	uint32_t id;

	op_hash_for_each_possible (&writing->by_file, hash, id)
		if (!memcmp(&writing->files[id], wanted, sizeof(*wanted)))
			return id;
	id = (uint32_t)writing->n_files++;
	writing->files = pp_grow(writing->files, &writing->files_capacity, writing->n_files,
				 sizeof(*writing->files));
	writing->files[id] = *wanted;
	pp_hash_add(&writing->by_file, hash, id);
	return id;
}

static void add(struct writing *writing, const struct file *file, uint64_t key, uint64_t count)
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

	add(writing, &file, key, value->count);
	file.is_weight = 1;
	if (weight)
		add(writing, &file, key, weight);
}

uint64_t session_write_key_of(const struct writing *writing, const struct prof_frame *frame)
{
	return session_key(&writing->prof->images[frame->image], frame->offset);
}

/* Without merge_libs, contexts that differ in nothing that names show are one. */
static uint32_t context_of(const struct writing *writing, const struct prof_sample *sample)
{
	const struct prof *prof = writing->prof;
	const struct prof_context wanted = {sample->app, 0, sample->pid, sample->tid, sample->cpu};
	uint32_t id = writing->context;

	for (; id < prof->n_contexts; id++) {
		const struct prof_context *c = &prof->contexts[id];

		if (c->app == wanted.app && c->pid == wanted.pid && c->tid == wanted.tid &&
		    c->cpu == wanted.cpu)
			break;
	}
	return id;
}

/* Arcs do not cross the border of the kernel, as those of the daemon do not. */
static void add_arcs(struct writing *writing, const struct prof_sample *sample,
		     const struct prof_value *value)
{
	const struct prof_image *images = writing->prof->images;

	for (size_t i = 0; i + 1 < sample->depth; i++) {
		const struct prof_frame *callee = &sample->frames[i], *caller = callee + 1;
		const struct file file = {writing->context, value->event, caller->image,
					  callee->image, 0};

		if (images[caller->image].is_kernel != images[callee->image].is_kernel)
			continue;
		add_value(writing, file,
			  session_write_key_of(writing, caller) << 32 |
				  (session_write_key_of(writing, callee) & UINT32_MAX),
			  value);
	}
}

/* ---- stack files ---- */

/* Slots are the events, and behind them, for their files of weights, the events again. */
static bool is_weight_slot(const struct writing *writing, uint32_t slot)
{
	return slot >= writing->prof->n_events;
}

static void close_stacks(struct writing *writing)
{
	for (size_t i = 0; i < 2 * writing->prof->n_events; i++) {
		stacks_close(writing->stacks[i]);
		writing->stacks[i] = NULL;
	}
	writing->round++;
}

int session_write_make_directories(const char *path, struct op_error *error)
{
	return op_mkdir_parents(path, OP_SESSION_DIR_MODE, error);
}

static struct stacks *open_stacks(struct writing *writing, uint32_t slot)
{
	bool is_weight = is_weight_slot(writing, slot);
	/* the program, whatever image the samples are in */
	const struct file file = {writing->context,
				  slot - (is_weight ? (uint32_t)writing->prof->n_events : 0),
				  writing->prof->contexts[writing->context].app, NONE, is_weight};
	struct op_sample_name name = session_write_name_of(writing, &file);
	struct odb_error cause;
	char *relative, *path;

	if (writing->stacks[slot])
		return writing->stacks[slot];
	name.app = writing->names.apps[file.image];
	relative = op_stacks_name_make(&name);
	if (!relative) {
		op_error_set(writing->error, errno, "%s: no name for its stack file",
			     name.app.name);
		return NULL;
	}
	path = pp_format("%s/%s%s", writing->dir, is_weight ? OP_SAMPLES_WEIGHTS "/" : "",
			 relative);
	free(relative);
	if (session_write_make_directories(path, writing->error)) {
		free(path);
		return NULL;
	}
	if (stacks_open(&writing->stacks[slot], path, 0, &cause))
		op_error_set(writing->error, cause.code, "%s", cause.text);
	free(path);
	return writing->stacks[slot];
}

static uint32_t stack_image(struct writing *writing, struct stacks *stacks, uint32_t slot,
			    uint32_t image)
{
	const struct prof_image *known = &writing->prof->images[image];
	struct stack_image *stored = &writing->stack_images[slot * writing->prof->n_images + image];

	if (stored->round != writing->round) {
		stored->round = writing->round;
		stored->number =
			stacks_image(stacks, writing->names.texts[image],
				     known->is_kernel ? STACKS_IMAGE_KERNEL : 0,
				     known->mtime <= UINT32_MAX ? (uint32_t)known->mtime : 0, NULL);
	}
	/* without room for its name, no node can be made */
	return stored->number ? stored->number : NONE;
}

/* Return: what stacks_add() returned, or STACKS_FAILED, with the error set. */
static enum stacks_result add_to_slot(struct writing *writing, const struct prof_sample *sample,
				      uint32_t slot, uint64_t count)
{
	struct stacks *stacks = open_stacks(writing, slot);
	enum stacks_result result;
	struct odb_error cause;

	if (!stacks)
		return STACKS_FAILED;
	writing->frames = pp_grow(writing->frames, &writing->frames_capacity, sample->depth,
				  sizeof(*writing->frames));
	for (size_t i = 0; i < sample->depth; i++) {
		const struct prof_frame *frame = &sample->frames[i];

		writing->frames[i].image = stack_image(writing, stacks, slot, frame->image);
		writing->frames[i].offset = session_write_key_of(writing, frame);
		/* what a stack without frame pointers had instead: a frame, but no address */
		if (frame->image == PROF_NO_IMAGE && frame->offset >> 48)
			writing->frames[i].offset = 0;
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
	enum stacks_result result = add_to_slot(writing, sample, value->event, value->count);

	if (result == STACKS_MERGED)
		writing->merged += value->count;
	if (result != STACKS_FAILED && weight)
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
		const struct file file = {writing->context, value->event, leaf->image, NONE, 0};

		if (!value->count)
			continue;
		add_value(writing, file, session_write_key_of(writing, leaf), value);
		if (sample->depth < 2 || writing->options->no_callgraph)
			continue;
		add_arcs(writing, sample, value);
		if (add_stack(writing, sample, value))
			return -1;
	}
	return 0;
}

static int add_all(struct writing *writing)
{
	struct prof_cursor cursor = {0};
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
	prof_cursor_free(&cursor);
	return result;
}

/* ---- all together ---- */

/* perf_event_attr's numbers for types of events that the CPU counts. */
static bool is_of_cpu(const struct prof_event *event)
{
	return event->type == 0 || event->type == 3 || event->type == 4;
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
	return type == OP_CPU_NONE ? OP_CPU_TIMER : type;
}

static void prepare(struct writing *writing)
{
	const struct prof *prof = writing->prof;

	session_names_make(&writing->names, prof);
	writing->stacks = pp_alloc(2 * prof->n_events, sizeof(*writing->stacks));
	writing->stack_images =
		pp_alloc(2 * prof->n_events * prof->n_images, sizeof(*writing->stack_images));
	writing->round = 1;
	writing->cpu_type = cpu_type_of(prof);
}

static void clean_up(struct writing *writing)
{
	session_names_free(&writing->names, writing->prof);
	free(writing->stacks);
	free(writing->stack_images);
	free(writing->frames);
	free(writing->files);
	op_hash_free(&writing->by_file);
	op_pair_table_free(&writing->entries);
	free(writing->dir);
}

int session_write(const struct prof *prof, const char *dir, const struct session_options *options,
		  struct op_error *error)
{
	struct writing writing = {
		.prof = prof,
		.options = options,
		.dir = pp_format("%s/" OP_SESSION_CURRENT, dir),
		.error = error,
	};
	int result = op_session_make(dir, error);

	if (result) {
		free(writing.dir);
		return -1;
	}
	prepare(&writing);
	if (add_all(&writing) || session_write_files(&writing) || session_write_stats(&writing) ||
	    session_write_branches(&writing) ||
	    session_origin_write(prof, &writing.names, writing.dir, error) ||
	    session_kernel_write(prof, writing.dir, error))
		result = -1;
	clean_up(&writing);
	return result;
}
