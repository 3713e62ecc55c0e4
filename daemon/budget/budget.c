// SPDX-License-Identifier: GPL-2.0-or-later
/* What a session may take: see budget.h. */
#include "budget.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "libop/base/file.h"
#include "libop/pack/journal.h"
#include "libop/pack/parts.h"

/* Of inodes: this part of the budget may be made at once, and so many a second. */
#define BURST_PART 32
#define REFILL	   UINT64_C(16)
/* Of what may be made at once: this is for stack files only, once there are any. */
#define FOR_STACKS(burst) ((burst) / 8 * 7)
/* Owners that are told apart; the others share. */
#define OWNERS_MOST 4096

static uint64_t budget_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return (uint64_t)time.tv_sec;
}

/* ---- measuring ---- */

struct measuring {
	struct budget_usage usage;
	size_t prefix;
	char *before; /* the path before, of which directories were added */
};

static void add_inode(struct measuring *measuring, const struct stat *status)
{
	measuring->usage.inodes++;
	measuring->usage.bytes += (uint64_t)status->st_blocks * 512;
}

/* Adds the directory that is the first @length bytes of @path; one that is gone takes nothing. */
static void add_directory(struct measuring *measuring, char *path, size_t length)
{
	struct stat status;

	path[length] = '\0';
	if (!lstat(path, &status))
		add_inode(measuring, &status);
	path[length] = '/';
}

/* Adds a file, and the directories that the file before was not in. */
static int budget_visit(const char *path, const struct stat *status, void *context)
{
	struct measuring *measuring = context;
	char *copy = strdup(path);
	size_t same = measuring->prefix;

	if (!copy)
		return -1;
	while (measuring->before && copy[same] && copy[same] == measuring->before[same])
		same++;
	for (char *at = copy + same; (at = strchr(at, '/')); at++)
		add_directory(measuring, copy, (size_t)(at - copy));
	add_inode(measuring, status);
	free(measuring->before);
	measuring->before = copy;
	return 0;
}

static struct budget_usage added_to(const struct budget *budget)
{
	return (struct budget_usage){
		.bytes = atomic_load_explicit(&budget->added_bytes, memory_order_relaxed),
		.inodes = atomic_load_explicit(&budget->added_inodes, memory_order_relaxed),
		.names = atomic_load_explicit(&budget->added_names, memory_order_relaxed),
	};
}

int budget_measure(const struct budget *budget, const char *dir, struct budget_usage *usage,
		   struct op_error *error)
{
	const struct budget_usage before = added_to(budget);
	struct measuring measuring = {.prefix = strlen(dir) + 1};
	int result = op_walk(dir, budget_visit, &measuring, error);
	struct stat top;

	if (!stat(dir, &top))
		add_inode(&measuring, &top);
	free(measuring.before);
	*usage = (struct budget_usage){
		.bytes = measuring.usage.bytes - before.bytes,
		.inodes = measuring.usage.inodes - before.inodes,
		.names = op_pack_names(dir) - before.names,
	};
	return result;
}

static void look_at_disk(struct budget *budget, const char *dir)
{
	struct statvfs disk;
	uint64_t least = budget->most.free;

	if (budget->most.fills_disk || statvfs(dir, &disk))
		return;
	if (!least) {
		least = (uint64_t)disk.f_blocks * disk.f_frsize / 64;
		least = least < BUDGET_FREE_MOST ? least : BUDGET_FREE_MOST;
	}
	budget->disk_is_full = (uint64_t)disk.f_bavail * disk.f_frsize < least;
}

int budget_open(struct budget *budget, const struct budget_config *config, const char *dir,
		struct op_error *error)
{
	struct budget_usage usage;
	struct stat status;

	*budget = (struct budget){.most = *config, .filled = budget_seconds()};
	if (stat(dir, &status) || status.st_blocks)
		budget->directory = BUDGET_BLOCK;
	if (!budget->most.bytes)
		budget->most.bytes = BUDGET_BYTES;
	if (!budget->most.inodes)
		budget->most.inodes = BUDGET_INODES;
	if (!budget->most.names)
		budget->most.names = BUDGET_NAMES;
	budget->tokens = budget->most.inodes / BURST_PART;
	if (budget_measure(budget, dir, &usage, error))
		return -1;
	budget_update(budget, dir, &usage);
	return 0;
}

void budget_close(struct budget *budget)
{
	for (size_t i = 0; i < budget->shares.n; i++)
		free(budget->shares.entries[i].value);
	op_hash_map_free(&budget->shares);
}

void budget_update(struct budget *budget, const char *dir, const struct budget_usage *usage)
{
	const struct budget_usage added = added_to(budget);

	if (usage)
		budget->used = (struct budget_usage){
			.bytes = usage->bytes + added.bytes,
			.inodes = usage->inodes + added.inodes,
			.names = usage->names + added.names,
		};
	budget->round += usage != NULL;
	budget->is_crowded = false;
	look_at_disk(budget, dir);
}

/* ---- taking ---- */

/* Adds to what is used, and to what was added so far. */
static void add(uint64_t *used, atomic_uint_fast64_t *added, uint64_t n)
{
	*used += n;
	atomic_fetch_add_explicit(added, n, memory_order_relaxed);
}

void budget_add(struct budget *budget, uint64_t bytes)
{
	add(&budget->used.bytes, &budget->added_bytes, bytes);
}

/* ---- shares ---- */

/* Return: the share of an owner, or NULL: of those who are not told apart. */
static struct budget_share *share_of(struct budget *budget, uint32_t owner)
{
	uint64_t key = (uint64_t)owner + 1;
	struct budget_share *share = op_hash_map_find(&budget->shares, key);

