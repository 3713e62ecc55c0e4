// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that debug information names: its libraries open them without a look at what they are,
 * and who opens a FIFO for reading waits for a writer.
 */
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pp/debug/tables.h"
#include "libop/base/memory.h"

/* Takes @path.  What is not there is not opened. */
static bool is_regular_or_missing(char *path)
{
	struct stat status;
	bool good = stat(path, &status) || S_ISREG(status.st_mode);

	free(path);
	return good;
}

/* A name relative to the directory of the file that it is in. */
static char *beside(const char *path, const char *name)
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
	       is_regular_or_missing(beside(path, name));
}

static const char *text_of(Dwarf_Die *unit, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(unit, name, &attribute));
}

bool pp_debug_split_is_safe(Dwarf_Die *unit, const char *path)
{
	const char *name = text_of(unit, DW_AT_dwo_name), *dir = text_of(unit, DW_AT_comp_dir);

	name = name ? name : text_of(unit, DW_AT_GNU_dwo_name);
	if (!name || !is_regular_or_missing(beside(path, name)))
		return false;
	return *name == '/' || !dir || is_regular_or_missing(pp_format("%s/%s", dir, name));
}
