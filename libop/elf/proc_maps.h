/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of /proc/PID/maps:
 *
 *	00400000-0040b000 r-xp 00001000 08:01 4711    /usr/bin/x (deleted)
 *	start    end      perm offset   dev   inode   name
 */
#ifndef LIBOP_ELF_PROC_MAPS_H
#define LIBOP_ELF_PROC_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* struct op_maps_line - a mapping; [@start, @end) is at @offset of the file */
struct op_maps_line {
	const char *line; /* its start in the text */
	uint64_t start, end, offset, inode;
	uint32_t major, minor; /* of the file's device */
	bool executable;
	const char *name; /* in the text, not terminated: a path, a label such as "[heap]", or "" */
	size_t name_length; /* up to the end of the line */
};

/**
 * op_maps_line_read - read one line
 * @line: ends with '\n' or NUL
 *
 * The kernel writes newlines in names as "\012"; they, " (deleted)" and blanks in names are left as
 * they are.
 *
 * Return: whether it is a mapping: all fields are there, fit, and @start < @end.
 */
bool op_maps_line_read(const char *line, struct op_maps_line *mapping);

/**
 * op_maps_next - read the next mapping of a text
 * @text: the text; advanced past the line
 *
 * Lines that are not mappings are skipped.
 *
 * Return: false at the end.
 */
bool op_maps_next(const char **text, struct op_maps_line *mapping);

#endif
