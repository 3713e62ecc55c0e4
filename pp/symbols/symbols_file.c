// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of object files. */

#include <errno.h>
#include <stdio.h> /* obstack_printf() */
#include <stdlib.h>

#include "libop/base/memory.h"
#include "debug_link.h"
#include "symbols_apart.h"
#include "symbols_cache.h"
#include "libop/base/number.h"
#include "libop/base/search.h"
#include "symbols_build.h"

static void release_owner(void *memory)
{
	struct owner *owner = memory;

	free(owner->synthetic);
	free(owner->dynamic);
	pp_bfd_close(&owner->debug);
	pp_bfd_close(&owner->image);
	obstack_free(&owner->names, NULL);
	free(owner);
}

static struct pp_machine machine_of(bfd *image)
{
	return (struct pp_machine){
		.known = true,
		.big_endian = bfd_big_endian(image),
		.address_bits = bfd_get_arch_size(image) == 32 ? 32 : 64,
		.arch = bfd_get_arch(image),
		.mach = bfd_get_mach(image),
	};
}

/* ---- symbols ---- */

static bool symbols_file_is_wanted(const asymbol *symbol)
{
	const char *name = symbol->name;

	if (!name || !*name || *name == '@')
		return false;
	if (symbol->flags & (BSF_SECTION_SYM | BSF_FILE | BSF_DEBUGGING | BSF_THREAD_LOCAL))
		return false;
	if (name[0] == '.' && name[1] == 'L')
		return false;
	/* Marks of code and data in ARM objects: $a, $t.5, $d(7). */
	if (name[0] == '$' && name[1] && strchr("atdx", name[1]) &&
	    (!name[2] || name[2] == '.' || name[2] == '('))
		return false;
	return strcmp(name, "gcc2_compiled.") != 0;
}

/* "cfree@GLIBC_2.2.5", not "free@@GLIBC_2.2.5": programs that are linked today cannot call it. */
static bool is_old_version(asymbol *symbol)
{
	const char *version = strchr(symbol->name, '@');
	bool is_hidden = false;

	if (version)
		return version[1] != '@';
	bfd_get_symbol_version_string(symbol->the_bfd, symbol, true, &is_hidden);
	return is_hidden;
}

/* Rank of a name among several at one address; the lowest wins. */
static uint32_t rank_symbol(asymbol *symbol)
{
	bool local = !(symbol->flags & (BSF_GLOBAL | BSF_WEAK | BSF_GNU_UNIQUE));

	return (uint32_t)!strcmp(symbol->name, "Letext") << 5 |
	       (uint32_t)is_old_version(symbol) << 4 | (uint32_t)local << 3 |
	       (uint32_t)(symbol->name[0] == '_') << 2 |
	       (uint32_t) !!(symbol->flags & BSF_WEAK) << 1 |
	       (uint32_t) !(symbol->flags & (BSF_FUNCTION | BSF_GNU_INDIRECT_FUNCTION));
}

static void add_raw(struct build *build, uint64_t start, uint64_t size, uint32_t rank,
		    const char *name)
{
	if (!pp_symbols_is_in_code(build->symbols, start))
		return;
	build->raw = op_grow(build->raw, &build->capacity, build->n + 1, sizeof(*build->raw));
	build->raw[build->n++] = (struct pp_raw_symbol){
		.start = start,
		.size = size,
		.rank = rank,
		.name = name,
	};
}

/* The section of the image that a section of the debug file was copied from. */
static const asection *image_section(const struct build *build, const asection *section)
{
	struct pp_bfd_file *image = &build->owner->image;

	if (section->owner != image->bfd)
		section = bfd_get_section_by_name(image->bfd, section->name);
	return section && pp_symbols_is_code(image, section) ? section : NULL;
}

/* Strips the version of "memcpy@@GLIBC_2.14". */
static const char *bare_name(struct build *build, const char *name)
{
	return strchr(name, '@') ? obstack_copy0(&build->owner->names, name, strcspn(name, "@"))
				 : name;
}

/* The size of the largest symbol at an address, or 0. */
static uint64_t size_at(const struct symbol_sizes *sizes, uint64_t address)
{
	size_t i = op_first_above(sizes->items, sizes->n, address, address);
	uint64_t size = 0;

	for (; i && sizes->items[i - 1].address == address; i--)
		if (sizes->items[i - 1].size > size)
			size = sizes->items[i - 1].size;
	return size;
}

static void add_static(struct build *build, asymbol *symbol)
{
	const asection *section;
	uint64_t key;

	if (!symbols_file_is_wanted(symbol) || !(symbol->section->flags & SEC_CODE))
		return;
	section = image_section(build, symbol->section);
	if (section && symbol->value < section->size &&
	    pp_symbols_section_key(build, section, &key))
		add_raw(build, key + symbol->value,
			size_at(&build->static_sizes, bfd_asymbol_value(symbol)),
			rank_symbol(symbol), bare_name(build, symbol->name));
}

