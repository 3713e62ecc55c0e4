// SPDX-License-Identifier: GPL-2.0-or-later
/* The inlined functions of a compilation unit. */
#include <dwarf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"
#include "libop/base/array.h"
#include "libop/base/memory.h"

/* Maximum nesting of scopes: a bound for damaged files. */
#define DEPTH_LIMIT 256

#define NO_CALLER SIZE_MAX

/* A table under construction: callers are indices, as the array grows. */
struct build {
	struct pp_inline_table *table;
	Dwarf_Die *unit;
	const struct pp_live_code *code;
	Dwarf_Files *sources; /* of the unit */
	size_t n_sources, joined_bytes;
	const char **files; /* their names, by number; NULL: not looked up yet */
	struct op_names *names;
	struct pp_inlined *frames;
	size_t *callers;
	size_t n, frames_capacity, callers_capacity;
	struct op_interval *intervals;
	size_t n_intervals, intervals_capacity;
};

/* The linkage name, which can be demangled; else the name in the source. */
static const char *debug_inlines_name_of(Dwarf_Die *die)
{
	static const unsigned int attributes[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
						  DW_AT_name};

	for (size_t i = 0; i < OP_ARRAY_SIZE(attributes); i++) {
		Dwarf_Attribute attribute;
		const char *name =
			dwarf_formstring(dwarf_attr_integrate(die, attributes[i], &attribute));

		if (name && *name)
			return name;
	}
	return "(unnamed function)";
}

/* ---- call lines ---- */

/* Bytes of names that the compilation directory is put before; see lines.c. */
#define JOINED_MOST (1 << 20)

static void read_sources(struct build *build)
{
	if (dwarf_getsrcfiles(build->unit, &build->sources, &build->n_sources))
		build->n_sources = 0;
	build->files = op_alloc(build->n_sources, sizeof(*build->files));
}

/* The name of a source file: libdw's, or the table's. */
static const char *file_name(struct build *build, size_t number)
{
	struct pp_inline_table *table = build->table;
	const char *name, *directory;

	if (number >= build->n_sources)
		return NULL;
	if (build->files[number])
		return build->files[number];
	name = dwarf_filesrc(build->sources, number, NULL, NULL);
	if (!name || !*name)
		return NULL;
	directory = *name == '/' ? NULL : pp_debug_text(build->unit, DW_AT_comp_dir);
	if (directory && *directory == '/' && build->joined_bytes < JOINED_MOST) {
		table->files = op_grow(table->files, &table->files_capacity, table->n_files + 1,
				       sizeof(*table->files));
		name = table->files[table->n_files++] = op_format("%s/%s", directory, name);
		build->joined_bytes += strlen(name);
	}
	return build->files[number] = name;
}

static void read_call(struct build *build, Dwarf_Die *die, struct pp_inlined *inlined)
{
	Dwarf_Word file = 0, line = 0;
	Dwarf_Attribute attribute;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line) ||
	    dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &file) || !line ||
	    line > INT_MAX)
		return;
	inlined->call_file = file_name(build, file);
	inlined->call_line = inlined->call_file ? (int)line : 0;
}

/* ---- the tree ---- */

static size_t build_add_frame(struct build *build, Dwarf_Die *die, size_t caller,
			      unsigned int depth)
{
	size_t frame = build->n++, index = op_names_index(build->names, debug_inlines_name_of(die));
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	build->frames =
		op_grow(build->frames, &build->frames_capacity, build->n, sizeof(*build->frames));
	build->callers = op_grow(build->callers, &build->callers_capacity, build->n,
				 sizeof(*build->callers));
	build->frames[frame] =
		(struct pp_inlined){.name = build->names->names[index], .name_index = index};
	read_call(build, die, &build->frames[frame]);
	build->callers[frame] = caller;
	while ((offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0) {
		if (!pp_live_code_has(build->code, start))
			continue;
		build->intervals = op_grow(build->intervals, &build->intervals_capacity,
					   build->n_intervals + 1, sizeof(*build->intervals));
		build->intervals[build->n_intervals++] = (struct op_interval){
			.start = start, .end = end, .rank = depth, .value = frame};
	}
	return frame;
}

static bool has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

/* Visits the children of @die; @caller is the inlined function that they are in. */
static void read_children(struct build *build, Dwarf_Die *die, size_t caller, unsigned int depth)
{
	Dwarf_Die child;
	Dwarf_Off last = 0;

	if (depth > DEPTH_LIMIT || dwarf_child(die, &child))
		return;
	do {
		/* A reference in a damaged file may point back. */
		if (dwarf_dieoffset(&child) <= last)
			return;
		last = dwarf_dieoffset(&child);
		switch (dwarf_tag(&child)) {
		case DW_TAG_inlined_subroutine:
			read_children(build, &child, build_add_frame(build, &child, caller, depth),
				      depth + 1);
			break;
		case DW_TAG_subprogram:
			if (has_code(&child))
				read_children(build, &child, NO_CALLER, depth + 1);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			read_children(build, &child, caller, depth + 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
			read_children(build, &child, NO_CALLER, depth + 1);
			break;
		default:
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
}

void pp_inline_table_read(struct pp_inline_table *table, Dwarf_Die *unit,
			  const struct pp_live_code *code, struct op_names *names)
{
	struct build build = {.table = table, .unit = unit, .code = code, .names = names};

	read_sources(&build);
	read_children(&build, unit, NO_CALLER, 0);
	for (size_t i = 0; i < build.n; i++)
		build.frames[i].caller =
			build.callers[i] == NO_CALLER ? NULL : &build.frames[build.callers[i]];
	table->frames = build.frames;
	table->n_frames = build.n;
	table->n = op_intervals_flatten(build.intervals, build.n_intervals, &table->flat);
	free(build.files);
	free(build.callers);
	free(build.intervals);
}

const struct pp_inlined *pp_inline_table_find(const struct pp_inline_table *table, uint64_t link)
{
	const struct op_interval *found = op_intervals_find(table->flat, table->n, link);

	return found ? &table->frames[found->value] : NULL;
}

void pp_inline_table_free(struct pp_inline_table *table)
{
	for (size_t i = 0; i < table->n_files; i++)
		free(table->files[i]);
	free(table->files);
	free(table->flat);
	free(table->frames);
}
