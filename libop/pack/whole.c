// SPDX-License-Identifier: GPL-2.0-or-later
/* A session as one pack: see whole.h. */
#include "whole.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/buffer.h"
#include "libop/base/file.h"
#include "loose.h"
#include "merge.h"
#include "parts.h"

#define ATTEMPTS 4

struct listing {
	size_t prefix; /* of paths: the length of the session's directory, and a slash */
	struct op_strings loose;
	struct op_buffer parts; /* the names of all files of parts */
	uint64_t bytes;		/* of the loose files */
};

static void listing_free(struct listing *listing)
{
	op_strings_free(&listing->loose);
	op_buffer_free(&listing->parts);
}

static int pack_whole_take_file(const char *path, const struct stat *status, void *context)
{
	struct listing *listing = context;
	const char *name = path + listing->prefix;

	if (op_pack_is_part(name)) {
		op_buffer_put(&listing->parts, name, strlen(name) + 1);
		return 0;
	}
	if (!S_ISREG(status->st_mode) || !pack_loose_is_name(name))
		return 0;
	listing->bytes += (uint64_t)status->st_size;
	return op_strings_add(&listing->loose, name);
}

static int by_name(const void *a, const void *b)
{
	return op_pack_compare_names(*(char *const *)a, *(char *const *)b);
}

/* listing_free() frees it, also after an error. */
static int list(const char *samples_dir, struct listing *listing, struct op_error *error)
{
	struct op_error why = {.code = ENOMEM, .text = OP_OUT_OF_MEMORY};

	*listing = (struct listing){.prefix = strlen(samples_dir) + 1};
	if (op_walk(samples_dir, pack_whole_take_file, listing, &why) || listing->parts.failed)
		return op_error_set(error, why.code, "%s", why.text);
	if (listing->bytes > OP_WHOLE_BYTES_MOST)
		return op_error_set(error, E2BIG, "%s is locked, and too large to be read so",
				    samples_dir);
	if (listing->loose.count)
		qsort(listing->loose.item, listing->loose.count, sizeof(char *), by_name);
	return 0;
}

/* Whether no file was moved since: it would be in a part, or what superseded that. */
static bool is_still(const char *samples_dir, const struct listing *before)
{
	struct listing now;
	bool same =
		!list(samples_dir, &now, NULL) && now.parts.used == before->parts.used &&
		(!now.parts.used || !memcmp(now.parts.bytes, before->parts.bytes, now.parts.used));

	listing_free(&now);
	return same;
}

/* Return: 0, or -1 with @error set: the pack cannot be written. */
static int add_loose(struct op_pack_writer *writer, const char *samples_dir, const char *name,
		     struct op_strings *wrong, struct op_error *error)
{
	struct op_pack_file file = {
		.name = name,
		.kind = pack_loose_is_stacks(name) ? OP_PACK_STACKS : OP_PACK_SAMPLES,
	};
	struct odb_error cause;
	struct pack_loose content;
	int result = 0;

	if (pack_loose_read(&content, samples_dir, name, &cause)) {
		result = op_strings_add(wrong, cause.text) ? op_error_memory(error) : 0;
	} else {
		file.header = content.header;
		result = file.kind == OP_PACK_STACKS
				 ? op_pack_add_stacks(writer, &file, &content.stacks, 1, error)
				 : op_pack_add_samples(writer, &file, content.entries, content.n,
						       error);
	}
	pack_loose_free(&content);
	return result;
}

static int open_loose(struct op_pack **out, const char *samples_dir, const struct listing *listing,
		      struct op_strings *wrong, struct op_error *error)
{
	struct op_pack_writer *writer;
	int memory = memfd_create("pack", MFD_CLOEXEC), copy = -1, result;

	if (memory >= 0)
		copy = fcntl(memory, F_DUPFD_CLOEXEC, 0);
	if (copy < 0) {
		op_error_errno(error, "cannot read %s", samples_dir);
		if (memory >= 0)
			close(memory);
		return -1;
	}
	result = op_pack_create_open(&writer, copy, samples_dir, error);
	if (!result) {
		for (size_t i = 0; !result && i < listing->loose.count; i++)
			result = add_loose(writer, samples_dir, listing->loose.item[i], wrong,
					   error);
		if (!result)
			result = op_pack_finish(writer, error);
		op_pack_writer_free(writer);
	}
	if (!result)
		return op_pack_open_fd(out, memory, samples_dir, error);
	close(memory);
	return -1;
}

static int pack_whole_join(struct op_pack **out, const char *samples_dir, struct op_pack *loose,
			   struct op_error *error)
{
	char *path = op_path("%s/" OP_PACK_NAME, samples_dir);
	struct op_pack *packs[] = {loose, NULL};
	struct op_error why;
	int result = op_pack_open_session(&packs[1], samples_dir, &why);

	if (!path)
		result = op_error_memory(error);
	else if (!result || why.code == ENOENT)
		result = pack_merge_to_memory(out, path, packs, packs[1] ? 2 : 1, error);
	else
		op_error_set(error, why.code, "%s", why.text);
	op_pack_close(packs[1]);
	free(path);
	return result;
}

static int try_whole(struct op_pack **out, const char *samples_dir, struct op_strings *wrong,
		     struct op_error *error)
{
	struct op_pack *loose = NULL, *pack = NULL;
	struct listing listing;
	int result = list(samples_dir, &listing, error);

	if (!result)
		result = open_loose(&loose, samples_dir, &listing, wrong, error);
	if (!result)
		result = pack_whole_join(&pack, samples_dir, loose, error);
	if (!is_still(samples_dir, &listing))
		result = op_error_set(error, ESTALE, "%s: files are moved while they are read",
				      samples_dir);
	op_pack_close(loose);
	listing_free(&listing);
	if (!result)
		*out = pack;
	else
		op_pack_close(pack);
	return result;
}

int op_pack_open_whole(struct op_pack **out, const char *samples_dir, struct op_strings *wrong,
		       struct op_error *error)
{
	struct op_error why = {.code = ESTALE};
	int result = -1;

	for (int i = 0; i < ATTEMPTS && result && why.code == ESTALE; i++) {
		op_strings_free(wrong);
		result = try_whole(out, samples_dir, wrong, &why);
	}
	return result ? op_error_set(error, why.code, "%s", why.text) : 0;
}
