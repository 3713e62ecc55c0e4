/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines with the most samples, for reports that are read on a screen.
 */
#ifndef PP_REPORT_LARGEST_H
#define PP_REPORT_LARGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * pp_largest - find the largest of some numbers
 * @numbers: @n numbers
 * @most: how many may be found; 0: all are
 *
 * Of equal ones the first are found.
 *
 * Return: for each number whether it is one of them; the caller frees it.
 */
bool *pp_largest(const uint64_t *numbers, size_t n, uint64_t most);

/* "… 702 more (4.1 %)": lines that are left out; the caller frees it. */
char *pp_rest_text(size_t n, double percent);

#endif
