// SPDX-License-Identifier: GPL-2.0-or-later
/* What a session may take: see budget.h. */
#include "budget.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include "libop/base/file.h"
#include "libop/pack/parts.h"

/* Of inodes: this part of the budget may be made at once, and so many a second. */
#define BURST_PART 32
#define REFILL	   UINT64_C(16)
/* Of what may be made at once: this is for stack files only, once there are any. */
#define FOR_STACKS(burst) ((burst) / 8 * 7)
/* Bytes of a journal for one of a pack, at least. */
#define PACKING 8
/* Owners that are told apart; the others share. */
#define OWNERS_MOST 4096

static uint64_t seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return (uint64_t)time.tv_sec;
}

/* ---- measuring ---- */

struct measuring {
	struct budget_usage usage;
	size_t prefix;
	char *before; /* the path before, of which directories were counted */
};

/* Counts the directories that the file before was not in. */
static int visit(const char *path, const struct stat *status, void *context)
{
	struct measuring *measuring = context;
	const char *name = path + measuring->prefix, *before = measuring->before;
	char *copy = strdup(name);
	size_t same = 0;

	if (!copy)
		return -1;
	while (before && name[same] && name[same] == before[same])
		same++;
	for (name += same; (name = strchr(name, '/')); name++)
		measuring->usage.inodes++;
	measuring->usage.inodes++;
	measuring->usage.bytes += (uint64_t)status->st_blocks * 512;
	free(measuring->before);
	measuring->before = copy;
	return 0;
}

int budget_measure(const char *dir, struct budget_usage *usage, struct op_error *error)
{
	struct measuring measuring = {.prefix = strlen(dir) + 1};
	int result = op_walk(dir, visit, &measuring, error);

	free(measuring.before);
	*usage = measuring.usage;
	usage->names = op_pack_names(dir);
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

	*budget = (struct budget){.most = *config, .filled = seconds()};
	if (!budget->most.bytes)
		budget->most.bytes = BUDGET_BYTES;
	if (!budget->most.inodes)
		budget->most.inodes = BUDGET_INODES;
	if (!budget->most.names)
		budget->most.names = BUDGET_NAMES;
	budget->tokens = budget->most.inodes / BURST_PART;
	if (budget_measure(dir, &usage, error))
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
	if (usage)
		budget->used = *usage;
	look_at_disk(budget, dir);
}

/* ---- shares ---- */

/* Return: the share of an owner, or NULL: of those who are not told apart. */
static struct budget_usage *share_of(struct budget *budget, uint32_t owner)
{
	uint64_t key = (uint64_t)owner + 1;
	struct budget_usage *share = op_hash_map_find(&budget->shares, key);

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
	uint64_t now = seconds(), more = (now - budget->filled) * REFILL;
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

bool budget_take_file(struct budget *budget, uint32_t owner, uint64_t inodes, bool is_stacks)
{
	struct budget_usage *share = share_of(budget, owner);
	bool is_root = owner == BUDGET_ROOT;

	refill(budget);
	if (budget->disk_is_full || budget->used.bytes >= budget->most.bytes ||
	    inodes + kept_from(budget, is_root, is_stacks) > budget->tokens ||
	    !fits(budget->used.inodes, inodes, budget->most.inodes, 4))
		return false;
	if (!is_root && (!share || !fits(share->inodes, inodes, budget->most.inodes, 1) ||
			 !fits(budget->by_users.inodes, inodes, budget->most.inodes, 3)))
		return false;
	budget->tokens -= inodes;
	budget->used.inodes += inodes;
	if (is_root)
		return true;
	share->inodes += inodes;
	budget->by_users.inodes += inodes;
	return true;
}

/* @used, @by_users: of the budget; @share: of the owner, or NULL.  Return: whether @n fit. */
static bool take(uint64_t *used, uint64_t *by_users, uint64_t *share, bool is_root, uint64_t n,
		 uint64_t all)
{
	if (!fits(*used, n, all, 4))
		return false;
	if (!is_root && (!share || !fits(*share, n, all, 1) || !fits(*by_users, n, all, 3)))
		return false;
	*used += n;
	if (is_root)
		return true;
	*share += n;
	*by_users += n;
	return true;
}

static uint64_t with_more(uint64_t all, bool more)
{
	return all + (more ? all / 8 : 0);
}

bool budget_take_name(struct budget *budget, uint32_t owner, uint64_t length, bool more)
{
	struct budget_usage *share = share_of(budget, owner);

	return take(&budget->used.names, &budget->by_users.names, share ? &share->names : NULL,
		    owner == BUDGET_ROOT, length + OP_PACK_NAME_BYTES,
		    with_more(budget->most.names, more));
}

bool budget_take_bytes(struct budget *budget, uint32_t owner, uint64_t bytes, bool more)
{
	struct budget_usage *share = share_of(budget, owner);

	if (budget->disk_is_full && !more)
		return false;
	return take(&budget->used.bytes, &budget->by_users.bytes, share ? &share->bytes : NULL,
		    owner == BUDGET_ROOT, (bytes + PACKING - 1) / PACKING,
		    with_more(budget->most.bytes, more));
}
