// SPDX-License-Identifier: GPL-2.0-or-later
/* Sample files, statistics and branches of a session: see write.c. */
#include "writing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/pack/layout.h"
#include "libop/session/account.h"
#include "libop/session/paths.h"
#include "libop/session/statistics.h"
#include "libop/base/memory.h"
#include "libop/base/text_stream.h"

/* ---- names of files ---- */

struct op_sample_name session_write_name_of(const struct writing *writing, const struct file *file)
{
	const struct prof_context *context = &writing->prof->contexts[file->context];
	const struct session_event *event = &writing->names.events[file->event];
	bool merged = writing->options->merge_libs &&
		      writing->names.images[file->image].kind != OP_IMAGE_ANON;
	struct op_sample_name name = {
		.app = merged ? writing->names.images[file->image]
			      : *session_app_of(&writing->names, context->app, file->image),
		.dep = writing->names.images[file->image],
		.event = event->name,
		.count = event->count,
		.unit_mask = writing->prof->events[file->event].unit_mask,
		.tgid = context->pid >= 0 && context->pid <= INT32_MAX ? context->pid : OP_ALL,
		.tid = context->tid >= 0 && context->tid <= INT32_MAX ? context->tid : OP_ALL,
		.cpu = context->cpu >= 0 && context->cpu <= INT32_MAX ? context->cpu : OP_ALL,
	};

	if (file->callee != PROF_NO_IMAGE) {
		name.is_arc = true;
		name.callee = writing->names.images[file->callee];
	}
	return name;
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
	const struct session_event *event = &writing->names.events[file->event];
	uint64_t count = file->is_weight ? event->unit : event->count;

	return (struct odb_header){
		.cpu_type = (uint32_t)writing->cpu_type,
		.ctr_event = (uint32_t)prof->events[file->event].code,
		.ctr_um = (uint32_t)prof->events[file->event].unit_mask,
		.ctr_count = count <= UINT32_MAX ? (uint32_t)count : UINT32_MAX,
		.is_kernel = image->is_kernel,
		.cg_to_is_kernel = prof->images[file->callee].is_kernel,
		.cpu_speed = prof->host.cpu_mhz,
		.mtime = image->mtime,
		.anon_start = writing->names.images[file->image].start,
	};
}

/* A file of its own. */
static int write_own(struct writing *writing, const char *name, const struct odb_header *header,
		     const struct odb_entry *entries, size_t n)
{
	char *path = op_format("%s/%s", writing->dir, name);
	int result = session_write_make_directories(path, writing->error);
	struct odb_error cause;
	struct odb *db;

	if (!result && odb_open(&db, path, ODB_CREATE, header, &cause))
		result = op_error_set(writing->error, cause.code, "%s", cause.text);
	free(path);
	if (result)
		return -1;
	for (size_t i = 0; !result && i < n; i++)
		if (entries[i].count && odb_add(db, entries[i].key, entries[i].count, &cause))
			result = op_error_set(writing->error, cause.code, "%s", cause.text);
	odb_close(db);
	return result;
}

/* What a file of @n counts takes at most: each has 20 bytes, of slots for twice as many. */
static uint64_t own_size(size_t n)
{
	return 4096 + (uint64_t)n * 40;
}

/* Takes room for a file of its own.  After the first one without room there is none for others:
 * the heaviest come first. */
static bool take_own(struct writing *writing, const char *name, size_t n)
{
	uint64_t *left = &writing->room.files;

	if (!*left || !session_room_is_name(writing->dir, name))
		return false;
	if (session_room_take(left, session_room_of_file(writing->dir, name, own_size(n))))
		return true;
	*left = 0;
	return false;
}

/*
 * Writes a file of its own, or packed, as there is room.
 *
 * Return: 1, 0 if there is no room, -1 with the error set.
 */
static int write_as_there_is_room(struct writing *writing, const char *name, uint64_t *packed_room,
				  const struct odb_header *header, const struct odb_entry *entries,
				  size_t n)
{
	int result;

	if (take_own(writing, name, n))
		result = write_own(writing, name, header, entries, n);
	else if (strlen(name) <= PACK_NAME_MOST &&
		 session_room_take(packed_room, session_packed_size(name, n)))
		result = session_packed_add(&writing->packed, name, header, entries, n,
					    writing->error);
	else
		return 0;
	return result ? -1 : 1;
}

