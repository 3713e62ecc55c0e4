// SPDX-License-Identifier: GPL-2.0-or-later
/* Names that resemble a word: see similar.h. */
#include "similar.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* How many edits make one of another, and the shortest and longest words, in bytes, that are
 * compared by them */
#define EDITS_MAX  2
#define EDITED_MIN 3
#define EDITED_MAX 64
/* Of one letter, too many names have a part */
#define PART_MIN 2

static bool similar_is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Distance of Damerau and Levenshtein, restricted to letters that are exchanged once; both texts
 * are at most EDITED_MAX bytes long.
 */
static unsigned int edits_between(const char *a, const char *b)
{
	unsigned int rows[3][EDITED_MAX + 1];
	unsigned int *before = rows[0], *above = rows[1], *row = rows[2];
	size_t n = strlen(b);

	for (size_t k = 0; k <= n; k++)
		above[k] = (unsigned int)k;
	for (size_t i = 0; a[i]; i++) {
		unsigned int *oldest = before;

		row[0] = (unsigned int)i + 1;
		for (size_t k = 1; k <= n; k++) {
			row[k] = least(above[k - 1] + !similar_is_same(a[i], b[k - 1]),
				       least(above[k], row[k - 1]) + 1);
			if (i && k > 1 && similar_is_same(a[i], b[k - 2]) &&
			    similar_is_same(a[i - 1], b[k - 1]))
				row[k] = least(row[k], before[k - 2] + 1);
		}
		before = above;
		above = row;
		row = oldest;
	}
	return above[n];
}

unsigned int op_similarity(const char *word, const char *name)
{
	size_t n = strlen(word), k = strlen(name);
	unsigned int distance = OP_NOT_SIMILAR, edits;

	if (n >= PART_MIN && strcasestr(name, word))
		distance = k - n < 1000 ? (unsigned int)(k - n) : 1000;
	if (n >= EDITED_MIN && n <= EDITED_MAX && k <= EDITED_MAX) {
		edits = edits_between(word, name);
		if (edits <= (n > EDITED_MIN ? EDITS_MAX : 1))
			distance = least(distance, edits);
	}
	return distance;
}

void op_similar_try(struct op_similar *similar, const char *name)
{
	unsigned int distance = op_similarity(similar->word, name);

	if (distance == OP_NOT_SIMILAR || (similar->name && similar->distance <= distance))
		return;
	similar->name = name;
	similar->distance = distance;
}

struct op_similar op_similar_of(const char *word, const char *const *names)
{
	struct op_similar similar = {.word = word};

	for (; *names; names++)
		op_similar_try(&similar, *names);
	return similar;
}

/* Of a directory that somebody has filled, the first ones are enough. */
#define ENTRIES_MOST 65536

/* Some file systems do not say what a name is. */
static bool is_wanted(const struct dirent *entry, bool directories)
{
	unsigned char other = directories ? DT_REG : DT_DIR;

	return entry->d_name[0] != '.' && entry->d_type != other;
}

/* The nearest, and of equally near ones the first by name, whatever the order of entries. */
static bool is_nearer(const char *word, const char *name, const char *found)
{
	unsigned int distance = op_similarity(word, name), of_found;

	if (distance == OP_NOT_SIMILAR || !found)
		return distance != OP_NOT_SIMILAR;
	of_found = op_similarity(word, found);
	return distance < of_found || (distance == of_found && strcmp(name, found) < 0);
}

char *op_similar_entry(const char *path, bool directories)
{
	const char *slash = strrchr(path, '/'), *word = slash ? slash + 1 : path;
	char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	DIR *dir = parent ? opendir(parent) : NULL;
	const struct dirent *entry;
	char *found = NULL;

	for (size_t i = 0; dir && i < ENTRIES_MOST && (entry = readdir(dir)); i++) {
		if (!is_wanted(entry, directories) || !is_nearer(word, entry->d_name, found))
			continue;
		free(found);
		found = strdup(entry->d_name);
	}
	if (dir)
		closedir(dir);
	free(parent);
	return found;
}
