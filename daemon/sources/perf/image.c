// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that processes map: see image.h.
 */
#include "image.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/elf/build_id.h"
#include "daemon/live/machine.h"
#include "record.h"

#define DELETED " (deleted)"

struct perf_image {
	struct perf_image *next;	  /* of all */
	struct perf_image *same_identity; /* another one whose identity has the same hash */
	struct perf_image *same_inode;	  /* another one that by_inode has under the same hash */
	uint64_t cookie, device, inode;
	uint64_t mapped_device, mapped_inode; /* of /proc, where the build-id is the identity */
	uint64_t mapped_version;	      /* as of version_of() */
	uint32_t generation;
	uint8_t build_id_size, build_id[PERF_BUILD_ID_MOST];
	bool foreign, kept;
	char path[];
};

static uint64_t hash_identity(const struct perf_file *file)
{
	uint64_t hash = op_hash_mix(op_hash_text(0, file->path), file->foreign);

	for (int i = 0; i < file->build_id_size; i++)
		hash = op_hash_mix(hash, file->build_id[i]);
	return op_hash_mix(op_hash_mix(op_hash_mix(hash, file->device), file->inode),
			   file->generation);
}

static bool perf_image_is_same(const struct perf_image *image, const struct perf_file *file)
{
	return image->device == file->device && image->inode == file->inode &&
	       image->generation == file->generation && image->foreign == file->foreign &&
	       image->build_id_size == file->build_id_size &&
	       (!file->build_id_size ||
		!memcmp(image->build_id, file->build_id, file->build_id_size)) &&
	       !strcmp(image->path, file->path);
}

static struct perf_file file_of(const struct perf_image *image)
{
	return (struct perf_file){
		.path = image->path,
		.device = image->device,
		.inode = image->inode,
		.generation = image->generation,
		.build_id_size = image->build_id_size,
		.build_id = image->build_id,
		.foreign = image->foreign,
	};
}

static uint64_t hash_inode(const char *path, uint64_t device, uint64_t inode)
{
	return op_hash_mix(op_hash_mix(op_hash_text(0, path), device), inode);
}

static int insert_inode(struct perf_images *images, struct perf_image *image)
{
	uint64_t hash = hash_inode(image->path, image->mapped_device, image->mapped_inode);

	if (!image->mapped_inode)
		return 0;
	image->same_inode = op_hash_map_find(&images->by_inode, hash);
	return op_hash_map_set(&images->by_inode, hash, image);
}

static int insert(struct perf_images *images, struct perf_image *image)
{
	const struct perf_file file = file_of(image);
	uint64_t hash = hash_identity(&file);

	image->same_identity = op_hash_map_find(&images->by_identity, hash);
	if (op_hash_map_set(&images->by_identity, hash, image) ||
	    op_hash_map_set(&images->by_cookie, image->cookie, image))
		return -1;
	return insert_inode(images, image);
}

static struct perf_image *perf_images_find(const struct perf_images *images,
					   const struct perf_file *file)
{
	struct perf_image *image = op_hash_map_find(&images->by_identity, hash_identity(file));

	while (image && !perf_image_is_same(image, file))
		image = image->same_identity;
	return image;
}

static struct perf_image *find_or_make(struct perf_images *images, const struct perf_file *file)
{
	struct perf_image *image = perf_images_find(images, file);

	if (image)
		return image;
	image = calloc(1, sizeof(*image) + strlen(file->path) + 1);
	if (!image)
		return NULL;
	image->cookie = ++images->last_cookie;
	image->device = file->device;
	image->inode = file->inode;
	image->generation = file->generation;
	image->foreign = file->foreign;
	image->build_id_size = file->build_id_size;
	if (file->build_id_size)
		memcpy(image->build_id, file->build_id, file->build_id_size);
	strcpy(image->path, file->path);
	image->kept = true;
	/* into the list first: what is in any table must live on, whatever fails */
	image->next = images->all;
	images->all = image;
	images->count++;
	return insert(images, image) ? NULL : image;
}

uint64_t perf_image_cookie(struct perf_images *images, const struct perf_file *file)
{
	const struct perf_image *image = find_or_make(images, file);

	return image ? image->cookie : OPROFILE_INVALID_COOKIE;
}

/* What changes when a file is written to, or another one gets its inode; 0: it is not known.  Asks
 * no server of a file system. */
