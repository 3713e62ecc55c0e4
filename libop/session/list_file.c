// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of lines in a session: see list_file.h. */
#include "list_file.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/foreign/door.h"
#include "paths.h"

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
