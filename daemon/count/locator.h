/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The image and offset of an address: in the kernel, in a file, or in anonymous memory.
 */
#ifndef DAEMON_COUNT_LOCATOR_H
#define DAEMON_COUNT_LOCATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/images/anonymous.h"
#include "context.h"
#include "daemon/images/image.h"
#include "daemon/images/kernel.h"
#include "daemon/files/stats.h"

/* struct address_range - addresses of one image */
struct address_range {
	uint64_t start, size; /* the addresses from @start, @size many */
	uint64_t base;	      /* offset 0 of the image is at this address */
	struct image *image;
};

static inline bool address_range_has(const struct address_range *range, uint64_t address)
{
	return address - range->start < range->size;
}

struct locator {
	struct images images;
	struct anon anon;
	struct kernel kernel;
};

/* The program of the process, or NULL if it is unknown; the source is asked once for a context. */
struct image *locator_program(struct locator *locator, struct context *context);

/**
 * locator_find - the range that an address of a context is in
 * @address: of user code in a file it is the offset in it
 * @buffer: the number of the buffer that is being decoded
 * @range: filled in
 * @lost: set to the statistic that counts the loss, if there is none
 *
 * Return: whether it is known.
 */
bool locator_find(struct locator *locator, struct context *context, uint64_t address,
		  uint64_t buffer, struct address_range *range, enum stat_id *lost);

/* Frees all images but the kernel's.  No sample file may be open. */
void locator_forget(struct locator *locator);
void locator_free(struct locator *locator);

#endif
