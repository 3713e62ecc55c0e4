/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening, locking, reading and replacing of files, for writers, readers, check and repair. */
#ifndef LIBDB_ODB_FILE_H
#define LIBDB_ODB_FILE_H

#include <sys/types.h>

#include "header.h"

/**
 * odb_file_open - open a regular file
 * @flags: O_RDONLY or O_RDWR
 *
 * Return: a descriptor, or -1 with @error set (its code is ENOENT if there is no such file).
 */
int odb_file_open(const char *path, int flags, struct odb_error *error);

/* Locks @fd against other writers.  Return: 0, or -1 with @error set: EBUSY. */
int odb_file_lock(int fd, const char *path, struct odb_error *error);

/* Bytes that an open file takes of the disk; 0 if that can't be told. */
uint64_t odb_file_disk_bytes(int fd);

/* Whether another process has @fd's file locked. */
bool odb_file_is_locked(int fd);

/* Whether an open file still has a name, and at least @length bytes, as far as can be told. */
bool odb_file_has(int fd, uint64_t length);

/* Whether @path still names the file that is open as @fd. */
bool odb_file_is_at(int fd, const char *path);

/* Reads @count bytes at @offset, less only at the end of the file.  Return: bytes, or -1 and
 * errno. */
ssize_t odb_file_read(int fd, void *buffer, size_t count, uint64_t offset);

/* Writes @count bytes at the end.  Return: 0, or -1 and errno (EFBIG instead of SIGXFSZ). */
int odb_file_write(int fd, const void *buffer, size_t count);

/**
 * odb_file_new - make an unfinished file beside @path
 * @temporary: set to its name, which the caller frees
 *
 * The file has mode 0644 less the umask and is locked.
 *
 * Return: a descriptor, or -1 with @error set.
 */
int odb_file_new(const char *path, char **temporary, struct odb_error *error);

/**
 * odb_file_publish - give an unfinished file its name, in one step
 * @replace: whether it takes the place of a file at @path; otherwise such a file is EEXIST
 *
 * Return: 0, or -1 with @error set.
 */
int odb_file_publish(const char *temporary, const char *path, bool replace,
		     struct odb_error *error);

/**
 * odb_file_probe - find out the form of an open file
 * @head: its first bytes
 * @length: set to its length
 *
 * A file that grows meanwhile is looked at again.
 *
 * Return: 0, or -1 with @problem set; errno is 0, or says why the file cannot be read.
 */
int odb_file_probe(int fd, uint8_t head[static ODB_HEAD_MAX], uint64_t *length,
		   struct odb_shape *shape, struct odb_problem *problem);

#endif
