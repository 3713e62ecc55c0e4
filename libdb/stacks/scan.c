// SPDX-License-Identifier: GPL-2.0-or-later
/* Stack files as bytes: see scan.h. */
#include "scan.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/odb/error.h"
#include "libdb/odb/file.h"

static void swap_header(struct stacks_header *header)
{
	header->byte_order = bswap_32(header->byte_order);
	header->version = bswap_32(header->version);
	header->header_length = bswap_32(header->header_length);
	header->unit_length = bswap_32(header->unit_length);
	header->used = bswap_32(header->used);
	header->merged = bswap_64(header->merged);
	header->unplaced = bswap_64(header->unplaced);
}

static void swap_unit(struct stacks_unit *unit)
{
	unit->parent = bswap_32(unit->parent);
	unit->image = bswap_16(unit->image);
	unit->offset_high = bswap_16(unit->offset_high);
	unit->offset_low = bswap_32(unit->offset_low);
	unit->count = bswap_32(unit->count);
}

/* Units of text are not swapped: they are bytes. */
static void swap_units(struct stacks_bytes *bytes)
{
	for (uint32_t i = 0; i < bytes->n; i++) {
		struct stacks_unit *unit = &bytes->units[i];

		swap_unit(unit);
		if (unit->parent == STACKS_IS_IMAGE)
			i += unit->offset_high;
	}
}

static int judge_header(struct stacks_bytes *bytes, const char *path, struct odb_error *error)
{
	struct stacks_header *header = &bytes->header;

	if (memcmp(header->magic, STACKS_MAGIC, sizeof(header->magic)) != 0)
		return odb_fail(error, EINVAL, path, "byte 0: not a stack file");
	bytes->swapped = header->byte_order == bswap_32(STACKS_BYTE_ORDER);
	if (bytes->swapped)
		swap_header(header);
	if (header->byte_order != STACKS_BYTE_ORDER)
		return odb_fail(error, EINVAL, path, "byte 8: no byte order: 0x%08x",
				header->byte_order);
	if (header->version != STACKS_VERSION)
		return odb_fail(error, ENOTSUP, path, "byte 12: version %u is not known",
				header->version);
	if (header->header_length != sizeof(*header) ||
	    header->unit_length != sizeof(struct stacks_unit))
		return odb_fail(error, EINVAL, path, "byte 16: lengths %u and %u are not 64 and 16",
				header->header_length, header->unit_length);
	if (!header->used || header->used > STACKS_UNITS_READ_MOST)
		return odb_fail(error, EINVAL, path, "byte 24: %u units are in use", header->used);
	return 0;
}

bool stacks_is_blank(const struct stacks_header *header, size_t length)
{
	static const struct stacks_header zeros;

	return !memcmp(header, &zeros, length);
}

/* As a file that was just made. */
static int load_blank(struct stacks_bytes *bytes, const char *path, struct odb_error *error)
{
	bytes->header.used = bytes->n = 1;
	bytes->units = calloc(1, sizeof(*bytes->units));
	if (!bytes->units)
		return odb_fail_memory(error, path);
	bytes->units[0].parent = STACKS_IS_ROOT;
	return 0;
}

int stacks_load(struct stacks_bytes *bytes, int fd, const char *path, struct odb_error *error)
{
	struct stacks_header *header = &bytes->header;
	uint64_t there;
	struct stat status;
	ssize_t got;

	*bytes = (struct stacks_bytes){0};
	got = odb_file_read(fd, header, sizeof(*header), 0);
	/* the length after the header: a writer lengthens before it makes units valid */
	if (got < 0 || fstat(fd, &status))
		return odb_fail_errno(error, path, "cannot read");
	bytes->length = (uint64_t)status.st_size;
	if (stacks_is_blank(header, (size_t)got) && (!got || (size_t)got == sizeof(*header)))
		return load_blank(bytes, path, error);
	if ((size_t)got < sizeof(*header))
		return odb_fail(error, EINVAL, path, "byte 0: %zd bytes are no stack file", got);
	if (judge_header(bytes, path, error))
		return -1;
	there = bytes->length > sizeof(*header)
			? (bytes->length - sizeof(*header)) / sizeof(struct stacks_unit)
			: 0;
	bytes->n = there < header->used ? (uint32_t)there : header->used;
	bytes->units = malloc(bytes->n ? (size_t)bytes->n * sizeof(*bytes->units) : 1);
	if (!bytes->units)
		return odb_fail_memory(error, path);
	got = odb_file_read(fd, bytes->units, (size_t)bytes->n * sizeof(*bytes->units),
			    sizeof(*header));
	if (got < 0) {
		odb_fail_errno(error, path, "cannot read");
		stacks_bytes_free(bytes);
		return -1;
	}
	bytes->n = (uint32_t)((size_t)got / sizeof(*bytes->units));
	if (bytes->swapped)
		swap_units(bytes);
	return 0;
}

