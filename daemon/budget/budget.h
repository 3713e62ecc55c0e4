/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session may take: bytes, inodes, names, and what has to stay free on its disk.
 *
 * Any user can run new programs all day.  So each owner of programs but root may take a quarter,
 * and all of them together three quarters; and files of their own are made at a limited rate, the
 * others are in the journal (libop/pack/journal.h).
 *
 * Bytes are those of the blocks of all files and directories of samples/NAME, as du(1) has them.
 * They are measured each minute, and added up in between.  A journal counts in full, and what it
 * will be when it is packed beside that, for both are there for a moment.
 */
#ifndef DAEMON_BUDGET_BUDGET_H
#define DAEMON_BUDGET_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/hash.h"
#include "libop/pack/pack.h"

/* Zeros: the defaults. */
struct budget_config {
	uint64_t bytes;	 /* of the session on its disk; BUDGET_BYTES */
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

/* What a file takes of the disk at first. */
#define BUDGET_BLOCK 4096
/* Bytes of a journal for one of a pack, at least. */
#define BUDGET_PACKING 8

struct budget_usage {
	uint64_t bytes, inodes, names;
};

/* struct budget_share - what an owner, or all users, took since the daemon began */
struct budget_share {
	struct budget_usage used; /* journals as they will be when they are packed */
	uint64_t unpacked;	  /* bytes of journals that are not packed yet */
	uint64_t round;		  /* budget::round in which that was so */
};

struct budget {
	struct budget_config most; /* no zeros but @free */
	struct budget_usage used;
	/* what was added to @used so far, but by measurements; one thread writes */
	atomic_uint_fast64_t added_bytes, added_inodes, added_names;
	uint64_t coming;	      /* bytes that the packs of unpacked journals will have */
	uint64_t ahead;		      /* bytes of the open journal that are not in use */
	uint64_t directory;	      /* bytes that a directory takes: none on some file systems */
	bool is_crowded;	      /* bytes were refused since budget_update() */
	struct budget_share by_users; /* of these, by others than root */
	struct op_hash_map shares;    /* struct budget_share, by owner + 1 */
	uint64_t round;		      /* how often the session was measured, and journals packed */
	bool disk_is_full;	      /* less is free than has to be */
	uint64_t tokens, filled;      /* inodes that may be made now; when it was counted */
	bool has_stacks;	      /* stack files are made, which no journal can replace */
};

/* Takes the configuration and measures samples/NAME.  Return: 0, or -1 with @error set. */
int budget_open(struct budget *budget, const struct budget_config *config, const char *dir,
		struct op_error *error);
void budget_close(struct budget *budget);

/**
 * budget_measure - measure what is below a directory
 * @usage: set to that, less what was added to the budget until now: what is added while the files
 *	are measured, or later, is not lost
 *
 * May be called in any thread.  Return: as budget_open().
 */
int budget_measure(const struct budget *budget, const char *dir, struct budget_usage *usage,
		   struct op_error *error);

/**
 * budget_update - take what was measured for what was added up, and look at the disk
 * @usage: of budget_measure(), or NULL: nothing was measured
 */
void budget_update(struct budget *budget, const char *dir, const struct budget_usage *usage);

/* Adds bytes that a file has taken. */
void budget_add(struct budget *budget, uint64_t bytes);

/*
 * Takes @inodes for a file of its own and its directories, and their bytes.  A quarter of all bytes
 * is left to the journal, and by users other than root another one.  @is_stacks: it is a stack
 * file; where there are any, most of what may be made at once is for them.  Return: whether that
 * was granted.
 */
bool budget_take_file(struct budget *budget, uint32_t owner, uint64_t inodes, bool is_stacks);

/*
 * Takes a name of @length bytes, which will be in a pack.  Return: whether that was granted.
 * @more: grant an eighth more than the budget has, for what is counted by program.
 */
bool budget_take_name(struct budget *budget, uint32_t owner, uint64_t length, bool more);

/*
 * The same for @bytes of a journal, which will be an eighth when they are packed; until then,
 * shares are of the whole.  A ninth of all bytes is for @more.
 */
bool budget_take_bytes(struct budget *budget, uint32_t owner, uint64_t bytes, bool more);

#endif
