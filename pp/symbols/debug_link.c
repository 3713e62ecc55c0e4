// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds separate debug files: see debug_link.h. */
#include "debug_link.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "debuginfod.h"
#include "libop/base/memory.h"
#include "libop/elf/build_id.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/door.h"
#include "libop/foreign/limits.h"

#define DEBUG_DIR "/usr/lib/debug"

/* Opens a debug file.  What is read for root as root's own takes nothing from other users. */
static int open_debug_file(const struct pp_elf_file *object, const char *path)
{
	int fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);

	if (fd < 0 || !apart_is_needed(fd, path) || apart_is_needed(object->fd, NULL))
		return fd;
	close(fd);
	return -1;
}

static bool has_build_id(const struct pp_elf_file *object, const char *path, const void *id,
			 size_t size)
{
	int fd = open_debug_file(object, path);
	uint8_t other[BUILD_ID_MAX];
	bool same;

	if (fd < 0)
		return false;
	same = build_id_of_open(fd, path, other) == size && !memcmp(id, other, size);
	close(fd);
	return same;
}

char *pp_debug_link_build_id_path(const char *build_id)
{
	return op_format(DEBUG_DIR "/.build-id/%.2s/%s.debug", build_id, build_id + 2);
}

/* Returns @path if that file has the build-id of the object; else frees it and returns NULL. */
static char *if_debug_file(const struct pp_elf_file *object, char *path)
{
	uint8_t id[BUILD_ID_MAX];
	size_t size = path ? build_id_of_open(object->fd, NULL, id) : 0;

	if (size && has_build_id(object, path, id, size))
		return path;
	free(path);
	return NULL;
}

static char *find_by_build_id(const struct pp_elf_file *object, const char *root)
{
	char *id = pp_elf_build_id(object), *below, *path;

	if (!id)
		return NULL;
	below = pp_debug_link_build_id_path(id);
	path = op_format("%s%s", root, below);
	free(below);
	free(id);
	return if_debug_file(object, path);
}

static bool has_crc(const struct pp_elf_file *object, const char *path, uint32_t crc)
{
	int fd = open_debug_file(object, path);
	unsigned char buffer[65536];
	uLong sum = crc32(0, NULL, 0);
	uint64_t total = 0;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	while (total <= FOREIGN_CRC_MOST && (n = read(fd, buffer, sizeof(buffer))) > 0) {
		sum = crc32(sum, buffer, n);
		total += (uint64_t)n;
	}
	close(fd);
	return !n && (uint32_t)sum == crc;
}

static char *find_by_link(const struct pp_elf_file *object, const char *path, const char *root)
{
	GElf_Word crc;
	const char *name = dwelf_elf_gnu_debuglink(object->elf, &crc);
	char *real, *slash, *tries[3], *found = NULL;

	/* Reject directories: the name is untrusted. */
	if (!name || !*name || strchr(name, '/'))
		return NULL;
	real = realpath(path, NULL);
	if (!real)
		return NULL;
	slash = strrchr(real, '/');
	*slash = '\0';
	tries[0] = op_format("%s/.debug/%s", real, name);
	tries[1] = op_format("%s" DEBUG_DIR "%s/%s", root,
			     strncmp(real, root, strlen(root)) ? real : real + strlen(root), name);
	tries[2] = op_format("%s/%s", real, name);
	for (int i = 0; i < 3; i++) {
		if (!found && has_crc(object, tries[i], crc))
			found = tries[i];
		else
			free(tries[i]);
	}
	free(real);
	return found;
}

/* Files from servers must have the build-id of the image, too. */
static char *fetch(const struct pp_elf_file *object)
{
	uint8_t id[BUILD_ID_MAX];
	size_t size = build_id_of_open(object->fd, NULL, id);

	return size ? if_debug_file(object, pp_debuginfod_find(id, size)) : NULL;
}

char *pp_debug_link_find(const struct pp_elf_file *object, const char *path, const char *root)
{
	char *found = find_by_build_id(object, root);

	found = found ? found : find_by_link(object, path, root);
	return found ? found : fetch(object);
}
