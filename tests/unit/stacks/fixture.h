/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of stack files share: writing and reading them without errors, and as text. */
#ifndef LIBDB_STACKS_FIXTURE_H
#define LIBDB_STACKS_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "libdb/stacks/stacks.h"

/* As the functions of stacks.h; test failure if there is an error. */
struct stacks *open_file(const char *path, uint32_t most);
uint32_t image(struct stacks *stacks, const char *name);
void add(struct stacks *stacks, const struct stacks_frame *frames, size_t depth, uint64_t n);
struct stacks_content read_file(const char *path);

/* Of all counts. */
uint64_t sum_of(const char *path);

/*
 * A file as text: "image+offset<caller...:count", root last, in the order of the file.  The caller
 * frees it.
 */
char *text_of(const char *path);
void assert_text(const char *path, const char *want);

/* Test failure if stacks_check() finds anything. */
void assert_sound(const char *path);

#endif