static uint64_t version_of(const char *access)
{
	struct statx status;
	uint64_t version;

	if (statx(AT_FDCWD, access, AT_STATX_DONT_SYNC, STATX_CTIME | STATX_SIZE, &status))
		return 0;
	version = op_hash_mix(status.stx_size, (uint64_t)status.stx_ctime.tv_sec);
	return op_hash_mix(version, status.stx_ctime.tv_nsec) | 1;
}

static const struct perf_image *find_mapped(const struct perf_images *images,
					    const struct perf_file *file, uint64_t version)
{
	uint64_t hash = hash_inode(file->path, file->device, file->inode);
	const struct perf_image *image = op_hash_map_find(&images->by_inode, hash);

	while (image &&
	       (image->mapped_device != file->device || image->mapped_inode != file->inode ||
		image->foreign != file->foreign || strcmp(image->path, file->path) != 0 ||
		(version && image->mapped_version && image->mapped_version != version)))
		image = image->same_inode;
	return image;
}

uint64_t perf_image_cookie_of_mapped(struct perf_images *images, const struct perf_file *file,
				     const char *access)
{
	uint64_t version = version_of(access);
	const struct perf_image *known = find_mapped(images, file, version);
	uint8_t id[BUILD_ID_MAX];
	struct perf_file reported = *file;
	struct perf_image *image;
	size_t length;

	if (known)
		return known->cookie;
	length = build_id_of_file(access, id);
	/* the kernel reports none longer */
	if (length && length <= PERF_BUILD_ID_MOST) {
		reported.build_id = id;
		reported.build_id_size = (uint8_t)length;
		reported.device = reported.inode = 0;
	}
	image = find_or_make(images, &reported);
	if (!image)
		return OPROFILE_INVALID_COOKIE;
	if (!image->mapped_inode) {
		image->mapped_device = file->device;
		image->mapped_inode = file->inode;
		insert_inode(images, image);
	}
	if (image->mapped_device == file->device && image->mapped_inode == file->inode)
		image->mapped_version = version;
	return image->cookie;
}

/* Whether the kernel has appended " (deleted)" to the path: no file is called that. */
static bool is_deleted(const char *path)
{
	size_t length = strlen(path), tail = strlen(DELETED);
	struct stat status;

	return length > tail && !strcmp(path + length - tail, DELETED) && stat(path, &status);
}

int perf_image_facts(const struct perf_images *images, uint64_t cookie, struct image_facts *facts)
{
	const struct perf_image *image = op_hash_map_find(&images->by_cookie, cookie);
	struct oprofile_image *reported = &facts->reported;

	if (!image)
		return -1;
	reported->cookie = cookie;
	reported->device = image->device;
	reported->inode = image->inode;
	reported->generation = image->generation;
	reported->flags = (is_deleted(image->path) ? OPROFILE_IMAGE_DELETED : 0) |
			  (image->foreign ? OPROFILE_IMAGE_FOREIGN_NS : 0) |
			  (image->build_id_size ? OPROFILE_IMAGE_BUILD_ID : 0);
	reported->build_id_size = image->build_id_size;
	memcpy(reported->build_id, image->build_id, image->build_id_size);
	snprintf(reported->path, sizeof(reported->path), "%s", image->path);
	reported->path_size = (uint32_t)strlen(reported->path) + 1;
	machine_find_image(facts);
	return 0;
}

void perf_image_keep(struct perf_images *images, uint64_t cookie)
{
	struct perf_image *image = op_hash_map_find(&images->by_cookie, cookie);

	if (image)
		image->kept = true;
}

void perf_images_sweep(struct perf_images *images)
{
	struct perf_image **link = &images->all, *image;

	op_hash_map_free(&images->by_identity);
	op_hash_map_free(&images->by_cookie);
	op_hash_map_free(&images->by_inode);
	while ((image = *link)) {
		bool kept = image->kept;

		image->kept = false;
		image->same_inode = NULL;
		if (kept) {
			/* one that finds no room in a table gets another cookie next time */
			insert(images, image);
			link = &image->next;
			continue;
		}
		*link = image->next;
		images->count--;
		free(image);
	}
}

void perf_images_free(struct perf_images *images)
{
	struct perf_image *image, *next;

	for (image = images->all; image; image = next) {
		next = image->next;
		free(image);
	}
	op_hash_map_free(&images->by_identity);
	op_hash_map_free(&images->by_cookie);
	op_hash_map_free(&images->by_inode);
	*images = (struct perf_images){0};
}
