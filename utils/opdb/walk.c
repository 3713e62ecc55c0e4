// SPDX-License-Identifier: GPL-2.0-or-later
#include "walk.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "libdb/odb/odb.h"
#include "libop/base/error.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/pack/pack.h"

static bool is_number(const char *text)
{
	uint64_t number;

	return !op_number_parse(text, "", 0, UINT64_MAX, &number, NULL);
}

bool is_sample_file_name(const char *name)
{
	char copy[256], *rest = copy, *part;
	int parts = 0;

	if (strlen(name) >= sizeof(copy))
		return false;
	strcpy(copy, name);
	/* EVENT.COUNT.MASK.TGID.TID.CPU */
	while ((part = strsep(&rest, "."))) {
		if (parts == 0	? !*part
		    : parts < 3 ? !is_number(part)
				: strcmp(part, "all") && !is_number(part))
			return false;
		parts++;
	}
	return parts == 6;
}

struct progress {
	const struct walk *walk;
	bool any;    /* a sample file was seen */
	bool failed; /* a call returned -1 */
};

static int visit(const char *path, const struct stat *status, void *context)
{
	struct progress *progress = context;
	const struct walk *walk = progress->walk;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (!S_ISREG(status->st_mode))
		return 0;
	if (is_sample_file_name(name) || !strcmp(name, OP_PACK_NAME)) {
		progress->any = true;
		if (walk->file(walk->context, path))
			progress->failed = true;
	} else if (walk->leftover && !strncmp(name, ODB_TEMPORARY, strlen(ODB_TEMPORARY))) {
		if (walk->leftover(walk->context, path))
			progress->failed = true;
	}
	return 0;
}

static int walk_directory(const struct walk *walk, const char *path)
{
	struct progress progress = {.walk = walk};
	struct op_error error;

	if (op_walk(path, visit, &progress, &error)) {
		op_complain("%s", error.text);
		return -1;
	}
	if (!progress.any && !progress.failed) {
		op_complain("%s: no sample files in this directory", path);
		return -1;
	}
	return progress.failed ? -1 : 0;
}

int walk(const struct walk *walk, const char *path)
{
	struct stat status;

	if (!stat(path, &status) && S_ISDIR(status.st_mode))
		return walk_directory(walk, path);
	return walk->file(walk->context, path);
}
