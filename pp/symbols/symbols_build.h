/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of symbols under construction, for symbols_file.c and symbols_sections.c only. */
#ifndef PP_SYMBOLS_SYMBOLS_BUILD_H
#define PP_SYMBOLS_SYMBOLS_BUILD_H

#include <obstack.h>

#include "bfd_file.h"
#include "elf_file.h"
#include "symbols.h"

#define obstack_chunk_alloc op_chunk
#define obstack_chunk_free  free

/* Memory of the names of a table. */
struct owner {
	struct pp_bfd_file image, debug;
	asymbol **dynamic;
	asymbol *synthetic;
	struct obstack names;
};

/* A table under construction. */
struct build {
	struct pp_symbols *symbols;
	struct owner *owner;
	struct pp_raw_symbol *raw;
	size_t n, capacity;
	struct symbol_sizes {
		struct pp_symbol_size *items;
		size_t n;
	} static_sizes, dynamic_sizes;
	struct pp_starts starts; /* none in kernel files */
	int mini;			     /* decompressed .gnu_debugdata, or -1 */
	const struct pp_kernel_place *place; /* NULL: keys are offsets in the file */
	struct section_key *keys;	     /* of a module's sections, by index */
	uint64_t stext;			     /* of a vmlinux */
};

struct section_key {
	bool is_loaded;
	uint64_t key;
};

bool pp_symbols_is_code(const struct pp_bfd_file *file, const asection *section);

/*
 * Where the kernel loads the sections of a module: those with code one after another, in the
 * order of the file, each with its own alignment; init sections are elsewhere.
 */
void pp_symbols_lay_out_module(struct build *build);
void pp_symbols_find_stext(struct build *build, long n);

/* The key of the start of a section of the image, in *@key; false if it has none. */
bool pp_symbols_section_key(const struct build *build, const asection *section, uint64_t *key);
bool pp_symbols_is_in_code(const struct pp_symbols *symbols, uint64_t start);

/* Sections of a damaged file may overlap: the later one then begins where the first ends. */
void pp_symbols_order_code(struct pp_symbols *symbols);
void pp_symbols_read_sections(struct build *build);

/* Without a section table the segments say where code is. */
void pp_symbols_read_segments(struct build *build, const struct pp_elf_file *object);

#endif
