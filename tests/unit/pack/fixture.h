/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session of a few files of each kind in a directory of its own; what is in it as text, so that
 * its forms can be compared.
 */
#ifndef TEST_LIBOP_PACK_FIXTURE_H
#define TEST_LIBOP_PACK_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libdb/odb/odb.h"
#include "libop/pack/session.h"

#define EVENT "EV.100.0.all.all.all"

/* Set up and tear down of the group, and of a test, which begins with an empty session. */
int enter(void **state);
int leave(void **state);
int empty(void **state);

/* The session's directory. */
extern char *current;
/* @name below it; the caller frees it. */
char *path_of(const char *name);

/* Makes the directories above a file. */
void make_dirs(const char *path);

/* Adds to a loose file, which is made if it is not there; leaf first. */
extern const struct odb_header sample_header;
void add(const char *name, uint64_t key, uint64_t count);
void add_stack(const char *name, const char *const *images, const uint64_t *offsets, size_t depth,
	       uint64_t count);

/* Images of three frames. */
extern const char *const kernel_and_program[3];

/* Makes FILES that can be packed, and some that cannot. */
#define FILES 8
void fill(void);

/* All that is in the session, as text that does not depend on its form; the caller frees it. */
char *describe(void);
/* Test failure, unless the session is described so. */
void expect_same(const char *before);

/* What is in a pack, or NULL if it is damaged; test failure if the error does not name it. */
char *read_pack(const char *path);

/* Files that are named like those that can be packed. */
size_t loose_files(void);

/* Pack and unpack the session; test failure if it fails. */
struct op_pack_result pack(void);
struct op_pack_result unpack(void);

/* Starts work in a child that stops at its first system call; skips if that is not allowed. */
pid_t start_traced(int (*work)(void));
/* Lets it run to the beginning or end of its next system call.  Return: false: it exited. */
bool next_call(pid_t child);

/* The same numbers in each run. */
uint64_t random_below(uint64_t n);

#endif