	if (share || budget->shares.n >= OWNERS_MOST)
		return share;
	share = calloc(1, sizeof(*share));
	if (share && op_hash_map_set(&budget->shares, key, share)) {
		free(share);
		return NULL;
	}
	return share;
}

/* Whether @n more of @used are at most @most quarters of @all. */
static bool fits(uint64_t used, uint64_t n, uint64_t all, uint64_t quarters)
{
	uint64_t most = all / 4 * quarters;

	return used <= most && n <= most - used;
}

static void refill(struct budget *budget)
{
	uint64_t now = budget_seconds(), more = (now - budget->filled) * REFILL;
	uint64_t burst = budget->most.inodes / BURST_PART;

	budget->filled = now;
	budget->tokens = more < burst - budget->tokens ? budget->tokens + more : burst;
}

/* Of what may be made now, what is left to others: to root, and to stack files. */
static uint64_t kept_from(const struct budget *budget, bool is_root, bool is_stacks)
{
	uint64_t burst = budget->most.inodes / BURST_PART;
	uint64_t kept = is_root ? 0 : burst / 4;
	uint64_t for_stacks = budget->has_stacks && !is_stacks ? FOR_STACKS(burst) : 0;

	return kept > for_stacks ? kept : for_stacks;
}

/*
 * What is granted.  The rest is for what is counted by program, and for the first step of a journal
 * that begins while the one before it is packed.
 */
static uint64_t granted_bytes(const struct budget *budget)
{
	uint64_t all = budget->most.bytes, step = OP_JOURNAL_STEP;

	return (all - (step < all / 4 ? step : all / 4)) / 9 * 8;
}

static uint64_t with_more(uint64_t all, bool more)
{
	return all + (more ? all / 8 : 0);
}

/* Of the bytes, what files of their own leave to the journal, which begins with a step. */
static uint64_t kept_for_journal(const struct budget *budget, bool is_root)
{
	uint64_t kept = granted_bytes(budget) / (is_root ? 4 : 2);

	return kept > 2 * OP_JOURNAL_STEP ? kept : 2 * OP_JOURNAL_STEP;
}

bool budget_take_file(struct budget *budget, uint32_t owner, uint64_t inodes, bool is_stacks)
{
	struct budget_share *share = share_of(budget, owner);
	bool is_root = owner == BUDGET_ROOT;
	uint64_t bytes = BUDGET_BLOCK + (inodes - 1) * budget->directory;

	refill(budget);
	if (budget->disk_is_full ||
	    !fits(budget->used.bytes + budget->coming, bytes + kept_for_journal(budget, is_root),
		  granted_bytes(budget), 4) ||
	    inodes + kept_from(budget, is_root, is_stacks) > budget->tokens ||
	    !fits(budget->used.inodes, inodes, budget->most.inodes, 4))
		return false;
	if (!is_root && (!share || !fits(share->used.inodes, inodes, budget->most.inodes, 1) ||
			 !fits(budget->by_users.used.inodes, inodes, budget->most.inodes, 3)))
		return false;
	budget->tokens -= inodes;
	add(&budget->used.inodes, &budget->added_inodes, inodes);
	budget_add(budget, bytes);
	if (is_root)
		return true;
	share->used.inodes += inodes;
	budget->by_users.used.inodes += inodes;
	return true;
}

/* @by_users: of the budget; @share: of the owner, or NULL.  Return: whether @n of @all fit. */
static bool take_share(uint64_t *by_users, uint64_t *share, bool is_root, uint64_t n, uint64_t all)
{
	if (is_root)
		return true;
	if (!share || !fits(*share, n, all, 1) || !fits(*by_users, n, all, 3))
		return false;
	*share += n;
	*by_users += n;
	return true;
}

/* What was not packed in an earlier round is packed now. */
static uint64_t *unpacked_of(const struct budget *budget, struct budget_share *share)
{
	if (share->round != budget->round)
		share->unpacked = 0;
	share->round = budget->round;
	return &share->unpacked;
}

/* One user's part of the journals leaves others theirs also before it is packed. */
static bool take_unpacked(struct budget *budget, struct budget_share *share, bool is_root,
			  uint64_t bytes, uint64_t all)
{
	bool is_taken = take_share(unpacked_of(budget, &budget->by_users),
				   share ? unpacked_of(budget, share) : NULL, is_root, bytes, all);

	budget->is_crowded |= !is_taken;
	return is_taken;
}

bool budget_take_name(struct budget *budget, uint32_t owner, uint64_t length, bool more)
{
	struct budget_share *share = share_of(budget, owner);
	uint64_t n = length + OP_PACK_NAME_BYTES, all = with_more(budget->most.names, more);

	if (!fits(budget->used.names, n, all, 4) ||
	    !take_share(&budget->by_users.used.names, share ? &share->used.names : NULL,
			owner == BUDGET_ROOT, n, all))
		return false;
	add(&budget->used.names, &budget->added_names, n);
	return true;
}

bool budget_take_bytes(struct budget *budget, uint32_t owner, uint64_t bytes, bool more)
{
	struct budget_share *share = share_of(budget, owner);
	uint64_t n = (bytes + BUDGET_PACKING - 1) / BUDGET_PACKING;
	uint64_t growth = bytes > budget->ahead ? OP_JOURNAL_STEP : 0;
	uint64_t all = with_more(granted_bytes(budget), more);
	bool is_root = owner == BUDGET_ROOT;

	if (budget->disk_is_full && !more)
		return false;
	if (!fits(budget->used.bytes + budget->coming, n + growth, all, 4)) {
		budget->is_crowded = true;
		return false;
	}
	if (!take_unpacked(budget, share, is_root, bytes, all) ||
	    !take_share(&budget->by_users.used.bytes, share ? &share->used.bytes : NULL, is_root, n,
			all))
		return false;
	budget->coming += n;
	return true;
}
