// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that debug information refers to (supplementary and split ones).  libdw opens them without
 * checking their type, and opening a FIFO would block: only what the door lets in is accepted.
 */
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tables.h"
#include "libop/base/memory.h"
#include "libop/foreign/door.h"
#include "pp/symbols/elf_file.h"

/* Frees @path.  A missing file is not opened, so it is safe. */
static bool is_safe_or_missing(char *path)
{
	int fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	bool is_safe = fd >= 0 ? pp_elf_debug_fits(fd, NULL) : errno == ENOENT;

	if (fd >= 0)
		close(fd);
	free(path);
	return is_safe;
}

/* Resolves @name relative to the directory of the file @path; the caller frees it. */
static char *resolve(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return *name == '/' || !slash ? pp_copy(name)
				      : pp_format("%.*s/%s", (int)(slash - path), path, name);
}

bool pp_debug_supplement_is_safe(Dwarf *dwarf, const char *path)
{
	const char *name;
	const void *id;

	return dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) <= 0 ||
	       is_safe_or_missing(resolve(path, name));
}

const char *pp_debug_text(Dwarf_Die *unit, unsigned int attribute)
{
	Dwarf_Attribute found;

	return dwarf_formstring(dwarf_attr(unit, attribute, &found));
}

bool pp_debug_split_is_safe(Dwarf_Die *unit, const char *path)
{
	const char *name = pp_debug_text(unit, DW_AT_dwo_name);
	const char *dir = pp_debug_text(unit, DW_AT_comp_dir);

	name = name ? name : pp_debug_text(unit, DW_AT_GNU_dwo_name);
	if (!name || !is_safe_or_missing(resolve(path, name)))
		return false;
	return *name == '/' || !dir || is_safe_or_missing(pp_format("%s/%s", dir, name));
}
