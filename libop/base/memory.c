// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory that is there or ends the program. */
#include "libop/base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"

void pp_out_of_memory(void)
{
	op_die(OP_EXIT_FAILURE, "out of memory");
}

static void *check(void *memory)
{
	if (!memory)
		pp_out_of_memory();
	return memory;
}

void *pp_alloc(size_t n, size_t size)
{
	return check(calloc(n ? n : 1, size));
}

void *pp_chunk(size_t size)
{
	return check(malloc(size ? size : 1));
}

void *pp_grow(void *array, size_t *capacity, size_t needed, size_t size)
{
	size_t fit = *capacity;

	if (array && needed <= fit)
		return array;
	if (fit < 16)
		fit = 16;
	while (fit < needed) {
		if (fit > SIZE_MAX / 2)
			pp_out_of_memory();
		fit *= 2;
	}
	array = check(reallocarray(array, fit, size));
	*capacity = fit;
	return array;
}

char *pp_copy(const char *text)
{
	return check(strdup(text));
}

char *pp_format(const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	return n < 0 ? check(NULL) : text;
}
