// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of what is packed in a session: see parts.h. */
#include "parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/odb/file.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "merge.h"

#define JOURNAL "journal."
#define PACK	OP_PACK_NAME "."

/* Parts may be joined and removed while a reader opens them. */
#define ATTEMPTS 16
/* A daemon leaves a handful. */
#define PARTS_MOST 64

/* The plain pack has the numbers 0 to 0. */
struct part {
	uint64_t first, last;
	bool is_journal;
	uint64_t size;
	char name[64];
};

struct parts {
	struct part part[PARTS_MOST];
	size_t n;
};

/* ---- which there are ---- */

static bool take_number(const char **text, uint64_t *number)
{
	return **text >= '1' && **text <= '9' && op_number_take(text, 10, UINT64_MAX, number);
}

static bool parse(const char *name, struct part *part)
{
	*part = (struct part){0};
	if (strlen(name) >= sizeof(part->name))
		return false;
	strcpy(part->name, name);
	if (!strcmp(name, OP_PACK_NAME))
		return true;
	part->is_journal = !strncmp(name, JOURNAL, strlen(JOURNAL));
	if (!part->is_journal && strncmp(name, PACK, strlen(PACK)) != 0)
		return false;
	name += part->is_journal ? strlen(JOURNAL) : strlen(PACK);
	if (!take_number(&name, &part->first))
		return false;
	part->last = part->first;
	if (part->is_journal)
		return !*name;
	return *name++ == '-' && take_number(&name, &part->last) && !*name &&
	       part->first <= part->last;
}

bool op_pack_is_part(const char *name)
{
	struct part part;

	return parse(name, &part);
}

/* By number; of those that begin with one number, the one that supersedes the others first. */
static int compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->last != y->last)
		return x->last > y->last ? -1 : 1;
	return x->is_journal - y->is_journal;
}

static int list_all(const char *samples_dir, struct parts *parts, struct op_error *error)
{
	DIR *dir = opendir(samples_dir);
	struct dirent *entry;
	struct stat status;

	parts->n = 0;
	if (!dir)
		return op_error_errno(error, "cannot open %s", samples_dir);
	while ((entry = readdir(dir))) {
		struct part *part = &parts->part[parts->n];

		if (parts->n == PARTS_MOST) {
			closedir(dir);
			return op_error_set(error, E2BIG, "%s: more than %d packs", samples_dir,
					    PARTS_MOST);
		}
		if (!parse(entry->d_name, part))
			continue;
		if (!fstatat(dirfd(dir), part->name, &status, AT_SYMLINK_NOFOLLOW))
			part->size = (uint64_t)status.st_size;
		parts->n++;
	}
	closedir(dir);
	qsort(parts->part, parts->n, sizeof(*parts->part), compare);
	return 0;
}

/* Leaves out those that are superseded, which are removed if @remove. */
static void leave_out(const char *samples_dir, struct parts *parts, bool remove)
{
	uint64_t last = 0;
	size_t n = 0;

	for (size_t i = 0; i < parts->n; i++) {
		const struct part *part = &parts->part[i];
		char *path;

		if (!part->first || part->last > last) {
			last = part->last;
			parts->part[n++] = *part;
			continue;
		}
		path = remove ? op_path("%s/%s", samples_dir, part->name) : NULL;
		if (path)
			unlink(path);
		free(path);
	}
	parts->n = n;
}

uint64_t op_pack_last_part(const char *samples_dir)
{
	struct parts parts;

	if (list_all(samples_dir, &parts, NULL))
		return 0;
	leave_out(samples_dir, &parts, false);
	return parts.n ? parts.part[parts.n - 1].last : 0;
}

char *op_pack_journal_path(const char *samples_dir, uint64_t number)
{
	return op_path("%s/" JOURNAL "%" PRIu64, samples_dir, number);
}

/* ---- several as one ---- */

static void close_all(struct op_pack **packs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		op_pack_close(packs[i]);
}

