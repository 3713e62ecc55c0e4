/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whole sample file in memory, of any version and byte order, for check and repair.
 */
#ifndef LIBDB_ODB_IMAGE_H
#define LIBDB_ODB_IMAGE_H

#include "header.h"

struct odb_image {
	uint8_t *bytes;
	uint64_t length; /* at least ODB_HEAD_MAX bytes are allocated */
	const struct odb_layout *layout;
	bool swapped;
	uint32_t size;
	uint32_t current_size;
};

static inline uint64_t odb_image_node(const struct odb_image *image, uint32_t node)
{
	return odb_nodes_offset(image->layout) + (uint64_t)node * ODB_NODE_LENGTH;
}

static inline uint64_t odb_image_bucket(const struct odb_image *image, uint32_t bucket)
{
	return odb_buckets_offset(image->layout, image->size) +
	       (uint64_t)bucket * ODB_BUCKET_LENGTH;
}

static inline uint64_t odb_image_key(const struct odb_image *image, uint32_t node)
{
	return odb_get64(image->bytes + odb_image_node(image, node), image->swapped);
}

static inline uint32_t odb_image_value(const struct odb_image *image, uint32_t node)
{
	return odb_get32(image->bytes + odb_image_node(image, node) + 8, image->swapped);
}

static inline uint32_t odb_image_next(const struct odb_image *image, uint32_t node)
{
	return odb_get32(image->bytes + odb_image_node(image, node) + 12, image->swapped);
}

static inline uint32_t odb_image_head(const struct odb_image *image, uint32_t bucket)
{
	return odb_get32(image->bytes + odb_image_bucket(image, bucket), image->swapped);
}

/* Adds a node; the image has room for it. */
void odb_image_put(struct odb_image *image, uint64_t key, uint32_t value);

/* Counts problems, and reports them if anybody listens. */
struct odb_findings {
	odb_report *report; /* may be NULL */
	void *context;
	ptrdiff_t count;
	ptrdiff_t harmless; /* that are not in @count */
};

/**
 * odb_image_check - look at all of an image
 * @shape: its form, as odb_probe() found it
 *
 * Nodes that are old buckets are emptied in @image, for they are no nodes.
 *
 * @busy: leave out what a writer changes all the time
 *
 * Return: 0, or -1 when out of memory.
 */
int odb_image_check(struct odb_image *image, const struct odb_shape *shape, bool busy,
		    struct odb_findings *findings);

/**
 * odb_image_load - read @length bytes of a file
 *
 * Return: 0 with bytes and length of @image set (free() frees the bytes), or -1 with @error.
 */
int odb_image_load(struct odb_image *image, int fd, const char *path, uint64_t length,
		   struct odb_error *error);

#endif
