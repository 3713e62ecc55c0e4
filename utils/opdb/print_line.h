/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of output that name files. */
#ifndef UTILS_OPDB_PRINT_LINE_H
#define UTILS_OPDB_PRINT_LINE_H

/* Writes a line to stdout as messages are written: safe_text.h. */
void print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
