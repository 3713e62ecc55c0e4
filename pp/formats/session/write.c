// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing a session: see session.h.
 *
 * Counts of sample files and {cg} files are added up in memory, by file and key, and each file
 * is written in one go, so that no more than one is open.  Stack files are written as the samples
 * come, which is by application.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdb/odb/odb.h"
#include "libdb/stacks/stacks.h"
#include "libop/cpu/detect.h"
#include "libop/cpu/type_names.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/session/sample_name.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"
#include "libop/base/hash.h"
#include "session.h"
#include "image.h"
#include "names.h"
#include "libop/base/memory.h"
#include "libop/tables/pair_table.h"
#include "libop/base/text_stream.h"

#define NONE UINT32_MAX

/* A sample file or, with a callee, a {cg} file. */
struct file {
	uint32_t context, event, image, callee; /* callee: NONE of a sample file */
};

/* The number of an image in the stack file of a context; of another one if @round is. */
struct stack_image {
	uint32_t round, number;
};

struct writing {
	const struct prof *prof;
	const struct session_options *options;
	char *dir; /* SESSION/samples/current */
	struct session_names names;
	int cpu_type;

	struct file *files;
	size_t n_files, files_capacity;
	struct op_hash by_file;
	struct op_pair_table entries; /* counts by number of file and key */

	/* Of the context that is being written: */
	uint32_t context;
	struct stacks **stacks;		  /* by event; NULL: not open */
	struct stack_image *stack_images; /* by event and image */
	uint32_t round;			  /* counts contexts, so that stack_images need no reset */
	struct stacks_frame *frames;
	size_t frames_capacity;
	uint64_t merged;
	struct op_error *error;
};

/* ---- names of files ---- */

static struct op_sample_name name_of(const struct writing *writing, const struct file *file)
{
	const struct prof_context *context = &writing->prof->contexts[file->context];
	const struct session_event *event = &writing->names.events[file->event];
	bool merged = writing->options->merge_libs &&
		      writing->names.images[file->image].kind != OP_IMAGE_ANON;
	struct op_sample_name name = {
		.app = merged ? writing->names.images[file->image]
			      : writing->names.apps[context->app],
		.dep = writing->names.images[file->image],
		.event = event->name,
		.count = event->count,
		.unit_mask = writing->prof->events[file->event].unit_mask,
		.tgid = context->pid >= 0 && context->pid <= INT32_MAX ? context->pid : OP_ALL,
		.tid = context->tid >= 0 && context->tid <= INT32_MAX ? context->tid : OP_ALL,
		.cpu = context->cpu >= 0 && context->cpu <= INT32_MAX ? context->cpu : OP_ALL,
	};

	if (!merged && context->app <= PROF_NO_KERNEL_IMAGE && name.dep.kind != OP_IMAGE_ANON)
		name.app = name.dep;
	if (file->callee != NONE) {
		name.is_arc = true;
		name.callee = writing->names.images[file->callee];
	}
	return name;
}

/* ---- adding up ---- */

static uint64_t hash_file(const struct file *file)
{
	return op_hash_mix(op_hash_mix(file->context, (uint64_t)file->event << 32 | file->image),
			   file->callee);
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
	*op_pair_table_get(&writing->entries, find_file(writing, file), key) += count;
}

static uint64_t key_of(const struct writing *writing, const struct prof_frame *frame)
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
					  callee->image};

		if (images[caller->image].is_kernel != images[callee->image].is_kernel)
			continue;
		add(writing, &file,
		    key_of(writing, caller) << 32 | (key_of(writing, callee) & UINT32_MAX),
		    value->count);
	}
}

/* ---- stack files ---- */

static void close_stacks(struct writing *writing)
{
	for (size_t i = 0; i < writing->prof->n_events; i++) {
		stacks_close(writing->stacks[i]);
		writing->stacks[i] = NULL;
	}
	writing->round++;
}

static int make_directories(const char *path, struct op_error *error)
{
	return op_mkdir_parents(path, OP_SESSION_DIR_MODE, error);
}

