/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays: of a size that the compiler knows; and those that grow, whose capacity doubles, so that n
 * additions cost n copies at most.
 */
#ifndef LIBOP_BASE_ARRAY_H
#define LIBOP_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The number of elements of an array, which is no pointer. */
#define OP_ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define OP_ARRAY_LEAST 16

/* The capacity to reallocate an array with; 0: @needed is too much. */
static inline size_t op_array_capacity(size_t capacity, size_t needed)
{
	if (needed > SIZE_MAX / 2)
		return 0;
	if (capacity < OP_ARRAY_LEAST)
		capacity = OP_ARRAY_LEAST;
	while (capacity < needed)
		capacity *= 2;
	return capacity;
}

static inline int op_array_reallocate_to(void *array, size_t *capacity, size_t larger, size_t size)
{
	void *old, *moved;

	memcpy(&old, array, sizeof(old));
	moved = larger ? reallocarray(old, larger, size) : NULL;
	if (!moved)
		return -1;
	memcpy(array, &moved, sizeof(moved));
	*capacity = larger;
	return 0;
}

/* For op_array_fit(). */
static inline int op_array_reallocate(void *array, size_t *capacity, size_t needed, size_t size)
{
	return op_array_reallocate_to(array, capacity, op_array_capacity(*capacity, needed), size);
}

/**
 * op_array_fit - grow an array
 * @array: the variable that points to it, which is NULL at first; free() frees it
 * @capacity: the variable, a size_t, that has the number of elements that fit, 0 at first
 * @needed: elements that must fit; those that are new are not initialised
 *
 * Return: 0, or -1 when out of memory; the array is as before then.
 */
#define op_array_fit(array, capacity, needed)                                                      \
	((array) && (needed) <= (capacity)                                                         \
		 ? 0                                                                               \
		 : op_array_reallocate(&(array), &(capacity), needed, sizeof(*(array))))

/* For op_array_extend(). */
static inline int op_array_double(void *array, size_t n, size_t size)
{
	size_t capacity = 0;

	return op_array_reallocate_to(array, &capacity, n ? 2 * n : 1, size);
}

/**
 * op_array_extend - grow an array whose capacity is not stored by one element
 * @array: the variable that points to it, which is NULL at first; free() frees it
 * @n: number of elements, each of which op_array_extend() made space for
 *
 * Return: as op_array_fit().
 */
#define op_array_extend(array, n)                                                                  \
	((n) & ((n)-1) ? 0 : op_array_double(&(array), n, sizeof(*(array))))

#endif
