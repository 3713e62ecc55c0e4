// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that are not used any more, read: see idle.h.
 *
 * Nothing that is there is believed: names may be any, and in any order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "idle.h"
#include "libop/base/file.h"
#include "libop/foreign/door.h"
#include "loose.h"
#include "pack.h"

/* Bytes of all names. */
#define NAMES_MOST ((size_t)32 << 20)

struct named {
	const char *name;
	size_t number;
};

/* Whether the file may be as it should: then it is not to be left out. */
static bool may_be_whole(int code)
{
	return code == ENOMEM || code == EMFILE || code == ENFILE || code == EIO;
}

/* A file that is damaged has nothing that could be packed. */
static int pack_file(const char *part, const struct named *file, struct op_pack_writer *writer,
		     struct op_error *error)
{
	struct op_pack_file described = {
		.name = file->name,
		.kind = pack_loose_is_stacks(file->name) ? OP_PACK_STACKS : OP_PACK_SAMPLES,
	};
	struct pack_loose content = {0};
	struct odb_error cause;
	int result = 0;
	char *path;

	if (!pack_loose_is_name(file->name))
		return 0;
	path = op_path("%s/%zu", part, file->number);
	if (!path)
		return op_error_memory(error);
	if (!pack_loose_read_at(&content, path, described.kind == OP_PACK_STACKS, &cause)) {
		described.header = content.header;
		result = described.kind == OP_PACK_STACKS
				 ? op_pack_add_stacks(writer, &described, &content.stacks, 1, error)
				 : op_pack_add_samples(writer, &described, content.entries,
						       content.n, error);
	} else if (may_be_whole(cause.code)) {
		result = op_error_set(error, cause.code, "%s", cause.text);
	}
	pack_loose_free(&content);
	free(path);
	return result;
}

static int by_name(const void *a, const void *b)
{
	return op_pack_compare_names(((const struct named *)a)->name,
				     ((const struct named *)b)->name);
}

/* Return: an array of @n names, which the caller frees, or NULL when out of memory. */
static struct named *sort(const char *names, size_t length, size_t *n)
{
	struct named *files;

	*n = 0;
	for (size_t i = 0; i < length; i++)
		*n += !names[i];
	files = calloc(*n + 1, sizeof(*files));
	for (size_t i = 0; files && i < *n; i++) {
		files[i] = (struct named){names, i};
		names += strlen(names) + 1;
	}
	if (files)
		qsort(files, *n, sizeof(*files), by_name);
	return files;
}

int op_idle_pack(const char *part, struct op_pack_writer *writer, struct op_error *error)
{
	char *path = op_path("%s/" OP_IDLE_NAMES, part), *names;
	struct named *files;
	struct op_error cause;
	size_t length, n;
	int result = 0;

	if (!path)
		return op_error_memory(error);
	names = foreign_read(path, NAMES_MOST, &length, &cause);
	free(path);
	/* stopped before the first file was moved */
	if (!names)
		return cause.code == ENOENT ? 0 : op_error_set(error, cause.code, "%s", cause.text);
	files = sort(names, length, &n);
	if (!files)
		result = op_error_memory(error);
	for (size_t i = 0; !result && i < n; i++)
		result = pack_file(part, &files[i], writer, error);
	free(files);
	free(names);
	return result;
}
