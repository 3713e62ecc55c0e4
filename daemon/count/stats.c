// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics: see stats.h.  Names and labels are those of OProfile, if it has the statistic.
 */
#include "stats.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/session/account.h"
#include "libop/session/paths.h"
#include "libop/session/log.h"
#include "libop/session/small_files.h"

/* Names of the kernel's statistics that are told; the module has less than half as many. */
#define KERNEL_NAMES_MOST 64

static const struct {
	const char *name, *label;
} stats[STAT_COUNT] = {
	[STAT_BUFFERS] = {"sample_dumps", "sample dumps"},
	[STAT_RECEIVED] = {"total_samples", "non-backtrace samples"},
	[STAT_STORED] = {"samples_stored", "stored samples"},
	[STAT_KERNEL] = {"kernel_samples", "kernel samples"},
	[STAT_FILTERED] = {"samples_filtered", "samples outside the image filter"},
	[STAT_NO_CONTEXT] = {"lost_invalid_domain", "lost samples (no kernel/user)"},
	[STAT_NO_KERNEL_IMAGE] = {"lost_kernel", "lost kernel samples"},
	[STAT_NO_MAPPING] = {"lost_no_mapping", "samples lost to no permanent mapping"},
	[STAT_NO_SPACE] = {"lost_no_space", "samples lost to a full disk"},
	[STAT_NO_DESCRIPTOR] = {"lost_no_descriptor", "samples lost to too many open files"},
	[STAT_NO_MEMORY] = {"lost_no_memory", "samples lost to a lack of memory"},
	[STAT_IO_ERROR] = {"lost_io_error", "samples lost to errors of the disk"},
	[STAT_FILE_LIMIT] = {"lost_file_limit", "samples lost to the limit of file size"},
	[STAT_LONG_NAME] = {"lost_long_name", "samples lost to too long a path"},
	[STAT_FILE_CUT] = {"lost_file_cut", "samples lost with files that were cut or removed"},
	[STAT_NO_SAMPLE_FILE] = {"lost_samplefile", "samples lost to sample file open failure"},
	[STAT_NO_EVENT] = {"lost_no_event", "samples lost to a counter without an event"},
	[STAT_NO_USER_APP] = {"lost_no_app_for_user_sample",
			      "samples lost to no app info for anonymous memory"},
	[STAT_KERNEL_NO_APP] = {"kernel_samples_without_app",
				"kernel samples stored without app info"},
	[STAT_USER_NO_APP] = {"user_samples_without_app", "user samples stored without app info"},
	[STAT_OTHER] = {"samples_other", "samples stored as {other}, beyond the budget"},
	[STAT_FRAMES] = {"backtrace_frames", "backtrace frames"},
	[STAT_FRAMES_STORED] = {"frames_stored", "stored frames"},
	[STAT_FRAMES_FILTERED] = {"frames_filtered", "frames outside the image filter"},
	[STAT_FRAMES_NO_HEAD] = {"lost_bt_no_sample", "frames lost with their sample"},
	[STAT_FRAMES_NO_MAPPING] = {"lost_bt_no_mapping", "frames lost to no mapping"},
	[STAT_FRAMES_TOO_DEEP] = {"lost_bt_too_deep", "frames lost in too deep a stack"},
	[STAT_FRAMES_NO_SAMPLE_FILE] = {"lost_bt_samplefile",
					"frames lost to sample file open failure"},
	[STAT_STACKS] = {"stacks_stored", "stored stacks"},
	[STAT_STACKS_MERGED] = {"stacks_cut", "stacks cut for want of room"},
	[STAT_STACKS_LOST] = {"lost_stacks", "stacks lost to stack file failure"},
	[STAT_STACKS_BEYOND] = {"stacks_other", "stacks not stored, beyond the budget"},
	[STAT_BAD_RECORDS] = {"bad_records", "incomplete code structs"},
	[STAT_BAD_WORDS] = {"bad_words", "words skipped"},
	[STAT_KERNEL_RECORDS] = {"lost_records_by_kernel", "records lost by the kernel"},
};

/* Labels of the kernel's files, by the last component of their paths. */
static const struct {
	const char *name, *label;
} kernel_stats[] = {
	{"event_lost_overflow", "words lost due to buffer overflow"},
	{"sample_lost_no_room", "samples lost due to buffer overflow"},
	{"sample_lost_no_mapping", "samples lost due to no mapping"},
	{"sample_lost_busy", "samples lost due to a locked address space"},
	{"bt_lost_no_mapping", "backtraces skipped due to no file mapping"},
	{"sample_lost_no_mm", "samples lost due to no mm"},
	{"sample_lost_overflow", "samples lost cpu buffer overflow"},
	{"sample_lost_nested", "samples lost in another sample"},
	{"sample_received", "samples received"},
	{"backtrace_aborted", "backtrace aborted"},
	{"chain_root", "call chains complete"},
	{"chain_depth", "call chains cut at the depth"},
	{"chain_no_table", "call chains cut at unknown code"},
	{"chain_no_rule", "call chains cut at code without a simple rule"},
	{"chain_unreadable", "call chains cut at unreadable memory"},
	{"chain_bad_frame", "call chains cut at a bad frame"},
	{"sample_invalid_eip", "samples lost invalid pc"},
};

