// SPDX-License-Identifier: GPL-2.0-or-later
/* Small files of a session: see small_files.h. */
#include "small_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/foreign/door.h"
#include "paths.h"

/* ---- lists of lines ---- */

void list_file_read(const char *dir, const char *name, size_t most,
		    void (*take)(void *list, char *line), void *list)
{
	char *path = op_path("%s/%s", dir, name), *line;
	char *text = path ? foreign_read(path, most, NULL, NULL) : NULL, *rest = text;

	while ((line = strsep(&rest, "\n")))
		take(list, line);
	free(text);
	free(path);
}

int list_file_save(const char *dir, const char *name, void (*put)(FILE *out, const void *list),
		   const void *list, struct op_error *error)
{
	char *path = op_path("%s/%s", dir, name), *text = NULL;
	size_t length = 0;
	FILE *out = path ? open_memstream(&text, &length) : NULL;
	int result = -1;

	if (out)
		put(out, list);
	if (!out || fclose(out))
		op_error_memory(error);
	else
		result = op_file_replace(path, text, length, OP_SESSION_FILE_MODE, error);
	free(text);
	free(path);
	return result;
}

/* ---- one number ---- */

#define LONGEST 32

uint64_t number_file_read(const char *path)
{
	char *text = path ? foreign_read(path, LONGEST, NULL, NULL) : NULL;
	uint64_t value = 0;

	if (text) {
		text[strcspn(text, "\n")] = '\0';
		op_number_parse(text, path, 0, UINT64_MAX, &value, NULL);
	}
	free(text);
	return value;
}

uint64_t number_file_read_below(const char *dir, const char *name)
{
	char *path = op_path("%s/%s", dir, name);
	uint64_t value = number_file_read(path);

	free(path);
	return value;
}

static bool holds(const char *path, const char *text)
{
	char *present = foreign_read(path, LONGEST, NULL, NULL);
	bool same = present && !strcmp(present, text);

	free(present);
	return same;
}

int number_file_save(const char *path, uint64_t value, struct op_error *error)
{
	char text[LONGEST];
	struct op_error cause;
	size_t length;
	int result;

	if (!path)
		return op_error_memory(error);
	length = (size_t)snprintf(text, sizeof(text), "%" PRIu64 "\n", value);
	if (holds(path, text))
		return 0;
	result = op_file_replace(path, text, length, OP_SESSION_FILE_MODE, &cause);
	if (result && cause.code == ENOENT && !op_mkdir_parents(path, OP_SESSION_DIR_MODE, &cause))
		result = op_file_replace(path, text, length, OP_SESSION_FILE_MODE, &cause);
	if (result)
		op_error_set(error, cause.code, "%s", cause.text);
	return result;
}
