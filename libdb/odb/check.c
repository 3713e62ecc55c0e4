// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "file.h"
#include "image.h"

void odb_finding(struct odb_findings *findings, const struct odb_problem *problem)
{
	findings->count++;
	if (findings->report)
		findings->report(findings->context, problem);
}

static void found(struct odb_findings *findings, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void found(struct odb_findings *findings, uint64_t offset, const char *format, ...)
{
	struct odb_problem problem = {.offset = offset};
	va_list args;

	va_start(args, format);
	vsnprintf(problem.text, sizeof(problem.text), format, args);
	va_end(args);
	odb_finding(findings, &problem);
}

static bool is_zero(const struct odb_image *image, uint64_t offset, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (image->bytes[offset + i])
			return false;
	}
	return true;
}

static void check_head(const struct odb_image *image, struct odb_findings *findings)
{
	uint64_t descr = image->layout->length;
	struct odb_header header;
	struct odb_shape shape = {.layout = image->layout, .swapped = image->swapped};
	uint64_t speed = odb_get64(image->bytes + image->layout->cpu_speed, image->swapped);

	odb_header_decode(image->bytes, &shape, &header);
	if (!header.cpu_speed && speed)
		found(findings, image->layout->cpu_speed, "cpu_speed is no speed");
	if (!is_zero(image, descr + 8, 24))
		found(findings, descr + 8, "reserved words are not 0");
	if (!is_zero(image, odb_image_node(image, 0), ODB_NODE_LENGTH))
		found(findings, odb_image_node(image, 0), "node 0 is not empty");
}

/* A count of 0 means that something was lost: no writer stores one. */
static void check_counts(const struct odb_image *image, struct odb_findings *findings)
{
	for (uint32_t node = 1, end; node < image->current_size; node = end) {
		uint64_t offset = odb_image_node(image, node) + 8;

		end = node + 1;
		if (odb_image_value(image, node))
			continue;
		while (end < image->current_size && !odb_image_value(image, end))
			end++;
		if (end == node + 1)
			found(findings, offset,
			      "node %" PRIu32 " has the count 0: it wrapped or was lost", node);
		else
			found(findings, offset,
			      "nodes %" PRIu32 " to %" PRIu32
			      " have the count 0: they wrapped or were lost",
			      node, end - 1);
	}
}

/* Follows one chain; @seen has a bit for each node. */
static void check_chain(const struct odb_image *image, uint32_t bucket, uint8_t *seen,
			struct odb_findings *findings)
{
	uint64_t link = odb_image_bucket(image, bucket);
	uint32_t node = odb_image_head(image, bucket), newer = image->current_size;

	while (node) {
		uint32_t right;

		/* Links go to older nodes only, so a chain cannot be a loop. */
		if (node >= newer) {
			if (newer == image->current_size)
				found(findings, link,
				      "bucket %" PRIu32 " begins with node %" PRIu32
				      ", but current_size is %" PRIu32,
				      bucket, node, newer);
			else
				found(findings, link,
				      "node %" PRIu32 " is followed by node %" PRIu32
				      ", which is not older",
				      newer, node);
			return;
		}
		right = odb_bucket(odb_image_key(image, node), image->size);
		if (right != bucket) {
			found(findings, link,
			      "node %" PRIu32 " is in bucket %" PRIu32
			      ", but belongs to bucket %" PRIu32,
			      node, bucket, right);
			return;
		}
		seen[node / 8] |= (uint8_t)(1 << node % 8);
		link = odb_image_node(image, node) + 12;
		newer = node;
		node = odb_image_next(image, node);
	}
}

static int check_chains(const struct odb_image *image, struct odb_findings *findings)
{
	uint8_t *seen = calloc(image->size / 8 + 1, 1);
	uint32_t missing = 0, first = 0;

	if (!seen)
		return -1;
	for (uint32_t bucket = 0; bucket < image->size; bucket++)
		check_chain(image, bucket, seen, findings);
	for (uint32_t node = 1; node < image->current_size; node++) {
		if (seen[node / 8] & 1 << node % 8)
			continue;
		if (!missing++)
			first = node;
	}
	free(seen);
	if (missing)
		found(findings, odb_image_node(image, first),
		      "%" PRIu32 " of %" PRIu32 " nodes are in no chain, first node %" PRIu32,
		      missing, image->current_size - 1, first);
	return 0;
}

int odb_image_check(const struct odb_image *image, const struct odb_shape *shape, bool busy,
		    struct odb_findings *findings)
{
	if (shape->growing && !busy)
		found(findings, image->layout->length,
		      "the file has the length of size %" PRIu64 ", but size is %" PRIu32
		      ": growth was interrupted",
		      (uint64_t)image->size * 2, image->size);
	check_head(image, findings);
	check_counts(image, findings);
	return busy ? 0 : check_chains(image, findings);
}

int odb_image_load(struct odb_image *image, int fd, const char *path, uint64_t length,
		   struct odb_error *error)
{
	ssize_t got;

	image->bytes = length > SIZE_MAX - ODB_HEAD_MAX ? NULL : calloc(1, length + ODB_HEAD_MAX);
	if (!image->bytes)
		return odb_fail(error, ENOMEM, path, "no memory for %llu bytes",
				(unsigned long long)length);
	got = odb_file_read(fd, image->bytes, length, 0);
	if (got >= 0 && (uint64_t)got == length) {
		image->length = length;
		return 0;
	}
	if (got < 0)
		odb_fail_errno(error, path, "cannot read");
	else
		odb_fail(error, EINVAL, path, "byte %zd: the file was cut while it was read", got);
	free(image->bytes);
	image->bytes = NULL;
	return -1;
}

static int check_open(int fd, const char *path, bool *busy, struct odb_findings *findings,
		      struct odb_error *error)
{
	struct odb_problem problem;
	uint8_t head[ODB_HEAD_MAX];
	struct odb_image image;
	struct odb_shape shape;
	uint64_t length;
	int code;

	*busy = odb_file_is_locked(fd);
	if (odb_file_probe(fd, head, &length, &shape, &problem)) {
		if (errno)
			return odb_fail(error, errno, path, "%s", problem.text);
		odb_finding(findings, &problem);
		return 0;
	}
	if (odb_image_load(&image, fd, path, length, error))
		return -1;
	/* Of a file that is in use: what had been published before the nodes were read. */
	image.layout = shape.layout;
	image.swapped = shape.swapped;
	image.size = shape.size;
	image.current_size = shape.current_size;
	/* It may have been opened meanwhile. */
	*busy = *busy || odb_file_is_locked(fd);
	code = odb_image_check(&image, &shape, *busy, findings);
	free(image.bytes);
	return code ? odb_fail_memory(error, path) : 0;
}

ptrdiff_t odb_check(const char *path, odb_report *report, void *context, bool *busy,
		    struct odb_error *error)
{
	struct odb_findings findings = {.report = report, .context = context};
	int fd = odb_file_open(path, O_RDONLY, error);
	bool in_use = false;
	int code;

	if (fd < 0)
		return -1;
	code = check_open(fd, path, &in_use, &findings, error);
	close(fd);
	if (busy)
		*busy = in_use;
	return code ? -1 : findings.count;
}