/* objcopy renumbers sections and leaves .dynsym as it is, so sections are matched by address. */
static void add_dynamic(struct build *build, asymbol *symbol)
{
	uint64_t key;

	if (symbols_file_is_wanted(symbol) && !bfd_is_und_section(symbol->section) &&
	    !bfd_is_abs_section(symbol->section) &&
	    pp_symbols_key(build->symbols, bfd_asymbol_value(symbol), &key))
		add_raw(build, key, size_at(&build->dynamic_sizes, bfd_asymbol_value(symbol)),
			rank_symbol(symbol), bare_name(build, symbol->name));
}

/* "malloc@plt" */
static void add_synthetic(struct build *build, asymbol *symbol)
{
	const asection *section = image_section(build, symbol->section);
	uint64_t key;

	if (section && symbol->name && symbol->value < section->size &&
	    pp_symbols_section_key(build, section, &key))
		add_raw(build, key + symbol->value, 0, UINT32_MAX, symbol->name);
}

/* Stubs of indirect functions are named by address: "*ABS*+0x9f550@plt". */
static void name_indirect_call(struct build *build, struct pp_symbol *call)
{
	static const char mark[] = "*ABS*+0x";
	struct pp_symbols *symbols = build->symbols;
	uint64_t address, key;
	const char *digits;
	size_t target;

	if (strncmp(call->name, mark, sizeof(mark) - 1) != 0)
		return;
	digits = call->name + sizeof(mark) - 1;
	if (!op_number_take(&digits, 16, UINT64_MAX, &address) ||
	    !pp_symbols_key(symbols, address, &key))
		return;
	target = pp_symbols_find(symbols, key);
	if (target == symbols->n || symbols->items[target].start != key)
		return;
	obstack_printf(&build->owner->names, "%s@plt", symbols->items[target].name);
	obstack_1grow(&build->owner->names, '\0');
	call->name = obstack_finish(&build->owner->names);
}

static long read_dynamic(struct owner *owner)
{
	struct pp_bfd_file *image = &owner->image;
	long size, n;

	size = pp_bfd_table_size(image, bfd_get_dynamic_symtab_upper_bound(image->bfd));
	if (!size)
		return 0;
	owner->dynamic = op_chunk(size);
	n = bfd_canonicalize_dynamic_symtab(image->bfd, owner->dynamic);
	return n > 0 ? n : 0;
}

static void read_plt(struct build *build, long n_static, long n_dynamic)
{
	struct owner *owner = build->owner;
	struct pp_bfd_file *image = &owner->image;
	long n;

	if (n_dynamic <= 0 || !bfd_get_section_by_name(image->bfd, ".plt"))
		return;
	n = bfd_get_synthetic_symtab(image->bfd, image->symbols ? n_static : 0, image->symbols,
				     n_dynamic, owner->dynamic, &owner->synthetic);
	for (long i = 0; i < n; i++)
		add_synthetic(build, &owner->synthetic[i]);
}

static void read_sizes(struct symbol_sizes *sizes, Elf *elf, GElf_Word type)
{
	GElf_Ehdr header;

	free(sizes->items);
	*sizes = (struct symbol_sizes){0};
	if (gelf_getehdr(elf, &header) && header.e_type != ET_REL)
		sizes->n = pp_elf_symbol_sizes(elf, type, &sizes->items);
}

/* Looks for the debug file, the segments and sizes, for which libelf is needed. */
static void read_object(struct build *build, const char *path, const char *root, bool has_symbols,
			bool want_lines)
{
	struct pp_symbols *symbols = build->symbols;
	struct pp_elf_file object;

	if (pp_elf_open(&object, path))
		return;
	if (!symbols->n_code && !build->place) {
		pp_symbols_read_segments(build, &object);
		pp_symbols_order_code(symbols);
	}
	if (!has_symbols || (want_lines && !pp_elf_has_section(&object, ".debug_line")))
		symbols->debug_path = pp_debug_link_find(&object, path, root);
	if (!has_symbols && !symbols->debug_path)
		build->mini = pp_elf_mini_debug(&object);
	if (!build->place) {
		read_sizes(&build->static_sizes, object.elf, SHT_SYMTAB);
		read_sizes(&build->dynamic_sizes, object.elf, SHT_DYNSYM);
		build->starts.n = pp_elf_function_starts(&object, &build->starts.keys);
	}
	pp_elf_close(&object);
}

/* The sizes of a table that is in another file than the image. */
static void read_debug_sizes(struct build *build)
{
	Elf *elf = build->mini >= 0 ? elf_begin(build->mini, ELF_C_READ, NULL) : NULL;
	struct pp_elf_file debug;

	if (elf) {
		read_sizes(&build->static_sizes, elf, SHT_SYMTAB);
		elf_end(elf);
	} else if (!build->place && !pp_elf_open(&debug, build->symbols->debug_path)) {
		read_sizes(&build->static_sizes, debug.elf, SHT_SYMTAB);
		pp_elf_close(&debug);
	}
}