static struct stacks *open_stacks(struct writing *writing, uint32_t event)
{
	/* the program, whatever image the samples are in */
	const struct file file = {writing->context, event,
				  writing->prof->contexts[writing->context].app, NONE};
	struct op_sample_name name = name_of(writing, &file);
	struct odb_error cause;
	char *relative, *path;

	if (writing->stacks[event])
		return writing->stacks[event];
	name.app = writing->names.apps[file.image];
	relative = op_stacks_name_make(&name);
	if (!relative) {
		op_error_set(writing->error, errno, "%s: no name for its stack file",
			     name.app.name);
		return NULL;
	}
	path = pp_format("%s/%s", writing->dir, relative);
	free(relative);
	if (make_directories(path, writing->error)) {
		free(path);
		return NULL;
	}
	if (stacks_open(&writing->stacks[event], path, 0, &cause))
		op_error_set(writing->error, cause.code, "%s", cause.text);
	free(path);
	return writing->stacks[event];
}

static uint32_t stack_image(struct writing *writing, struct stacks *stacks, uint32_t event,
			    uint32_t image)
{
	const struct prof_image *known = &writing->prof->images[image];
	struct stack_image *stored =
		&writing->stack_images[event * writing->prof->n_images + image];

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

static int add_stack(struct writing *writing, const struct prof_sample *sample,
		     const struct prof_value *value)
{
	struct stacks *stacks = open_stacks(writing, value->event);
	struct odb_error cause;

	if (!stacks)
		return -1;
	writing->frames = pp_grow(writing->frames, &writing->frames_capacity, sample->depth,
				  sizeof(*writing->frames));
	for (size_t i = 0; i < sample->depth; i++) {
		const struct prof_frame *frame = &sample->frames[i];

		writing->frames[i].image = stack_image(writing, stacks, value->event, frame->image);
		writing->frames[i].offset = key_of(writing, frame);
		/* what a stack without frame pointers had instead: a frame, but no address */
		if (frame->image == PROF_NO_IMAGE && frame->offset >> 48)
			writing->frames[i].offset = 0;
	}
	switch (stacks_add(stacks, writing->frames, sample->depth, value->count, &cause)) {
	case STACKS_MERGED:
		writing->merged += value->count;
		break;
	case STACKS_FAILED:
		return op_error_set(writing->error, cause.code, "%s", cause.text);
	case STACKS_ADDED:
		break;
	}
	return 0;
}

/* ---- samples ---- */

static int add_sample(struct writing *writing, const struct prof_sample *sample)
{
	static const struct prof_frame nowhere = {PROF_NO_IMAGE, 0};
	const struct prof_frame *leaf = sample->depth ? sample->frames : &nowhere;

	for (size_t i = 0; i < sample->n_values; i++) {
		const struct prof_value *value = &sample->values[i];
		const struct file file = {writing->context, value->event, leaf->image, NONE};

		if (!value->count)
			continue;
		add(writing, &file, key_of(writing, leaf), value->count);
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

/* ---- sample files ---- */

static int compare_entries(const void *a, const void *b)
{
	const struct op_pair *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->second > y->second) - (x->second < y->second);
}

static struct odb_header header_of(const struct writing *writing, const struct file *file)
{
	const struct prof *prof = writing->prof;
	const struct prof_image *image = &prof->images[file->image];
	uint64_t count = writing->names.events[file->event].count;
	struct odb_header header = {
		.cpu_type = (uint32_t)writing->cpu_type,
		.ctr_event = (uint32_t)prof->events[file->event].code,
		.ctr_um = (uint32_t)prof->events[file->event].unit_mask,
		.ctr_count = count <= UINT32_MAX ? (uint32_t)count : UINT32_MAX,
		.is_kernel = image->is_kernel,
		.cpu_speed = prof->host.cpu_mhz,
		.mtime = image->mtime,
		.anon_start = writing->names.images[file->image].start,
	};

	if (file->callee != NONE) {
		header.cg_to_is_kernel = prof->images[file->callee].is_kernel;
		header.cg_to_anon_start = writing->names.images[file->callee].start;
	}
	return header;
}

static int write_file(struct writing *writing, const struct file *file,
		      const struct op_pair *entries, size_t n)
{
	struct odb_header header = header_of(writing, file);
	struct op_sample_name name = name_of(writing, file);
	char *relative = op_sample_name_make(&name), *path;
	struct odb_error cause;
	struct odb *db;
	int result;

	if (!relative)
		return op_error_set(writing->error, errno, "%s: no name for its sample file",
				    name.dep.name);
	path = pp_format("%s/%s", writing->dir, relative);
	free(relative);
	result = make_directories(path, writing->error);
	if (!result && odb_open(&db, path, ODB_CREATE, &header, &cause))
		result = op_error_set(writing->error, cause.code, "%s", cause.text);
	free(path);
	if (result)
		return -1;
	for (size_t i = 0; !result && i < n; i++)
		if (odb_add(db, entries[i].second, entries[i].value, &cause))
			result = op_error_set(writing->error, cause.code, "%s", cause.text);
	odb_close(db);
	return result;
}

static int write_files(struct writing *writing)
{
	struct op_pair *entries = writing->entries.items;
	size_t n = writing->entries.n;

	if (n)
		qsort(entries, n, sizeof(*entries), compare_entries);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && entries[end].first == entries[i].first;)
			end++;
		if (write_file(writing, &writing->files[entries[i].first], entries + i, end - i))
			return -1;
	}
	return 0;
}

