/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for report tools.  A report that runs out of memory can do nothing useful any more,
 * so these functions end the program (OP_EXIT_FAILURE) instead of returning NULL; everything
 * else in this room returns errors.
 */
#ifndef PP_MEMORY_H
#define PP_MEMORY_H

#include <stddef.h>

/* Says so and ends the program; for what other libraries report. */
void pp_out_of_memory(void) __attribute__((noreturn));

/* @n zeroed objects of @size bytes; the caller frees them with free(). */
void *pp_alloc(size_t n, size_t size);

/**
 * pp_grow - make room in an array
 * @array: the array, or NULL
 * @capacity: objects that fit; updated
 * @needed: objects that must fit
 * @size: bytes of one object
 *
 * Return: the array, at its new place; what is new in it is not initialised.
 */
void *pp_grow(void *array, size_t *capacity, size_t needed, size_t size);

/* A copy of @text, or a formatted string; the caller frees it. */
char *pp_copy(const char *text);
char *pp_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* malloc() that does not fail: for what is filled at once, and for obstacks. */
void *pp_chunk(size_t size);

#endif
