// SPDX-License-Identifier: GPL-2.0-or-later
/* Loose files: see loose.h. */
#include "loose.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/session/sample_name.h"
#include "libop/session/paths.h"

bool pack_loose_is_plain(const char *name)
{
	const char *part = name;

	for (;;) {
		size_t n = strcspn(part, "/");

		if (!n || (n == 1 && *part == '.') || (n == 2 && !memcmp(part, "..", 2)))
			return false;
		if (!part[n])
			return true;
		part += n + 1;
	}
}

bool pack_loose_is_stacks(const char *name)
{
	name = op_name_of_weighted(name);
	return !strncmp(name, OP_SAMPLES_STACKS "/", strlen(OP_SAMPLES_STACKS "/"));
}

bool pack_loose_is_name(const char *name)
{
	struct op_sample_name parsed;
	struct op_error ignored;

	if (!pack_loose_is_plain(name))
		return false;
	name = op_name_of_weighted(name);
	if (pack_loose_is_stacks(name)
		    ? op_stacks_name_parse(name, &parsed, &ignored)
		    : (strncmp(name, "{root}/", 7) && strncmp(name, "{kern}/", 7)) ||
			      op_sample_name_parse(name, &parsed, &ignored))
		return false;
	op_sample_name_free(&parsed);
	return true;
}

void pack_loose_free(struct pack_loose *loose)
{
	free(loose->entries);
	stacks_content_free(&loose->stacks);
	*loose = (struct pack_loose){0};
}

/* Only files that could be made again as they are. */
static bool is_native(const struct odb *db)
{
	const struct odb_format format = odb_format(db);

	return odb_header(db)->version == ODB_VERSION && !strcmp(format.abi, "x86-64") &&
	       format.big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static int read_samples(const char *path, struct pack_loose *loose, struct odb_error *error)
{
	struct odb *db;
	ptrdiff_t n;

	if (odb_open(&db, path, ODB_READ, NULL, error))
		return -1;
	loose->header = *odb_header(db);
	if (!is_native(db)) {
		odb_close(db);
		error->code = ENOTSUP;
		snprintf(error->text, sizeof(error->text), "%.400s: of another version or machine",
			 path);
		return -1;
	}
	n = odb_entries_by_key(db, &loose->entries, error);
	odb_close(db);
	loose->n = n > 0 ? (size_t)n : 0;
	return n < 0 ? -1 : 0;
}

int pack_loose_read_at(struct pack_loose *loose, const char *path, bool is_stacks,
		       struct odb_error *error)
{
	*loose = (struct pack_loose){0};
	return is_stacks ? stacks_read(&loose->stacks, path, error)
			 : read_samples(path, loose, error);
}

int pack_loose_read(struct pack_loose *loose, const char *dir, const char *name,
		    struct odb_error *error)
{
	char *path = op_path("%s/%s", dir, name);
	int result;

	*loose = (struct pack_loose){0};
	*error = (struct odb_error){.code = ENOMEM, .text = "out of memory"};
	if (!path)
		return -1;
	result = pack_loose_read_at(loose, path, pack_loose_is_stacks(name), error);
	free(path);
	return result;
}

void pack_loose_remove_directories(const char *dir, const char *name)
{
	char *path = op_path("%s/%s", dir, name), *slash;

	/* the first component stays, as in any session */
	while (path && (slash = strrchr(path, '/')) && strchr(path + strlen(dir) + 1, '/')) {
		*slash = '\0';
		if (!strchr(path + strlen(dir) + 1, '/') || rmdir(path))
			break;
	}
	free(path);
}

bool pack_loose_same_header(const struct odb_header *a, const struct odb_header *b)
{
	return a->cpu_type == b->cpu_type && a->ctr_event == b->ctr_event &&
	       a->ctr_um == b->ctr_um && a->ctr_count == b->ctr_count &&
	       a->is_kernel == b->is_kernel && a->cg_to_is_kernel == b->cg_to_is_kernel &&
	       a->mtime == b->mtime && a->anon_start == b->anon_start &&
	       a->cg_to_anon_start == b->cg_to_anon_start;
}