/* ---- what else there is ---- */

static int write_number(struct writing *writing, const char *name, uint64_t number)
{
	char *path = pp_format("%s/" OP_SAMPLES_STATS "/%s", writing->dir, name);
	char text[32];
	int n = snprintf(text, sizeof(text), "%" PRIu64 "\n", number);
	int result = make_directories(path, writing->error);

	if (!result)
		result = op_file_replace(path, text, (size_t)n, OP_SESSION_FILE_MODE,
					 writing->error);
	free(path);
	return result;
}

static int write_stats(struct writing *writing)
{
	uint64_t stored = 0, lost = 0;

	for (size_t i = 0; i < writing->prof->n_events; i++)
		stored += writing->prof->totals[i].count;
	for (size_t i = 0; i < writing->prof->n_losses; i++)
		lost += writing->prof->losses[i].count;
	if (write_number(writing, "total_samples", stored) ||
	    write_number(writing, "samples_stored", stored))
		return -1;
	if (lost && write_number(writing, "lost_records_by_kernel", lost))
		return -1;
	return writing->merged ? write_number(writing, "stacks_cut", writing->merged) : 0;
}

/* Lines "COUNT MISPREDICTED CYCLES FROM TO FROM-IMAGE TO-IMAGE", with tabs. */
static int write_branches(struct writing *writing)
{
	const struct prof *prof = writing->prof;
	struct op_text_stream stream;
	char *path;
	int result;

	if (!prof->n_branches)
		return 0;
	op_text_stream_open(&stream);
	for (size_t i = 0; i < prof->n_branches; i++) {
		const struct prof_branch *branch = &prof->branches[i];

		fprintf(stream.out,
			"%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIx64 "\t%" PRIx64 "\t%s\t%s\n",
			branch->count, branch->mispredicted, branch->cycles,
			key_of(writing, &branch->from), key_of(writing, &branch->to),
			writing->names.texts[branch->from.image],
			writing->names.texts[branch->to.image]);
	}
	op_text_stream_close(&stream);
	path = pp_format("%s/" SESSION_BRANCHES, writing->dir);
	result = op_file_replace(path, stream.text, stream.length, OP_SESSION_FILE_MODE,
				 writing->error);
	free(path);
	free(stream.text);
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
	writing->stacks = pp_alloc(prof->n_events, sizeof(*writing->stacks));
	writing->stack_images =
		pp_alloc(prof->n_events * prof->n_images, sizeof(*writing->stack_images));
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
	if (add_all(&writing) || write_files(&writing) || write_stats(&writing) ||
	    write_branches(&writing) ||
	    session_origin_write(prof, writing.names.texts, writing.dir, error) ||
	    session_kernel_write(prof, writing.dir, error))
		result = -1;
	clean_up(&writing);
	return result;
}
