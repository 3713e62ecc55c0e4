/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What binutils say of an object file, for tests that compare with it.
 */
#ifndef TEST_PP_KNOWN_H
#define TEST_PP_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A line of nm, or a section of readelf. */
struct known {
	uint64_t address, size, offset;
	char *name;
};

struct known_list {
	struct known *items; /* by address */
	size_t n;
	uint64_t longest; /* size */
};

void known_free(struct known_list *list);

/* Starts a shell command, in which %s is @path; to be read, and closed with pclose(). */
FILE *known_command(const char *format, const char *path);

/* Code sections with contents, as readelf says, in its order. */
struct known_list known_sections(const char *path);

/* Symbols with address, size (0 if it has none) and name, as one of these commands says. */
struct known_list known_names(const char *command, const char *path);

#define NM_STATIC                                                                                  \
	"nm -f sysv --no-demangle %s 2>/dev/null | awk -F'|' '$7 !~ /^ *([*].*)?$/ && $4 !~ "      \
	"/SECTION|FILE|TLS/ "                                                                      \
	"{gsub(/ /,\"\"); print $2, ($5 == \"\" ? 0 : $5), $1}'"
#define NM_DYNAMIC                                                                                 \
	"nm -D -f sysv --no-demangle %s 2>/dev/null | awk -F'|' '$7 !~ /^ *([*].*)?$/ && $4 !~ "   \
	"/TLS/ "                                                                                   \
	"{gsub(/ /,\"\"); print $2, ($5 == \"\" ? 0 : $5), $1}'"

/* A section, each in proportion to its size. */
const struct known *known_random(const struct known_list *sections);

/* The index of the first one at @address or behind it. */
size_t known_first(const struct known_list *list, uint64_t address);

bool known_is_named(const struct known_list *names, uint64_t address, const char *name);

/* A name in [from, to], or NULL; names of the assembler do not count. */
const char *known_between(const struct known_list *names, uint64_t from, uint64_t to);

/* The one whose size covers @address, or NULL.  Of several it is the one that begins last. */
const struct known *known_covering(const struct known_list *names, uint64_t address);

/* Its name, or NULL. */
const char *known_around(const struct known_list *names, uint64_t address);

#endif