/* Whether a file of the kernel counts samples that it received and lost. */
static bool is_loss(const char *name)
{
	return !strncmp(name, "sample_lost_", 12) || !strcmp(name, "sample_invalid_eip");
}

enum stat_id stats_of_failure(int code)
{
	switch (code) {
	case ENOSPC:
	case EDQUOT:
		return STAT_NO_SPACE;
	case EMFILE:
	case ENFILE:
		return STAT_NO_DESCRIPTOR;
	case ENOMEM:
		return STAT_NO_MEMORY;
	case EIO:
		return STAT_IO_ERROR;
	case EFBIG:
		return STAT_FILE_LIMIT;
	case ENAMETOOLONG:
		return STAT_LONG_NAME;
	case EFAULT: /* a page of the mapping had to be replaced: libop/base/page_guard.h */
		return STAT_FILE_CUT;
	default:
		return STAT_NO_SAMPLE_FILE;
	}
}

void stats_move(struct stats *self, enum stat_id from, enum stat_id to, uint64_t n)
{
	uint64_t mine = n < self->value[from] ? n : self->value[from];
	uint64_t earlier = n - mine < self->before[from] ? n - mine : self->before[from];

	self->value[from] -= mine;
	self->value[to] += mine;
	self->before[from] -= earlier;
	self->before[to] += earlier;
}

static uint64_t sum(const struct stats *self, enum stat_id first, enum stat_id last)
{
	uint64_t total = 0;

	for (enum stat_id i = first; i <= last; i++)
		total += self->value[i];
	return total;
}

uint64_t stats_not_written(const struct stats *self)
{
	return sum(self, STAT_NO_SPACE, STAT_NO_SAMPLE_FILE);
}

uint64_t stats_lost(const struct stats *self)
{
	return sum(self, STAT_NO_CONTEXT, STAT_NO_USER_APP);
}

char *stats_losses_text(const struct stats *self, const char *prefix)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	for (enum stat_id i = STAT_NO_CONTEXT; i <= STAT_NO_USER_APP; i++) {
		if (self->value[i])
			fprintf(out, "%s %" PRIu64 " %s\n", prefix, self->value[i], stats[i].label);
	}
	return fclose(out) ? NULL : text;
}

static void put_cause(const struct stats *self, enum stat_id which, FILE *out)
{
	if (self->value[which])
		fprintf(out, "%s%" PRIu64 " %s", ftell(out) ? ", " : "", self->value[which],
			stats[which].label);
}

char *stats_causes(const struct stats *self)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	for (enum stat_id i = STAT_NO_SPACE; i <= STAT_NO_SAMPLE_FILE; i++)
		put_cause(self, i, out);
	put_cause(self, STAT_STACKS_LOST, out);
	return fclose(out) ? NULL : text;
}

const char *stats_name(enum stat_id which)
{
	return stats[which].name;
}

/* One line "path value" of the kernel's statistics. */
struct kernel_stat {
	char path[128];
	const char *name; /* its last component */
	uint64_t value;
};

/* Whether a path is safe to create below a directory: NAME or NAME/NAME. */
static bool is_plain(const char *path)
{
	unsigned int slashes = 0;

	if (!isalnum((unsigned char)*path))
		return false;
	for (; *path; path++) {
		if (*path == '/' && (slashes++ || !isalnum((unsigned char)path[1])))
			return false;
		if (*path != '/' && *path != '_' && !isalnum((unsigned char)*path))
			return false;
	}
	return true;
}

/* Parses a line such as "cpu0/sample_received 12".  Return: whether it is one. */
static bool parse_kernel_stat(const char *line, struct kernel_stat *stat)
{
	size_t length = strcspn(line, " \n");
	const char *number = line + length + 1;

	if (line[length] != ' ' || length >= sizeof(stat->path))
		return false;
	memcpy(stat->path, line, length);
	stat->path[length] = '\0';
	return op_number_take(&number, 10, UINT64_MAX, &stat->value);
}

