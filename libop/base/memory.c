// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory that is there or ends the program. */
#include "memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buffer.h"
#include "error.h"
#include "hash.h"

void op_out_of_memory(void)
{
	op_die(OP_EXIT_FAILURE, OP_OUT_OF_MEMORY);
}

static void *memory_check(void *memory)
{
	if (!memory)
		op_out_of_memory();
	return memory;
}

void *op_alloc(size_t n, size_t size)
{
	return memory_check(calloc(n ? n : 1, size));
}

void *op_chunk(size_t size)
{
	return memory_check(malloc(size ? size : 1));
}

void *op_grow(void *array, size_t *capacity, size_t needed, size_t size)
{
	if ((!array || needed > *capacity) && op_array_reallocate(&array, capacity, needed, size))
		op_out_of_memory();
	return array;
}

void op_hash_add_or_exit(struct op_hash *hash, uint64_t key, uint32_t number)
{
	if (op_hash_add(hash, key, number))
		op_out_of_memory();
}

void op_buffer_check(const struct op_buffer *buffer)
{
	if (buffer->failed)
		op_out_of_memory();
}

char *op_copy(const char *text)
{
	return memory_check(strdup(text));
}

char *op_format(const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	return n < 0 ? memory_check(NULL) : text;
}
