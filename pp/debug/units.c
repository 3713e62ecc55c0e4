// SPDX-License-Identifier: GPL-2.0-or-later
/* Debug information: which unit an address is in, and its tables. */
#include "info.h"

#include <dwarf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tables.h"
#include "libop/base/error.h"
#include "libop/base/memory.h"
#include "pp/symbols/elf_file.h"
#include "libop/tables/table_cache.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/door.h"

/* Below this size, building tables is as fast as reading them from the cache. */
#define CACHED_SIZE 65536

/* ---- units ---- */

struct ranges {
	struct op_interval *items;
	size_t n, capacity;
};

static void add_range(struct ranges *ranges, uint64_t start, uint64_t end, size_t unit)
{
	ranges->items =
		op_grow(ranges->items, &ranges->capacity, ranges->n + 1, sizeof(*ranges->items));
	ranges->items[ranges->n++] =
		(struct op_interval){.start = start, .end = end, .value = unit};
}

/* A unit without address ranges: take those of its lines. */
static void add_ranges_of_lines(struct ranges *ranges, struct pp_debug_unit *unit,
				const struct pp_live_code *code, size_t index)
{
	const struct pp_line_entry *entries;

	pp_line_table_read(&unit->lines, &unit->die, code);
	unit->lines_read = true;
	entries = unit->lines.entries;
	for (size_t i = 0; i + 1 < unit->lines.n; i++)
		if (entries[i].file)
			add_range(ranges, entries[i].link, entries[i + 1].link, index);
}

static bool is_skeleton(Dwarf_Die *die)
{
	uint8_t type;

	return !dwarf_cu_info(die->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) &&
	       type == DW_UT_skeleton;
}

/* The die of the split debug information of a unit; all zero if that is not there. */
static Dwarf_Die split_of(const struct pp_debug_info *info, struct pp_debug_unit *unit)
{
	Dwarf_Die split = {0};

	if (is_skeleton(&unit->die) && pp_debug_split_is_safe(&unit->die, info->path))
		dwarf_cu_info(unit->die.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL);
	return split;
}

static void add_unit(struct pp_debug_info *info, struct ranges *ranges, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;
	struct pp_debug_unit *unit;
	bool has_ranges = false;

	info->units = op_grow(info->units, &info->units_capacity, info->n_units + 1, sizeof(*unit));
	unit = &info->units[info->n_units];
	*unit = (struct pp_debug_unit){.die = *die};
	while ((offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0) {
		has_ranges = true;
		if (pp_live_code_has(&info->code, start))
			add_range(ranges, start, end, info->n_units);
	}
	if (!has_ranges)
		add_ranges_of_lines(ranges, unit, &info->code, info->n_units);
	info->n_units++;
}

/* One unit speaks for all: files of split debug information come and go together. */
static void check_split(struct pp_debug_info *info)
{
	for (size_t i = 0; i < info->n_units; i++) {
		Dwarf_Die split = {0};

		if (!is_skeleton(&info->units[i].die))
			continue;
		split = split_of(info, &info->units[i]);
		info->missing = pp_debug_missing_split(&info->units[i].die, &split, info->path);
		return;
	}
}

static void read_units(struct pp_debug_info *info)
{
	struct ranges ranges = {0};
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (!dwarf_get_units(info->dwarf, unit, &unit, NULL, &type, &die, NULL))
		if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
		    (dwarf_tag(&die) == DW_TAG_compile_unit ||
		     dwarf_tag(&die) == DW_TAG_skeleton_unit))
			add_unit(info, &ranges, &die);
	info->n_flat = op_intervals_flatten(ranges.items, ranges.n, &info->flat);
	free(ranges.items);
}

/* ---- files ---- */

static int find_no_elf(Dwfl_Module *module, void **path, const char *name, Dwarf_Addr base,
		       char **file, Elf **elf)
{
	(void)module;
	(void)path;
	(void)name;
	(void)base;
	(void)file;
	(void)elf;
	return -1;
}