/* Takes the next good line from *@text; false at the end. */
static bool next_kernel_stat(const char **text, struct kernel_stat *stat)
{
	while (*text && **text) {
		const char *line = *text;
		const char *slash;

		*text = strchrnul(line, '\n');
		if (**text)
			(*text)++;
		if (!parse_kernel_stat(line, stat) || !is_plain(stat->path))
			continue;
		slash = strrchr(stat->path, '/');
		stat->name = slash ? slash + 1 : stat->path;
		return true;
	}
	return false;
}

static uint64_t kernel_losses(const char *kernel)
{
	struct kernel_stat stat;
	uint64_t sum = 0;

	while (next_kernel_stat(&kernel, &stat))
		sum += is_loss(stat.name) ? stat.value : 0;
	return sum;
}

void stats_take_kernel(struct stats *self, const char *kernel)
{
	uint64_t now = kernel_losses(kernel);

	if (!kernel)
		return;
	self->value[STAT_KERNEL_RECORDS] +=
		now - (now >= self->kernel_seen ? self->kernel_seen : 0);
	self->kernel_seen = now;
}

static uint64_t read_number(const char *dir, const char *name)
{
	char *path = op_path("%s/%s", dir, name);
	uint64_t value = number_file_read(path);

	free(path);
	return value;
}

void stats_load(struct stats *self, const char *account, const char *dir, const char *kernel)
{
	*self = (struct stats){.kernel_seen = kernel_losses(kernel)};
	for (int i = 0; i < STAT_COUNT; i++)
		self->before[i] = account ? op_account_number(account, stats[i].name)
					  : read_number(dir, stats[i].name);
}

static int save_number(const char *dir, const char *name, uint64_t value, struct op_error *error)
{
	char *path = op_path("%s/%s", dir, name);
	int result = number_file_save(path, value, error);

	free(path);
	return result;
}

int stats_save(const struct stats *self, const char *dir, const char *kernel,
	       struct op_error *error)
{
	struct kernel_stat stat;
	int result = 0;

	for (int i = 0; !result && i < STAT_COUNT; i++)
		result = save_number(dir, stats[i].name, self->before[i] + self->value[i], error);
	while (!result && next_kernel_stat(&kernel, &stat))
		result = save_number(dir, stat.path, stat.value, error);
	return result;
}

/* Sums over CPUs, by name. */
struct kernel_sums {
	size_t n;
	struct kernel_sum {
		char name[64];
		uint64_t value;
	} sum[KERNEL_NAMES_MOST];
};

static void add_to_sums(struct kernel_sums *sums, const struct kernel_stat *stat)
{
	size_t i = 0;

	while (i < sums->n && strcmp(sums->sum[i].name, stat->name))
		i++;
	if (i == KERNEL_NAMES_MOST || strlen(stat->name) >= sizeof(sums->sum[i].name))
		return;
	if (i == sums->n)
		memcpy(sums->sum[sums->n++].name, stat->name, strlen(stat->name) + 1);
	sums->sum[i].value += stat->value;
}

void stats_put(const struct stats *self, const char *kernel, FILE *out)
{
	struct kernel_sums sums = {0};
	struct kernel_stat stat;

	for (int i = 0; i < STAT_COUNT; i++)
		fprintf(out, "%s %" PRIu64 "\n", stats[i].name, self->before[i] + self->value[i]);
	while (next_kernel_stat(&kernel, &stat))
		add_to_sums(&sums, &stat);
	for (size_t i = 0; i < sums.n; i++)
		fprintf(out, "%s %" PRIu64 "\n", sums.sum[i].name, sums.sum[i].value);
}

static const char *kernel_label(const char *name)
{
	for (size_t i = 0; i < sizeof(kernel_stats) / sizeof(kernel_stats[0]); i++) {
		if (!strcmp(kernel_stats[i].name, name))
			return kernel_stats[i].label;
	}
	return name;
}

void stats_log(const struct stats *self, const char *kernel)
{
	struct kernel_stat stat;
	char cpu[128] = "";

	log_line("-- OProfile Statistics --");
	for (int i = 0; i < STAT_COUNT; i++)
		log_line("Nr. %s: %" PRIu64, stats[i].label, self->value[i]);
	while (next_kernel_stat(&kernel, &stat)) {
		int length = (int)(stat.name - stat.path);

		/* "cpu0/sample_received": a heading where another CPU begins */
		if (length && strncmp(stat.path, cpu, (size_t)length) != 0) {
			snprintf(cpu, sizeof(cpu), "%.*s", length, stat.path);
			log_line("---- Statistics for cpu : %s",
				 !strncmp(cpu, "cpu", 3) ? strtok(cpu + 3, "/") : cpu);
			snprintf(cpu, sizeof(cpu), "%.*s", length, stat.path);
		}
		log_line("Nr. %s: %" PRIu64, kernel_label(stat.name), stat.value);
	}
}
