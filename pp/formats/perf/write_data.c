// SPDX-License-Identifier: GPL-2.0-or-later
/* The records of what is written.  See write.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "libop/base/hash.h"
#include "libop/tables/pair_table.h"
#include "pp/formats/model/labels.h"
#include "pp/formats/model/mapped_image.h"
#include "pp/formats/model/timeline.h"
#include "libop/perf/attr.h"
#include "image.h"
#include "write.h"
#include "libop/base/memory.h"

#define MISC_COMM_EXEC (1u << 13)
#define MISC_BUILD_ID  (1u << 14)

/* The most of a thread's name, with its NUL. */
#define COMM_BYTES 16

/* Processes whose number is not known get one that Linux gives none. */
#define PID_FIRST_UNKNOWN ((UINT32_C(1) << 22) + 1)

/* Words of a chain: what else a record may have takes less than the rest of 64 kB. */
#define CHAIN_MOST 8000

/* A recording with more samples than this has one record for all equal ones. */
#define SAMPLES_MOST (UINT64_C(1) << 22)

struct process {
	uint32_t pid, app;
	uint32_t programs; /* that it has run */
};

struct mapped {
	uint32_t process, program, image;
};

/*
 * What a thread was called last; valid as long as its process runs the same program.  perf has one
 * thread for a tid: an exiting thread, which the kernel reports as tid 0, renames the idle one.
 */
struct thread {
	uint32_t tid;
	uint32_t programs; /* of its process, when it was called so */
	struct prof_context named;
};

struct writer {
	const struct prof *prof;
	const struct perf_layout *layout;
	FILE *file; /* NULL: only count */
	uint64_t bytes;
	struct op_buffer buffer;
	uint64_t samples, written;
	uint64_t time; /* of the sample, if times are known */

	struct process *processes;
	size_t n_processes, processes_capacity;
	struct op_hash by_pid;
	struct mapped *mappings;
	size_t n_mappings, mappings_capacity;
	struct op_hash by_mapping;
	struct thread *threads;
	size_t n_threads, threads_capacity;
	struct op_hash by_thread;
	struct op_pair_table cgroups; /* of strings that a record has named */
};

static bool is_one_by_one(const struct prof *prof)
{
	uint64_t count = 0;

	for (size_t i = 0; i < prof->n_events; i++)
		count += prof->totals[i].count;
	return count <= SAMPLES_MOST;
}

uint64_t perf_written_samples(const struct prof *prof)
{
	bool one_by_one = is_one_by_one(prof);
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	uint64_t n = 0;

	while (prof_next(prof, &cursor, &sample))
		for (size_t i = 0; i < sample.n_values; i++)
			n += one_by_one ? sample.values[i].count : 1;
	prof_cursor_free(&cursor);
	return n;
}

/* Times of samples that are not known are spread over the recording. */
static uint64_t write_data_now(const struct writer *writer)
{
	const struct perf_layout *layout = writer->layout;
	uint64_t span = layout->last_time - layout->first_time;
	uint64_t steps = writer->samples > 1 ? writer->samples - 1 : 1;
	uint64_t step = writer->written < steps ? writer->written : steps;

	if (writer->prof->n_moments)
		return writer->time;
	return layout->first_time + span / steps * step + span % steps * step / steps;
}

static void write_data_begin(struct writer *writer, uint32_t type, uint16_t misc)
{
	writer->buffer.used = 0;
	perf_begin_record(&writer->buffer, type, misc);
}

static void write_data_end(struct writer *writer)
{
	perf_end_record(&writer->buffer, 0);
	op_buffer_check(&writer->buffer);
	writer->bytes += writer->buffer.used;
	if (writer->file)
		fwrite(writer->buffer.bytes, 1, writer->buffer.used, writer->file);
}

