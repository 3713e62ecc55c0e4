// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files of oprofilefs.
 */
#include "tree.h"

#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRIES_MAX 1024

/* What must be there, whatever the backend. */
static const struct entry known[] = {
	{ "buffer", KIND_BUFFER },
	{ "enable", KIND_ENABLE },
	{ "dump", KIND_DUMP },
	{ "buffer_size", KIND_SETTING },
	{ "buffer_watershed", KIND_SETTING },
	{ "cpu_buffer_size", KIND_SETTING },
	{ "backtrace_depth", KIND_SETTING },
	{ "pointer_size", KIND_STATISTIC },
	{ "cpu_type", KIND_TEXT },
	{ "backend", KIND_TEXT },
	{ "stats", KIND_DIRECTORY },
	{ "stats/sample_lost_no_mm", KIND_STATISTIC },
	{ "stats/sample_lost_no_mapping", KIND_STATISTIC },
	{ "stats/sample_lost_busy", KIND_STATISTIC },
	{ "stats/sample_lost_no_room", KIND_STATISTIC },
	{ "stats/event_lost_overflow", KIND_STATISTIC },
	{ "stats/bt_lost_no_mapping", KIND_STATISTIC },
	{ "stats/unmapped_lost", KIND_STATISTIC },
	{ "stats/images_lost", KIND_STATISTIC },
	{ "stats/hooks_disarmed", KIND_STATISTIC },
	{ "stats/hooks_missed", KIND_STATISTIC },
	{ "stats/unwind_bytes", KIND_STATISTIC },
	{ "stats/unwind_tables", KIND_STATISTIC },
	{ "stats/unwind_dropped", KIND_STATISTIC },
	{ "stats/unwind_refused", KIND_STATISTIC },
	{ "stats/cpu0", KIND_DIRECTORY },
	{ "stats/cpu0/sample_received", KIND_STATISTIC },
	{ "stats/cpu0/sample_lost_overflow", KIND_STATISTIC },
	{ "stats/cpu0/sample_lost_nested", KIND_STATISTIC },
	{ "stats/cpu0/sample_invalid_eip", KIND_STATISTIC },
	{ "stats/cpu0/backtrace_aborted", KIND_STATISTIC },
	{ "stats/cpu0/throttled", KIND_STATISTIC },
	{ "stats/cpu0/sample_idle", KIND_STATISTIC },
	{ "stats/cpu0/chain_depth", KIND_STATISTIC },
	{ "stats/cpu0/chain_root", KIND_STATISTIC },
	{ "stats/cpu0/chain_no_table", KIND_STATISTIC },
	{ "stats/cpu0/chain_no_rule", KIND_STATISTIC },
	{ "stats/cpu0/chain_unreadable", KIND_STATISTIC },
	{ "stats/cpu0/chain_bad_frame", KIND_STATISTIC },
	{ "stats/cpu0/sample_guest", KIND_STATISTIC },
};

#define NR_KNOWN (sizeof(known) / sizeof(known[0]))
#define NR_VITAL 7 /* the first of them: what takes the profiler up and down, and settings */

static const struct entry absent[] = {
	{ "nothing", KIND_ABSENT },
	{ "stats/cpu99999/sample_received", KIND_ABSENT },
	{ "buffer/buffer", KIND_ABSENT },
	{ "enable ", KIND_ABSENT },
	{ "\xff\xfe\n", KIND_ABSENT },
	{ "0/../0/../stats/nothing", KIND_ABSENT },
};

static struct entry entries[ENTRIES_MAX];
static unsigned int nr_entries;

const struct entry *tree_find(const char *path)
{
	for (unsigned int i = 0; i < nr_entries; i++)
		if (!strcmp(entries[i].path, path))
			return &entries[i];
	return NULL;
}

static enum kind kind_of(const char *path, const struct stat *st)
{
	for (size_t i = 0; i < NR_KNOWN; i++)
		if (!strcmp(known[i].path, path))
			return known[i].kind;
	if (S_ISDIR(st->st_mode))
		return KIND_DIRECTORY;
	return st->st_mode & 0200 ? KIND_SETTING : KIND_STATISTIC;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static const char *check_mode(const struct stat *st)
{
	static char text[80];
	mode_t mode = st->st_mode & 07777;

	if (st->st_uid || st->st_gid || (mode & 0077)) {
		snprintf(text, sizeof(text), "an entry of mode %o, owner %u: others may look in",
			 mode, st->st_uid);
		return text;
	}
	return NULL;
}

static const char *add(const char *path, const struct stat *st)
{
	struct entry *entry = &entries[nr_entries];

	if (nr_entries == ENTRIES_MAX || strlen(path) >= sizeof(entry->path))
		return "more entries, or longer ones, than expected";
	strcpy(entry->path, path);
	entry->kind = kind_of(path, st);
	nr_entries++;
	return check_mode(st);
}

const char *tree_read(const char *root)
{
	char *paths[] = { (char *)root, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL, by_name);
	const char *wrong = NULL;
	FTSENT *at;

	nr_entries = 0;
	while (fts && !wrong && (at = fts_read(fts)))
		if (at->fts_info != FTS_DP && at->fts_level)
			wrong = add(at->fts_path + strlen(root) + 1, at->fts_statp);
	if (!fts || fts_close(fts))
		return "the tree cannot be read";

	for (size_t i = 0; !wrong && i < NR_KNOWN; i++)
		if (!tree_find(known[i].path))
			wrong = known[i].path; /* missing */
	return wrong;
}

const struct entry *tree_draw(struct stream *stream)
{
	unsigned int which = stream_below(stream, 100);
	unsigned int any = stream_below(stream, 1 << 20);

	if (which < 3)
		return &known[0]; /* the buffer */
	if (which < 8)
		return &known[1 + any % 2];
	if (which < 50)
		return &known[3 + any % (NR_VITAL - 3)];
	if (which < 96 && nr_entries)
		return &entries[any % nr_entries];
	return &absent[any % (sizeof(absent) / sizeof(absent[0]))];
}

bool tree_number(const char *root, const char *path, unsigned long *number)
{
	char name[128], text[32] = "", *end;
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%s/%s", root, path);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	*number = strtoul(text, &end, 10);
	return end != text && !strcmp(end, "\n");
}

unsigned long tree_sum(const char *root, const char *statistic)
{
	unsigned long sum = 0, number;

	for (unsigned int i = 0; i < nr_entries; i++) {
		const char *slash = strrchr(entries[i].path, '/');

		if (slash && !strcmp(slash + 1, statistic) &&
		    tree_number(root, entries[i].path, &number))
			sum += number;
	}
	return sum;
}
