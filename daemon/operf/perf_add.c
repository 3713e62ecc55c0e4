// SPDX-License-Identifier: GPL-2.0-or-later
/* Words with values in them: see perf_add.h. */
#include "perf_add.h"

#include <stdio.h>
#include <stdlib.h>

int perf_add(struct op_strings *list, const char *format, const char *value, struct op_error *error)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int result;

	if (!out)
		return op_error_memory(error);
	for (; *format; format++)
		if (*format == '%')
			fputs(value ? value : "", out);
		else
			fputc(*format, out);
	result = fclose(out) || op_strings_add(list, text) ? op_error_memory(error) : 0;
	free(text);
	return result;
}