/* The separate debug file, which was found before. */
static int open_debug_file(Dwfl_Module *module, void **path, const char *name, Dwarf_Addr base,
			   const char *file, const char *link, GElf_Word crc, char **debug_path)
{
	(void)module;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)debug_path;
	return *path ? foreign_open(*path, FOREIGN_OBJECT, FOREIGN_FOLLOW) : -1;
}

/* Relocation gave the sections of the image addresses, and debug information has those. */
static void set_links(Dwfl_Module *module, struct pp_symbols *symbols)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	Elf_Scn *section = NULL;

	while (elf && (section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		for (size_t i = 0; i < symbols->n_code; i++)
			if (symbols->code[i].offset == header.sh_offset)
				symbols->code[i].link = header.sh_addr + bias;
	}
}

static void open_relocatable(struct pp_debug_info *info, const char *path,
			     struct pp_symbols *symbols)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_no_elf,
		.find_debuginfo = open_debug_file,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl_Module *module;
	Dwarf_Addr bias;
	void **userdata;
	int fd;

	info->dwfl = dwfl_begin(&callbacks);
	/* libdwfl closes a descriptor that it has taken */
	fd = info->dwfl ? foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW) : -1;
	module = fd >= 0 ? dwfl_report_offline(info->dwfl, "", path, fd) : NULL;
	if (!module && fd >= 0)
		close(fd);
	if (!module || dwfl_report_end(info->dwfl, NULL, NULL))
		return;
	dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = symbols->debug_path;
	info->dwarf = dwfl_module_getdwarf(module, &bias);
	if (info->dwarf)
		set_links(module, symbols);
}

static bool is_relocatable(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	GElf_Ehdr header;
	bool is = elf && gelf_getehdr(elf, &header) && header.e_type == ET_REL;

	elf_end(elf);
	return is;
}

/* Whether the debug sections are within the limits. */
static bool fits(struct pp_debug_info *info)
{
	uint64_t bytes;

	if (pp_elf_debug_fits(info->fd, &bytes))
		return true;
	info->refused = bytes;
	return false;
}

static void debug_info_open_file(struct pp_debug_info *info, const char *path,
				 struct pp_symbols *symbols)
{
	info->fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	if (info->fd < 0)
		return;
	elf_version(EV_CURRENT);
	if (!fits(info))
		return;
	if (symbols && is_relocatable(info->fd))
		open_relocatable(info, path, symbols);
	else
		info->dwarf = dwarf_begin(info->fd, DWARF_C_READ);
	if (info->dwarf && !info->dwfl)
		pp_live_code_read(&info->code, dwarf_getelf(info->dwarf));
	if (info->dwarf && !pp_debug_supplement_is_safe(info->dwarf, path)) {
		if (!info->dwfl)
			dwarf_end(info->dwarf);
		info->dwarf = NULL;
	}
	if (info->dwarf && !info->dwfl)
		pp_debug_supplement_find(&info->supplement, info->dwarf, info->fd, path);
}

/* Tables of files with a build-id are cached, but not those of relocatable files, whose addresses
 * differ from run to run. */
static char *cache_name(const char *path)
{
	struct pp_elf_file object;
	struct stat status;
	char *id, *name;

	if (stat(path, &status) || status.st_size < CACHED_SIZE || pp_elf_open(&object, path))
		return NULL;
	id = pp_elf_build_id(&object);
	name = id ? op_table_cache_name(id, &status, "debug-4") : NULL;
	free(id);
	pp_elf_close(&object);
	return name;
}

struct pp_debug_info *pp_debug_info_read(const char *path, struct pp_symbols *symbols,
					 bool is_cached)
{
	struct pp_debug_info *info = op_alloc(1, sizeof(*info));

	info->fd = -1;
	info->path = op_copy(path);
	if (is_cached && (!symbols || !symbols->is_relocatable))
		info->cache_name = cache_name(path);
	if (!info->cache_name || !pp_debug_cache_load(info)) {
		debug_info_open_file(info, path, symbols);
		if (info->dwarf) {
			read_units(info);
			check_split(info);
		} else if (info->fd >= 0) {
			info->missing = pp_debug_unread_sections(info->fd);
		}
	}
	if (info->missing) { /* the tables will have more when it is there */
		free(info->cache_name);
		info->cache_name = NULL;
	}
	return info;
}

