/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session may take: bytes, inodes, names, and what has to stay free on its disk.
 *
 * Any user can run new programs all day.  So each owner of programs but root may take a quarter,
 * and all of them together three quarters; and files of their own are made at a limited rate, the
 * others are in the journal (libop/pack/journal.h).  What is taken is measured now and then, and
 * estimated in between.
 */
#ifndef DAEMON_BUDGET_BUDGET_H
#define DAEMON_BUDGET_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/hash.h"
#include "libop/pack/pack.h"

/* Zeros: the defaults. */
struct budget_config {
	uint64_t bytes;	 /* of the session's files on the disk; BUDGET_BYTES */
	uint64_t inodes; /* files and directories; BUDGET_INODES */
	uint64_t free;	 /* bytes to leave free; 1/64 of the disk, at most BUDGET_FREE_MOST */
	bool fills_disk; /* nothing is left free, whatever @free says */
	uint64_t names;	 /* bytes of the names of packed files; BUDGET_NAMES */
};
#define BUDGET_BYTES	 ((uint64_t)4 << 30)
#define BUDGET_INODES	 UINT64_C(200000)
#define BUDGET_NAMES	 (OP_PACK_NAMES_MOST / 4 * 3) /* readers can have no more than that */
#define BUDGET_FREE_MOST ((uint64_t)256 << 20)

/* Whose file an image is: a user, or one of these. */
#define BUDGET_ROOT    0
#define BUDGET_UNKNOWN UINT32_MAX /* deleted, or of another mount namespace */

struct budget_usage {
	uint64_t bytes, inodes, names;
};

struct budget {
	struct budget_config most; /* no zeros but @free */
	struct budget_usage used;
	struct budget_usage by_users; /* of these, by others than root; since the daemon began */
	struct op_hash_map shares;    /* by owner + 1 */
	bool disk_is_full;	      /* less is free than has to be */
	uint64_t tokens, filled;      /* inodes that may be made now; when it was counted */
	bool has_stacks;	      /* stack files are made, which no journal can replace */
};

/* Takes the configuration and measures samples/NAME.  Return: 0, or -1 with @error set. */
int budget_open(struct budget *budget, const struct budget_config *config, const char *dir,
		struct op_error *error);
void budget_close(struct budget *budget);

/* Measures the files below a directory.  May be called in any thread.  Return: as budget_open(). */
int budget_measure(const char *dir, struct budget_usage *usage, struct op_error *error);

/* Takes what was measured for what was estimated, and looks at the disk. */
void budget_update(struct budget *budget, const char *dir, const struct budget_usage *usage);

/*
 * Takes @inodes for a file of its own.  @is_stacks: it is a stack file; where there are any, most
 * of what may be made at once is for them.  Return: whether that was granted.
 */
bool budget_take_file(struct budget *budget, uint32_t owner, uint64_t inodes, bool is_stacks);

/*
 * Takes a name of @length bytes, which will be in a pack.  Return: whether that was granted.
 * @more: grant an eighth more than the budget has, for what is counted by program.
 */
bool budget_take_name(struct budget *budget, uint32_t owner, uint64_t length, bool more);

/* The same for @bytes of a journal, which will be an eighth when they are packed. */
bool budget_take_bytes(struct budget *budget, uint32_t owner, uint64_t bytes, bool more);

#endif
