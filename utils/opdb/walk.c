// SPDX-License-Identifier: GPL-2.0-or-later
#include "walk.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/odb/odb.h"
#include "libop/base/error.h"
#include "libop/base/file.h"
#include "libop/base/pinned_path.h"
#include "libop/base/safe_text.h"
#include "libop/session/trusted_dir.h"
#include "libop/base/number.h"
#include "libop/pack/idle.h"
#include "libop/pack/parts.h"
#include "libop/pack/session.h"
#include "libop/session/paths.h"

static bool is_number(const char *text)
{
	uint64_t number;

	return !op_number_parse(text, "", 0, UINT64_MAX, &number, NULL);
}

/* Whether @name, the last part of a path, is that of a sample file. */
static bool is_sample_file_name(const char *name)
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
	size_t prefix; /* length of the directory's path */
	bool any;      /* a sample file was seen */
	bool failed;   /* a call returned -1 */
};

/* One of a directory of files that were idle. */
static bool is_idle_file(const char *path)
{
	const char *name = strrchr(path, '/'), *part = name;

	while (part && part > path && part[-1] != '/')
		part--;
	return part && op_pack_is_part(part) && strcmp(name + 1, OP_IDLE_NAMES) != 0;
}

static int opdb_walk_visit(const char *path, const struct stat *status, void *context)
{
	struct progress *progress = context;
	const struct walk *walk = progress->walk;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (!S_ISREG(status->st_mode) || strstr(path + progress->prefix, "/" OP_PACK_TEMPORARY))
		return 0;
	if (is_sample_file_name(name) || op_pack_is_part(name) || is_idle_file(path)) {
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
	struct progress progress = {.walk = walk, .prefix = strlen(path)};
	struct op_error error;

	if (op_walk(path, opdb_walk_visit, &progress, &error)) {
		op_complain("%s", error.text);
		return -1;
	}
	if (!progress.any && !progress.failed) {
		op_complain("%s: no sample files in this directory", path);
		return -1;
	}
	return progress.failed ? -1 : 0;
}

static int walk_path(const struct walk *walk, const char *path)
{
	struct stat status;

	if (!stat(path, &status) && S_ISDIR(status.st_mode))
		return walk_directory(walk, path);
	return walk->file(walk->context, path);
}

/* The file that is to be replaced, by the path of its directory, which is pinned and must be the
 * user's own or root's. */
static int walk_file(const struct walk *walk, const char *path)
{
	struct op_error error = {.text = OP_OUT_OF_MEMORY};
	const char *slash = strrchr(path, '/');
	char *parent = slash ? op_path("%.*s", (int)(slash - path), path) : strdup(".");
	char *name = NULL, *pinned, *file;
	int fd = parent ? trusted_dir_open_holder(path, &name, &error) : -1, result = -1;

	pinned = fd < 0 ? NULL : op_pinned_path(fd, parent);
	file = pinned ? op_path("%s/%s", pinned, name) : NULL;
	if (file) {
		op_path_show_as(file, path);
		result = walk->file(walk->context, file);
		op_path_show_as(file, NULL);
	} else {
		op_complain("%s", error.text);
	}
	free(file);
	op_pinned_close(pinned);
	free(name);
	free(parent);
	return result;
}

/* What killed packings left in a session, or in its directory "samples". */
static void remove_leftovers(const char *directory)
{
	char *samples = op_path("%s/" OP_SESSION_SAMPLES, directory);
	unsigned int n = op_pack_remove_leftovers(directory);

	n += samples ? op_pack_remove_leftovers(samples) : 0;
	if (n)
		op_safe_line(stdout, "%s: remains of killed packings removed: %u", directory, n);
	free(samples);
}

/* The same, by a path that stays what was checked. */
static int walk_trusted(const struct walk *walk, const char *path)
{
	struct stat status;
	struct op_error error;
	char *pinned;
	int fd, result;

	if (stat(path, &status) || !S_ISDIR(status.st_mode))
		return walk_file(walk, path);
	fd = trusted_dir_open(path, TRUSTED_DIR_FIND, &error);
	pinned = fd < 0 ? NULL : trusted_dir_pin(fd, path, &error);
	result = pinned ? trusted_dir_check_tree(pinned, &error) : -1;
	if (result)
		op_complain("%s", error.text);
	else
		remove_leftovers(pinned);
	if (!result)
		result = walk_directory(walk, pinned);
	op_pinned_close(pinned);
	return result;
}

int walk(const struct walk *walk, const char *path)
{
	return walk->writes ? walk_trusted(walk, path) : walk_path(walk, path);
}
