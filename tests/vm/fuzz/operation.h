/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the fuzzer can do, and the process that does it.
 *
 * An operation is drawn with all its arguments from its stream before it runs, also what it will
 * not need; only what the machine answers is not reproduced by the seed.
 */
#ifndef TESTS_VM_FUZZ_OPERATION_H
#define TESTS_VM_FUZZ_OPERATION_H

#include <stddef.h>

#include "tree.h"

#define SLOTS 8
#define ROOTS 3

/* A file that may be open. */
struct slot {
	int fd; /* -1: it is not */
	enum kind kind;
	bool blocking; /* a read may have to wait */
};

/**
 * struct worker - a process that fuzzes
 * @calm: the accounts are being kept: it must not stop, read, mount or unload
 */
struct worker {
	unsigned int number;
	bool calm;
	struct slot slots[SLOTS];
	char *memory; /* room for what is read, MEMORY bytes */
	struct stream stream;
	char text[88]; /* what it does */
};

#define MEMORY (1U << 22)

/**
 * struct operation - a kind of operation
 * @weight: how often, relative to the others
 * @calm: may be done while the accounts are kept
 * @run: do it; 0 or an errno
 * @errors: the errnos that are documented, up to a 0; those of EXPECT() besides
 */
struct operation {
	const char *name;
	unsigned int weight;
	bool calm;
	int (*run)(struct worker *worker);
	const int *errors;
};

#define ERRNOS(...) ((const int[]){ __VA_ARGS__, 0 })

extern const struct operation operations[];
extern const unsigned int nr_operations;

/* The module's file, and where oprofilefs may be mounted: folders that nobody can write to. */
extern const char *module_path;
extern const char *const roots[ROOTS];

/* Has the operation's text say what it is done to. */
void describe(struct worker *worker, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

struct slot *draw_slot(struct worker *worker);
struct slot *draw_free_slot(struct worker *worker);
void slot_close(struct slot *slot);
void slot_set(struct slot *slot, int fd, enum kind kind, bool blocking);

/* A path of oprofilefs into @path; @entry says of what. */
const struct entry *draw_path(struct worker *worker, char *path, size_t size);

/* Numbers as somebody could write them: right, at a limit, wrong. */
const char *draw_text(struct worker *worker, size_t *length);

/* Does as operation @index of the round says, and judges what came of it. */
void worker_step(struct worker *worker, unsigned int index);

/* Loads the module with parameters that work.  0 or an errno. */
int module_load(const char *parameters);
int module_unload(void);

bool mounted_on(const char *root); /* oprofilefs is */

/* The words of the event buffer that is opened next; 0 if there is none. */
unsigned long buffer_words(void);

/* Writes into a file of oprofilefs.  0 or an errno. */
int put(const char *path, const char *text, size_t length);

/* Gives the first counter something to count, where there are counters. */
void program_counter(void);

/* What oprofilefs's buffer returned, in worker->memory. */
void judge_buffer(struct worker *worker, int fd, size_t size);

/* operations_*.c */
#define DECLARE(name) int op_##name(struct worker *worker)
DECLARE(open); DECLARE(close); DECLARE(read); DECLARE(pread); DECLARE(readv); DECLARE(write);
DECLARE(pwrite); DECLARE(writev); DECLARE(lseek); DECLARE(poll); DECLARE(epoll); DECLARE(select);
DECLARE(ioctl); DECLARE(image); DECLARE(unwind); DECLARE(mmap); DECLARE(dup); DECLARE(dup2);
DECLARE(fcntl);
DECLARE(fstat); DECLARE(ftruncate); DECLARE(fallocate); DECLARE(sendfile); DECLARE(splice);
DECLARE(copy_range); DECLARE(getdents); DECLARE(flock); DECLARE(fsync); DECLARE(fchmod);
DECLARE(stat); DECLARE(access); DECLARE(chmod); DECLARE(chown); DECLARE(unlink); DECLARE(rename);
DECLARE(mkdir); DECLARE(rmdir); DECLARE(link); DECLARE(symlink); DECLARE(mknod); DECLARE(truncate);
DECLARE(xattr); DECLARE(statfs); DECLARE(creat); DECLARE(chdir);
DECLARE(buffer); DECLARE(drain); DECLARE(wait); DECLARE(start); DECLARE(stop); DECLARE(dump);
DECLARE(set);
DECLARE(mount); DECLARE(umount); DECLARE(remount); DECLARE(bind); DECLARE(userns);
DECLARE(insmod); DECLARE(rmmod); DECLARE(parameter);
DECLARE(hotplug); DECLARE(fork); DECLARE(kill);
#undef DECLARE

#endif
