// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that debug information refers to (supplementary and split ones).  libdw opens them without
 * checking their type, and opening a FIFO would block: only what the door lets in is accepted.
 */
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tables.h"
#include "libop/base/memory.h"
#include "libop/elf/build_id.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/door.h"
#include "libop/foreign/limits.h"
#include "pp/symbols/elf_file.h"

/* ELFCOMPRESS_ZSTD, which older headers lack. */
#define COMPRESSED_BY_ZSTD 2

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

	return *name == '/' || !slash ? op_copy(name)
				      : op_format("%.*s/%s", (int)(slash - path), path, name);
}

/* ---- supplementary files ---- */

#define DEBUG_DIR "/usr/lib/debug/"

/* The same of @name that is a path of the machine that @path was taken from, below another root. */
static char *resolve_below_root(const char *path, const char *name)
{
	const char *below = strstr(path, DEBUG_DIR);

	return *name == '/' && below ? op_format("%.*s%s", (int)(below - path), path, name)
				     : resolve(path, name);
}

char *pp_debug_supplement_path(int fd, const char *path)
{
	Dwarf *dwarf;
	const char *name;
	const void *id;
	char *found = NULL;

	elf_version(EV_CURRENT);
	dwarf = pp_elf_debug_fits(fd, NULL) ? dwarf_begin(fd, DWARF_C_READ) : NULL;
	if (dwarf && dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) > 0)
		found = resolve_below_root(path, name);
	dwarf_end(dwarf);
	return found;
}

/* Opens a supplementary file that has the build-id.  What is read for root as root's own takes
 * nothing from other users. */
static int open_supplement(const char *path, int of, const void *id, size_t size)
{
	int fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	uint8_t other[BUILD_ID_MAX];

	if (fd < 0)
		return -1;
	if ((!apart_is_needed(fd, path) || apart_is_needed(of, NULL)) &&
	    pp_elf_debug_fits(fd, NULL) && build_id_of_open(fd, path, other) == size &&
	    !memcmp(id, other, size))
		return fd;
	close(fd);
	return -1;
}

void pp_debug_supplement_find(struct pp_debug_supplement *supplement, Dwarf *dwarf, int fd,
			      const char *path)
{
	const char *name;
	const void *id;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
	char *below;

	if (size <= 0 || *name != '/' || !strstr(path, DEBUG_DIR))
		return;
	below = resolve_below_root(path, name);
	supplement->fd = open_supplement(below, fd, id, (size_t)size);
	free(below);
	if (supplement->fd < 0)
		return;
	supplement->dwarf = dwarf_begin(supplement->fd, DWARF_C_READ);
	if (supplement->dwarf)
		dwarf_setalt(dwarf, supplement->dwarf);
	else
		close(supplement->fd);
}

void pp_debug_supplement_close(struct pp_debug_supplement *supplement)
{
	if (!supplement->dwarf)
		return;
	dwarf_end(supplement->dwarf);
	close(supplement->fd);
}

bool pp_debug_supplement_is_safe(Dwarf *dwarf, const char *path)
{
	const char *name;
	const void *id;

	return dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) <= 0 ||
	       is_safe_or_missing(resolve(path, name));
}

/* ---- split debug information ---- */

const char *pp_debug_text(Dwarf_Die *unit, unsigned int attribute)
{
	Dwarf_Attribute found;

	return dwarf_formstring(dwarf_attr(unit, attribute, &found));
}

static const char *split_name(Dwarf_Die *unit)
{
	const char *name = pp_debug_text(unit, DW_AT_dwo_name);

	return name ? name : pp_debug_text(unit, DW_AT_GNU_dwo_name);
}

bool pp_debug_split_is_safe(Dwarf_Die *unit, const char *path)
{
	const char *name = split_name(unit);
	const char *dir = pp_debug_text(unit, DW_AT_comp_dir);

	if (!name || !is_safe_or_missing(resolve(path, name)) ||
	    !is_safe_or_missing(op_format("%s.dwp", path)))
		return false;
	return *name == '/' || !dir || is_safe_or_missing(op_format("%s/%s", dir, name));
}

char *pp_debug_missing_split(Dwarf_Die *unit, const Dwarf_Die *split, const char *path)
{
	const char *name = split_name(unit), *dir = pp_debug_text(unit, DW_AT_comp_dir);
	char *package, *text;
	int fd;

	if (!name || split->addr)
		return NULL;
	package = op_format("%s.dwp", path);
	fd = foreign_open(package, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	if (fd >= 0) {
		close(fd);
		text = op_format("inlined functions are missing: this version of libdw does not "
				 "read %s",
				 package);
	} else {
		text = op_format("inlined functions are missing: its split debug information is "
				 "not there: %s%s%s",
				 *name == '/' || !dir ? "" : dir, *name == '/' || !dir ? "" : "/",
				 name);
	}
	free(package);
	return text;
}

char *pp_debug_unread_sections(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *section = NULL;
	bool is_unread = false;
	size_t seen = 0;
	GElf_Chdr head;

	while (elf && (section = elf_nextscn(elf, section)) && seen++ < FOREIGN_SECTIONS_MOST) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_COMPRESSED &&
		    header.sh_type != SHT_NOBITS && gelf_getchdr(section, &head) &&
		    head.ch_type == COMPRESSED_BY_ZSTD)
			is_unread = true;
	}
	elf_end(elf);
	return is_unread ? op_copy("lines and inlined functions are missing: its debug sections "
				   "are compressed with zstd, which this version of libdw does not "
				   "read; objcopy --decompress-debug-sections makes a file of it "
				   "that it reads")
			 : NULL;
}
