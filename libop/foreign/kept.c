// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory that is kept of files of others: see kept.h. */
#include "kept.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/hash.h"

#define TEXT_MOST 4096

/* Where control groups are, and their limits: of version 2, and of version 1. */
static const struct hierarchy {
	const char *line; /* before the path of the group, in /proc/PID/cgroup */
	const char *folder, *file;
} hierarchies[] = {
	{"0::", "/sys/fs/cgroup", "memory.max"},
	{":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
};

uint64_t foreign_memory_given;

/* ---- what this process may have ---- */

static void lower(uint64_t *most, uint64_t limit)
{
	if (limit && limit < *most)
		*most = limit;
}

/* A group's own limit; 0: there is none. */
static uint64_t limit_of_group(const struct hierarchy *hierarchy, const char *group)
{
	char *path = op_path("%s%s/%s", hierarchy->folder, group, hierarchy->file);
	char *text = path ? op_file_read(path, TEXT_MOST, NULL, NULL) : NULL;
	uint64_t limit = 0;

	if (text && sscanf(text, "%" SCNu64, &limit) != 1)
		limit = 0;
	free(text);
	free(path);
	return limit;
}

/* Groups are below others, whose limits count as well. */
static void lower_by_groups(const struct hierarchy *hierarchy, uint64_t *most)
{
	char *text = op_file_read("/proc/self/cgroup", TEXT_MOST, NULL, NULL), *slash;
	char *group = text ? strstr(text, hierarchy->line) : NULL;

	if (group) {
		group += strlen(hierarchy->line);
		group[strcspn(group, "\n")] = '\0';
		while ((slash = strrchr(group, '/'))) {
			lower(most, limit_of_group(hierarchy, group));
			*slash = '\0';
		}
		lower(most, limit_of_group(hierarchy, ""));
	}
	free(text);
}

static struct {
	uint64_t most;
	bool is_limited;
} found;

static void find_memory(void)
{
	uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	struct rlimit space;

	found.most = machine;
	for (size_t i = 0; i < OP_ARRAY_SIZE(hierarchies); i++)
		lower_by_groups(&hierarchies[i], &found.most);
	if (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY)
		lower(&found.most, space.rlim_cur);
	found.is_limited = found.most < machine;
}

uint64_t foreign_memory_most(bool *is_limited)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_memory);
	if (is_limited)
		*is_limited = foreign_memory_given || found.is_limited;
	return foreign_memory_given ? foreign_memory_given : found.most;
}

/* ---- what is kept ---- */

static struct {
	pthread_mutex_t lock;
	struct op_hash_map by_account; /* bytes, as numbers */
	uint64_t all;
} used = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t used_by(uint64_t account)
{
	return (uintptr_t)op_hash_map_find(&used.by_account, account);
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* With the lock. */
static uint64_t left_of(uint64_t account)
{
	uint64_t most = foreign_memory_most(NULL) / FOREIGN_KEPT_PART, own = used_by(account);

	return less(less(most, used.all - own) / 2, own);
}

uint64_t foreign_kept_left(uint64_t account)
{
	uint64_t left;

	pthread_mutex_lock(&used.lock);
	left = left_of(account);
	pthread_mutex_unlock(&used.lock);
	return left;
}

bool foreign_kept_add(struct foreign_kept *kept, uint64_t account, uint64_t bytes)
{
	bool good;

	if (!bytes)
		return true;
	pthread_mutex_lock(&used.lock);
	good = bytes <= left_of(account) &&
	       !op_hash_map_set(&used.by_account, account,
				(void *)(uintptr_t)(used_by(account) + bytes));
	if (good) {
		used.all += bytes;
		kept->account = account;
		kept->bytes += bytes;
	}
	pthread_mutex_unlock(&used.lock);
	return good;
}

void foreign_kept_free(struct foreign_kept *kept)
{
	uint64_t left;

	if (!kept->bytes)
		return;
	pthread_mutex_lock(&used.lock);
	left = used_by(kept->account) - kept->bytes;
	used.all -= kept->bytes;
	if (!left)
		op_hash_map_remove(&used.by_account, kept->account);
	else /* it is there already, and so takes no memory */
		op_hash_map_set(&used.by_account, kept->account, (void *)(uintptr_t)left);
	pthread_mutex_unlock(&used.lock);
	*kept = (struct foreign_kept){0};
}
