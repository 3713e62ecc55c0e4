/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of oprofilefs, as they are found when it has been mounted.
 */
#ifndef TESTS_VM_FUZZ_TREE_H
#define TESTS_VM_FUZZ_TREE_H

#include "stream.h"

enum kind {
	KIND_ABSENT, /* no such file */
	KIND_DIRECTORY,
	KIND_BUFFER,
	KIND_ENABLE,
	KIND_DUMP,
	KIND_SETTING,
	KIND_STATISTIC, /* a number that can only be read */
	KIND_TEXT,
	KIND_FOREIGN, /* of another file system */
	NR_KINDS
};

struct entry {
	char path[48]; /* below where it is mounted */
	enum kind kind;
};

/* Reads the tree below @root.  Returns NULL, or what is wrong with it. */
const char *tree_read(const char *root);

/* One of the entries, or one that is not there; those that matter most more often. */
const struct entry *tree_draw(struct stream *stream);

const struct entry *tree_find(const char *path); /* or NULL */

/* The sum of the statistics of that name: of the whole, or of all CPUs. */
unsigned long tree_sum(const char *root, const char *statistic);

/* A number in a file.  Returns false if there is none. */
bool tree_number(const char *root, const char *path, unsigned long *number);

#endif
