// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of what is packed in a session: see parts.h. */
#include "parts.h"

#include <dirent.h>
#include <endian.h>
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
#include "libop/base/remove_tree.h"
#include "libop/foreign/door.h"
#include "idle.h"
#include "layout.h"
#include "merge.h"

#define JOURNAL "journal."
#define IDLE	"idle."
#define PACK	OP_PACK_NAME "."

/* How much smaller journals are when they are packed. */
#define PACKING 8

/* And what part of them is names. */
#define JOURNAL_NAMES 2

/* Parts may be joined and removed while a reader opens them. */
#define ATTEMPTS 16
/* A daemon leaves a handful.  Where none could be joined for long there may be more. */
#define PARTS_MOST 4096
/* Parts that are joined at once: each takes a descriptor. */
#define JOINED_MOST 32

enum part_kind {
	PART_PACK,
	PART_JOURNAL,
	PART_IDLE, /* a directory: idle.h */
};

/* The plain pack has the numbers 0 to 0. */
struct part {
	uint64_t first, last;
	enum part_kind kind;
	uint64_t size;
	char name[64];
};

struct parts {
	struct part *part;
	size_t n;
};

static void free_parts(struct parts *parts)
{
	free(parts->part);
	*parts = (struct parts){0};
}

/* ---- which there are ---- */

static bool take_number(const char **text, uint64_t *number)
{
	return **text >= '1' && **text <= '9' && op_number_take(text, 10, UINT64_MAX, number);
}

static bool pack_parts_parse(const char *name, struct part *part)
{
	const size_t length = strlen(name);

	*part = (struct part){0};
	if (length >= sizeof(part->name))
		return false;
	memcpy(part->name, name, length + 1);
	if (!strcmp(name, OP_PACK_NAME))
		return true;
	part->kind = !strncmp(name, JOURNAL, strlen(JOURNAL)) ? PART_JOURNAL
		     : !strncmp(name, IDLE, strlen(IDLE))     ? PART_IDLE
							      : PART_PACK;
	if (part->kind == PART_PACK && strncmp(name, PACK, strlen(PACK)) != 0)
		return false;
	name = strchr(name, '.') + 1;
	if (!take_number(&name, &part->first))
		return false;
	part->last = part->first;
	if (part->kind != PART_PACK)
		return !*name;
	return *name++ == '-' && take_number(&name, &part->last) && !*name &&
	       part->first <= part->last;
}

bool op_pack_is_part(const char *name)
{
	const char *slash = strchr(name, '/');
	struct part part;
	char directory[sizeof(part.name)];

	if (!slash)
		return pack_parts_parse(name, &part) && part.kind != PART_IDLE;
	if ((size_t)(slash - name) >= sizeof(directory) || strchr(slash + 1, '/'))
		return false;
	memcpy(directory, name, (size_t)(slash - name));
	directory[slash - name] = '\0';
	return pack_parts_parse(directory, &part) && part.kind == PART_IDLE;
}

/* By number; of those that begin with one number, the one that supersedes the others first. */
static int pack_parts_compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->last != y->last)
		return x->last > y->last ? -1 : 1;
	return op_compare_u64(x->kind, y->kind);
}

/* Adds a part.  Return: 0, or -1 with @error set. */
static int add_part(struct parts *parts, const struct part *part, const char *samples_dir,
		    struct op_error *error)
{
	size_t n = parts->n;
	struct part *larger;

	if (n == PARTS_MOST)
		return op_error_set(error, E2BIG, "%s: more than %d packs", samples_dir,
				    PARTS_MOST);
	if (!(n & (n - 1))) {
		larger = realloc(parts->part, (n ? 2 * n : 1) * sizeof(*larger));
		if (!larger)
			return op_error_memory(error);
		parts->part = larger;
	}
	parts->part[parts->n++] = *part;
	return 0;
}

static uint64_t idle_names_size(int dir, const char *name)
{
	char *path = op_path("%s/" OP_IDLE_NAMES, name);
	struct stat status;
	uint64_t size = 0;

	if (path && !fstatat(dir, path, &status, AT_SYMLINK_NOFOLLOW))
		size = (uint64_t)status.st_size;
	free(path);
	return size;
}

/* Whether a name is that of a part which is there; then its size is set. */
static bool is_there(int dir, const char *name, struct part *part)
{
	struct stat status;

	if (!pack_parts_parse(name, part) || fstatat(dir, name, &status, AT_SYMLINK_NOFOLLOW))
		return false;
	part->size = (uint64_t)status.st_size;
	if (part->kind != PART_IDLE)
		return S_ISREG(status.st_mode);
	/* its files take about as much, when they are packed, as their names */
	part->size = idle_names_size(dir, name) * PACKING;
	return S_ISDIR(status.st_mode);
}