static char *path_of_name(struct writing *writing, const struct op_sample_name *name,
			  bool is_weight)
{
	char *relative = op_sample_name_make(name), *path = NULL;

	if (relative)
		path = op_format("%s%s", is_weight ? OP_SAMPLES_WEIGHTS "/" : "", relative);
	else
		op_error_set(writing->error, errno, "%s: no name for its sample file",
			     name->dep.name);
	free(relative);
	return path;
}

/* The counts of a file. */
struct group {
	const struct file *file;
	const struct op_pair *entries;
	size_t n;
	uint64_t sum;
};

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	bool is_call = x->file->callee != PROF_NO_IMAGE,
	     is_other_call = y->file->callee != PROF_NO_IMAGE;

	/* calls and weights have no room that samples need */
	if (is_call != is_other_call)
		return is_call ? 1 : -1;
	if (x->file->is_weight != y->file->is_weight)
		return x->file->is_weight ? 1 : -1;
	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	return (x->file > y->file) - (x->file < y->file);
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static int write_group(struct writing *writing, const struct group *group)
{
	struct odb_header header = header_of(writing, group->file);
	struct op_sample_name name = session_write_name_of(writing, group->file);
	char *path = path_of_name(writing, &name, group->file->is_weight);
	uint64_t unit = group->file->is_weight ? header.ctr_count : 1, *sum;
	struct odb_entry *entries;
	int result;

	if (!path)
		return -1;
	entries = op_alloc(group->n, sizeof(*entries));
	for (size_t i = 0; i < group->n; i++)
		entries[i] = (struct odb_entry){group->entries[i].second,
						session_in_units(group->entries[i].value, unit)};
	result = write_as_there_is_room(writing, path, &writing->room.packed, &header, entries,
					group->n);
	if (!result && group->file->callee != PROF_NO_IMAGE) {
		writing->other_calls += group->n;
	} else if (!result) {
		sum = op_pair_table_get(&writing->others, group->file->event,
					group->file->is_weight);
		for (size_t i = 0; i < group->n; i++)
			*sum = add_up(*sum, entries[i].count);
	}
	free(entries);
	free(path);
	return result < 0 ? -1 : 0;
}

/* What there was no room for, of one event: the image {other}, of the program {other}. */
static int write_other(struct writing *writing, uint32_t event, bool is_weight, uint64_t sum)
{
	const struct op_image_name other = {.kind = OP_IMAGE_KERNEL,
					    .name = (char *)OP_OTHER_IMAGE};
	const struct file file = {0, event, PROF_NO_IMAGE, is_weight, PROF_NO_IMAGE};
	struct op_sample_name name = {
		.app = other,
		.dep = other,
		.event = writing->names.events[event].name,
		.count = writing->names.events[event].count,
		.unit_mask = writing->prof->events[event].unit_mask,
		.tgid = OP_ALL,
		.tid = OP_ALL,
		.cpu = OP_ALL,
	};
	struct odb_header header = header_of(writing, &file);
	const struct odb_entry entry = {0, sum};
	char *path = path_of_name(writing, &name, file.is_weight);
	int result;

	if (!path)
		return -1;
	result = write_as_there_is_room(writing, path, &writing->room.others, &header, &entry, 1);
	free(path);
	if (!is_weight && result)
		writing->other_samples = add_up(writing->other_samples, sum);
	if (!is_weight && !result)
		writing->beyond = add_up(writing->beyond, sum);
	return result < 0 ? -1 : 0;
}

static int write_others(struct writing *writing)
{
	for (size_t i = 0; i < writing->others.n; i++) {
		const struct op_pair *pair = &writing->others.items[i];

		if (write_other(writing, (uint32_t)pair->first, pair->second, pair->value))
			return -1;
	}
	writing->stored -= writing->beyond < writing->stored ? writing->beyond : writing->stored;
	if (writing->other_samples)
		op_warn("%" PRIu64 " samples are in the image {other}: the profile has too many "
			"images for its size",
			writing->other_samples);
	if (writing->beyond)
		op_warn("%" PRIu64 " samples are lost: the profile has too many events for its "
			"size",
			writing->beyond);
	if (writing->other_calls)
		op_warn("%" PRIu64 " calls are left out: the profile has too many images for its "
			"size",
			writing->other_calls);
	if (writing->other_stacks)
		op_warn("%" PRIu64 " call chains are left out: the profile has too many programs "
			"for its size",
			writing->other_stacks);
	return session_packed_finish(&writing->packed, writing->error);
}

