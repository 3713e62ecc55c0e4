/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flattens overlapping address ranges: each address belongs to the range of the highest rank.
 */
#ifndef LIBOP_TABLES_RANGES_H
#define LIBOP_TABLES_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct op_interval {
	uint64_t start, end; /* without end */
	uint64_t rank;
	size_t value; /* the caller's */
};

/**
 * op_intervals_flatten - make intervals flat
 * @intervals: the @n of them, which are sorted
 * @out: set to an array by address, which the caller frees
 *
 * Of one rank, the one that begins later counts.  Empty ones count nothing.
 *
 * Return: the number in *@out.
 */
size_t op_intervals_flatten(struct op_interval *intervals, size_t n, struct op_interval **out);

/* The one that @address is in, of @n flat ones; NULL if in none. */
const struct op_interval *op_intervals_find(const struct op_interval *flat, size_t n,
					    uint64_t address);

#endif
