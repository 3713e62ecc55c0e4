/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sections of call frame information: .eh_frame and .debug_frame of x86-64.
 */
#ifndef LIBOP_UNWIND_SECTION_H
#define LIBOP_UNWIND_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program.h"

struct cfi_section {
	const uint8_t *bytes;
	size_t size;
	uint64_t address; /* that the section has in memory; 0 for .debug_frame */
	bool is_eh;	  /* .eh_frame */
};

/* struct cfi_ranges - the ranges of code of some sections; all zero: none */
struct cfi_ranges {
	struct cfi_range *items;
	size_t n, capacity;
	uint32_t refused;
	struct cfi_commons *commons; /* what they point to */
};

/**
 * cfi_read - add the ranges that a section describes
 * @section: its bytes must stay where they are while @ranges is used
 *
 * What is invalid is passed over and counted in @ranges->refused.  Behind an entry whose length is
 * invalid nothing is read.
 *
 * Return: 0, or -1 when out of memory.
 */
int cfi_read(const struct cfi_section *section, struct cfi_ranges *ranges);

/* The address of .eh_frame that an .eh_frame_hdr says, which is given as @header; 0: none. */
uint64_t cfi_header_address(const struct cfi_section *header);

/* Puts them in order of their addresses; of one address, those of .eh_frame come first. */
void cfi_sort(struct cfi_ranges *ranges);

void cfi_ranges_free(struct cfi_ranges *ranges);

#endif
