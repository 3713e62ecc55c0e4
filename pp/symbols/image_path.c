// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the files of images. */
#include "image_path.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image_identity.h"
#include "libop/base/memory.h"
#include "libop/base/search.h"

static void gather_file(struct pp_image_search *search, size_t *capacity, const char *path)
{
	struct pp_found_file *file;

	search->found = pp_grow(search->found, capacity, search->n_found + 1, sizeof(*file));
	file = &search->found[search->n_found++];
	file->path = pp_copy(path);
	file->base = strrchr(file->path, '/') + 1;
}

static int compare_bases(const void *a, const void *b)
{
	const struct pp_found_file *left = a, *right = b;
	int order = strcmp(left->base, right->base);

	return order ? order : strcmp(left->path, right->path);
}

static void gather(struct pp_image_search *search)
{
	size_t n = search->paths->count, capacity = 0;
	char **roots = pp_alloc(n + 1, sizeof(*roots)); /* NULL at its end */
	FTSENT *entry;
	FTS *walk;

	memcpy(roots, search->paths->item, n * sizeof(*roots));
	walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (walk && (entry = fts_read(walk)) != NULL)
		if (entry->fts_info == FTS_F && strchr(entry->fts_path, '/'))
			gather_file(search, &capacity, entry->fts_path);
	if (walk)
		fts_close(walk);
	free(roots);
	if (search->n_found)
		qsort(search->found, search->n_found, sizeof(*search->found), compare_bases);
	search->searched = true;
}

const struct pp_found_file *pp_image_search_base(struct pp_image_search *search, const char *name,
						 size_t *n)
{
	struct pp_found_file key = {.path = (char *)""};
	const struct pp_found_file *file, *end;

	*n = 0;
	if (!search->paths || !search->paths->count)
		return NULL;
	if (!search->searched)
		gather(search);
	key.base = strrchr(name, '/');
	key.base = key.base ? key.base + 1 : name;
	file = search->found +
	       op_first_match(&key, search->found, search->n_found, sizeof(key), compare_bases);
	end = search->found + search->n_found;
	while (file + *n < end && !strcmp(file[*n].base, key.base))
		++*n;
	return file;
}

static char *find_by_base(struct pp_image_search *search, const char *name, const char **reason)
{
	size_t n;
	const struct pp_found_file *files = pp_image_search_base(search, name, &n);

	if (n == 1)
		return pp_copy(files->path);
	if (n)
		*reason = "several files below --image-path have this name";
	return NULL;
}

static bool is_file(const char *path, const char **reason)
{
	struct stat status;

	if (stat(path, &status))
		*reason = strerror(errno);
	else if (!S_ISREG(status.st_mode))
		*reason = "not a regular file";
	else
		return true;
	return false;
}

/* Returns @path if it is the profiled file; else frees it and returns NULL. */
static char *if_fits(const struct pp_image_identity *identity, char *path)
{
	const char *ignored;

	if (path && is_file(path, &ignored) && pp_image_identity_fits(identity, path))
		return path;
	free(path);
	return NULL;
}

/* The file in a directory of build-ids: XX/YYYY..., or XX/YYYY.../elf as perf
 * has it. */
static char *find_in_build_ids(const struct pp_image_identity *identity, const char *dir)
{
	char *below = pp_format("%s/%.2s", dir, identity->id), *found = NULL;
	DIR *entries = opendir(below);
	struct dirent *entry;

	while (entries && !found && (entry = readdir(entries)) != NULL) {
		if (strncmp(entry->d_name, identity->id + 2, identity->id_length - 2) != 0 ||
		    strchr(entry->d_name, '.'))
			continue;
		found = if_fits(identity, pp_format("%s/%s", below, entry->d_name));
		if (!found)
			found = if_fits(identity, pp_format("%s/%s/elf", below, entry->d_name));
	}
	if (entries)
		closedir(entries);
	free(below);
	return found;
}

static char *find_by_build_id(const struct pp_image_search *search,
			      const struct pp_image_identity *identity)
{
	static const char *const dirs[] = {"/usr/lib/.build-id", "/usr/lib/debug/.build-id"};
	const char *home = getenv("HOME");
	char *found = NULL;

	for (size_t i = 0; !found && i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		char *dir = pp_format("%s%s", pp_image_root(search), dirs[i]);

		found = find_in_build_ids(identity, dir);
		free(dir);
	}
	if (!found && home && *home) {
		char *dir = pp_format("%s/.debug/.build-id", home);

		found = find_in_build_ids(identity, dir);
		free(dir);
	}
	return found;
}

/* An image whose path does not name the profiled file: only a file with its identity is used. */
static char *find_identity(struct pp_image_search *search, const char *name,
			   const struct pp_image_identity *identity, const char **reason)
{
	const char *const prefixes[] = {search->archive, search->root, search->archive ? NULL : ""};
	size_t n;
	const struct pp_found_file *files;
	char *found = NULL;

	/* oparchive has checked the identity; inodes differ in an archive. */
	if (search->archive) {
		found = pp_format("%s%s", search->archive, name);
		if (is_file(found, reason) &&
		    (!identity->has_build_id || pp_image_identity_fits(identity, found)))
			return found;
		free(found);
		found = NULL;
	}
	for (size_t i = 0; !found && i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (prefixes[i] && *identity->path)
			found = if_fits(identity, pp_format("%s%s", prefixes[i], identity->path));
	files = pp_image_search_base(search, identity->path, &n);
	for (size_t i = 0; !found && i < n; i++)
		found = if_fits(identity, pp_copy(files[i].path));
	if (!found && identity->has_build_id)
		found = find_by_build_id(search, identity);
	if (!found && !search->archive)
		found = pp_running_images_find(&search->running, identity);
	if (!found)
		*reason = "the file that was profiled was not found";
	return found;
}

char *pp_image_find(struct pp_image_search *search, const char *name, const char **reason)
{
	const char *const prefixes[] = {search->archive, search->root,
					search->archive || search->root ? NULL : ""};
	struct pp_image_identity identity;
	const char *why = NULL;
	char *path;

	pp_image_identity_parse(&identity, name);
	if (identity.state != PP_IMAGE_IN_PLACE)
		return find_identity(search, name, &identity, reason);
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (!prefixes[i])
			continue;
		path = pp_format("%s%s", prefixes[i], name);
		if (is_file(path, &why))
			return path;
		free(path);
	}
	path = find_by_base(search, name, &why);
	if (!path)
		*reason = why;
	return path;
}

const char *pp_image_root(const struct pp_image_search *search)
{
	return search->archive ? search->archive : search->root ? search->root : "";
}

void pp_image_search_free(struct pp_image_search *search)
{
	for (size_t i = 0; i < search->n_found; i++)
		free(search->found[i].path);
	free(search->found);
	pp_running_images_free(&search->running);
	search->found = NULL;
	search->n_found = 0;
	search->searched = false;
}
