/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Anonymous memory: which mapping of a process an address is in.
 *
 * The module tells it by a cookie.  Where it cannot, and for other sources, the maps of a process
 * are read at its first sample, and again when an address is in none of them or the pid belongs to
 * another process; both at most once a buffer.  The maps of processes that have ended are kept; the
 * least recently used are dropped when there are too many.
 */
#ifndef DAEMON_IMAGES_ANONYMOUS_H
#define DAEMON_IMAGES_ANONYMOUS_H

#include <stdint.h>

#include "image.h"

struct anon_maps;

struct anon {
	struct op_hash_map by_process;
	size_t mappings; /* in all processes */
	struct images *images;
	struct source *source;
};

/* struct anon_mapping - anonymous memory of a process */
struct anon_mapping {
	uint64_t start, end;
	size_t line;	     /* in the text of the maps */
	struct image *image; /* NULL until its first sample */
};

/**
 * anon_find - the anonymous mapping of an address
 * @app: the cookie of the application, which tells processes with the same pid apart
 * @buffer: the number of the buffer that is being decoded
 *
 * Return: the mapping, good until the next call, or NULL if there is none.
 */
const struct anon_mapping *anon_find(struct anon *anon, uint32_t tgid, uint64_t app,
				     uint64_t address, uint64_t buffer);

/**
 * anon_find_area - the same, where the source has told the mapping with the sample
 * @area: the image that its cookie stands for: label and addresses
 *
 * The process may have ended, and its maps are not read.
 */
const struct anon_mapping *anon_find_area(struct anon *anon, uint32_t tgid, uint64_t app,
					  uint64_t address, uint64_t buffer,
					  const struct op_image_name *area);

/* Frees all maps; called before images_forget(). */
void anon_forget(struct anon *anon);

/**
 * anon_parse_line - read a line of /proc/PID/maps
 * @line: ends with '\n' or NUL
 * @name: set to its label, which the caller frees, with tgid 0
 *
 * Return: 1; 0 if the mapping is that of a file, or the line is malformed; -1 when out of memory.
 */
int anon_parse_line(const char *line, struct op_image_name *name);

#endif
