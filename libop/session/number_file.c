// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that hold one number.
 */
#include "number_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/foreign/door.h"
#include "paths.h"

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
