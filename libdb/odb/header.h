/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fixed part of a sample file: header and descriptor, in every form that was ever
 * written.
 *
 *	header | descriptor (32) | nodes (16 * size) | buckets (4 * size)
 *
 * The header is a C struct written as it lay in memory, so its form depends on the version,
 * on how the ABI aligns 64-bit fields and on the byte order.  None of these but the version
 * is written down; they follow from the content and from the length of the file.
 */
#ifndef LIBDB_ODB_HEADER_H
#define LIBDB_ODB_HEADER_H

#include "odb.h"

#define ODB_MAGIC	  "DAE\n"
#define ODB_DESCR_LENGTH  32
#define ODB_HEADER_LENGTH 72 /* of what is written: version 0x13, x86-64 */
#define ODB_HEADER_MAX	  88
#define ODB_HEAD_MAX	  (ODB_HEADER_MAX + ODB_DESCR_LENGTH)
#define ODB_NODE_LENGTH	  16
#define ODB_BUCKET_LENGTH 4
#define ODB_FIRST_SIZE	  128 /* slots of a new file */
#ifndef ODB_SIZE_MAX
#define ODB_SIZE_MAX 0x80000000u /* slots; the last power of two that 32 bits hold */
#endif

/* Offsets of the fields that are not at the same place in all headers. */
struct odb_layout {
	uint32_t version;
	const char *abi;
	uint8_t length;
	uint8_t cpu_speed;
	uint8_t mtime, mtime_width;
	uint8_t cg_to_is_kernel;
	uint8_t anon_start;
	uint8_t cg_to_anon_start;
};

/* What a file is. */
struct odb_shape {
	const struct odb_layout *layout;
	bool swapped; /* the byte order is not this machine's */
	bool growing; /* the length is that of a larger size: growth did not get to an end */
	bool cut;     /* the length is that of a smaller size: it did not reach the disk */
	uint64_t length;
	uint32_t size; /* what both bear out, the descriptor and the length */
	uint32_t current_size;
};

/* The layout that is written. */
extern const struct odb_layout *const odb_layout_written;

/* The layout of a version on x86-64, or NULL. */
const struct odb_layout *odb_layout_of(uint32_t version);

/* Whether a file of @length bytes has nothing in it: it was made, and did not reach the disk. */
bool odb_is_blank(const uint8_t head[static ODB_HEAD_MAX], uint64_t length);

uint32_t odb_get32(const uint8_t *bytes, bool swapped);
uint64_t odb_get64(const uint8_t *bytes, bool swapped);
void odb_put32(uint8_t *bytes, bool swapped, uint32_t value);
void odb_put64(uint8_t *bytes, bool swapped, uint64_t value);

static inline bool odb_is_size(uint32_t size)
{
	return size && !(size & (size - 1)) && size <= ODB_SIZE_MAX;
}

static inline uint64_t odb_nodes_offset(const struct odb_layout *layout)
{
	return (uint64_t)layout->length + ODB_DESCR_LENGTH;
}

static inline uint64_t odb_buckets_offset(const struct odb_layout *layout, uint32_t size)
{
	return odb_nodes_offset(layout) + (uint64_t)size * ODB_NODE_LENGTH;
}

static inline uint64_t odb_file_length(const struct odb_layout *layout, uint32_t size)
{
	return odb_buckets_offset(layout, size) + (uint64_t)size * ODB_BUCKET_LENGTH;
}

/**
 * odb_bucket - the bucket of @key in a file of @size slots
 *
 * The hash is part of the format.  It sends all keys whose halves are equal to bucket 0.
 */
static inline uint32_t odb_bucket(uint64_t key, uint32_t size)
{
	uint32_t folded = (uint32_t)((key >> 32) ^ key);

	return (folded ^ (folded >> 8)) & (size - 1);
}

/**
 * odb_guess - the most likely layout of a file that may be damaged
 * @head: its first bytes, ODB_HEAD_MAX of them or as many as there are
 * @length: of the file
 * @swapped: set
 *
 * Return: the layout, or NULL with @problem set: no magic, a version unknown, or nothing that
 *	fits together.
 */
const struct odb_layout *odb_guess(const uint8_t *head, uint64_t length, bool *swapped,
				   struct odb_problem *problem);

/**
 * odb_probe - find out the form of a file
 * @head: as for odb_guess()
 *
 * Return: 0 with @shape filled in, or -1 with @problem set.
 */
int odb_probe(const uint8_t *head, uint64_t length, struct odb_shape *shape,
	      struct odb_problem *problem);

/* Reads the header of @shape's form from @head. */
void odb_header_decode(const uint8_t *head, const struct odb_shape *shape,
		       struct odb_header *header);

/* Writes a header of @layout, which is of x86-64, and the descriptor of an empty file. */
void odb_header_encode(const struct odb_layout *layout, const struct odb_header *header,
		       uint8_t head[static ODB_HEAD_MAX]);

#endif
