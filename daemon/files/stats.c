// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the daemon counts: see stats.h.
 */
#include "stats.h"

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

static bool is_lost_by_daemon(enum stat_id which)
{
	return op_stats[which].source == OP_STAT_OF_DAEMON && op_stat_is_lost_sample(which);
}

uint64_t stats_lost(const struct stats *self)
{
	uint64_t total = 0;

	for (enum stat_id i = 0; i < STAT_COUNT; i++)
		total += is_lost_by_daemon(i) ? self->value[i] : 0;
	return total;
}

char *stats_losses_text(const struct stats *self, const char *prefix)
{
	char *text = NULL, line[OP_STAT_TEXT_SIZE];
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	for (enum stat_id i = 0; i < STAT_COUNT; i++) {
		if (is_lost_by_daemon(i) && self->value[i])
			fprintf(out, "%s %" PRIu64 " %s\n", prefix, self->value[i],
				op_stat_text(i, line));
	}
	return fclose(out) ? NULL : text;
}

static void put_cause(const struct stats *self, enum stat_id which, FILE *out)
{
	char text[OP_STAT_TEXT_SIZE];

	if (self->value[which])
		fprintf(out, "%s%" PRIu64 " %s", ftell(out) ? ", " : "", self->value[which],
			op_stat_text(which, text));
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

/* A line of a source's statistics. */
struct reported {
	enum stat_id which;
	unsigned int cpu; /* if the statistic is of a CPU */
	uint64_t value;
};

/* Parses a line such as "cpu0/sample_received 12".  Return: whether it has a known statistic. */
static bool parse_reported(const char *line, struct reported *reported)
{
	size_t length = strcspn(line, " \n");
	const char *number = line + length + 1;

	if (line[length] != ' ')
		return false;
	reported->which = op_stat_find_reported(line, length, &reported->cpu);
	return reported->which != STAT_COUNT &&
	       op_number_take(&number, 10, UINT64_MAX, &reported->value);
}

/* Takes the next good line from *@text; false at the end. */
static bool next_reported(const char **text, struct reported *reported)
{
	while (*text && **text) {
		const char *line = *text;

		*text = strchrnul(line, '\n');
		if (**text)
			(*text)++;
		if (parse_reported(line, reported))
			return true;
	}
	return false;
}

static uint64_t kernel_losses(const char *kernel)
{
	struct reported reported;
	uint64_t sum = 0;

	while (next_reported(&kernel, &reported))
		sum += op_stat_is_lost_sample(reported.which) ? reported.value : 0;
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

void stats_load(struct stats *self, const char *account, const char *dir, const char *kernel)
{
	self->kernel_seen = kernel_losses(kernel);
	for (enum stat_id i = 0; i < STAT_COUNT; i++) {
		self->earlier[i] += self->value[i];
		self->value[i] = self->before[i] = 0;
		if (op_stats[i].source == OP_STAT_OF_DAEMON)
			self->before[i] = account ? op_account_number(account, op_stats[i].key)
						  : number_file_read_below(dir, op_stats[i].key);
	}
}

static int save_of_cpu(const char *dir, const struct reported *reported, struct op_error *error)
{
	char *path = op_path("%s/cpu%u/%s", dir, reported->cpu, op_stats[reported->which].key);
	int result = number_file_save(path, reported->value, error);

	free(path);
	return result;
}

int stats_save_cpus(const char *dir, const char *kernel, struct op_error *error)
{
	struct reported reported;
	int result = 0;

	while (!result && next_reported(&kernel, &reported))
		if (op_stats[reported.which].source == OP_STAT_OF_CPU)
			result = save_of_cpu(dir, &reported, error);
	return result;
}

void stats_put(const struct stats *self, const char *kernel, FILE *out)
{
	uint64_t sums[STAT_COUNT] = {0};
	struct reported reported;

	while (next_reported(&kernel, &reported))
		sums[reported.which] += reported.value;
	for (enum stat_id i = 0; i < STAT_COUNT; i++) {
		if (op_stats[i].source == OP_STAT_OF_DAEMON)
			fprintf(out, "%s %" PRIu64 "\n", op_stats[i].key,
				self->before[i] + self->value[i]);
		else if (sums[i])
			fprintf(out, "%s %" PRIu64 "\n", op_stats[i].key, sums[i]);
	}
}

static void log_number(enum stat_id which, uint64_t value)
{
	const char *label = op_stats[which].label;
	char text[OP_STAT_TEXT_SIZE];

	log_line("Nr. %s: %" PRIu64, label ? label : op_stat_text(which, text), value);
}

void stats_log(const struct stats *self, const char *kernel)
{
	struct reported reported;
	int64_t cpu = -1;

	log_line("-- OProfile Statistics --");
	for (enum stat_id i = 0; i < STAT_COUNT; i++)
		if (op_stats[i].source == OP_STAT_OF_DAEMON)
			log_number(i, self->value[i]);
	while (next_reported(&kernel, &reported)) {
		if (op_stats[reported.which].source == OP_STAT_OF_CPU && reported.cpu != cpu) {
			cpu = reported.cpu;
			log_line("---- Statistics for cpu : %u", reported.cpu);
		}
		log_number(reported.which, reported.value);
	}
}
