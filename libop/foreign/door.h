/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door for files that others own: objects, debug files, maps of JIT code, files of sessions.
 * doc/internals/foreign.md says what it keeps out.
 */
#ifndef LIBOP_FOREIGN_DOOR_H
#define LIBOP_FOREIGN_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "libop/base/error.h"
#include "links.h"

enum foreign_kind {
	FOREIGN_OBJECT,	  /* ELF file, debug file, compressed or not */
	FOREIGN_JIT_MAP,  /* perf-PID.map */
	FOREIGN_JIT_DUMP, /* jit-PID.dump */
	FOREIGN_ANY,	  /* of any size: the reader has a limit of its own */
};

/* Instead of the user who named a file: nobody but this process. */
#define FOREIGN_OURSELVES ((uid_t)-1)
/* One who named a file, and is not known: who owns nothing. */
#define FOREIGN_NOBODY ((uid_t)65534)

/**
 * foreign_owner - who can change what is in a file
 * @status: of fstat(2)
 *
 * Return: its owner; FOREIGN_NOBODY if that is root, and others may write to it, too.
 */
uid_t foreign_owner(const struct stat *status);

/**
 * foreign_is_trusted - whether nobody but root and this user can change what is in a file
 * @status: of foreign_status()
 *
 * For root, that is root alone: FOREIGN_NOBODY is foreign_owner() of the others.
 */
bool foreign_is_trusted(const struct stat *status);

/**
 * foreign_mark - say whose bytes are in a file in memory, which were unpacked from another
 *
 * Root gives the file away; others cannot, and remember it.
 *
 * Return: false if that failed: then the file must not be used.
 */
bool foreign_mark(int fd, uid_t owner);

/* fstat(2), but the owner is that of foreign_mark() if there is one.  Return: 0, or -1 and errno.
 */
int foreign_status(int fd, struct stat *status);

/**
 * foreign_memory - a file in memory, for something to be parsed
 * @name: for /proc
 *
 * It is this user's alone.  (Those of memfd_create(2) have mode 0777.)
 *
 * Return: a descriptor, or -1 and errno.
 */
int foreign_memory(const char *name);

/**
 * foreign_open - open a regular file to read it
 * @path: may begin with /proc/self/fd/N, /proc/PID/exe, /proc/PID/map_files/RANGE or
 *	/proc/PID/root, which is then what it names; what follows /proc/PID/root stays below it
 *
 * Nothing but a regular file within the limit of its kind is ever opened: no device is woken, and
 * no FIFO is waited for.
 *
 * Return: a descriptor, or -1 and errno: EINVAL if it is no regular file, EFBIG if it is too
 * large, or has more holes than bytes (limits.h), ELOOP if a link is where none may be.
 */
int foreign_open(const char *path, enum foreign_kind kind, enum foreign_links links);

/**
 * foreign_open_for - as foreign_open(), but only what another user may read, too
 * @user: who named the file
 *
 * Root opens it with no more rights than @user has, groups not counted; other users, who cannot do
 * that, only what everybody may read.
 *
 * Return: as foreign_open(); EACCES if it is not for @user.
 */
int foreign_open_for(uid_t user, const char *path, enum foreign_kind kind,
		     enum foreign_links links);

/* foreign_open() with the rights that the thread has, also after foreign_restrict(). */
int foreign_open_now(const char *path, enum foreign_kind kind, enum foreign_links links);

/**
 * foreign_restrict - from now on, open files only with the rights of another user
 *
 * For what a session of that user names: as if each foreign_open() was foreign_open_for().  Of two
 * users, what neither of them may read is not read: then it is nobody's rights.
 */
void foreign_restrict(uid_t user);

/**
 * foreign_restrict_except - nevertheless, open files below a directory with this user's own rights
 * @dir: that only this user can change; is copied
 *
 * For the files of a session itself.  A path is below it if it begins with its path, and does not
 * lead out of it: "DIR/../NAME" is still taken, but no other "..".
 */
void foreign_restrict_except(const char *dir);
bool foreign_is_restricted(void);

/**
 * foreign_lend - have foreign_open() give copies of a descriptor for a path
 * @path: lives as long as the process
 *
 * For a confined process (confined.h), which may not open the file itself.
 */
void foreign_lend(const char *path, int fd);

/* What an errno of foreign_open() means, in words. */
const char *foreign_reason(int code);

/**
 * foreign_read - read a file whole, as op_file_read() does, that foreign_open() opens
 *
 * Links are followed.
 *
 * Return: the bytes and a NUL after them, which the caller frees, or NULL with @error set.
 */
char *foreign_read(const char *path, size_t limit, size_t *length, struct op_error *error);

/**
 * foreign_read_for - as foreign_read(), but only what another user may read, too
 * @user: who named the file; FOREIGN_OURSELVES: as foreign_read()
 *
 * It is opened as foreign_open_for() does; by who is restricted already, as that is.
 */
char *foreign_read_for(uid_t user, const char *path, size_t limit, size_t *length,
		       struct op_error *error);

/* How many bytes a file that has @stored on disk may make in memory, @most at most: limits.h. */
uint64_t foreign_expansion(uint64_t stored, uint64_t most);

/* The same of a file that is open; @status is of fstat(2). */
uint64_t foreign_stored(const struct stat *status, uint64_t most);

#endif