/* free_parts() frees the list, after an error, too. */
static int list_all(const char *samples_dir, struct parts *parts, struct op_error *error)
{
	DIR *dir = opendir(samples_dir);
	struct dirent *entry;
	struct part part;
	int result = 0;

	*parts = (struct parts){0};
	if (!dir)
		return op_error_errno(error, "cannot open %s", samples_dir);
	while (!result && (entry = readdir(dir)))
		if (is_there(dirfd(dir), entry->d_name, &part))
			result = add_part(parts, &part, samples_dir, error);
	closedir(dir);
	if (!result && parts->n)
		qsort(parts->part, parts->n, sizeof(*parts->part), pack_parts_compare);
	return result;
}

static void remove_part(const char *samples_dir, const struct part *part)
{
	int dir = open(samples_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return;
	if (part->kind == PART_IDLE)
		op_tree_remove(dir, part->name, NULL);
	else
		unlinkat(dir, part->name, 0);
	close(dir);
}

/* Leaves out those that are superseded, which are removed if @remove. */
static void leave_out(const char *samples_dir, struct parts *parts, bool remove)
{
	uint64_t last = 0;
	size_t n = 0;

	for (size_t i = 0; i < parts->n; i++) {
		const struct part *part = &parts->part[i];

		if (!part->first || part->last > last) {
			last = part->last;
			parts->part[n++] = *part;
			continue;
		}
		if (remove)
			remove_part(samples_dir, part);
	}
	parts->n = n;
}

/* Of a pack, as its header says; it is checked when it is opened. */
static uint64_t names_of_pack(const char *samples_dir, const char *name)
{
	char *path = op_path("%s/%s", samples_dir, name);
	int fd = path ? foreign_open(path, FOREIGN_ANY, FOREIGN_NONE) : -1;
	struct pack_header header;
	uint64_t bytes = 0;

	if (fd >= 0 && pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header))
		bytes = le64toh(header.directory_content);
	if (fd >= 0)
		close(fd);
	free(path);
	return bytes < OP_PACK_NAMES_MOST ? bytes : OP_PACK_NAMES_MOST;
}

uint64_t op_pack_names(const char *samples_dir)
{
	struct parts parts;
	uint64_t bytes = 0;

	if (!list_all(samples_dir, &parts, NULL)) {
		leave_out(samples_dir, &parts, false);
		for (size_t i = 0; i < parts.n; i++)
			bytes += parts.part[i].kind == PART_PACK
					 ? names_of_pack(samples_dir, parts.part[i].name)
					 : parts.part[i].size / JOURNAL_NAMES;
	}
	free_parts(&parts);
	return bytes;
}

uint64_t op_pack_last_part(const char *samples_dir)
{
	struct parts parts;
	uint64_t last = 0;

	if (!list_all(samples_dir, &parts, NULL)) {
		leave_out(samples_dir, &parts, false);
		last = parts.n ? parts.part[parts.n - 1].last : 0;
	}
	free_parts(&parts);
	return last;
}

char *op_pack_journal_path(const char *samples_dir, uint64_t number)
{
	return op_path("%s/" JOURNAL "%" PRIu64, samples_dir, number);
}

char *op_pack_idle_path(const char *samples_dir, uint64_t number)
{
	return op_path("%s/" IDLE "%" PRIu64, samples_dir, number);
}

/* ---- several as one ---- */

/* What a part takes, or will take, when it is packed. */
static uint64_t packed_size(const struct part *part)
{
	return part->kind == PART_PACK ? part->size : part->size / PACKING;
}

static void close_all(struct op_pack **packs, size_t n)
{
	for (size_t i = 0; packs && i < n; i++)
		op_pack_close(packs[i]);
	free(packs);
}

static int open_part(const char *samples_dir, const struct part *part, struct op_pack **out,
		     struct op_error *error)
{
	char *path = op_path("%s/%s", samples_dir, part->name);
	int result = !path		       ? op_error_memory(error)
		     : part->kind == PART_IDLE ? op_pack_open_idle(out, path, error)
					       : op_pack_open(out, path, error);

	free(path);
	return result;
}

