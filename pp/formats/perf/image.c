// SPDX-License-Identifier: GPL-2.0-or-later
/* See image.h. */
#include "image.h"

#include <string.h>

#include "pp/formats/model/mapped_image.h"

/* No kernel is larger; some recorders let it go on to the end of all addresses. */
#define KERNEL_SIZE_MOST (UINT64_C(1) << 30)

/* A file, whatever its name: mapped_image() would take high addresses for the kernel's. */
#define ANY_USER_ADDRESS 0x1000

bool perf_mmap_is_kernel(const struct perf_mmap *mmap, uint16_t misc)
{
	return mmap->pid == UINT32_MAX && perf_cpumode(misc) != PERF_MODE_USER;
}

/* Modules go by the name without brackets. */
static const char *without_brackets(const char *name, char *room)
{
	size_t length = strlen(name);

	if (*name != '[' || name[length - 1] != ']' || length - 2 >= PERF_NAME_ROOM)
		return name;
	memcpy(room, name + 1, length - 2);
	room[length - 2] = 0;
	return room;
}

struct prof_image perf_image_of(const char *path, uint16_t misc, char room[PERF_NAME_ROOM])
{
	bool is_kernel = perf_cpumode(misc) == PERF_MODE_KERNEL;
	uint64_t somewhere = is_kernel ? UINT64_MAX : ANY_USER_ADDRESS;
	struct prof_image image = mapped_image(path, somewhere, somewhere, 0);

	if (image.kind == PROF_KERNEL && *path == '[')
		image.path = PERF_KERNEL_NAME;
	if (image.kind == PROF_MODULE)
		image.path = without_brackets(path, room);
	image.start = 0;
	image.end = 0;
	return image;
}

/* Where a kernel's offsets begin; false: its addresses were hidden from the recorder. */
static bool place_kernel(struct prof_image *image, const struct perf_mmap *mmap,
			 const char **symbol)
{
	const char *suffix = strchr(mmap->path, ']');
	uint64_t reference = mmap->offset ? mmap->offset : image->start;

	*symbol = suffix ? suffix + 1 : "";
	if (!reference || reference >= image->end)
		return false;
	/* Old recorders let it begin at 0, or as far below as modules are loaded above it. */
	if (!image->start ||
	    (image->start < reference && reference - image->start > KERNEL_SIZE_MOST))
		image->start = reference;
	image->offset = image->start - reference;
	if (image->end - image->start > KERNEL_SIZE_MOST)
		image->end = image->start + KERNEL_SIZE_MOST;
	return true;
}

bool perf_image_of_mmap(struct prof_image *image, const struct perf_mmap *mmap, uint16_t misc,
			char room[PERF_NAME_ROOM], const char **symbol)
{
	bool is_kernel = perf_mmap_is_kernel(mmap, misc);

	*symbol = NULL;
	*image = perf_image_of(mmap->path, is_kernel ? PERF_MODE_KERNEL : PERF_MODE_USER, room);
	image->start = mmap->start;
	image->end = mmap->start + mmap->length;
	if (image->end < image->start)
		image->end = UINT64_MAX;
	if (mmap->build_id_length) {
		image->build_id_length = mmap->build_id_length;
		memcpy(image->build_id, mmap->build_id, mmap->build_id_length);
	}
	if (is_kernel && image->kind == PROF_KERNEL)
		return place_kernel(image, mmap, symbol);
	/* so are those of modules, the last of which would have all kernel code */
	if (is_kernel && !image->start)
		return false;
	if (image->kind == PROF_FILE) {
		image->offset = mmap->offset;
		image->inode = mmap->inode;
	}
	return image->start < image->end;
}
