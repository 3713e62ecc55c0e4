// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of CPUs: see list.h.
 */
#include "list.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/base/strings.h"

#define ONLINE "/sys/devices/system/cpu/online"

/* Marks the CPUs of "N" or "N-M". */
static int take_range(char *text, const char *what, unsigned char *marked, struct op_error *error)
{
	char *dash = strchr(text, '-');
	uint64_t first, last;

	if (dash)
		*dash = '\0';
	if (op_number_parse(text, what, 0, OP_CPUS_MOST - 1, &first, error))
		return -1;
	last = first;
	if (dash && op_number_parse(dash + 1, what, first, OP_CPUS_MOST - 1, &last, error))
		return -1;
	memset(marked + first, 1, last - first + 1);
	return 0;
}

static int collect(const unsigned char *marked, int **cpus, size_t *count)
{
	size_t n = 0;

	for (int i = 0; i < OP_CPUS_MOST; i++)
		n += marked[i];
	*cpus = calloc(n + 1, sizeof(**cpus));
	if (!*cpus)
		return -1;
	*count = 0;
	for (int i = 0; i < OP_CPUS_MOST; i++) {
		if (marked[i])
			(*cpus)[(*count)++] = i;
	}
	return 0;
}

int op_cpu_list_parse(const char *text, const char *what, int **cpus, size_t *count,
		      struct op_error *error)
{
	unsigned char *marked = calloc(1, OP_CPUS_MOST);
	struct op_strings ranges = {0};
	int result = 0;

	*cpus = NULL;
	*count = 0;
	if (!marked || op_strings_split(&ranges, text, ','))
		result = op_error_memory(error);
	for (size_t i = 0; !result && i < ranges.count; i++)
		result = take_range(ranges.item[i], what, marked, error);
	if (!result && collect(marked, cpus, count))
		result = op_error_memory(error);
	op_strings_free(&ranges);
	free(marked);
	return result;
}

/* Without sysfs, as in some containers: the CPUs of the affinity mask, which are all unless the
 * container is bound to some. */
static int list_allowed(int **cpus, size_t *count, struct op_error *error)
{
	size_t size = CPU_ALLOC_SIZE(OP_CPUS_MOST);
	cpu_set_t *set = CPU_ALLOC(OP_CPUS_MOST);
	unsigned char *marked = calloc(1, OP_CPUS_MOST);
	int result = -1;

	if (!set || !marked)
		op_error_memory(error);
	else if (sched_getaffinity(0, size, set))
		op_error_errno(error, "cannot list the CPUs by " ONLINE " or sched_getaffinity(2)");
	else
		result = 0;
	for (int i = 0; !result && i < OP_CPUS_MOST; i++)
		marked[i] = CPU_ISSET_S(i, size, set) != 0;
	if (!result && collect(marked, cpus, count))
		result = op_error_memory(error);
	free(marked);
	CPU_FREE(set);
	return result;
}

int op_cpu_list_online(int **cpus, size_t *count, struct op_error *error)
{
	char *text = op_file_read(ONLINE, 1 << 16, NULL, error);
	int result;

	if (!text)
		return list_allowed(cpus, count, error);
	text[strcspn(text, "\n")] = '\0';
	result = op_cpu_list_parse(text, ONLINE, cpus, count, error);
	free(text);
	return result;
}
