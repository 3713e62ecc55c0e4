/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What perf calls its mappings and build-ids, as images of the model.
 */
#ifndef PP_FORMATS_PERF_IMAGE_H
#define PP_FORMATS_PERF_IMAGE_H

#include "libop/perf/record.h"
#include "pp/formats/model/profile.h"

/* Whose code a record is about: bits of its misc. */
enum perf_cpumode {
	PERF_MODE_UNKNOWN,
	PERF_MODE_KERNEL,
	PERF_MODE_USER,
	PERF_MODE_HYPERVISOR,
	PERF_MODE_GUEST_KERNEL,
	PERF_MODE_GUEST_USER,
};

static inline enum perf_cpumode perf_cpumode(uint16_t misc)
{
	return (enum perf_cpumode)(misc & 7);
}

/* What perf calls the kernel. */
#define PERF_KERNEL_NAME "[kernel.kallsyms]"

/* Bytes for a name that is not spelled as in the recording: kernel modules have 55 at most. */
#define PERF_NAME_ROOM 64

/* The image of a path without a place; it lives as long as the path and @room do. */
struct prof_image perf_image_of(const char *path, uint16_t misc, char room[PERF_NAME_ROOM]);

/**
 * perf_image_of_mmap - the image of a mapping
 * @image: set to it, with its place; it lives as long as @mmap and @room do
 * @symbol: for the kernel, set to the name of the symbol that offsets are from ("_text", ""), else
 *	to NULL
 *
 * Return: false: the mapping says nothing, as that of a kernel whose addresses were hidden.
 */
bool perf_image_of_mmap(struct prof_image *image, const struct perf_mmap *mmap, uint16_t misc,
			char room[PERF_NAME_ROOM], const char **symbol);

/* Whether a mapping belongs to the kernel's address space. */
bool perf_mmap_is_kernel(const struct perf_mmap *mmap, uint16_t misc);

#endif
