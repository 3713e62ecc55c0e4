// SPDX-License-Identifier: GPL-2.0-or-later
/* Sample files, statistics and branches of a session: see write.c. */
#include "writing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "libop/base/file.h"
#include "libop/session/account.h"
#include "libop/session/paths.h"
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
	struct op_sample_name name = session_write_name_of(writing, file);
	char *relative = op_sample_name_make(&name), *path;
	uint64_t unit = file->is_weight ? header.ctr_count : 1;
	struct odb_error cause;
	struct odb *db;
	int result;

	if (!relative)
		return op_error_set(writing->error, errno, "%s: no name for its sample file",
				    name.dep.name);
	path = pp_format("%s/%s%s", writing->dir, file->is_weight ? OP_SAMPLES_WEIGHTS "/" : "",
			 relative);
	free(relative);
	result = session_write_make_directories(path, writing->error);
	if (!result && odb_open(&db, path, ODB_CREATE, &header, &cause))
		result = op_error_set(writing->error, cause.code, "%s", cause.text);
	free(path);
	if (result)
		return -1;
	for (size_t i = 0; !result && i < n; i++) {
		uint64_t count = session_in_units(entries[i].value, unit);

		if (count && odb_add(db, entries[i].second, count, &cause))
			result = op_error_set(writing->error, cause.code, "%s", cause.text);
	}
	odb_close(db);
	return result;
}

int session_write_files(struct writing *writing)
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

static int write_number(struct writing *writing, const char *name, uint64_t number, FILE *account)
{
	char *path = pp_format("%s/" OP_SAMPLES_STATS "/%s", writing->dir, name);
	char text[32];
	int n = snprintf(text, sizeof(text), "%" PRIu64 "\n", number);
	int result = session_write_make_directories(path, writing->error);

	fprintf(account, "%s %s", name, text);
	if (!result)
		result = op_file_replace(path, text, (size_t)n, OP_SESSION_FILE_MODE,
					 writing->error);
	free(path);
	return result;
}

static int write_numbers(struct writing *writing, FILE *account)
{
	uint64_t stored = 0, lost = 0;

	for (size_t i = 0; i < writing->prof->n_events; i++)
		stored += writing->prof->totals[i].count;
	for (size_t i = 0; i < writing->prof->n_losses; i++)
		lost += writing->prof->losses[i].count;
	if (write_number(writing, "total_samples", stored, account) ||
	    write_number(writing, "samples_stored", stored, account))
		return -1;
	if (lost && write_number(writing, "lost_records_by_kernel", lost, account))
		return -1;
	return writing->merged ? write_number(writing, "stacks_cut", writing->merged, account) : 0;
}

static int write_account(struct writing *writing, const char *text)
{
	struct op_account account;
	int result;

	if (op_account_open(&account, writing->dir, writing->error))
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
	result = write_numbers(writing, account.out);
	op_text_stream_close(&account);
	if (!result)
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
	path = pp_format("%s/" SESSION_BRANCHES, writing->dir);
	result = op_file_replace(path, stream.text, stream.length, OP_SESSION_FILE_MODE,
				 writing->error);
	free(path);
	free(stream.text);
	return result;
}
