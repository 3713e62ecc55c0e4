// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the files of images. */
#include "image_path.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debuginfod.h"
#include "image_identity.h"
#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/search.h"
#include "libop/foreign/door.h"
#include "libop/saved/store.h"
#include "libop/saved/symbols.h"

static void gather_file(struct pp_image_search *search, size_t *capacity, const char *path)
{
	struct pp_found_file *file;

	search->found = op_grow(search->found, capacity, search->n_found + 1, sizeof(*file));
	file = &search->found[search->n_found++];
	file->path = op_copy(path);
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
	char **roots = op_alloc(n + 1, sizeof(*roots)); /* NULL at its end */
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
		return op_copy(files->path);
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
	char *below = op_format("%s/%.2s", dir, identity->id), *found = NULL;
	DIR *entries = opendir(below);
	struct dirent *entry;

	while (entries && !found && (entry = readdir(entries)) != NULL) {
		if (strncmp(entry->d_name, identity->id + 2, identity->id_length - 2) != 0 ||
		    strchr(entry->d_name, '.'))
			continue;
		found = if_fits(identity, op_format("%s/%s", below, entry->d_name));
		if (!found)
			found = if_fits(identity, op_format("%s/%s/elf", below, entry->d_name));
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

	for (size_t i = 0; !found && i < OP_ARRAY_SIZE(dirs); i++) {
		char *dir = op_format("%s%s", pp_image_root(search), dirs[i]);

		found = find_in_build_ids(identity, dir);
		free(dir);
	}
	if (!found && home && *home) {
		char *dir = op_format("%s/.debug/.build-id", home);

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
		found = op_format("%s%s", search->archive, name);
		if (is_file(found, reason) &&
		    (!identity->has_build_id || pp_image_identity_fits(identity, found)))
			return found;
		free(found);
		found = NULL;
	}
	for (size_t i = 0; !found && i < OP_ARRAY_SIZE(prefixes); i++)
		if (prefixes[i] && *identity->path)
			found = if_fits(identity, op_format("%s%s", prefixes[i], identity->path));
	files = pp_image_search_base(search, identity->path, &n);
	for (size_t i = 0; !found && i < n; i++)
		found = if_fits(identity, op_copy(files[i].path));
	if (!found && identity->has_build_id)
		found = find_by_build_id(search, identity);
	if (!found && !search->archive)
		found = pp_running_images_find(&search->running, identity);
	if (!found)
		*reason = "the file that was profiled was not found";
	return found;
}

/* ---- images that sessions identify ---- */

static const struct op_image_known *find_known(struct pp_image_search *search, const char *name)
{
	const struct op_image_known *known;
	char *full;

	for (size_t i = 0; !search->is_known_read && i < search->n_dirs; i++)
		op_image_list_read(&search->known, search->samples_dirs[i]);
	search->is_known_read = true;
	full = op_format("{root}%s", name);
	known = op_image_list_find(&search->known, full);
	free(full);
	return known;
}

const struct op_identity *pp_image_known(struct pp_image_search *search, const char *name)
{
	const struct op_image_known *known = find_known(search, name);

	return known && !known->is_ambiguous ? &known->identity : NULL;
}

/* What is missing, and how to get it. */
static const char *say_other(struct pp_image_search *search, const struct op_image_known *known,
			     const struct op_identity *found)
{
	char was[IDENTITY_TEXT], is[IDENTITY_TEXT];

	if (known->is_ambiguous)
		return "the sessions have profiled different files of this name; report one of "
		       "them at a time";
	if (!known->identity.build_id_size && !found->build_id_size)
		return "the file there has changed since it was profiled; --image-path=DIR names "
		       "where the old one is";
	snprintf(search->why, sizeof(search->why),
		 "the file there is another one (build-id %.16s) than was profiled (%.16s); "
		 "--image-path=DIR, or DEBUGINFOD_URLS, names where the old one is",
		 found->build_id_size ? identity_text(found, is) : "none",
		 known->identity.build_id_size ? identity_text(&known->identity, was) : "none");
	return search->why;
}

/* Returns @path if it is the file that was profiled; else frees it and returns NULL. */
static char *if_same(struct pp_image_search *search, const struct op_image_known *known, char *path,
		     bool is_copy, const char **why)
{
	struct op_identity identity;
	int fd;

	if (!is_file(path, why)) {
		free(path);
		return NULL;
	}
	fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	if (fd < 0) {
		*why = foreign_reason(errno);
	} else if (!identity_of_open(fd, path, &identity)) {
		*why = "it cannot be read";
	} else if (!known->is_ambiguous && identity_fits(&identity, &known->identity, is_copy)) {
		close(fd);
		return path;
	} else {
		*why = say_other(search, known, &identity);
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return NULL;
}

/* By its build-id: in directories of build-ids, in running processes, from a server. */
static char *find_elsewhere(struct pp_image_search *search, const char *name,
			    const struct op_identity *known)
{
	struct pp_image_identity identity = {.state = PP_IMAGE_DELETED, .path = name};
	char text[IDENTITY_TEXT], *found;

	if (known->build_id_size < PP_IDENTITY_BUILD_ID)
		return NULL;
	identity.id = identity_text(known, text);
	identity.id_length = strlen(text);
	identity.has_build_id = true;
	memcpy(identity.build_id, known->build_id, PP_IDENTITY_BUILD_ID);
	found = find_by_build_id(search, &identity);
	if (!found && !search->archive)
		found = pp_running_images_find(&search->running, &identity);
	if (!found)
		found = pp_debuginfod_executable(known->build_id, known->build_id_size);
	return found;
}

static char *find_known_file(struct pp_image_search *search, const char *name,
			     const struct op_image_known *known, const char *const *prefixes,
			     size_t n_prefixes, const char **why)
{
	const char *ignored = NULL;
	const struct pp_found_file *files;
	char *found = NULL;
	size_t n;

	for (size_t i = 0; !found && i < n_prefixes; i++) {
		if (prefixes[i])
			found = if_same(search, known, op_format("%s%s", prefixes[i], name),
					*prefixes[i], why);
	}
	files = pp_image_search_base(search, name, &n);
	for (size_t i = 0; !found && i < n; i++)
		found = if_same(search, known, op_copy(files[i].path), true, &ignored);
	return found || known->is_ambiguous ? found
					    : find_elsewhere(search, name, &known->identity);
}

static char *find_by_path(struct pp_image_search *search, const char *name,
			  const char *const *prefixes, size_t n_prefixes, const char **why)
{
	char *path;

	for (size_t i = 0; i < n_prefixes; i++) {
		if (!prefixes[i])
			continue;
		path = op_format("%s%s", prefixes[i], name);
		if (is_file(path, why))
			return path;
		free(path);
	}
	return find_by_base(search, name, why);
}

char *pp_image_find(struct pp_image_search *search, const char *name, const char **reason)
{
	const char *const prefixes[] = {search->archive, search->root,
					search->archive || search->root ? NULL : ""};
	const size_t n = OP_ARRAY_SIZE(prefixes);
	struct pp_image_identity identity;
	const struct op_image_known *known;
	const char *why = NULL;
	char *path;

	pp_image_identity_parse(&identity, name);
	if (identity.state != PP_IMAGE_IN_PLACE)
		return find_identity(search, name, &identity, reason);
	known = find_known(search, name);
	path = known ? find_known_file(search, name, known, prefixes, n, &why)
		     : find_by_path(search, name, prefixes, n, &why);
	if (!path)
		*reason = why;
	return path;
}

const char *pp_image_find_help(const char *reason)
{
	return strstr(reason, "; ") || strstr(reason, "--image-path")
		       ? ""
		       : "; --image-path=DIR names where it is";
}

/* ---- saved symbols ---- */

int pp_image_saved(struct pp_image_search *search, const char *name)
{
	const struct op_identity *known = pp_image_known(search, name);
	int fd = -1;

	for (size_t i = 0; known && fd < 0 && i < search->n_dirs; i++)
		fd = saved_symbols_open(search->samples_dirs[i], known);
	return fd;
}

bool pp_image_may_be_renamed(struct pp_image_search *search, const char *name, const char *path)
{
	const struct op_identity *known = pp_image_known(search, name);
	struct op_identity identity;
	bool is_other;
	int fd;

	if (!known || !known->has_file)
		return false;
	fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	if (fd < 0)
		return false;
	is_other = identity_of_open(fd, path, &identity) &&
		   !identity_is_of_file(&identity, known, *pp_image_root(search));
	close(fd);
	return is_other;
}

char *pp_image_saved_path(struct pp_image_search *search, const char *name, char **file)
{
	const struct op_identity *known = pp_image_known(search, name);
	char text[SAVED_NAME], *path = NULL;

	if (!known || !*saved_symbols_name(known, text))
		return NULL;
	for (size_t i = 0; !path && i < search->n_dirs; i++)
		path = saved_path(search->samples_dirs[i], text, NULL);
	*file = path ? op_copy(text) : NULL;
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
	op_image_list_free(&search->known);
	search->is_known_read = false;
	search->found = NULL;
	search->n_found = 0;
	search->searched = false;
}