/* The heaviest files first. */
int session_write_files(struct writing *writing)
{
	struct op_pair *entries = writing->entries.items;
	size_t n = writing->entries.n, n_groups = 0;
	struct group *groups = op_alloc(writing->n_files, sizeof(*groups));
	int result = 0;

	if (n)
		qsort(entries, n, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < n; i++) {
		if (!i || entries[i].first != entries[i - 1].first)
			groups[n_groups++] = (struct group){
				.file = &writing->files[entries[i].first], .entries = entries + i};
		groups[n_groups - 1].n++;
		groups[n_groups - 1].sum = add_up(groups[n_groups - 1].sum, entries[i].value);
	}
	if (n_groups)
		qsort(groups, n_groups, sizeof(*groups), compare_groups);
	for (size_t i = 0; !result && i < n_groups; i++)
		result = write_group(writing, &groups[i]);
	free(groups);
	return result || write_others(writing) ? -1 : 0;
}

/* ---- what else there is ---- */

static void write_files_put_number(FILE *account, enum stat_id which, uint64_t number)
{
	fprintf(account, "%s %" PRIu64 "\n", op_stats[which].key, number);
}

/* Statistics of what a recording lost; the last one is for all other causes. */
static const struct {
	const char *cause;
	enum stat_id which;
} losses[] = {
	{PROF_LOST_RECORDER_FULL, STAT_RECORDER_FULL},
	{PROF_LOST_CPU_FULL, STAT_RECORDER_CPU_FULL},
	{PROF_LOST_NO_EVENT, STAT_NO_EVENT},
	{"", STAT_RECORDER},
};

#define N_LOSSES (sizeof(losses) / sizeof(*losses))

static size_t loss_of(const char *cause)
{
	size_t i = 0;

	while (i < N_LOSSES - 1 && strcmp(cause, losses[i].cause) != 0)
		i++;
	return i;
}

static void put_losses(FILE *account, const uint64_t lost[N_LOSSES])
{
	for (size_t i = 0; i < N_LOSSES; i++)
		if (lost[i])
			write_files_put_number(account, losses[i].which, lost[i]);
}

/* What there was no room for. */
static void put_room(FILE *account, const struct writing *writing)
{
	const struct {
		enum stat_id which;
		uint64_t count;
	} counts[] = {
		{STAT_OTHER, writing->other_samples},
		{STAT_STACKS_BEYOND, writing->other_stacks},
		{STAT_STACKS_MERGED, writing->merged},
		{STAT_IMPORT_NO_ROOM, writing->beyond},
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (counts[i].count)
			write_files_put_number(account, counts[i].which, counts[i].count);
}

static void put_numbers(FILE *account, const struct writing *writing)
{
	const struct prof *prof = writing->prof;
	uint64_t received = writing->stored, lost[N_LOSSES] = {0};

	for (size_t i = 0; i < prof->n_losses && !writing->options->selection.no_losses; i++) {
		uint64_t *sum = &lost[loss_of(prof->losses[i].cause)];

		*sum = add_up(*sum, prof->losses[i].count);
		received = add_up(received, prof->losses[i].count);
	}
	received = add_up(received, writing->beyond);
	write_files_put_number(account, STAT_RECEIVED, received);
	write_files_put_number(account, STAT_STORED, writing->stored);
	put_losses(account, lost);
	put_room(account, writing);
}

static int write_account(struct writing *writing, const char *text)
{
	char *path = op_format("%s/" OP_SAMPLES_ACCOUNT, writing->dir);
	struct op_account account;
	int result = session_write_make_directories(path, writing->error);

	free(path);
	if (result || op_account_open(&account, writing->dir, writing->error))
		return -1;
	result = op_account_write(&account, text, writing->error);
	op_account_close(&account);
	return result;
}

int session_write_stats(struct writing *writing)
{
	struct op_text_stream account;
	int result;

	op_text_stream_open(&account);
	put_numbers(account.out, writing);
	op_text_stream_close(&account);
	result = write_account(writing, account.text);
	free(account.text);
	return result;
}

int session_write_branches(struct writing *writing)
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
			session_write_key_of(writing, &branch->from),
			session_write_key_of(writing, &branch->to),
			writing->names.texts[branch->from.image],
			writing->names.texts[branch->to.image]);
	}
	op_text_stream_close(&stream);
	path = op_format("%s/" SESSION_BRANCHES, writing->dir);
	result = op_file_replace(path, stream.text, stream.length, OP_SESSION_FILE_MODE,
				 writing->error);
	free(path);
	free(stream.text);
	return result;
}
