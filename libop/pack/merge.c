// SPDX-License-Identifier: GPL-2.0-or-later
/* Several packs as one: see merge.h. */
#include "merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libop/base/number.h"

/* Unpacked blocks of each pack: they are read in order. */
#define KEPT_MOST ((size_t)1 << 20)

/* A way through one of the packs. */
struct input {
	struct op_pack_walk walk;
	struct op_pack_file file;
	bool more; /* @file is valid */
};

struct merging {
	struct input *input;
	size_t n;
	struct op_pack_writer *writer;
	const atomic_bool *stop; /* or NULL */
	struct op_error *error;
};

static int by_key(const void *a, const void *b)
{
	const struct odb_entry *x = a, *y = b;

	return op_compare_u64(x->key, y->key);
}

size_t op_pack_sum_entries(struct odb_entry *entries, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(entries, n, sizeof(*entries), by_key);
	for (size_t i = 0; i < n; i++) {
		if (kept && entries[kept - 1].key == entries[i].key)
			entries[kept - 1].count += entries[i].count;
		else
			entries[kept++] = entries[i];
	}
	return kept;
}

static struct op_pack *pack_of(const struct input *input)
{
	return (struct op_pack *)input->walk.pack;
}

/* The input whose name comes first, or NULL at the end. */
static struct input *first_of(const struct merging *merging)
{
	struct input *first = NULL;

	for (size_t i = 0; i < merging->n; i++) {
		struct input *input = &merging->input[i];

		if (input->more &&
		    (!first || op_pack_compare_names(input->file.name, first->file.name) < 0))
			first = input;
	}
	return first;
}

/* Reads the samples of @input, behind those in *@entries. */
static int add_samples(const struct merging *merging, const struct input *input,
		       struct odb_entry **entries, size_t *n)
{
	struct odb_entry *more, *all;

	if (op_pack_samples(pack_of(input), &input->file.place, input->file.name, &more,
			    merging->error))
		return -1;
	all = realloc(*entries, (*n + input->file.n + 1) * sizeof(*all));
	if (all) {
		*entries = all;
		if (input->file.n)
			memcpy(all + *n, more, input->file.n * sizeof(*more));
		*n += input->file.n;
	}
	free(more);
	return all ? 0 : op_error_memory(merging->error);
}

static int merge_samples(const struct merging *merging, const struct input *first)
{
	struct op_pack_file described = first->file;
	struct odb_entry *entries = NULL;
	size_t n = 0, from = 0;
	int result = 0;

	for (size_t i = 0; !result && i < merging->n; i++) {
		const struct input *input = &merging->input[i];

		if (!input->more || strcmp(input->file.name, described.name) != 0)
			continue;
		result = add_samples(merging, input, &entries, &n);
		/* no version of the image has all of them */
		if (input->file.header.mtime != described.header.mtime)
			described.header.mtime = 0;
		from++;
	}
	if (!result && from > 1)
		n = op_pack_sum_entries(entries, n);
	if (!result)
		result = op_pack_add_samples(merging->writer, &described, entries, n,
					     merging->error);
	free(entries);
	return result;
}

static uint64_t sum_of(const struct stacks_content *content)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < content->n_nodes; i++)
		sum += content->nodes[i].count;
	return sum;
}

/* All samples at the root: whose callers are unknown, as in a stack file that is full. */
static void cut(struct stacks_content *content)
{
	content->merged = content->nodes[0].count = sum_of(content);
	content->n_nodes = 1;
}

/* Where a pack has no room for all stacks, those of the largest content stay whole. */
static int add_stacks(const struct merging *merging, const struct op_pack_file *file,
		      struct stacks_content *contents, size_t n)
{
	size_t largest = 0;
	int result = op_pack_add_stacks(merging->writer, file, contents, n, merging->error);

	if (!result || !merging->error || merging->error->code != EFBIG)
		return result;
	for (size_t i = 1; i < n; i++)
		if (contents[i].n_nodes > contents[largest].n_nodes)
			largest = i;
	for (size_t i = 0; i < n; i++)
		if (i != largest)
			cut(&contents[i]);
	return op_pack_add_stacks(merging->writer, file, contents, n, merging->error);
}

static int merge_stacks(const struct merging *merging, const struct input *first)
{
	struct stacks_content *contents = calloc(merging->n, sizeof(*contents));
	size_t n = 0;
	int result = 0;

	if (!contents)
		return op_error_memory(merging->error);
	for (size_t i = 0; !result && i < merging->n; i++) {
		const struct input *input = &merging->input[i];

		if (!input->more || strcmp(input->file.name, first->file.name) != 0)
			continue;
		result = op_pack_stacks(pack_of(input), &input->file, &contents[n], merging->error);
		n += !result;
	}
	if (!result)
		result = add_stacks(merging, &first->file, contents, n);
	for (size_t i = 0; i < n; i++)
		stacks_content_free(&contents[i]);
	free(contents);
	return result;
}

/* Goes on in all inputs that are at the name of @first, in this one last. */
static void advance(const struct merging *merging, struct input *first)
{
	for (size_t i = 0; i < merging->n; i++) {
		struct input *input = &merging->input[i];

		if (input != first && input->more &&
		    !strcmp(input->file.name, first->file.name))
			input->more = op_pack_next(&input->walk, &input->file);
	}
	first->more = op_pack_next(&first->walk, &first->file);
}

static int check_stop(const struct merging *merging)
{
	if (!merging->stop || !atomic_load_explicit(merging->stop, memory_order_relaxed))
		return 0;
	return op_error_set(merging->error, ECANCELED, "stopped");
}

static int merge(struct op_pack_writer *writer, struct op_pack *const *packs, size_t n,
		 const atomic_bool *stop, struct op_error *error)
{
	struct merging merging = {calloc(n, sizeof(*merging.input)), n, writer, stop, error};
	struct input *first;
	int result = 0;

	if (!merging.input)
		return op_error_memory(error);
	for (size_t i = 0; i < n; i++) {
		struct input *input = &merging.input[i];

		op_pack_keep_less(packs[i], KEPT_MOST);
		input->walk.pack = packs[i];
		input->more = op_pack_next(&input->walk, &input->file);
	}
	while (!result && (first = first_of(&merging))) {
		result = first->file.kind == OP_PACK_STACKS ? merge_stacks(&merging, first)
							    : merge_samples(&merging, first);
		if (!result)
			result = check_stop(&merging);
		advance(&merging, first);
	}
	free(merging.input);
	return result ? -1 : op_pack_finish(writer, error);
}

int pack_merge_to_file(const char *path, struct op_pack *const *packs, size_t n,
		       const atomic_bool *stop, struct op_error *error)
{
	struct op_pack_writer *writer;
	int result;

	if (op_pack_create(&writer, path, error))
		return -1;
	result = merge(writer, packs, n, stop, error);
	op_pack_writer_free(writer);
	return result;
}

int pack_merge_to_memory(struct op_pack **out, const char *path, struct op_pack *const *packs,
			 size_t n, struct op_error *error)
{
	struct op_pack_writer *writer = NULL;
	int fd = memfd_create("pack", MFD_CLOEXEC), copy = -1, result = -1;

	if (fd >= 0)
		copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		op_error_errno(error, "cannot read %s", path);
	else if (!op_pack_create_open(&writer, copy, path, error))
		result = merge(writer, packs, n, NULL, error);
	op_pack_writer_free(writer);
	if (!result)
		return op_pack_open_fd(out, fd, path, error);
	if (fd >= 0)
		close(fd);
	return -1;
}
