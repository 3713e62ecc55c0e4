// SPDX-License-Identifier: GPL-2.0-or-later
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void pmu_fail(const char *format, ...)
{
	va_list list;

	fputs("pmu: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	/* exit() would wait for vCPU threads that this one may be holding up */
	_exit(1);
}

void *pmu_allocate(unsigned long count, unsigned long size)
{
	void *memory = calloc(count, size);

	if (!memory)
		pmu_fail("out of memory");
	return memory;
}
