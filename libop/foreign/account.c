// SPDX-License-Identifier: GPL-2.0-or-later
/* Who answers for a user id: see account.h. */
#include "account.h"

#include <math.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "door.h"
#include "libop/base/number.h"

/* The largest lists of users that are read. */
#define LIST_MOST (16 << 20)

/* Set in the accounts of names without a user id. */
#define IS_NAME (UINT64_C(1) << 63)

/* Accounts after which those that use nothing any more are looked for. */
#define ACCOUNTS_FEW 256

const char *foreign_subuid_file = "/etc/subuid";

/* ---- subordinate ids ---- */

struct range {
	uint64_t first, count, account;
};

static struct {
	pthread_mutex_t lock;
	struct stat status; /* of the file, when it was read */
	struct range *items;
	size_t n;
} ranges = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The users of /etc/passwd by name, as id + 1; a directory service may be slow.  The first of a
 * name counts. */
static struct op_hash_map read_users(void)
{
	size_t length;
	char *text = foreign_read("/etc/passwd", LIST_MOST, &length, NULL);
	FILE *file = text && length ? fmemopen(text, length, "r") : NULL;
	struct op_hash_map users = {0};
	const struct passwd *entry;

	while (file && (entry = fgetpwent(file))) {
		uint64_t name = op_hash_text(0, entry->pw_name);

		if (!op_hash_map_find(&users, name))
			op_hash_map_set(&users, name, (void *)((uintptr_t)entry->pw_uid + 1));
	}
	if (file)
		fclose(file);
	free(text);
	return users;
}

/* Reads "NAME:FIRST:COUNT"; the name may be an id.  Return: false if the line is another one. */
static bool parse_range(char *line, const struct op_hash_map *users, struct range *range)
{
	uintptr_t user;
	char *first = strchr(line, ':'), *count = first ? strchr(first + 1, ':') : NULL;

	if (!count)
		return false;
	*first++ = '\0';
	*count++ = '\0';
	if (!op_number_all(first, 10, UINT32_MAX, &range->first) ||
	    !op_number_all(count, 10, UINT32_MAX, &range->count))
		return false;
	if (op_number_all(line, 10, UINT32_MAX, &range->account))
		return true;
	user = (uintptr_t)op_hash_map_find(users, op_hash_text(0, line));
	range->account = user ? user - 1 : IS_NAME | op_hash_text(0, line);
	return true;
}

static void parse_ranges(char *text)
{
	struct op_hash_map users = read_users();
	size_t capacity = 1;
	char *line, *rest;

	for (const char *at = text; *at; at++)
		capacity += *at == '\n';
	free(ranges.items);
	ranges.items = calloc(capacity, sizeof(*ranges.items));
	ranges.n = 0;
	for (line = strtok_r(text, "\n", &rest); line && ranges.items;
	     line = strtok_r(NULL, "\n", &rest))
		ranges.n += parse_range(line, &users, &ranges.items[ranges.n]);
	op_hash_map_free(&users);
}

static bool is_as_read(const struct stat *status)
{
	return status->st_ino == ranges.status.st_ino && status->st_dev == ranges.status.st_dev &&
	       status->st_size == ranges.status.st_size &&
	       status->st_mtim.tv_sec == ranges.status.st_mtim.tv_sec &&
	       status->st_mtim.tv_nsec == ranges.status.st_mtim.tv_nsec;
}

static void read_ranges(void)
{
	struct stat status = {0};
	char *text;

	if (stat(foreign_subuid_file, &status) || is_as_read(&status))
		return;
	text = foreign_read(foreign_subuid_file, LIST_MOST, NULL, NULL);
	if (text) {
		parse_ranges(text);
		ranges.status = status;
	}
	free(text);
}

/* Return: whether a range has the id; @account is set to whose it is. */
static bool find_range(uid_t user, uint64_t *account)
{
	bool found = false;

	pthread_mutex_lock(&ranges.lock);
	read_ranges();
	for (size_t i = 0; i < ranges.n && !found; i++) {
		found = user - ranges.items[i].first < ranges.items[i].count;
		*account = ranges.items[i].account;
	}
	pthread_mutex_unlock(&ranges.lock);
	return found;
}

uint64_t foreign_account(uid_t user)
{
	uint64_t account;

	return find_range(user, &account) ? account : user;
}

bool foreign_is_subordinate(uid_t user)
{
	uint64_t account;

	return find_range(user, &account);
}

/* ---- limits ---- */

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What is left of a use: it fades by @most in @seconds. */
static double amount_of(const struct foreign_use *use, double most, double seconds, double now)
{
	double faded = (now - use->when) / seconds * most;

	return use->amount > faded ? use->amount - faded : 0;
}

static double total_of(const struct foreign_limit *limit, double now)
{
	return isinf(limit->all) ? 0 : amount_of(&limit->total, limit->all, limit->seconds, now);
}

double foreign_limit_left(struct foreign_limit *limit, uint64_t account)
{
	const struct foreign_use *use = op_hash_map_find(&limit->by_account, account);
	double now = seconds_now();
	double each = limit->each - (use ? amount_of(use, limit->each, limit->seconds, now) : 0);
	double all = limit->all - total_of(limit, now);
	double left = each < all ? each : all;

	return left > 0 ? left : 0;
}

/* Accounts that use nothing any more need not be known; whoever uses something is never dropped. */
static void forget_faded(struct foreign_limit *limit, double now)
{
	for (size_t i = limit->by_account.n; i-- > 0;) {
		const struct op_hash_map_entry *entry = &limit->by_account.entries[i];

		if (amount_of(entry->value, limit->each, limit->seconds, now) <= 0)
			free(op_hash_map_remove(&limit->by_account, entry->key));
	}
}

static struct foreign_use *use_of(struct foreign_limit *limit, uint64_t account, double now)
{
	struct foreign_use *use = op_hash_map_find(&limit->by_account, account);
	size_t n = limit->by_account.n;

	if (use)
		return use;
	if (n >= ACCOUNTS_FEW && !(n & (n - 1))) /* at each doubling */
		forget_faded(limit, now);
	use = calloc(1, sizeof(*use));
	if (use && op_hash_map_set(&limit->by_account, account, use)) {
		free(use);
		use = NULL;
	}
	return use;
}

void foreign_limit_use(struct foreign_limit *limit, uint64_t account, double amount)
{
	double now = seconds_now();
	struct foreign_use *use = use_of(limit, account, now);

	if (use)
		*use = (struct foreign_use){
			amount_of(use, limit->each, limit->seconds, now) + amount, now};
	limit->total = (struct foreign_use){total_of(limit, now) + amount, now};
}

void foreign_limit_reset(struct foreign_limit *limit)
{
	for (size_t i = 0; i < limit->by_account.n; i++)
		free(limit->by_account.entries[i].value);
	op_hash_map_free(&limit->by_account);
	limit->by_account = (struct op_hash_map){0};
	limit->total = (struct foreign_use){0};
}
