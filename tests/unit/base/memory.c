// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory.h"

#include <stddef.h>

bool memory_fails;

void *__real_calloc(size_t n, size_t size);
void *__real_reallocarray(void *array, size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_reallocarray(void *array, size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	return memory_fails ? NULL : __real_calloc(n, size);
}

void *__wrap_reallocarray(void *array, size_t n, size_t size)
{
	return memory_fails ? NULL : __real_reallocarray(array, n, size);
}
