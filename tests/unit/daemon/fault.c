// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library to preload: one call of a function fails, or it and all later ones.
 *
 *	OP_FAULT=FUNCTION:N:ERRNO	the N-th call, from 1
 *	OP_FAULT=FUNCTION:N+:ERRNO	the N-th call and those after it
 *	OP_FAULT_TRACE=FILE		the number of calls is written there at the end
 */
/* Both open() and open64() are defined here: neither stands for the other. */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	bool parsed, stays;
	char function[32];
	unsigned long at, calls;
	int code;
} fault;

static void parse(void)
{
	const char *text = getenv("OP_FAULT");
	char *end;

	fault.parsed = true;
	if (!text || sscanf(text, "%31[a-z_0-9]:", fault.function) != 1)
		return;
	fault.at = strtoul(text + strlen(fault.function) + 1, &end, 10);
	fault.stays = *end == '+';
	fault.code = atoi(end + 1 + fault.stays);
}

/* Whether this call is to fail; errno is set. */
static bool fails(const char *function)
{
	if (!fault.parsed)
		parse();
	if (strcmp(function, fault.function) != 0)
		return false;
	fault.calls++;
	if (fault.calls != fault.at && !(fault.stays && fault.calls > fault.at))
		return false;
	errno = fault.code;
	return true;
}

__attribute__((destructor)) static void trace(void)
{
	const char *path = getenv("OP_FAULT_TRACE");
	FILE *out;

	*fault.function = '\0';
	out = path ? fopen(path, "w") : NULL;
	if (!out)
		return;
	fprintf(out, "%lu\n", fault.calls);
	fclose(out);
}

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

#define WRAP(type, name, group, failed, parameters, arguments)                                     \
	__attribute__((visibility("default"))) type name parameters;                               \
	type name parameters                                                                       \
	{                                                                                          \
		type(*call) parameters = (type(*) parameters)real(#name);                          \
                                                                                                   \
		return fails(group) ? (failed) : call arguments;                                   \
	}

/* The mode is passed on whether there is one or not, as registers are. */
#define MODE_OF(last)                                                                              \
	va_list list;                                                                              \
	mode_t mode;                                                                               \
                                                                                                   \
	va_start(list, last);                                                                      \
	mode = va_arg(list, mode_t);                                                               \
	va_end(list)

#define WRAP_OPEN(name)                                                                            \
	__attribute__((visibility("default"))) int name(const char *path, int flags, ...);         \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		int (*call)(const char *, int, ...) =                                              \
			(int (*)(const char *, int, ...))real(#name);                              \
		MODE_OF(flags);                                                                    \
		return fails("open") ? -1 : call(path, flags, mode);                               \
	}

#define WRAP_OPENAT(name)                                                                          \
	__attribute__((visibility("default"))) int name(int dir, const char *path, int flags,      \
							...);                                      \
	int name(int dir, const char *path, int flags, ...)                                        \
	{                                                                                          \
		int (*call)(int, const char *, int, ...) =                                         \
			(int (*)(int, const char *, int, ...))real(#name);                         \
		MODE_OF(flags);                                                                    \
		return fails("openat") ? -1 : call(dir, path, flags, mode);                        \
	}

WRAP_OPEN(open)
WRAP_OPEN(open64)
WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)
/* What checked programs call, where no mode can be wanted. */
WRAP(int, __open_2, "open", -1, (const char *path, int flags), (path, flags))
WRAP(int, __open64_2, "open", -1, (const char *path, int flags), (path, flags))
WRAP(int, __openat_2, "openat", -1, (int dir, const char *path, int flags), (dir, path, flags))
WRAP(int, __openat64_2, "openat", -1, (int dir, const char *path, int flags), (dir, path, flags))
WRAP(ssize_t, write, "write", -1, (int fd, const void *bytes, size_t n), (fd, bytes, n))
WRAP(ssize_t, pwrite, "pwrite", -1, (int fd, const void *bytes, size_t n, off_t at),
     (fd, bytes, n, at))
WRAP(ssize_t, pwrite64, "pwrite", -1, (int fd, const void *bytes, size_t n, off_t at),
     (fd, bytes, n, at))
WRAP(void *, mmap, "mmap", MAP_FAILED,
     (void *where, size_t n, int access, int flags, int fd, off_t at),
     (where, n, access, flags, fd, at))
WRAP(void *, mmap64, "mmap", MAP_FAILED,
     (void *where, size_t n, int access, int flags, int fd, off_t at),
     (where, n, access, flags, fd, at))
WRAP(int, ftruncate, "ftruncate", -1, (int fd, off_t length), (fd, length))
WRAP(int, ftruncate64, "ftruncate", -1, (int fd, off_t length), (fd, length))
WRAP(int, posix_fallocate, "fallocate", errno, (int fd, off_t from, off_t n), (fd, from, n))
WRAP(int, posix_fallocate64, "fallocate", errno, (int fd, off_t from, off_t n), (fd, from, n))
WRAP(int, rename, "rename", -1, (const char *from, const char *to), (from, to))
WRAP(int, renameat2, "renameat", -1,
     (int from, const char *name, int to, const char *other, unsigned int flags),
     (from, name, to, other, flags))
WRAP(int, mkdir, "mkdir", -1, (const char *path, mode_t mode), (path, mode))
WRAP(int, fsync, "fsync", -1, (int fd), (fd))
WRAP(int, link, "link", -1, (const char *from, const char *to), (from, to))
