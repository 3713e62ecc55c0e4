// SPDX-License-Identifier: GPL-2.0-or-later
/* Looking for images. */
#include "pp/image_path.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pp/memory.h"

struct pp_found_file {
	char *path;
	const char *base; /* in path */
};

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

static char *find_by_base(struct pp_image_search *search, const char *name, const char **trouble)
{
	struct pp_found_file key = {.path = (char *)""}, *file, *end;
	size_t low = 0, high;

	if (!search->searched)
		gather(search);
	key.base = strrchr(name, '/');
	key.base = key.base ? key.base + 1 : name;
	for (high = search->n_found; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (compare_bases(&search->found[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	file = search->found + low;
	end = search->found + search->n_found;
	if (file == end || strcmp(file->base, key.base))
		return NULL;
	if (file + 1 != end && !strcmp(file[1].base, key.base)) {
		*trouble = "several files below --image-path have this name";
		return NULL;
	}
	return pp_copy(file->path);
}

char *pp_image_find(struct pp_image_search *search, const char *name, const char **trouble)
{
	const char *const prefixes[] = {search->archive, search->root,
					search->archive || search->root ? NULL : ""};
	const char *why = NULL;
	struct stat status;
	char *path;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (!prefixes[i])
			continue;
		path = pp_format("%s%s", prefixes[i], name);
		if (stat(path, &status))
			why = strerror(errno);
		else if (!S_ISREG(status.st_mode))
			why = "not a regular file";
		else
			return path;
		free(path);
	}
	path = search->paths && search->paths->count ? find_by_base(search, name, &why) : NULL;
	if (!path)
		*trouble = why;
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
	search->found = NULL;
	search->n_found = 0;
	search->searched = false;
}
