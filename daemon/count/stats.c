// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics: see stats.h.  Names and labels are those of OProfile, if it has the statistic.
 */
#include "stats.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/session/paths.h"
#include "libop/session/log.h"
#include "libop/session/number_file.h"

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
	[STAT_NO_SAMPLE_FILE] = {"lost_samplefile", "samples lost to sample file open failure"},
	[STAT_NO_EVENT] = {"lost_no_event", "samples lost to a counter without an event"},
	[STAT_NO_USER_APP] = {"lost_no_app_for_user_sample",
			      "samples lost to no app info for anonymous memory"},
	[STAT_KERNEL_NO_APP] = {"kernel_samples_without_app",
				"kernel samples stored without app info"},
	[STAT_USER_NO_APP] = {"user_samples_without_app", "user samples stored without app info"},
	[STAT_FRAMES] = {"backtrace_frames", "backtrace frames"},
	[STAT_ARCS] = {"arcs_stored", "stored arcs"},
	[STAT_FRAMES_APART] = {"frames_across_kernel", "frames between kernel and user code"},
	[STAT_FRAMES_FILTERED] = {"frames_filtered", "frames outside the image filter"},
	[STAT_FRAMES_NO_HEAD] = {"lost_bt_no_sample", "frames lost with their sample"},
	[STAT_FRAMES_NO_MAPPING] = {"lost_bt_no_mapping", "frames lost to no mapping"},
	[STAT_FRAMES_TOO_DEEP] = {"lost_bt_too_deep", "frames lost in too deep a stack"},
	[STAT_FRAMES_NO_SAMPLE_FILE] = {"lost_bt_samplefile",
					"frames lost to sample file open failure"},
	[STAT_STACKS] = {"stacks_stored", "stored stacks"},
	[STAT_STACKS_MERGED] = {"stacks_cut", "stacks cut for want of room"},
	[STAT_STACKS_LOST] = {"lost_stacks", "stacks lost to stack file failure"},
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
	{"bt_lost_no_mapping", "backtraces skipped due to no file mapping"},
	{"sample_lost_no_mm", "samples lost due to no mm"},
	{"sample_lost_overflow", "samples lost cpu buffer overflow"},
	{"sample_lost_nested", "samples lost in another sample"},
	{"sample_received", "samples received"},
	{"backtrace_aborted", "backtrace aborted"},
	{"sample_invalid_eip", "samples lost invalid pc"},
};

/* Whether a file of the kernel counts samples that it received and lost. */
static bool is_loss(const char *name)
{
	return !strncmp(name, "sample_lost_", 12) || !strcmp(name, "sample_invalid_eip");
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

void stats_load(struct stats *self, const char *dir, const char *kernel)
{
	*self = (struct stats){.kernel_seen = kernel_losses(kernel)};
	for (int i = 0; i < STAT_COUNT; i++)
		self->before[i] = read_number(dir, stats[i].name);
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