/* Ends a record that is no sample. */
static void end_with_trailer(struct writer *writer, uint32_t pid, uint32_t tid)
{
	struct op_buffer *buffer = &writer->buffer;

	op_buffer_u32(buffer, pid);
	op_buffer_u32(buffer, tid);
	op_buffer_u64(buffer, write_data_now(writer));
	if (writer->layout->has_cpu)
		op_buffer_u64(buffer, 0);
	op_buffer_u64(buffer, perf_written_id(0));
	write_data_end(writer);
}

/* ---- where things are ---- */

static void put_mmap(struct writer *writer, uint32_t pid, const struct prof_image *image)
{
	struct op_buffer *buffer = &writer->buffer;
	bool is_kernel = image->is_kernel;
	uint16_t misc = is_kernel ? PERF_MODE_KERNEL : PERF_MODE_USER;
	struct mapping mapping = mapping_of(image);

	mapping.name[strnlen(mapping.name, PERF_PATH_MOST)] = 0;
	if (image->build_id_length)
		misc |= MISC_BUILD_ID;
	write_data_begin(writer, PERF_RECORD_MMAP2, misc);
	op_buffer_u32(buffer, is_kernel ? UINT32_MAX : pid);
	op_buffer_u32(buffer, is_kernel ? 0 : pid);
	op_buffer_u64(buffer, mapping.start);
	op_buffer_u64(buffer, mapping.end - mapping.start);
	/* Of the kernel, it is the address of the symbol that its name ends with. */
	if (image->kind == PROF_KERNEL)
		op_buffer_u64(buffer, image->start - image->offset);
	else
		op_buffer_u64(buffer, mapping.offset);
	op_buffer_u32(buffer, image->build_id_length); /* one byte and padding, or no device */
	if (image->build_id_length)
		op_buffer_put(buffer, image->build_id, PROF_BUILD_ID_MOST);
	else
		op_buffer_zeros(buffer, PROF_BUILD_ID_MOST);
	op_buffer_u32(buffer, PROT_READ | PROT_EXEC);
	op_buffer_u32(buffer, MAP_PRIVATE);
	perf_put_text(buffer, image->kind == PROF_KERNEL ? PERF_KERNEL_NAME "_stext" : mapping.name,
		      8);
	free(mapping.name);
	end_with_trailer(writer, is_kernel ? UINT32_MAX : pid, is_kernel ? 0 : pid);
}

/* Code of the kernel that is in no file has a symbol instead of a mapping. */
static void put_ksymbol(struct writer *writer, const struct prof_image *image)
{
	enum { BPF = 1 };
	struct op_buffer *buffer = &writer->buffer;

	write_data_begin(writer, PERF_RECORD_KSYMBOL, PERF_MODE_KERNEL);
	op_buffer_u64(buffer, image->start);
	op_buffer_u32(buffer, (uint32_t)(image->end - image->start));
	op_buffer_u16(buffer, BPF);
	op_buffer_u16(buffer, 0);
	perf_put_text(buffer, image->path, 8);
	end_with_trailer(writer, UINT32_MAX, 0);
}

/* A module, or code of the kernel that a profile without addresses names. */
static bool is_like_module(const struct prof_image *image)
{
	return image->kind == PROF_MODULE || (image->kind == PROF_FILE && image->is_kernel);
}

static void put_kernel(struct writer *writer)
{
	const struct prof *prof = writer->prof;

	/* The kernel comes first, for modules may be inside of its range. */
	for (size_t i = PROF_NO_KERNEL_IMAGE + 1; i < prof->n_images; i++)
		if (prof->images[i].kind == PROF_KERNEL)
			put_mmap(writer, UINT32_MAX, &prof->images[i]);
	for (size_t i = PROF_NO_KERNEL_IMAGE + 1; i < prof->n_images; i++) {
		if (is_like_module(&prof->images[i]))
			put_mmap(writer, UINT32_MAX, &prof->images[i]);
		if (prof->images[i].kind == PROF_BPF)
			put_ksymbol(writer, &prof->images[i]);
	}
}

/* ---- processes ---- */

