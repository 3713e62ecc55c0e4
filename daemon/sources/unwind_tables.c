// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwind tables for the kernel module: see unwind_tables.h.
 */
#include "unwind_tables.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/live/machine.h"
#include "libop/base/file.h"
#include "libop/foreign/apart.h"
#include "libop/saved/unwind.h"
#include "libop/session/log.h"
#include "libop/unwind/image.h"

/* How long one call goes on; samples wait meanwhile. */
#define MILLISECONDS_MOST 200

/* Bytes of the file of a vdso; it has two pages. */
#define VDSO_MOST 16384

static uint64_t unwind_tables_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* The vdso of this process, which all have; as a file. */
static int open_vdso(void)
{
	const void *bytes = (const void *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = bytes;
	size_t size;
	int fd;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return -1;
	size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	fd = size <= VDSO_MOST ? memfd_create("vdso", MFD_CLOEXEC) : -1;
	if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size) {
		close(fd);
		return -1;
	}
	return fd;
}

static struct unwind_table *table_of_vdso(void)
{
	int fd = open_vdso();
	struct unwind_table *table = fd >= 0 ? unwind_image_compile(fd) : NULL;

	if (fd >= 0)
		close(fd);
	return table;
}

/* A program that has ended takes the way to its files with it; another one may have it. */
static bool has_ended(uint32_t tgid)
{
	char *path = op_path("/proc/%" PRIu32, tgid);
	bool ended = path && access(path, F_OK);

	free(path);
	return ended;
}

/* Return: a number that no user has, if it is not known. */
static uint32_t owner_of(int fd)
{
	struct stat status;

	return fd < 0 || fstat(fd, &status) ? UINT32_MAX : status.st_uid;
}

/* @is_final: it is not worth asking again.  Return: NULL if there is none. */
static struct unwind_table *table_of_file(struct source *source,
					  const struct oprofile_unwind_wanted *wanted,
					  bool *is_final, uint32_t *owner)
{
	struct image_facts facts = {0};
	struct op_error error = {0};
	struct unwind_table *table;
	int fd = -1;

	if (!source_image(source, wanted->cookie, &facts))
		fd = machine_open_image(&facts, (int32_t)wanted->tgid);
	*is_final = fd >= 0 || !has_ended(wanted->tgid);
	*owner = owner_of(fd);
	if (fd < 0)
		return NULL;
	if (facts.present) /* else it may be in a container, where anybody is root */
		table = saved_unwind_open(fd, apart_is_needed(fd, facts.reported.path),
					  facts.identified ? &facts.identity : NULL, &error);
	else
		table = saved_unwind_open(fd, true, NULL, &error);
	if (!table && error.code == EAGAIN)
		*is_final = false;
	close(fd);
	return table;
}

static int unwind_tables_load(struct source *source, uint64_t cookie, uint32_t owner,
			      const void *table, size_t size)
{
	const struct oprofile_unwind unwind = {cookie, (uintptr_t)table, size, owner, 0};

	return ioctl(source->fd, OPROFILE_IOC_UNWIND, &unwind);
}

/* One line at the first, the second, the fourth, and so on: other users make such files. */
static void tell_refused(size_t size)
{
	static unsigned long refused;

	refused++;
	if (!(refused & (refused - 1)))
		log_line_errno("the kernel module takes no unwind table of %zu bytes (%lu so far)",
			       size, refused);
}

static void give(struct source *source, const struct oprofile_unwind_wanted *wanted)
{
	/* a table without rows: there is nothing to be known */
	static const uint32_t nothing[] = {UNWIND_MAGIC, UNWIND_VERSION, 0, 0, 0, 0, 0, 0, 0};
	struct unwind_table *table;
	uint32_t owner = 0;
	bool is_final = true;
	size_t size = 0;

	if (wanted->cookie == OPROFILE_VDSO_COOKIE)
		table = table_of_vdso();
	else
		table = table_of_file(source, wanted, &is_final, &owner);
	if (table)
		size = unwind_table_size(table);
	log_verbose(LOG_MISC, "unwind table of %zu bytes for image %" PRIu64 " of process %" PRIu32,
		    size, (uint64_t)wanted->cookie, wanted->tgid);
	if (table && unwind_tables_load(source, wanted->cookie, owner, table, size)) {
		tell_refused(size);
		size = 0;
	}
	if (!size && is_final)
		unwind_tables_load(source, wanted->cookie, owner, nothing, sizeof(nothing));
	free(table);
}

void unwind_tables_give(struct source *source)
{
	struct oprofile_unwind_wanted wanted;
	uint64_t end = unwind_tables_now() + MILLISECONDS_MOST;

	/* an older module knows no tables */
	while (!ioctl(source->fd, OPROFILE_IOC_UNWIND_WANTED, &wanted) &&
	       wanted.cookie != OPROFILE_NO_COOKIE) {
		give(source, &wanted);
		if (unwind_tables_now() > end)
			break;
	}
}