static void read_symbols(struct build *build, const char *path, const char *root, bool want_lines)
{
	struct pp_symbols *symbols = build->symbols;
	struct owner *owner = build->owner;
	struct pp_bfd_file *source = &owner->image;
	long n_image = pp_bfd_read_symbols(&owner->image), n = n_image, n_dynamic;
	bool is_mini = false;

	if (build->place && build->place->is_module)
		pp_symbols_lay_out_module(build);
	else if (build->place)
		pp_symbols_find_stext(build, n_image);
	pp_symbols_read_sections(build);
	pp_symbols_order_code(symbols);

	if (!n || want_lines || !symbols->n_code || !build->place)
		read_object(build, path, root, n, want_lines);
	if (!n && symbols->debug_path && !pp_bfd_open(&owner->debug, symbols->debug_path, NULL)) {
		source = &owner->debug;
		n = pp_bfd_read_symbols(source);
		read_debug_sizes(build);
	}
	/* Its table has only symbols that .dynsym lacks, so both are needed. */
	if (build->mini >= 0)
		read_debug_sizes(build);
	if (build->mini >= 0 && !pp_bfd_open_descriptor(&owner->debug, build->mini, path, NULL)) {
		is_mini = true;
		source = &owner->debug;
		n = pp_bfd_read_symbols(source);
	}
	for (long i = 0; i < n; i++)
		add_static(build, source->symbols[i]);
	n_dynamic = read_dynamic(owner);
	for (long i = 0; (!n || is_mini) && i < n_dynamic; i++)
		add_dynamic(build, owner->dynamic[i]);
	read_plt(build, n_image, n_dynamic);
	pp_symbols_tidy(symbols, build->raw, build->n, &build->starts, n > 0);
	for (size_t i = 0; i < symbols->n; i++)
		name_indirect_call(build, &symbols->items[i]);
	free(build->raw);
	free(build->static_sizes.items);
	free(build->dynamic_sizes.items);
	free(build->starts.keys);
}

static enum pp_symbols_status symbols_read_file(struct pp_symbols *symbols, const char *path,
						const char *root, bool want_lines,
						const struct pp_kernel_place *place,
						struct op_error *error)
{
	struct owner *owner = op_alloc(1, sizeof(*owner));
	struct build build = {.symbols = symbols, .owner = owner, .mini = -1, .place = place};

	memset(symbols, 0, sizeof(*symbols));
	symbols->owner = owner;
	symbols->release = release_owner;
	obstack_init(&owner->names);
	pp_bfd_start();
	if (pp_bfd_open(&owner->image, path, error))
		return PP_SYMBOLS_DAMAGED;
	symbols->machine = machine_of(owner->image.bfd);
	symbols->is_relocatable = place && place->is_module;
	read_symbols(&build, path, root, want_lines);
	free(build.keys);
	if (!*pp_bfd_message())
		return PP_SYMBOLS_OK;
	op_error_set(error, EINVAL, "%s", pp_bfd_message());
	return PP_SYMBOLS_DAMAGED;
}

enum pp_symbols_status pp_symbols_read_file(struct pp_symbols *symbols, const char *path,
					    const char *root, bool want_lines,
					    struct op_error *error)
{
	char *debug_path = NULL, *name;
	enum pp_symbols_status status = PP_SYMBOLS_OK;
	const struct pp_symbols_request request = {path, root, want_lines, NULL, symbols_read_file};

	memset(symbols, 0, sizeof(*symbols));
	if (pp_symbols_read_apart(symbols, &request, &status, error))
		return status;
	name = pp_symbols_cache_name(path, root, want_lines, &debug_path);
	if (!name || !pp_symbols_cache_load(name, symbols)) {
		status = symbols_read_file(symbols, path, root, want_lines, NULL, error);
		if (name && status == PP_SYMBOLS_OK)
			pp_symbols_cache_store(name, symbols);
	}
	if (!symbols->debug_path)
		symbols->debug_path = debug_path;
	else
		free(debug_path);
	free(name);
	return status;
}

enum pp_symbols_status pp_symbols_read_kernel_file(struct pp_symbols *symbols, const char *path,
						   const char *root, bool want_lines,
						   const struct pp_kernel_place *place,
						   struct op_error *error)
{
	const struct pp_symbols_request request = {path, root, want_lines, place,
						   symbols_read_file};
	enum pp_symbols_status status = PP_SYMBOLS_OK;

	memset(symbols, 0, sizeof(*symbols));
	if (!pp_symbols_read_apart(symbols, &request, &status, error))
		return symbols_read_file(symbols, path, root, want_lines, place, error);
	symbols->is_relocatable = place->is_module;
	return status;
}
