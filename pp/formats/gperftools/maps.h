/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of text behind the records of a CPU profile: where which file was mapped.
 *
 *	40000000-40015000 r-xp 00001000 03:01 12845071 /lib/ld-2.3.2.so	(as /proc/PID/maps)
 *	40000000-40015000: /lib/ld-2.3.2.so
 *	0x40000000-0x40015000 /lib/ld-2.3.2.so (@1000) BUILDID
 *	build=/some/where		and $build in paths of later lines
 *
 * Lines of other kinds are passed over, and mappings that can't be executed.
 */
#ifndef PP_FORMATS_GPERFTOOLS_MAPS_H
#define PP_FORMATS_GPERFTOOLS_MAPS_H

#include <stddef.h>
#include <stdint.h>

struct cpuprofile_map {
	uint64_t start, end, offset; /* bytes; [start, end) is what lies at offset of the file */
	char *path;
	char *build_id; /* hexadecimal, or NULL */
};

struct cpuprofile_maps {
	struct cpuprofile_map *items; /* in the order of their lines */
	size_t n, capacity;
};

/**
 * cpuprofile_maps_read - read the lines
 * @maps: filled in; cpuprofile_maps_free() frees what it holds
 *
 * Parts of one file that lie side by side, in the file and in memory, become one.
 */
void cpuprofile_maps_read(struct cpuprofile_maps *maps, const char *text, size_t length);
void cpuprofile_maps_free(struct cpuprofile_maps *maps);

#endif
