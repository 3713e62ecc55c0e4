// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing a whole sample file at once, of a version of choice. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "file.h"
#include "image.h"

void odb_image_put(struct odb_image *image, uint64_t key, uint32_t value)
{
	uint8_t *node = image->bytes + odb_image_node(image, image->current_size);
	uint32_t bucket = odb_bucket(key, image->size);
	uint8_t *head = image->bytes + odb_image_bucket(image, bucket);

	odb_put64(node, image->swapped, key);
	odb_put32(node + 8, image->swapped, value);
	memcpy(node + 12, head, ODB_BUCKET_LENGTH);
	odb_put32(head, image->swapped, image->current_size++);
}

/* How many nodes a count needs. */
static uint64_t nodes_of(uint64_t count)
{
	return count / UINT32_MAX + !!(count % UINT32_MAX);
}

static uint64_t nodes_of_all(const struct odb_entry *entries, size_t n)
{
	uint64_t nodes = 0;

	for (size_t i = 0; i < n && nodes < ODB_SIZE_MAX; i++)
		nodes += nodes_of(entries[i].count);
	return nodes;
}

static void odb_image_put_all(struct odb_image *image, const struct odb_entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t rest = entries[i].count;

		for (; rest > UINT32_MAX; rest -= UINT32_MAX)
			odb_image_put(image, entries[i].key, UINT32_MAX);
		if (rest)
			odb_image_put(image, entries[i].key, (uint32_t)rest);
	}
}

static int make(struct odb_image *image, const struct odb_header *header,
		const struct odb_entry *entries, size_t n)
{
	const struct odb_layout *layout = image->layout;
	uint64_t nodes = nodes_of_all(entries, n), size = ODB_FIRST_SIZE;

	while (size <= nodes)
		size *= 2;
	if (size > ODB_SIZE_MAX)
		return EFBIG;
	image->size = (uint32_t)size;
	image->current_size = 1;
	image->length = odb_file_length(layout, image->size);
	image->bytes = calloc(1, image->length + ODB_HEAD_MAX);
	if (!image->bytes)
		return ENOMEM;
	odb_header_encode(layout, header, image->bytes);
	odb_image_put_all(image, entries, n);
	odb_put32(image->bytes + layout->length, false, image->size);
	odb_put32(image->bytes + layout->length + 4, false, image->current_size);
	return 0;
}

static int write_image(const char *path, const struct odb_image *image, struct odb_error *error)
{
	char *temporary;
	int fd = odb_file_new(path, &temporary, error), result = 0;

	if (fd < 0)
		return -1;
	if (odb_file_write(fd, image->bytes, image->length))
		result = odb_fail_errno(error, path, "cannot write");
	else
		result = odb_file_publish(temporary, path, false, error);
	if (result)
		unlink(temporary);
	free(temporary);
	close(fd);
	return result;
}

int odb_write(const char *path, uint32_t version, const struct odb_header *header,
	      const struct odb_entry *entries, size_t n, struct odb_error *error)
{
	struct odb_image image = {.layout = odb_layout_of(version)};
	int code = image.layout ? make(&image, header, entries, n) : EINVAL, result;

	if (code == EINVAL)
		return odb_fail(error, code, path, "version 0x%x is unknown", version);
	result = code ? odb_fail_code(error, code, path, "cannot make a file of %zu entries", n)
		      : write_image(path, &image, error);
	free(image.bytes);
	return result;
}
