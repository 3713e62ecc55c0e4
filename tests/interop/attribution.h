/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who says how often which function of which process was seen: ours and theirs.
 */
#ifndef TESTS_INTEROP_ATTRIBUTION_H
#define TESTS_INTEROP_ATTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pp/formats/model/profile.h"

struct attributed {
	int64_t pid;
	char *image, *symbol;
	uint64_t count;
};

struct attribution {
	struct attributed *list;
	size_t n, capacity;
	uint64_t samples;
};

void attribution_add(struct attribution *attribution, int64_t pid, const char *image,
		     const char *symbol, uint64_t count);
void attribution_free(struct attribution *attribution);

/* Compares, and prints what differs.  Return: number of differences. */
size_t attribution_compare(struct attribution *ours, struct attribution *theirs);

/* Symbols of images, as our reports find them; those of the kernel are /proc/kallsyms'. */
struct symbolizer;

struct symbolizer *symbolizer_new(const struct prof *prof);
void symbolizer_free(struct symbolizer *symbolizer);

/* The symbol of a place in an image, and how far behind its start it is; NULL: none. */
const char *symbolizer_find(struct symbolizer *symbolizer, uint32_t image, uint64_t offset,
			    uint64_t *distance);
/* The offset in an image of an address as its symbol table has it; false: there is no code. */
bool symbolizer_offset(struct symbolizer *symbolizer, uint32_t image, uint64_t address,
		       uint64_t *offset);

/* Adds up a profile: leaves, or all frames. */
void attribution_of(struct attribution *attribution, const struct prof *prof,
		    struct symbolizer *symbolizer, bool leaves_only);

/*
 * Adds up what "perf script -F pid,ip,sym,symoff,dso" prints.  Where it has another name for a
 * function that begins at the same place, ours is taken.
 */
void attribution_of_script(struct attribution *attribution, FILE *script, const struct prof *prof,
			   struct symbolizer *symbolizer, bool leaves_only);

#endif