/* Opens parts @first to @end.  Return: an array that close_all() frees, or NULL with @error set. */
static struct op_pack **open_all(const char *samples_dir, const struct parts *parts, size_t first,
				 size_t end, struct op_error *error)
{
	struct op_pack **packs = calloc(end - first + 1, sizeof(struct op_pack *));

	if (!packs)
		op_error_memory(error);
	for (size_t i = first; packs && i < end; i++) {
		if (open_part(samples_dir, &parts->part[i], &packs[i - first], error)) {
			close_all(packs, i - first);
			return NULL;
		}
	}
	return packs;
}

/* As one pack in memory, which keeps the path of "pack". */
static int pack_join(struct op_pack **out, const char *samples_dir, struct op_pack **packs,
		     size_t n, struct op_error *error)
{
	char *path = op_path("%s/" OP_PACK_NAME, samples_dir);
	int result;

	result = path ? pack_merge_to_memory(out, path, packs, n, error) : op_error_memory(error);
	free(path);
	return result;
}

/*
 * Whether those are still the parts.  If one was left out when they were listed, because it was
 * joined then, what took its place is there by now, so the lists differ: a part is removed only
 * after the one that supersedes it is there.
 */
static bool are_still(const char *samples_dir, const struct parts *parts)
{
	struct parts now;
	bool same = !list_all(samples_dir, &now, NULL);

	if (same) {
		leave_out(samples_dir, &now, false);
		same = now.n == parts->n;
	}
	for (size_t i = 0; same && i < parts->n; i++)
		same = !strcmp(now.part[i].name, parts->part[i].name);
	free_parts(&now);
	return same;
}

/* @whole: all parts of the session.  Return: as op_pack_open(); ESTALE: they were joined meanwhile,
 * and what was read of them may be less than they had. */
static int open_as_one(struct op_pack **out, const char *samples_dir, const struct parts *parts,
		       const struct parts *whole, struct op_error *error)
{
	struct op_pack **packs = NULL;
	struct op_error why = {0};
	int result = -1;

	if (parts->n)
		packs = open_all(samples_dir, parts, 0, parts->n, &why);
	else
		op_error_set(&why, ENOENT, "%s: nothing is packed", samples_dir);
	if (!are_still(samples_dir, whole)) {
		op_error_set(&why, ESTALE, "%s: packs are joined while they are read", samples_dir);
	} else if (packs && parts->n == 1 && !parts->part[0].first) {
		*out = packs[0];
		packs[0] = NULL;
		result = 0;
	} else if (packs) {
		result = pack_join(out, samples_dir, packs, parts->n, &why);
	}
	close_all(packs, parts->n);
	return result ? op_error_set(error, why.code, "%s", why.text) : 0;
}

static int try_session(struct op_pack **out, const char *samples_dir, struct op_error *error)
{
	struct parts parts;
	int result = list_all(samples_dir, &parts, error);

	if (!result) {
		leave_out(samples_dir, &parts, false);
		result = open_as_one(out, samples_dir, &parts, &parts, error);
	}
	free_parts(&parts);
	return result;
}

int op_pack_open_session(struct op_pack **out, const char *samples_dir, struct op_error *error)
{
	struct op_error why = {.code = ESTALE};
	struct op_pack *pack = NULL;
	int result = -1;

	for (int i = 0; i < ATTEMPTS && result && why.code == ESTALE; i++)
		result = try_session(&pack, samples_dir, &why);
	if (result)
		return op_error_set(error, why.code, "%s", why.text);
	*out = pack;
	return 0;
}

/* The first of the newest parts that have @most bytes together. */
static size_t first_recent(const struct parts *parts, uint64_t most)
{
	size_t first = parts->n;
	uint64_t sum = 0;

	while (first && packed_size(&parts->part[first - 1]) <= most - sum)
		sum += packed_size(&parts->part[--first]);
	/* directories are not kept */
	for (size_t i = 0; i < first; i++)
		if (parts->part[i].kind == PART_IDLE)
			first = i;
	return first;
}

/* Opens parts from @first on, and names the others. */
static int open_recent(struct op_pack **out, const char *samples_dir, struct parts *parts,
		       size_t first, struct op_strings *others, struct op_error *error)
{
	struct parts recent = {parts->part + first, parts->n - first};

	for (size_t i = 0; i < first; i++)
		if (op_strings_add(others, parts->part[i].name))
			return op_error_memory(error);
	return open_as_one(out, samples_dir, &recent, parts, error);
}

static char *name_of_recent(const struct parts *parts, size_t first)
{
	uint64_t begin = first ? parts->part[first - 1].last + 1 : 0;
	uint64_t last = first ? parts->part[parts->n - 1].last : 0;

	return first ? op_path(PACK "%" PRIu64 "-%" PRIu64, begin, last > begin ? last : begin)
		     : strdup(OP_PACK_NAME);
}

