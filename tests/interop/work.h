/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs spend their time on: functions of their own, and the C library's sort.
 */
#ifndef TESTS_INTEROP_WORK_H
#define TESTS_INTEROP_WORK_H

#include <stdlib.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void hash(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		sum = sum * 31 + i;
}

__attribute__((noinline)) static void scatter(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		sum ^= i * 7UL;
}

__attribute__((noinline)) static void mix(unsigned int n)
{
	hash(2 * n);
	scatter(n);
	sum++;
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

__attribute__((noinline)) static void sort(void)
{
	static int numbers[2048];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		numbers[i] = rand();
	qsort(numbers, sizeof(numbers) / sizeof(*numbers), sizeof(*numbers), compare);
}

#endif
