// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics and objects of JIT code, in a tree for OProfile. */
#include "original.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/foreign/door.h"
#include "libop/session/account.h"
#include "libop/session/paths.h"
#include "libop/base/memory.h"

#define OBJECT_MOST ((size_t)256 << 20)

/* ---- statistics ---- */

/*
 * Those that OProfile has in samples/NAME/stats, of each version.  Version 1 has a directory only
 * if samples were lost, and its reports warn of lost samples wherever there is one: so all of them
 * stand there, or none.
 */
static const struct {
	uint32_t version;
	bool is_loss; /* of samples */
	const char *name;
} statistics[] = {
	{ORIGINAL_1, false, "total_samples"},
	{ORIGINAL_1, true, "lost_invalid_domain"},
	{ORIGINAL_1, true, "lost_kernel"},
	{ORIGINAL_1, true, "lost_samplefile"},
	{ORIGINAL_1, true, "lost_no_mapping"},
	{ORIGINAL_1, true, "lost_no_app_for_kernel_sample"},
	{ORIGINAL_1, true, "lost_no_app_for_user_sample"},
	{ORIGINAL_1, false, "lost_bt_no_mapping"},
	{ORIGINAL_1, true, "lost_records_by_kernel"},
	{ORIGINAL_0_9, true, "sample_lost_no_mm"},
	{ORIGINAL_0_9, true, "sample_lost_no_mapping"},
	{ORIGINAL_0_9, true, "event_lost_overflow"},
	{ORIGINAL_0_9, false, "bt_lost_no_mapping"},
};

#define STATISTICS (sizeof(statistics) / sizeof(statistics[0]))

/* The sum over all sessions that have an account. */
static uint64_t sum_of(const struct pp_sample_list *list, const char *name)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < list->n_dirs; i++) {
		char *text = NULL;

		op_account_read(list->samples_dirs[i], &text);
		if (text)
			sum += op_account_number(text, name);
		free(text);
	}
	return sum;
}

static int write_number(const char *dir, const char *name, uint64_t number, struct op_error *error)
{
	char *path = op_format("%s/" OP_SAMPLES_STATS "/%s", dir, name);
	char text[32];
	int n = snprintf(text, sizeof(text), "%" PRIu64 "\n", number);
	int result = op_mkdir_parents(path, OP_SESSION_DIR_MODE, error);

	if (!result)
		result = op_file_replace(path, text, (size_t)n, OP_SESSION_FILE_MODE, error);
	free(path);
	return result;
}

static int write_statistics(uint32_t version, const struct pp_sample_list *list, const char *dir,
			    struct op_error *error)
{
	uint64_t sums[STATISTICS] = {0};
	bool has_loss = version == ORIGINAL_0_9;

	for (size_t i = 0; i < STATISTICS; i++) {
		if (statistics[i].version == version)
			sums[i] = sum_of(list, statistics[i].name);
		has_loss |= statistics[i].is_loss && sums[i];
	}
	for (size_t i = 0; has_loss && i < STATISTICS; i++)
		if (sums[i] && write_number(dir, statistics[i].name, sums[i], error))
			return -1;
	return 0;
}

/* ---- objects of JIT code ---- */

struct copying {
	const char *from, *to;
	struct op_error *error;
};

static int copy_object(const char *path, const struct stat *status, void *context)
{
	const struct copying *copying = context;
	const char *dot = strrchr(path, '.');
	struct op_error ignored;
	size_t length;
	char *bytes, *out;
	int result;

	if (!S_ISREG(status->st_mode) || !dot || strcmp(dot, ".jo"))
		return 0;
	bytes = foreign_read(path, OBJECT_MOST, &length, &ignored);
	if (!bytes)
		return 0; /* as if it were not there: OProfile shows the memory's name */
	out = op_format("%s%s", copying->to, path + strlen(copying->from));
	result = op_mkdir_parents(out, OP_SESSION_DIR_MODE, copying->error);
	if (!result)
		result = op_file_replace(out, bytes, length, OP_SESSION_FILE_MODE, copying->error);
	free(out);
	free(bytes);
	return result;
}

int original_write_rest(uint32_t version, const struct pp_sample_list *list, const char *dir,
			struct op_error *error)
{
	for (size_t i = 0; i < list->n_dirs; i++) {
		struct copying copying = {list->samples_dirs[i], dir, error};

		if (op_walk(list->samples_dirs[i], copy_object, &copying, error))
			return -1;
	}
	return write_statistics(version, list, dir, error);
}