int op_pack_open_recent(struct op_pack **out, const char *samples_dir, uint64_t most,
			struct op_strings *others, char **name, bool *is_one,
			struct op_error *error)
{
	struct parts parts;
	size_t first;
	int result = list_all(samples_dir, &parts, error);

	*name = NULL;
	*is_one = false;
	if (!result) {
		leave_out(samples_dir, &parts, false);
		first = first_recent(&parts, most);
		*name = name_of_recent(&parts, first);
		*is_one = *name && first + 1 == parts.n && !strcmp(parts.part[first].name, *name);
		result = *name ? open_recent(out, samples_dir, &parts, first, others, error)
			       : op_error_memory(error);
	}
	free_parts(&parts);
	return result;
}

/* ---- packing ---- */

/* What is superseded must not be gone from the disk before what supersedes it is there. */
static int sync_directory(const char *samples_dir, struct op_error *error)
{
	int dir = open(samples_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int result =
		dir < 0 || fsync(dir) ? op_error_errno(error, "cannot write %s", samples_dir) : 0;

	if (dir >= 0)
		close(dir);
	return result;
}

/* Writes parts @first to @end as one file, which then has its name. */
static int write_joined(const char *samples_dir, const struct parts *parts, size_t first,
			size_t end, const atomic_bool *stop, struct op_error *error)
{
	char *fresh = op_path("%s/" ODB_TEMPORARY "pack", samples_dir);
	char *path = op_path("%s/" PACK "%" PRIu64 "-%" PRIu64, samples_dir,
			     parts->part[first].first, parts->part[end - 1].last);
	struct op_pack **packs = NULL;
	int result = -1;

	if (fresh && path)
		packs = open_all(samples_dir, parts, first, end, error);
	else
		op_error_memory(error);
	if (packs) {
		unlink(fresh);
		result = pack_merge_to_file(fresh, packs, end - first, stop, error);
		if (!result && rename(fresh, path))
			result = op_error_errno(error, "cannot create %s", path);
		if (result)
			unlink(fresh);
		else
			result = sync_directory(samples_dir, error);
	}
	close_all(packs, packs ? end - first : 0);
	free(fresh);
	free(path);
	return result;
}

/* The first part to join: those before it are larger than all that follow. */
static size_t parts_choose(const struct parts *parts)
{
	size_t first = parts->n;
	uint64_t sum = 0;

	while (first && parts->part[first - 1].first &&
	       (parts->part[first - 1].kind != PART_PACK || parts->part[first - 1].size <= 2 * sum))
		sum += packed_size(&parts->part[--first]);
	return first;
}

/* The first of the parts at the end that are not packed yet. */
static size_t first_unpacked(const struct parts *parts, size_t end)
{
	while (end && parts->part[end - 1].kind != PART_PACK)
		end--;
	return end;
}

/* Joins parts @first to @end, or fewer, if there is no room for so many. */
static int join_chosen(const char *samples_dir, const struct parts *parts, size_t first, size_t end,
		       const atomic_bool *stop, struct op_error *error)
{
	size_t fewer = first_unpacked(parts, end);
	struct op_error why;

	if (!write_joined(samples_dir, parts, first, end, stop, &why))
		return 0;
	if (fewer > first && fewer < end &&
	    (why.code == ENOSPC || why.code == EDQUOT || why.code == EFBIG))
		return write_joined(samples_dir, parts, fewer, end, stop, error);
	return op_error_set(error, why.code, "%s", why.text);
}

/* Joins some.  Return: whether there may be more to join, or -1 with @error set. */
static int join_some(const char *samples_dir, uint64_t last, const atomic_bool *stop,
		     struct op_error *error)
{
	struct parts parts;
	size_t first, end;
	int result = list_all(samples_dir, &parts, error);

	if (!result) {
		leave_out(samples_dir, &parts, true);
		while (parts.n && parts.part[parts.n - 1].first > last)
			parts.n--;
		if (parts.n && parts.part[parts.n - 1].kind != PART_PACK) {
			first = parts_choose(&parts);
			end = parts.n - first > JOINED_MOST ? first + JOINED_MOST : parts.n;
			result = join_chosen(samples_dir, &parts, first, end, stop, error) ? -1 : 1;
		}
	}
	free_parts(&parts);
	return result;
}

int op_pack_journals(const char *samples_dir, uint64_t last, const atomic_bool *stop,
		     struct op_error *error)
{
	int result;

	do
		result = join_some(samples_dir, last, stop, error);
	while (result > 0);
	return result;
}
