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
#include "torn.h"

/* What a disk writes as a whole, at least. */
#define DISK_UNIT 512

static void odb_finding(struct odb_findings *findings, const struct odb_problem *problem)
{
	if (problem->harmless)
		findings->harmless++;
	else
		findings->count++;
	if (findings->report)
		findings->report(findings->context, problem);
}

static void found_kind(struct odb_findings *findings, bool harmless, uint64_t offset,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));

static void found_kind(struct odb_findings *findings, bool harmless, uint64_t offset,
		       const char *format, ...)
{
	struct odb_problem problem = {.offset = offset, .harmless = harmless};
	va_list args;

	va_start(args, format);
	vsnprintf(problem.text, sizeof(problem.text), format, args);
	va_end(args);
	odb_finding(findings, &problem);
}

#define found(findings, ...)	      found_kind(findings, false, __VA_ARGS__)
#define found_harmless(findings, ...) found_kind(findings, true, __VA_ARGS__)

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

/* Whether a node without a count never reached the disk, or its second half did not. */
static bool is_unwritten(const struct odb_image *image, uint32_t node)
{
	uint64_t offset = odb_image_node(image, node);

	return is_zero(image, offset, ODB_NODE_LENGTH) ||
	       (!((offset + 8) % DISK_UNIT) && is_zero(image, offset + 8, 8));
}

/* A count of 0 means that something was lost: no writer stores one. */
static void check_counts(const struct odb_image *image, struct odb_findings *findings)
{
	for (uint32_t node = 1, end; node < image->current_size; node = end) {
		uint64_t offset = odb_image_node(image, node) + 8;
		bool unwritten;

		end = node + 1;
		if (odb_image_value(image, node))
			continue;
		unwritten = is_unwritten(image, node);
		while (end < image->current_size && !odb_image_value(image, end) &&
		       is_unwritten(image, end) == unwritten)
			end++;
		if (unwritten)
			found_harmless(findings, offset,
				       "%" PRIu32 " nodes from node %" PRIu32
				       " on were not on the disk when the power was lost",
				       end - node, node);
		else if (end == node + 1)
			found(findings, offset,
			      "node %" PRIu32 " has the count 0: it wrapped or was lost", node);
		else
			found(findings, offset,
			      "nodes %" PRIu32 " to %" PRIu32
			      " have the count 0: they wrapped or were lost",
			      node, end - 1);
	}
}

/* What only the index is wrong about; one is enough, for the next writer links all nodes anew. */
#define found_link(walk, ...)                                                                      \
	do {                                                                                       \
		if (!(walk)->told)                                                                 \
			found_harmless((walk)->findings, __VA_ARGS__);                             \
		(walk)->told = true;                                                               \
	} while (0)

struct chain_walk {
	const struct odb_image *image;
	struct odb_findings *findings;
	uint8_t *seen; /* a bit for each node */
	bool told;
};

/* Whether @node is in the chain of @bucket rightly; @link is where its number stands. */
static bool check_link(struct chain_walk *walk, uint32_t bucket, uint32_t node, uint64_t link)
{
	uint32_t right;

	if (node >= walk->image->current_size) {
		found_link(walk, link,
			   "bucket %" PRIu32 " begins with node %" PRIu32
			   ", but current_size is %" PRIu32,
			   bucket, node, walk->image->current_size);
		return false;
	}
	right = odb_bucket(odb_image_key(walk->image, node), walk->image->size);
	if (right != bucket)
		found_link(walk, link,
			   "node %" PRIu32 " is in bucket %" PRIu32
			   ", but belongs to bucket %" PRIu32,
			   node, bucket, right);
	return right == bucket;
}

/* Links go to older nodes only, so a chain cannot be a loop. */
static void check_chain(struct chain_walk *walk, uint32_t bucket)
{
	const struct odb_image *image = walk->image;
	uint64_t link = odb_image_bucket(image, bucket);
	uint32_t node = odb_image_head(image, bucket);

	while (node) {
		uint32_t next;

		if (!check_link(walk, bucket, node, link))
			return;
		walk->seen[node / 8] |= (uint8_t)(1 << node % 8);
		link = odb_image_node(image, node) + 12;
		next = odb_image_next(image, node);
		if (next >= node) {
			found(walk->findings, link,
			      "node %" PRIu32 " is followed by node %" PRIu32
			      ", which is not older",
			      node, next);
			return;
		}
		node = next;
	}
}

static void check_missing(struct chain_walk *walk)
{
	const struct odb_image *image = walk->image;
	uint32_t missing = 0, first = 0;

	for (uint32_t node = 1; node < image->current_size; node++) {
		if (walk->seen[node / 8] & 1 << node % 8)
			continue;
		if (!missing++)
			first = node;
	}
	if (missing)
		found_link(walk, odb_image_node(image, first),
			   "%" PRIu32 " of %" PRIu32 " nodes are in no chain, first node %" PRIu32,
			   missing, image->current_size - 1, first);
}

static int check_chains(const struct odb_image *image, struct odb_findings *findings)
{
	struct chain_walk walk = {.image = image, .findings = findings};

	walk.seen = calloc(image->size / 8 + 1, 1);
	if (!walk.seen)
		return -1;
	for (uint32_t bucket = 0; bucket < image->size; bucket++)
		check_chain(&walk, bucket);
	check_missing(&walk);
	free(walk.seen);
	return 0;
}

static void check_length(const struct odb_image *image, const struct odb_shape *shape,
			 struct odb_findings *findings)
{
	if (shape->growing)
		found_harmless(findings, image->layout->length,
			       "the file has %" PRIu64 " bytes, but size is %" PRIu32
			       ": growth was interrupted",
			       shape->length, shape->size);
	if (shape->cut)
		found_harmless(findings, image->layout->length,
			       "the file has the length of size %" PRIu32
			       ": its growth was not on the disk when the power was lost",
			       shape->size);
}

static void check_torn(struct odb_image *image, struct odb_findings *findings)
{
	uint32_t torn = odb_torn_clear(image->bytes + odb_image_node(image, 0), image->current_size,
				       image->swapped);

	if (torn)
		found_harmless(findings, odb_image_node(image, 0),
			       "%" PRIu32 " nodes are old buckets: they were not on the disk when "
			       "the power was lost",
			       torn);
}

int odb_image_check(struct odb_image *image, const struct odb_shape *shape, bool busy,
		    struct odb_findings *findings)
{
	if (!busy)
		check_length(image, shape, findings);
	check_head(image, findings);
	check_torn(image, findings);
	check_counts(image, findings);
	/* What has another length has no buckets where they belong. */
	return busy || shape->growing || shape->cut ? 0 : check_chains(image, findings);
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
		problem.harmless = odb_is_blank(head, length);
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