static uint32_t process_of(struct writer *writer, uint32_t pid)
{
	uint32_t id;

	op_hash_for_each_possible (&writer->by_pid, op_hash_mix(0, pid), id)
		if (writer->processes[id].pid == pid)
			return id;
	id = (uint32_t)writer->n_processes++;
	writer->processes = op_grow(writer->processes, &writer->processes_capacity,
				    writer->n_processes, sizeof(*writer->processes));
	writer->processes[id] = (struct process){.pid = pid, .app = OP_HASH_NONE};
	op_hash_add_or_exit(&writer->by_pid, op_hash_mix(0, pid), id);
	return id;
}

/* Maps an image into a process, unless it is there. */
static void map(struct writer *writer, uint32_t process, uint32_t image)
{
	const struct prof_image *what = &writer->prof->images[image];
	struct mapped mapping = {process, writer->processes[process].programs, image};
	const struct mapped *known;
	uint64_t hash;
	uint32_t id;

	if (image <= PROF_NO_KERNEL_IMAGE || what->is_kernel || what->kind == PROF_UNKNOWN)
		return;
	hash = op_hash_mix(op_hash_mix(process, mapping.program), image);
	op_hash_for_each_possible (&writer->by_mapping, hash, id) {
		known = &writer->mappings[id];
		if (known->process == process && known->program == mapping.program &&
		    known->image == image)
			return;
	}
	id = (uint32_t)writer->n_mappings++;
	writer->mappings = op_grow(writer->mappings, &writer->mappings_capacity, writer->n_mappings,
				   sizeof(*writer->mappings));
	writer->mappings[id] = mapping;
	op_hash_add_or_exit(&writer->by_mapping, hash, id);
	put_mmap(writer, writer->processes[process].pid, what);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Gives a thread its name; with @exec, its process has a new program from now on. */
static void put_comm(struct writer *writer, uint32_t pid, uint32_t tid,
		     const struct prof_sample *sample, bool exec)
{
	const struct prof *prof = writer->prof;
	const char *name = prof->strings[sample->comm];
	char comm[COMM_BYTES];
	size_t length;

	if (!*name && sample->app > PROF_NO_KERNEL_IMAGE)
		name = base_name(prof->images[sample->app].path);
	length = strnlen(name, COMM_BYTES - 1);
	memcpy(comm, name, length);
	comm[length] = 0;
	write_data_begin(writer, PERF_RECORD_COMM, PERF_MODE_USER | (exec ? MISC_COMM_EXEC : 0));
	op_buffer_u32(&writer->buffer, pid);
	op_buffer_u32(&writer->buffer, tid);
	perf_put_text(&writer->buffer, comm, 8);
	end_with_trailer(writer, pid, tid);
}

/* Numbers that the sample's process and thread have in the file. */
static void number(const struct prof_sample *sample, uint32_t *pid, uint32_t *tid)
{
	*pid = sample->pid == PROF_ANY ? PID_FIRST_UNKNOWN + sample->app : (uint32_t)sample->pid;
	*tid = sample->tid == PROF_ANY ? *pid : (uint32_t)sample->tid;
}

static struct thread *thread_of(struct writer *writer, uint32_t tid)
{
	uint32_t id;

	op_hash_for_each_possible (&writer->by_thread, op_hash_mix(0, tid), id)
		if (writer->threads[id].tid == tid)
			return &writer->threads[id];
	id = (uint32_t)writer->n_threads++;
	writer->threads = op_grow(writer->threads, &writer->threads_capacity, writer->n_threads,
				  sizeof(*writer->threads));
	writer->threads[id] = (struct thread){.tid = tid};
	op_hash_add_or_exit(&writer->by_thread, op_hash_mix(0, tid), id);
	return &writer->threads[id];
}

/* Gives a thread its name, unless it has it. */
static void name_thread(struct writer *writer, uint32_t programs, uint32_t pid, uint32_t tid,
			const struct prof_sample *sample)
{
	struct thread *thread = thread_of(writer, tid);
	const struct prof_context *named = &thread->named;

	if (thread->programs == programs && named->app == sample->app &&
	    named->comm == sample->comm && named->pid == sample->pid && named->tid == sample->tid)
		return;
	thread->programs = programs;
	thread->named =
		(struct prof_context){.app = sample->app,
				      .comm = sample->comm,
				      .pid = sample->pid,
				      .tid = sample->tid};
	put_comm(writer, pid, tid, sample, false);
}

/* Writes what makes the process what it was when the sample was taken. */
static uint32_t write_data_enter(struct writer *writer, const struct prof_sample *sample)
{
	uint32_t pid, tid, id;
	struct process *process;

	number(sample, &pid, &tid);
	id = process_of(writer, pid);
	process = &writer->processes[id];
	if (process->app != sample->app) {
		process->app = sample->app;
		process->programs++;
		put_comm(writer, pid, pid, sample, true);
		map(writer, id, sample->app);
	}
	name_thread(writer, process->programs, pid, tid, sample);
	return id;
}

/* ---- control groups ---- */

/* Ids of the kernel have the number of an inode, and above that how often it was used again: these
 * are of one that was used too often. */
#define CGROUP_OF_PATH (UINT64_C(0xffffffff) << 32)

/* The id of a sample's control group; 0: it has none. */
static uint64_t cgroup_of(const struct writer *writer, const struct prof_sample *sample)
{
	const struct prof_label *label =
		prof_label_named(writer->prof, sample, PROF_LABEL_CGROUP);

	if (!label)
		return 0;
	return label->value ? CGROUP_OF_PATH + label->value : (uint64_t)label->number;
}

static void name_cgroup(struct writer *writer, const struct prof_sample *sample)
{
	const struct prof_label *label =
		writer->layout->has_cgroup
			? prof_label_named(writer->prof, sample, PROF_LABEL_CGROUP)
			: NULL;
	const char *path = label ? writer->prof->strings[label->value] : "";

	if (!*path || strlen(path) > PERF_PATH_MOST ||
	    op_pair_table_find(&writer->cgroups, label->value, 0))
		return;
	*op_pair_table_get(&writer->cgroups, label->value, 0) = true;
	write_data_begin(writer, PERF_RECORD_CGROUP, 0);
	op_buffer_u64(&writer->buffer, CGROUP_OF_PATH + label->value);
	perf_put_text(&writer->buffer, path, 8);
	end_with_trailer(writer, UINT32_MAX, UINT32_MAX);
}

/* ---- samples ---- */

/* Where the kernel was entered, readers expect the instruction itself. */
static uint64_t address_of(const struct prof *prof, const struct prof_sample *sample, size_t index)
{
	uint64_t address = prof_address(prof, &sample->frames[index]);

	return address - (!prof->has_entries && prof_is_entry(prof, sample, index));
}

static size_t put_chain(struct writer *writer, const struct prof_sample *sample)
{
	const struct prof *prof = writer->prof;
	uint64_t mark = 0, wanted;
	size_t n = 0;

	for (size_t i = 0; i < sample->depth && n < CHAIN_MOST; i++) {
		const struct prof_frame *frame = &sample->frames[i];

		wanted = prof->images[frame->image].is_kernel ? PERF_MARK_KERNEL : PERF_MARK_USER;
		if (wanted != mark) {
			mark = wanted;
			op_buffer_u64(&writer->buffer, mark);
			n++;
		}
		op_buffer_u64(&writer->buffer, address_of(prof, sample, i));
		n++;
	}
	return n;
}

static void put_sample(struct writer *writer, const struct prof_sample *sample, uint32_t event,
		       uint64_t period)
{
	const struct prof *prof = writer->prof;
	struct op_buffer *buffer = &writer->buffer;
	const struct prof_frame *leaf = sample->depth ? sample->frames : NULL;
	bool in_kernel = leaf && prof->images[leaf->image].is_kernel;
	uint32_t pid, tid;
	size_t at, n;

	number(sample, &pid, &tid);
	write_data_begin(writer, PERF_RECORD_SAMPLE, in_kernel ? PERF_MODE_KERNEL : PERF_MODE_USER);
	op_buffer_u64(buffer, perf_written_id(event));
	op_buffer_u64(buffer, leaf ? prof_address(prof, leaf) : 0);
	op_buffer_u32(buffer, pid);
	op_buffer_u32(buffer, tid);
	op_buffer_u64(buffer, write_data_now(writer));
	if (writer->layout->has_cpu) {
		op_buffer_u32(buffer, (uint32_t)sample->cpu); /* not known: all ones, as perf's */
		op_buffer_u32(buffer, 0);
	}
	op_buffer_u64(buffer, period);
	if (writer->layout->has_chain) {
		at = buffer->used;
		op_buffer_u64(buffer, 0);
		n = put_chain(writer, sample);
		op_buffer_set(buffer, at, n, 8);
	}
	if (writer->layout->has_cgroup)
		op_buffer_u64(buffer, cgroup_of(writer, sample));
	write_data_end(writer);
	writer->written++;
}

/* The sum of the periods is kept. */
static void put_value(struct writer *writer, const struct prof_sample *sample,
		      const struct prof_value *value, bool one_by_one)
{
	uint64_t records = one_by_one ? value->count : 1, rest;

	if (!records)
		return;
	rest = value->events % records;
	for (uint64_t i = 0; i < records; i++)
		put_sample(writer, sample, value->event, value->events / records + (i < rest));
}

static bool next_sample(struct writer *writer, struct prof_cursor *cursor,
			struct prof_sample *sample)
{
	if (!writer->prof->n_moments)
		return prof_next(writer->prof, cursor, sample);
	if (!prof_next_moment(writer->prof, cursor, sample))
		return false;
	writer->time = sample->time;
	return true;
}

static void write_data_put_samples(struct writer *writer)
{
	bool one_by_one = is_one_by_one(writer->prof);
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	uint32_t process;

	while (next_sample(writer, &cursor, &sample)) {
		if (writer->file && ferror(writer->file))
			break;
		process = write_data_enter(writer, &sample);
		name_cgroup(writer, &sample);
		for (size_t i = 0; i < sample.depth; i++)
			map(writer, process, sample.frames[i].image);
		for (size_t i = 0; i < sample.n_values; i++)
			put_value(writer, &sample, &sample.values[i], one_by_one);
	}
	prof_cursor_free(&cursor);
}

static void put_losses(struct writer *writer)
{
	for (size_t i = 0; i < writer->prof->n_losses; i++) {
		write_data_begin(writer, PERF_RECORD_LOST, 0);
		op_buffer_u64(&writer->buffer, perf_written_id(0));
		op_buffer_u64(&writer->buffer, writer->prof->losses[i].count);
		end_with_trailer(writer, UINT32_MAX, UINT32_MAX);
	}
}

uint64_t perf_write_data(const struct prof *prof, const struct perf_layout *layout, FILE *file)
{
	struct writer writer = {.prof = prof,
				.layout = layout,
				.file = file,
				.samples = perf_written_samples(prof),
				.time = prof->n_moments ? prof->moments->time : 0};

	put_kernel(&writer);
	write_data_put_samples(&writer);
	put_losses(&writer);
	write_data_begin(&writer, PERF_TYPE_FINISHED_ROUND, 0);
	write_data_end(&writer);
	op_buffer_free(&writer.buffer);
	free(writer.processes);
	free(writer.mappings);
	free(writer.threads);
	op_pair_table_free(&writer.cgroups);
	op_hash_free(&writer.by_pid);
	op_hash_free(&writer.by_mapping);
	op_hash_free(&writer.by_thread);
	return writer.bytes;
}
