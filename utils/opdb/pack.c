// SPDX-License-Identifier: GPL-2.0-or-later
#include "pack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dump_stacks.h"
#include "libop/base/safe_text.h"
#include "libop/base/error.h"
#include "libop/base/file.h"
#include "libop/pack/pack.h"

/* A file of a pack, unpacked. */
struct unpacked {
	struct odb_entry *entries;
	struct stacks_content stacks;
};

/* What is done with each file.  Return: 0, or -1 with @error set. */
typedef int each_file(void *context, const struct op_pack_file *file,
		      const struct unpacked *content, struct op_error *error);

static int pack_unpack(struct op_pack *pack, const struct op_pack_file *file,
		       struct unpacked *content, struct op_error *error)
{
	*content = (struct unpacked){0};
	return file->kind == OP_PACK_STACKS
		       ? op_pack_stacks(pack, file, &content->stacks, error)
		       : op_pack_samples(pack, &file->place, file->name, &content->entries, error);
}

/*
 * Iterates over a pack.  Damaged files are printed and skipped.
 * Return: their number, or -1 with @error set.
 */
static ptrdiff_t each(const char *path, each_file *call, void *context, struct op_error *error)
{
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	struct op_pack_file file;
	struct op_pack *pack;
	ptrdiff_t bad = 0;
	int result = 0;

	if (!walk || op_pack_open(&pack, path, error)) {
		if (!walk)
			op_error_memory(error);
		free(walk);
		return -1;
	}
	walk->pack = pack;
	while (!result && op_pack_next(walk, &file)) {
		struct op_error why;
		struct unpacked content;

		if (pack_unpack(pack, &file, &content, &why)) {
			op_safe_line(stdout, "%s", why.text);
			bad++;
			continue;
		}
		if (call)
			result = call(context, &file, &content, error);
		free(content.entries);
		stacks_content_free(&content.stacks);
	}
	op_pack_close(pack);
	free(walk);
	return result ? -1 : bad;
}

int check_pack(const char *path)
{
	struct op_error error;
	ptrdiff_t bad = each(path, NULL, NULL, &error);

	if (bad < 0)
		op_complain("%s", error.text);
	return bad ? -1 : 0;
}

/* ---- repair ---- */

struct copy {
	struct op_pack_writer *writer;
	uint64_t files, sum;
};

static int copy_file(void *context, const struct op_pack_file *file, const struct unpacked *content,
		     struct op_error *error)
{
	struct copy *copy = context;

	copy->files++;
	copy->sum += file->sum;
	return file->kind == OP_PACK_STACKS
		       ? op_pack_add_stacks(copy->writer, file, &content->stacks, 1, error)
		       : op_pack_add_samples(copy->writer, file, content->entries, file->n, error);
}

/* Return: files that were lost, or -1 with @error set; then @fresh is not finished. */
static ptrdiff_t copy_all(const char *path, const char *fresh, struct copy *copy,
			  struct op_error *error)
{
	ptrdiff_t bad;

	if (op_pack_create(&copy->writer, fresh, error))
		return -1;
	bad = each(path, copy_file, copy, error);
	if (bad >= 0 && op_pack_finish(copy->writer, error))
		bad = -1;
	op_pack_writer_free(copy->writer);
	return bad;
}

static int take_place(const char *fresh, const char *path, struct op_error *error)
{
	struct stat status;

	if (stat(path, &status) || chmod(fresh, status.st_mode & 07777) ||
	    (!geteuid() && chown(fresh, status.st_uid, status.st_gid)) || rename(fresh, path))
		return op_error_errno(error, "cannot replace %s", path);
	return 0;
}

int repair_pack(const char *path)
{
	char *fresh = op_path("%s.%ld", path, (long)getpid());
	struct op_error error = {.code = ENOMEM, .text = OP_OUT_OF_MEMORY};
	struct copy copy = {0};
	ptrdiff_t bad = fresh ? copy_all(path, fresh, &copy, &error) : -1;

	if (bad > 0 && take_place(fresh, path, &error))
		bad = -1;
	if (bad > 0)
		op_safe_line(stdout,
			     "%s: repaired: %" PRIu64 " samples kept in %" PRIu64
			     " files, %td files lost",
			     path, copy.sum, copy.files, bad);
	else if (fresh)
		unlink(fresh);
	if (bad < 0)
		op_complain("%s", error.text);
	free(fresh);
	return bad < 0 ? -1 : 0;
}

/* ---- dump ---- */

struct dumping {
	const struct dump_style *style;
	const char *path;
};

static int dump_file(void *context, const struct op_pack_file *file, const struct unpacked *content,
		     struct op_error *error)
{
	const struct dumping *dumping = context;
	char *name = op_path("%s: %s", dumping->path, file->name);

	if (!name)
		return op_error_memory(error);
	if (file->kind == OP_PACK_STACKS)
		dump_stacks_content(name, &content->stacks, dumping->style->json);
	else
		dump_samples(dumping->style, name, &file->header, NULL, content->entries,
			     (ptrdiff_t)file->n);
	free(name);
	return 0;
}

int dump_pack(const struct dump_style *style, const char *path)
{
	struct dumping dumping = {style, path};
	struct op_error error;
	ptrdiff_t bad = each(path, dump_file, &dumping, &error);

	if (bad < 0)
		op_complain("%s", error.text);
	return bad ? -1 : 0;
}
