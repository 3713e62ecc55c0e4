// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads single sample files; pp/profile/collate.c has a faster way for thousands of loose ones. */
#include "sample_read.h"

static int failed(const struct odb_error *cause, struct op_error *error)
{
	return op_error_set(error, cause->code, "%s", cause->text);
}

int pp_sample_header(const struct pp_sample_file *file, struct odb_header *header,
		     struct op_error *error)
{
	struct odb_error cause;
	struct odb *db;

	if (file->pack) {
		*header = file->header;
		return 0;
	}
	if (odb_open(&db, file->path, ODB_READ, NULL, &cause))
		return failed(&cause, error);
	*header = *odb_header(db);
	odb_close(db);
	return 0;
}

int pp_sample_read(const struct pp_sample_file *file, struct odb_header *header,
		   struct odb_entry **entries, size_t *n, struct op_error *error)
{
	struct odb_error cause;
	struct odb *db;
	ptrdiff_t count;

	if (file->pack) {
		*header = file->header;
		*n = file->place.n;
		return op_pack_samples(file->pack, &file->place, file->path, entries, error);
	}
	if (odb_open(&db, file->path, ODB_READ, NULL, &cause))
		return failed(&cause, error);
	*header = *odb_header(db);
	count = odb_entries_by_key(db, entries, &cause);
	odb_close(db);
	if (count < 0)
		return failed(&cause, error);
	*n = (size_t)count;
	return 0;
}

int pp_stacks_read(const struct pp_sample_file *file, struct stacks_content *content,
		   struct op_error *error)
{
	const struct op_pack_file packed = {.kind = OP_PACK_STACKS,
					    .name = file->path,
					    .n = file->n_entries,
					    .sum = file->sum,
					    .place = file->place};
	struct odb_error cause;

	if (file->pack)
		return op_pack_stacks(file->pack, &packed, content, error);
	return stacks_read(content, file->path, &cause) ? failed(&cause, error) : 0;
}
