// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of running processes. */
#include "running_image.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/base/search.h"
#include "libop/elf/proc_maps.h"

/* What the kernel appends to the paths of removed files. */
#define DELETED " (deleted)"

/* Bytes of one process's maps that are read at most. */
#define MAPS_LIMIT (64 << 20)

struct pp_removed_file {
	char *path; /* that it had */
	char *link; /* in /proc, which opens it */
};

/* Of one or more processes: a directory, seen in a mount namespace. */
struct pp_root_directory {
	char *link; /* /proc/PID/root */
	dev_t device;
	ino_t inode;
	ino_t mounts; /* of the namespace; 0: not known */
};

/* ---- gathering ---- */

/* @target is the target of a link, such as "/usr/bin/x (deleted)".  Takes ownership of @link. */
static void add_removed(struct pp_running_images *images, const char *target, char *link)
{
	size_t n = strlen(target), k = strlen(DELETED);

	if (n <= k || *target != '/' || strcmp(target + n - k, DELETED) != 0) {
		free(link);
		return;
	}
	images->removed = op_grow(images->removed, &images->removed_capacity, images->n_removed + 1,
				  sizeof(*images->removed));
	images->removed[images->n_removed++] = (struct pp_removed_file){
		.path = op_format("%.*s", (int)(n - k), target), .link = link};
}

static void gather_program(struct pp_running_images *images, const char *pid)
{
	char *link = op_format("/proc/%s/exe", pid), target[PATH_MAX];
	ssize_t n = readlink(link, target, sizeof(target) - 1);

	target[n > 0 ? n : 0] = '\0';
	add_removed(images, target, link);
}

/* Code of removed files that are still mapped. */
static void gather_mappings(struct pp_running_images *images, const char *pid)
{
	char *path = op_format("/proc/%s/maps", pid), *target;
	char *maps = op_file_read(path, MAPS_LIMIT, NULL, NULL);
	const char *rest = maps;
	struct op_maps_line line;

	free(path);
	while (rest && op_maps_next(&rest, &line)) {
		if (!line.executable || *line.name != '/')
			continue;
		target = op_format("%.*s", (int)line.name_length, line.name);
		add_removed(images, target,
			    op_format("/proc/%s/map_files/%" PRIx64 "-%" PRIx64, pid, line.start,
				      line.end));
		free(target);
	}
	free(maps);
}

/* The mount namespace of a process; 0: this user may not know it. */
static ino_t mounts_of(const char *pid)
{
	char *path = op_format("/proc/%s/ns/mnt", pid);
	struct stat status;
	ino_t mounts = stat(path, &status) ? 0 : status.st_ino;

	free(path);
	return mounts;
}

static bool has_root(const struct pp_running_images *images, const struct stat *status,
		     ino_t mounts)
{
	for (size_t i = 0; i < images->n_roots; i++) {
		const struct pp_root_directory *root = &images->roots[i];

		if (root->device == status->st_dev && root->inode == status->st_ino &&
		    root->mounts == mounts)
			return true;
	}
	return false;
}

/* Namespaces have one root directory, and other things mounted below it, after unshare(2). */
static void gather_root(struct pp_running_images *images, const char *pid)
{
	char *link = op_format("/proc/%s/root", pid);
	ino_t mounts = mounts_of(pid);
	struct stat status;

	if (stat(link, &status) || has_root(images, &status, mounts)) {
		free(link);
		return;
	}
	images->roots = op_grow(images->roots, &images->roots_capacity, images->n_roots + 1,
				sizeof(*images->roots));
	images->roots[images->n_roots++] = (struct pp_root_directory){
		.link = link,
		.device = status.st_dev,
		.inode = status.st_ino,
		.mounts = mounts};
}

static int compare_removed(const void *a, const void *b)
{
	const struct pp_removed_file *left = a, *right = b;
	int order = strcmp(left->path, right->path);

	return order ? order : strcmp(left->link, right->link);
}

static void gather(struct pp_running_images *images)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && (entry = readdir(processes)) != NULL)
		if (isdigit((unsigned char)*entry->d_name)) {
			gather_program(images, entry->d_name);
			gather_mappings(images, entry->d_name);
			gather_root(images, entry->d_name);
		}
	if (processes)
		closedir(processes);
	if (images->n_removed)
		qsort(images->removed, images->n_removed, sizeof(*images->removed),
		      compare_removed);
	images->gathered = true;
}

/* ---- looking ---- */

/* Returns @path if it is the profiled file; else frees it and returns NULL. */
static char *if_fits(const struct pp_image_identity *identity, char *path)
{
	struct stat status;

	if (!stat(path, &status) && S_ISREG(status.st_mode) &&
	    pp_image_identity_fits(identity, path))
		return path;
	free(path);
	return NULL;
}

char *pp_running_images_find(struct pp_running_images *images,
			     const struct pp_image_identity *identity)
{
	const struct pp_removed_file key = {.path = (char *)identity->path, .link = (char *)""};
	char *found = NULL;
	size_t at;

	if (!*identity->path)
		return NULL;
	if (!images->gathered)
		gather(images);
	at = op_first_match(&key, images->removed, images->n_removed, sizeof(key), compare_removed);
	for (; !found && at < images->n_removed && !strcmp(images->removed[at].path, key.path);
	     at++)
		found = if_fits(identity, op_copy(images->removed[at].link));
	for (size_t i = 0; !found && identity->state == PP_IMAGE_FOREIGN && i < images->n_roots;
	     i++)
		found = if_fits(identity, op_format("%s%s", images->roots[i].link, identity->path));
	return found;
}

void pp_running_images_free(struct pp_running_images *images)
{
	for (size_t i = 0; i < images->n_removed; i++) {
		free(images->removed[i].path);
		free(images->removed[i].link);
	}
	for (size_t i = 0; i < images->n_roots; i++)
		free(images->roots[i].link);
	free(images->removed);
	free(images->roots);
	*images = (struct pp_running_images){0};
}
