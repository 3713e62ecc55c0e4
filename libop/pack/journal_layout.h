/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a journal, as oprofile-pack(5) describes it: a header, then records, each of a
 * multiple of 8 bytes.  Numbers are in the machine's order.
 */
#ifndef LIBOP_PACK_JOURNAL_LAYOUT_H
#define LIBOP_PACK_JOURNAL_LAYOUT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define JOURNAL_MAGIC	"OPJRNL\r\n"
#define JOURNAL_VERSION 1

struct journal_header {
	char magic[8];
	uint32_t version;
	uint32_t header_length;
	uint64_t used; /* bytes that are valid, with the header */
	uint64_t zero;
};
static_assert(sizeof(struct journal_header) == 32, "the header as in oprofile-pack(5)");

#define JOURNAL_NAME  1
#define JOURNAL_COUNT 2

/* A sample file: the n-th of these has the number n.  Its name follows, filled up with zeros. */
struct journal_name {
	uint32_t kind;
	uint32_t length; /* of the name */
	uint32_t cpu_type, ctr_event, ctr_um, ctr_count, is_kernel, cg_to_is_kernel;
	double cpu_speed;
	uint64_t mtime, anon_start, cg_to_anon_start;
};
static_assert(sizeof(struct journal_name) == 64, "as in oprofile-pack(5)");

struct journal_count {
	uint32_t kind;
	uint32_t file; /* its number */
	uint64_t key, count;
};
static_assert(sizeof(struct journal_count) == 24, "as in oprofile-pack(5)");

#endif
