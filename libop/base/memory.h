/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for commands, in pp and utils.  A command that runs out of memory can do nothing useful
 * any more: these functions end it ("out of memory", OP_EXIT_FAILURE) instead of returning NULL.
 * The daemon and the libraries (libop, libdb) do not use them: they return op_error_memory().
 */
#ifndef LIBOP_BASE_MEMORY_H
#define LIBOP_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct op_buffer;
struct op_hash;

/* Ends the program; for libraries that report the error themselves. */
void op_out_of_memory(void) __attribute__((noreturn));

/* @n zeroed objects of @size bytes; the caller frees them with free(). */
void *op_alloc(size_t n, size_t size);

/**
 * op_grow - grow an array
 * @array: the array, or NULL
 * @capacity: objects that fit; updated
 * @needed: objects that must fit
 * @size: bytes of one object
 *
 * Return: the array, which may have moved; new elements are not initialised.
 */
void *op_grow(void *array, size_t *capacity, size_t needed, size_t size);

/* op_hash_add(): adds @number under @key. */
void op_hash_add_or_exit(struct op_hash *hash, uint64_t key, uint32_t number);

/* Ends the program if the buffer has failed; before its bytes are used. */
void op_buffer_check(const struct op_buffer *buffer);

/* A copy of @text, or a formatted string; the caller frees it. */
char *op_copy(const char *text);
char *op_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* malloc() that does not fail: for what is filled at once, and for obstacks. */
void *op_chunk(size_t size);

#endif