static struct pp_debug_info *open_info(const char *path, struct pp_symbols *symbols,
				       struct op_warnings *warnings)
{
	int fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	uid_t namer = FOREIGN_OURSELVES;
	struct pp_debug_info *info;
	struct stat status;

	if (fd < 0)
		return NULL;
	if (apart_is_needed(fd, path)) {
		/* root in a container is not root */
		namer = !foreign_status(fd, &status) && foreign_owner(&status)
				? foreign_owner(&status)
				: FOREIGN_NOBODY;
		info = pp_debug_apart_open(path, fd, symbols, warnings);
	} else {
		close(fd);
		info = pp_debug_info_read(path, symbols, true);
	}
	info->namer = namer;
	if (info->refused && warnings)
		op_warnings_add(warnings, OP_NO_LINES,
				"%s: debug information of %" PRIu64
				" MiB is not read: too much for such a file",
				path, info->refused >> 20);
	if (info->missing && warnings)
		op_warnings_add(warnings, OP_NO_LINES, "%s: %s", path, info->missing);
	if (info->n_flat)
		return info;
	pp_debug_info_close(info);
	return NULL;
}

static struct pp_debug_info *open_told(const struct pp_symbols *symbols)
{
	struct pp_debug_info *info = op_alloc(1, sizeof(*info));

	*info = (struct pp_debug_info){
		.fd = -1,
		/* a program, as it ran; this user's, where no other can be read */
		.namer = geteuid() ? FOREIGN_OURSELVES : FOREIGN_NOBODY,
		.told = {.entries = symbols->lines, .n = symbols->n_lines},
	};
	return info;
}

static struct pp_debug_info *open_own(const char *path, struct pp_symbols *symbols,
				      struct op_warnings *warnings)
{
	struct pp_debug_info *info = NULL;

	if (symbols && symbols->n_lines)
		return open_told(symbols);
	/* Relocation needs the image itself. */
	if (symbols && symbols->debug_path && !symbols->is_relocatable)
		info = open_info(symbols->debug_path, NULL, warnings);
	return info || !path ? info : open_info(path, symbols, warnings);
}

struct pp_debug_info *pp_debug_info_open(const char *path, struct pp_symbols *symbols,
					 struct op_warnings *warnings)
{
	struct pp_debug_info *info = open_own(path, symbols, warnings);

	if (!symbols || !symbols->n_given)
		return info;
	if (!info) {
		info = op_alloc(1, sizeof(*info));
		/* what a profile of others names is restricted already */
		*info = (struct pp_debug_info){.fd = -1, .namer = FOREIGN_OURSELVES};
	}
	pp_given_table_make(&info->given, symbols, &info->names);
	return info;
}

uid_t pp_debug_info_namer(const struct pp_debug_info *info)
{
	return info->namer;
}

void pp_debug_info_close(struct pp_debug_info *info)
{
	if (!info)
		return;
	if (info->cache_name && info->n_new)
		pp_debug_cache_store(info);
	pp_debug_cache_free(info->caches);
	pp_debug_apart_close(info->apart);
	for (size_t i = 0; i < info->n_units; i++) {
		pp_line_table_free(&info->units[i].lines);
		pp_inline_table_free(&info->units[i].inlines);
	}
	free(info->units);
	free(info->flat);
	pp_live_code_free(&info->code);
	pp_given_table_free(&info->given);
	free(info->cache_name);
	free(info->missing);
	free(info->path);
	op_names_free(&info->names);
	if (info->dwfl)
		dwfl_end(info->dwfl);
	else
		dwarf_end(info->dwarf);
	pp_debug_supplement_close(&info->supplement);
	if (info->fd >= 0)
		close(info->fd);
	free(info);
}