void stacks_bytes_free(struct stacks_bytes *bytes)
{
	free(bytes->units);
	free(bytes->sound);
	bytes->units = NULL;
	bytes->sound = NULL;
}

const char *stacks_name_at(const struct stacks_bytes *bytes, uint32_t at, size_t *length)
{
	*length = bytes->units[at].offset_low & 0xffff;
	return (const char *)&bytes->units[at + 1];
}

/* ---- the rules ---- */

struct scan {
	struct stacks_bytes *bytes;
	odb_report *report;
	void *context;
	ptrdiff_t problems;
	struct odb_problem problem;
};

#define complain(scan, unit, ...)                                                                  \
	do {                                                                                       \
		odb_problem_set(&(scan)->problem,                                                  \
				sizeof(struct stacks_header) +                                     \
					(uint64_t)(unit) * sizeof(struct stacks_unit),             \
				__VA_ARGS__);                                                      \
		stacks_scan_tell(scan);                                                            \
	} while (0)

static void stacks_scan_tell(struct scan *scan)
{
	scan->problems++;
	if (scan->report)
		scan->report(scan->context, &scan->problem);
}

/* Return: how many units it takes. */
static uint32_t judge_image(struct scan *scan, uint32_t at)
{
	struct stacks_bytes *bytes = scan->bytes;
	const struct stacks_unit *unit = &bytes->units[at];
	uint32_t units = unit->offset_high;
	size_t length;
	const char *name = stacks_name_at(bytes, at, &length);

	if (units >= bytes->n - at) {
		complain(scan, at, "image %u: its name is cut", unit->image);
		return 1;
	}
	if (!length || units != stacks_name_units(length)) {
		complain(scan, at, "image %u: a name of %zu bytes in %u units", unit->image, length,
			 units);
		return 1;
	}
	if (unit->image != bytes->n_images) {
		complain(scan, at, "image %u stands where image %u belongs", unit->image,
			 bytes->n_images);
		return 1;
	}
	if (memchr(name, '\0', length))
		complain(scan, at, "image %u: there is a NUL in its name", unit->image);
	else
		bytes->sound[at] = STACKS_IMAGE;
	/* its number is taken, so that those behind it keep theirs */
	bytes->n_images++;
	memset(bytes->sound + at + 1, STACKS_TEXT, units);
	return 1 + units;
}

static void judge_node(struct scan *scan, uint32_t at)
{
	struct stacks_bytes *bytes = scan->bytes;
	const struct stacks_unit *unit = &bytes->units[at];

	if ((unit->parent == STACKS_IS_ROOT) != !at)
		complain(scan, at, at ? "a second root" : "the first unit is not the root");
	else if (at && (unit->parent >= at || bytes->sound[unit->parent] != STACKS_NODE))
		complain(scan, at, "the caller %u is no node before it", unit->parent);
	else if (unit->image >= bytes->n_images)
		complain(scan, at, "no image %u before it", unit->image);
	else
		bytes->sound[at] = STACKS_NODE;
}

ptrdiff_t stacks_scan(struct stacks_bytes *bytes, odb_report *report, void *context)
{
	struct scan scan = {.bytes = bytes, .report = report, .context = context};

	free(bytes->sound);
	bytes->sound = calloc(bytes->n ? bytes->n : 1, 1);
	bytes->n_images = 1;
	if (!bytes->sound) {
		complain(&scan, 0, "out of memory");
		bytes->n = 0;
		return scan.problems;
	}
	if (bytes->n < bytes->header.used)
		complain(&scan, bytes->n, "the file ends here, before %u of %u units",
			 bytes->header.used - bytes->n, bytes->header.used);
	for (uint32_t at = 0; at < bytes->n;) {
		if (bytes->units[at].parent == STACKS_IS_IMAGE) {
			at += judge_image(&scan, at);
		} else {
			judge_node(&scan, at);
			at++;
		}
	}
	return scan.problems;
}

void stacks_keep_first(void *context, const struct odb_problem *problem)
{
	struct stacks_first_problem *first = context;

	if (!first->any)
		first->problem = *problem;
	first->any = true;
}
