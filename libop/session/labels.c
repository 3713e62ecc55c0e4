// SPDX-License-Identifier: GPL-2.0-or-later
/* What all samples of a session have in common: see labels.h. */
#include "labels.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/foreign/door.h"
#include "paths.h"

static void replace_newlines(char *text)
{
	for (; (text = strchr(text, '\n')); text++)
		*text = ' ';
}

int op_label_write(const char *samples_dir, const char *name, const char *value,
		   struct op_error *error)
{
	char *path = op_format("%s/" OP_SAMPLES_LABELS, samples_dir);
	char *text = op_format("%s %.*s", name, OP_LABEL_VALUE_MOST, value), *line;
	int result;

	replace_newlines(text);
	line = op_format("%s\n", text);
	result = op_file_replace(path, line, strlen(line), OP_SESSION_FILE_MODE, error);
	free(line);
	free(text);
	free(path);
	return result;
}

char *op_label_read(const char *samples_dir, const char *name)
{
	char *path = op_format("%s/" OP_SAMPLES_LABELS, samples_dir), *found = NULL, *line;
	char *text = foreign_read(path, OP_LABELS_MOST, NULL, NULL), *rest = text;
	size_t n = strlen(name);

	while (!found && (line = strsep(&rest, "\n")))
		if (!strncmp(line, name, n) && line[n] == ' ')
			found = op_copy(line + n + 1);
	free(text);
	free(path);
	return found;
}