/* ---- look-up ---- */

static struct pp_debug_unit *find_unit(struct pp_debug_info *info, uint64_t link)
{
	const struct op_interval *found;

	if (!info->n_flat)
		return NULL;
	found = info->flat + info->last;
	if (link < found->start || link >= found->end) {
		found = op_intervals_find(info->flat, info->n_flat, link);
		if (!found)
			return NULL;
		info->last = found - info->flat;
	}
	return &info->units[found->value];
}

/* A table is not cached: check that the units match the cached ones. */
static bool open_units(struct pp_debug_info *info)
{
	struct pp_debug_info fresh = {.fd = -1};
	bool same;

	if (info->dwarf)
		return true;
	if (info->is_gone)
		return false;
	debug_info_open_file(&fresh, info->path, NULL);
	if (fresh.dwarf)
		read_units(&fresh);
	same = fresh.n_units == info->n_units;
	for (size_t i = 0; i < fresh.n_units; i++) {
		if (same)
			info->units[i].die = fresh.units[i].die;
		pp_line_table_free(&fresh.units[i].lines);
	}
	free(fresh.units);
	free(fresh.flat);
	pp_live_code_free(&info->code);
	info->code = fresh.code;
	if (same) {
		info->fd = fresh.fd;
		info->dwarf = fresh.dwarf;
		info->supplement = fresh.supplement;
		return true;
	}
	info->is_gone = true;
	dwarf_end(fresh.dwarf);
	pp_debug_supplement_close(&fresh.supplement);
	if (fresh.fd >= 0)
		close(fresh.fd);
	return false;
}

static void debug_info_read_lines(struct pp_debug_info *info, struct pp_debug_unit *unit)
{
	if (unit->lines_cached || pp_debug_apart_lines(info, unit)) {
		pp_debug_cache_lines(unit);
	} else if (!info->apart && open_units(info)) {
		pp_line_table_read(&unit->lines, &unit->die, &info->code);
		info->n_new++;
	}
	unit->lines_read = true;
}

Dwarf_Die pp_debug_scope(struct pp_debug_info *info, struct pp_debug_unit *unit)
{
	Dwarf_Die split = split_of(info, unit);

	return split.addr ? split : unit->die;
}

static void read_inlines(struct pp_debug_info *info, struct pp_debug_unit *unit)
{
	if (unit->inlines_cached || pp_debug_apart_inlines(info, unit)) {
		pp_debug_cache_inlines(info, unit);
	} else if (!info->apart && open_units(info)) {
		Dwarf_Die scope = pp_debug_scope(info, unit);

		pp_inline_table_read(&unit->inlines, &scope, &info->code, &info->names);
		info->n_new++;
	}
	unit->inlines_read = true;
}

const char *pp_debug_info_line(struct pp_debug_info *info, uint64_t link, int *line)
{
	const struct pp_given_place *given;
	const struct pp_line_entry *entry;
	struct pp_debug_unit *unit;

	if (!info)
		return NULL;
	given = pp_given_table_find(&info->given, link);
	if (given) {
		*line = given->line;
		return given->file;
	}
	unit = find_unit(info, link);
	if (unit && !unit->lines_read)
		debug_info_read_lines(info, unit);
	entry = pp_line_table_find(unit ? &unit->lines : &info->told, link);
	if (!entry)
		return NULL;
	*line = entry->line;
	return entry->file;
}

const struct pp_inlined *pp_debug_info_inlined(struct pp_debug_info *info, uint64_t link)
{
	const struct pp_given_place *given;
	struct pp_debug_unit *unit;

	if (!info)
		return NULL;
	given = pp_given_table_find(&info->given, link);
	if (given)
		return given->inlined;
	unit = find_unit(info, link);
	if (!unit)
		return NULL;
	if (!unit->inlines_read)
		read_inlines(info, unit);
	return pp_inline_table_find(&unit->inlines, link);
}
