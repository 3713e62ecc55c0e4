// SPDX-License-Identifier: GPL-2.0-or-later
/* Catalogues in memory: see memory.h. */
#include "memory.h"

#include <errno.h>
#include <string.h>

#include "libop/base/file.h"

char *memory_read(void *context, const char *cpu_name, const char *file, char **path,
		  size_t *length, struct op_error *error)
{
	*path = op_path("%s/%s", cpu_name, file);
	for (const struct memory_file *f = context; f->cpu_name; f++) {
		const char *text = strcmp(file, "events") ? f->unit_masks : f->events;

		if (strcmp(f->cpu_name, cpu_name) || !text)
			continue;
		*length = strlen(text);
		return strdup(text);
	}
	op_error_set(error, ENOENT, "cannot open %s", *path);
	return NULL;
}
