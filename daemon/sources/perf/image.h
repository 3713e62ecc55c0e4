/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that processes map, as perf records name them, and cookies for them.
 *
 * A file is known by its path and its build-id; by path, device and inode if it has no
 * build-id or the kernel does not report it.
 */
#ifndef DAEMON_SOURCES_PERF_IMAGE_H
#define DAEMON_SOURCES_PERF_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/hash.h"
#include "daemon/sources/source.h"

/* struct perf_file - what a mapping says of its file */
struct perf_file {
	const char *path;
	uint64_t device, inode; /* 0: the build-id is known instead */
	uint32_t generation;
	uint8_t build_id_size;
	const uint8_t *build_id;
	bool foreign; /* @path is one of another mount namespace than the host's */
};

struct perf_image;

struct perf_images {
	struct op_hash_map by_identity, by_cookie, by_inode;
	struct perf_image *all;
	size_t count;
	uint64_t last_cookie;
};

/**
 * perf_image_cookie - the cookie of a file; the same for the same file
 *
 * Return: the cookie, which is never used again for another file, or OPROFILE_INVALID_COOKIE
 * when out of memory.
 */
uint64_t perf_image_cookie(struct perf_images *images, const struct perf_file *file);

/**
 * perf_image_cookie_of_mapped - the cookie of a file that /proc shows as mapped
 * @file: path, device and inode; the build-id is looked up
 * @access: a path by which it can be opened, whatever its own path names now
 */
uint64_t perf_image_cookie_of_mapped(struct perf_images *images, const struct perf_file *file,
				     const char *access);

/* As of source_image(). */
int perf_image_facts(const struct perf_images *images, uint64_t cookie, struct image_facts *facts);

/* Notes that a mapping still has this cookie; the next perf_images_sweep() keeps it. */
void perf_image_keep(struct perf_images *images, uint64_t cookie);

/* Forgets those that were not kept since the last sweep. */
void perf_images_sweep(struct perf_images *images);

void perf_images_free(struct perf_images *images);

#endif
