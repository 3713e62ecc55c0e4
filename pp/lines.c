// SPDX-License-Identifier: GPL-2.0-or-later
/* Line tables through libdw. */
#include "pp/lines.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pp/memory.h"

/* From vma on, up to the next entry, code is of this line. */
struct entry {
	uint64_t vma;
	const char *file; /* libdw's; NULL ends a sequence */
	int line;
	uint32_t order; /* of entries at one address the last one counts */
};

struct pp_lines {
	int fd;
	Dwarf *dwarf;
	struct entry *entries;
	size_t n, capacity;
};

static void add_unit(struct pp_lines *lines, Dwarf_Die *unit)
{
	Dwarf_Lines *table;
	size_t n;

	if (dwarf_getsrclines(unit, &table, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(table, i);
		struct entry entry = {.order = lines->n};
		bool ends = false;
		Dwarf_Addr vma;

		if (!line || dwarf_lineaddr(line, &vma))
			continue;
		entry.vma = vma;
		if (!dwarf_lineendsequence(line, &ends) && !ends) {
			entry.file = dwarf_linesrc(line, NULL, NULL);
			dwarf_lineno(line, &entry.line);
		}
		lines->entries =
			pp_grow(lines->entries, &lines->capacity, lines->n + 1, sizeof(entry));
		lines->entries[lines->n++] = entry;
	}
}

/* An end stands before what begins at the same address. */
static int compare_entries(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->vma != right->vma)
		return left->vma < right->vma ? -1 : 1;
	if (!left->file != !right->file)
		return left->file ? 1 : -1;
	return (left->order > right->order) - (left->order < right->order);
}

struct pp_lines *pp_lines_read(const char *path)
{
	struct pp_lines *lines = pp_alloc(1, sizeof(*lines));
	struct stat status;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	lines->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (lines->fd >= 0 && !fstat(lines->fd, &status) && S_ISREG(status.st_mode))
		lines->dwarf = dwarf_begin(lines->fd, DWARF_C_READ);
	while (lines->dwarf && !dwarf_get_units(lines->dwarf, unit, &unit, NULL, NULL, &die, NULL))
		add_unit(lines, &die);
	if (lines->n) {
		qsort(lines->entries, lines->n, sizeof(*lines->entries), compare_entries);
		return lines;
	}
	pp_lines_free(lines);
	return NULL;
}

void pp_lines_free(struct pp_lines *lines)
{
	if (!lines)
		return;
	dwarf_end(lines->dwarf);
	if (lines->fd >= 0)
		close(lines->fd);
	free(lines->entries);
	free(lines);
}

const char *pp_lines_find(const struct pp_lines *lines, uint64_t vma, int *line)
{
	size_t low = 0, high = lines->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->entries[middle].vma <= vma)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !lines->entries[low - 1].file)
		return NULL;
	*line = lines->entries[low - 1].line;
	return lines->entries[low - 1].file;
}