/* Opens parts @first to @end.  Return: how many, or -1 with @error set. */
static ptrdiff_t open_all(const char *samples_dir, const struct parts *parts, size_t first,
			  size_t end, struct op_pack **packs, struct op_error *error)
{
	for (size_t i = first; i < end; i++) {
		char *path = op_path("%s/%s", samples_dir, parts->part[i].name);
		int result = path ? op_pack_open(&packs[i - first], path, error)
				  : op_error_memory(error);

		free(path);
		if (result) {
			close_all(packs, i - first);
			return -1;
		}
	}
	return (ptrdiff_t)(end - first);
}

/* As one pack in memory, which keeps the path of "pack". */
static int join(struct op_pack **out, const char *samples_dir, struct op_pack **packs, size_t n,
		struct op_error *error)
{
	char *path = op_path("%s/" OP_PACK_NAME, samples_dir);
	int result;

	result = path ? pack_merge_to_memory(out, path, packs, n, error) : op_error_memory(error);
	free(path);
	return result;
}

static int try_session(struct op_pack **out, const char *samples_dir, struct op_error *error)
{
	struct op_pack *packs[PARTS_MOST];
	struct parts parts;
	ptrdiff_t n;
	int result = 0;

	if (list_all(samples_dir, &parts, error))
		return -1;
	leave_out(samples_dir, &parts, false);
	if (!parts.n)
		return op_error_set(error, ENOENT, "%s: nothing is packed", samples_dir);
	n = open_all(samples_dir, &parts, 0, parts.n, packs, error);
	if (n < 0)
		return -1;
	if (n == 1 && !parts.part[0].first)
		*out = packs[0];
	else
		result = join(out, samples_dir, packs, (size_t)n, error);
	if (*out != packs[0])
		close_all(packs, (size_t)n);
	return result;
}

int op_pack_open_session(struct op_pack **out, const char *samples_dir, struct op_error *error)
{
	struct op_error why = {0};
	struct op_pack *pack = NULL;
	int result = -1;

	for (int i = 0; i < ATTEMPTS && result; i++) {
		result = try_session(&pack, samples_dir, &why);
		if (result && (why.code != ENOENT || !op_pack_last_part(samples_dir)))
			break;
	}
	if (result)
		return op_error_set(error, why.code, "%s", why.text);
	*out = pack;
	return 0;
}

/* ---- packing ---- */

/* Writes parts as one file, which then has its name. */
static int write_joined(const char *samples_dir, const struct parts *parts, size_t first,
			struct op_error *error)
{
	const struct part *begin = &parts->part[first], *end = &parts->part[parts->n - 1];
	char *fresh = op_path("%s/" ODB_TEMPORARY "pack", samples_dir);
	char *path = op_path("%s/" PACK "%" PRIu64 "-%" PRIu64, samples_dir, begin->first,
			     end->last);
	struct op_pack *packs[PARTS_MOST];
	ptrdiff_t n = -1;
	int result = -1;

	if (fresh && path)
		n = open_all(samples_dir, parts, first, parts->n, packs, error);
	else
		op_error_memory(error);
	if (n > 0) {
		unlink(fresh);
		result = pack_merge_to_file(fresh, packs, (size_t)n, error);
		if (!result && rename(fresh, path))
			result = op_error_errno(error, "cannot create %s", path);
		if (result)
			unlink(fresh);
		close_all(packs, (size_t)n);
	}
	free(fresh);
	free(path);
	return result;
}

/* The first part to join: those before it are larger than all that follow. */
static size_t choose(const struct parts *parts)
{
	size_t first = parts->n;
	uint64_t sum = 0;

	while (first && parts->part[first - 1].first &&
	       (parts->part[first - 1].is_journal || parts->part[first - 1].size <= 2 * sum))
		sum += parts->part[--first].is_journal ? parts->part[first].size / 8
						       : parts->part[first].size;
	return first;
}

int op_pack_journals(const char *samples_dir, uint64_t last, struct op_error *error)
{
	struct parts parts;
	size_t first;

	if (list_all(samples_dir, &parts, error))
		return -1;
	leave_out(samples_dir, &parts, true);
	while (parts.n && parts.part[parts.n - 1].first > last)
		parts.n--;
	if (!parts.n || !parts.part[parts.n - 1].is_journal)
		return 0;
	first = choose(&parts);
	if (write_joined(samples_dir, &parts, first, error))
		return -1;
	if (list_all(samples_dir, &parts, error))
		return -1;
	leave_out(samples_dir, &parts, true);
	return 0;
}
