// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of images whose debug information is older than DWARF (stabs), through libbfd.  One call
 * per address is fast enough: libbfd has an index, and such images are small.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pp/symbols/bfd_file.h"
#include "tables.h"
#include "libop/base/memory.h"
#include "pp/symbols/elf_file.h"

struct pp_stabs {
	struct pp_bfd_file file;
	struct pp_names files; /* copies: libbfd's strings are valid until its next call */
};

static bool has_stabs(const char *path)
{
	struct pp_elf_file object;
	bool has;

	if (pp_elf_open(&object, path))
		return false;
	has = pp_elf_has_section(&object, ".stab");
	pp_elf_close(&object);
	return has;
}

struct pp_stabs *pp_stabs_open(const char *path)
{
	struct pp_stabs *stabs;
	struct op_error ignored;

	if (!has_stabs(path))
		return NULL;
	stabs = pp_alloc(1, sizeof(*stabs));
	pp_bfd_start();
	if (!pp_bfd_open(&stabs->file, path, &ignored) && pp_bfd_read_symbols(&stabs->file) > 0)
		return stabs;
	pp_stabs_close(stabs);
	return NULL;
}

void pp_stabs_close(struct pp_stabs *stabs)
{
	if (!stabs)
		return;
	pp_names_free_kept(&stabs->files);
	pp_bfd_close(&stabs->file);
	free(stabs);
}

const char *pp_stabs_line(struct pp_stabs *stabs, uint64_t link, int *line)
{
	bfd *image = stabs->file.bfd;
	const char *file = NULL, *function;
	unsigned int number = 0;

	for (asection *section = image->sections; section; section = section->next) {
		if (!(section->flags & SEC_CODE) || link - section->vma >= section->size)
			continue;
		if (!bfd_find_nearest_line(image, section, stabs->file.symbols, link - section->vma,
					   &file, &function, &number) ||
		    !file || !number)
			return NULL;
		*line = (int)number;
		return pp_names_keep(&stabs->files, file);
	}
	return NULL;
}
