// SPDX-License-Identifier: GPL-2.0-or-later
#include "print_line.h"

#include <stdarg.h>
#include <stdio.h>

#include "libop/base/safe_text.h"

void print_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	op_safe_vprintf(stdout, format, args);
	va_end(args);
	putchar('\n');
}
