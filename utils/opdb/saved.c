// SPDX-License-Identifier: GPL-2.0-or-later
#include "saved.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "libop/base/error.h"
#include "libop/base/number.h"
#include "libop/base/safe_text.h"
#include "libop/saved/store.h"

#define DAY_SECONDS 86400
#define DAYS_MOST   36500

int saved_symbols_drop(const char *days)
{
	struct op_error error;
	uint64_t number, bytes;
	char *dir;
	size_t files;

	if (op_number_parse(days, "number of days", 0, DAYS_MOST, &number, &error)) {
		op_complain("%s", error.text);
		return -1;
	}
	dir = saved_dir();
	if (!dir) {
		op_complain("there is no directory for saved symbols");
		return -1;
	}
	bytes = saved_drop(dir, time(NULL) - (int64_t)number * DAY_SECONDS + 1, &files);
	op_safe_line(stdout, "%s: %zu files dropped, %" PRIu64 " bytes", dir, files, bytes);
	free(dir);
	return 0;
}
