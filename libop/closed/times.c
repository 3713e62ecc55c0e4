// SPDX-License-Identifier: GPL-2.0-or-later
/* When the samples of a session were taken: see times.h. */
#include "times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/foreign/door.h"
#include "libop/session/paths.h"

#define NS_PER_S UINT64_C(1000000000)
/* Of a daemon's session it has some hundred bytes; of an import, the images. */
#define ORIGIN_MOST ((size_t)1 << 20)
#define START_TIME  "start-time "
#define END_TIME    "end-time "
#define STAMP	    "%Y%m%dT%H%M%SZ"
#define STAMP_MOST  17 /* with the NUL, to the year 9999 */

static char *read_origin(const char *samples_dir, size_t *length)
{
	char *path = op_path("%s/" OP_SAMPLES_ORIGIN, samples_dir);
	char *text = path ? foreign_read(path, ORIGIN_MOST, length, NULL) : NULL;

	free(path);
	return text;
}

static bool take_time(const char *line, const char *key, uint64_t *ns)
{
	size_t n = strlen(key);

	return !strncmp(line, key, n) && op_number_all(line + n, 10, UINT64_MAX, ns);
}

bool session_times_read(const char *samples_dir, struct session_times *times)
{
	char *text = read_origin(samples_dir, NULL), *rest = text, *line;

	*times = (struct session_times){0};
	while ((line = strsep(&rest, "\n")))
		if (!take_time(line, START_TIME, &times->begin))
			take_time(line, END_TIME, &times->end);
	free(text);
	return times->begin;
}

int session_times_end(const char *samples_dir, uint64_t end, struct op_error *error)
{
	char *before = read_origin(samples_dir, NULL), *path, *text;
	int result;

	path = op_path("%s/" OP_SAMPLES_ORIGIN, samples_dir);
	text = op_path("%s" END_TIME "%" PRIu64 "\n", before ? before : "", end);
	result = path && text
			 ? op_file_replace(path, text, strlen(text), OP_SESSION_FILE_MODE, error)
			 : op_error_memory(error);
	free(before);
	free(path);
	free(text);
	return result;
}

static void put_stamp(uint64_t ns, char stamp[STAMP_MOST])
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(stamp, STAMP_MOST, STAMP, &tm))
		snprintf(stamp, STAMP_MOST, "unknown");
}

void session_times_name(const struct session_times *times, char name[SESSION_TIMES_NAME_MOST])
{
	char begin[STAMP_MOST], end[STAMP_MOST];

	put_stamp(times->begin, begin);
	put_stamp(times->end, end);
	snprintf(name, SESSION_TIMES_NAME_MOST, "%s-%s", begin, end);
}

/* Takes a time as put_stamp() writes it.  Return: what follows, or NULL. */
static const char *skip_stamp(const char *text)
{
	static const char form[] = "00000000T000000Z";

	for (size_t i = 0; form[i]; i++, text++)
		if (form[i] == '0' ? *text < '0' || *text > '9' : *text != form[i])
			return NULL;
	return text;
}

bool session_times_is_name(const char *name)
{
	const char *end = skip_stamp(name);

	end = end && *end == '-' ? skip_stamp(end + 1) : NULL;
	return end && (!*end ||
		       (*end == '.' && strspn(end + 1, "0123456789") == strlen(end + 1) && end[1]));
}
