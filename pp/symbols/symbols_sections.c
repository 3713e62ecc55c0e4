// SPDX-License-Identifier: GPL-2.0-or-later
/* Sections of code of an image, and the keys of what is in them: see symbols_file.c. */
#include "symbols_build.h"

#include <stdio.h> /* obstack_printf() */
#include <stdlib.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/search.h"

/* ---- sections ---- */

bool pp_symbols_is_code(const struct pp_bfd_file *file, const asection *section)
{
	return (section->flags & (SEC_CODE | SEC_HAS_CONTENTS)) == (SEC_CODE | SEC_HAS_CONTENTS) &&
	       section->size && section->filepos > 0 && (uint64_t)section->filepos < file->size;
}

static void add_code(struct build *build, size_t *capacity, const struct pp_code *code)
{
	struct pp_symbols *symbols = build->symbols;
	uint64_t limit = build->owner->image.size - code->offset, size = code->end - code->start;
	struct pp_code *added;

	symbols->code =
		op_grow(symbols->code, capacity, symbols->n_code + 1, sizeof(*symbols->code));
	added = &symbols->code[symbols->n_code++];
	*added = *code;
	added->end = code->start + (size < limit ? size : limit);
}

/* ---- keys ---- */

void pp_symbols_lay_out_module(struct build *build)
{
	bfd *image = build->owner->image.bfd;
	uint64_t at = 0;
	size_t i = 0;

	build->keys = op_alloc(bfd_count_sections(image), sizeof(*build->keys));
	for (asection *section = image->sections; section; section = section->next, i++) {
		uint64_t align = (uint64_t)1 << (section->alignment_power & 31);

		if ((section->flags & (SEC_CODE | SEC_ALLOC)) != (SEC_CODE | SEC_ALLOC) ||
		    !strncmp(section->name, ".init", 5) || section->size > build->owner->image.size)
			continue;
		at = (at + align - 1) & ~(align - 1);
		build->keys[i] = (struct section_key){.is_loaded = true, .key = at};
		at += section->size;
	}
}

void pp_symbols_find_stext(struct build *build, long n)
{
	asymbol **symbols = build->owner->image.symbols;
	const asection *text = bfd_get_section_by_name(build->owner->image.bfd, ".text");

	build->stext = text ? text->vma : 0;
	for (long i = 0; i < n; i++)
		if (symbols[i]->name && !strcmp(symbols[i]->name, "_stext"))
			build->stext = bfd_asymbol_value(symbols[i]);
}

bool pp_symbols_section_key(const struct build *build, const asection *section, uint64_t *key)
{
	if (!build->place) {
		*key = section->filepos;
		return true;
	}
	if (build->place->is_module) {
		*key = build->keys[section->index].key;
		return build->keys[section->index].is_loaded;
	}
	*key = section->vma - build->stext;
	return section->vma >= build->stext;
}

static int compare_code(const void *a, const void *b)
{
	const struct pp_code *left = a, *right = b;

	return op_compare_u64(left->start, right->start);
}

bool pp_symbols_is_in_code(const struct pp_symbols *symbols, uint64_t start)
{
	size_t i = op_first_above(symbols->code, symbols->n_code, end, start);

	return i < symbols->n_code && symbols->code[i].start <= start;
}

void pp_symbols_order_code(struct pp_symbols *symbols)
{
	size_t n = 0;

	if (symbols->n_code)
		qsort(symbols->code, symbols->n_code, sizeof(*symbols->code), compare_code);
	for (size_t i = 0; i < symbols->n_code; i++) {
		struct pp_code code = symbols->code[i];
		uint64_t taken = n ? symbols->code[n - 1].end : 0;

		if (code.start < taken) {
			code.vma += taken - code.start;
			code.offset += taken - code.start;
			code.link += taken - code.start;
			code.start = taken;
		}
		if (code.start < code.end)
			symbols->code[n++] = code;
	}
	symbols->n_code = n;
}

void pp_symbols_read_sections(struct build *build)
{
	struct pp_bfd_file *image = &build->owner->image;
	struct obstack *names = &build->owner->names;
	size_t capacity = 0;

	for (asection *section = image->bfd->sections; section; section = section->next) {
		struct pp_code code;

		if (!pp_symbols_is_code(image, section) ||
		    !pp_symbols_section_key(build, section, &code.start))
			continue;
		obstack_printf(names, PP_ANONYMOUS "%s", section->name);
		obstack_1grow(names, '\0');
		if (!strcmp(section->name, ".text"))
			build->symbols->text = section->filepos;
		code.name = obstack_finish(names);
		code.end = code.start + section->size;
		code.vma = build->place ? build->place->address + code.start : section->vma;
		code.offset = section->filepos;
		code.link = section->vma;
		if (code.start < code.end)
			add_code(build, &capacity, &code);
	}
}

void pp_symbols_read_segments(struct build *build, const struct pp_elf_file *object)
{
	struct pp_segment *segments;
	size_t n = pp_segments_of(object->elf, &segments), capacity = 0;

	for (size_t i = 0; i < n; i++)
		if (segments[i].offset < build->owner->image.size &&
		    segments[i].size <= UINT64_MAX - segments[i].offset)
			add_code(build, &capacity,
				 &(struct pp_code){.start = segments[i].offset,
						   .end = segments[i].offset + segments[i].size,
						   .vma = segments[i].address,
						   .offset = segments[i].offset,
						   .link = segments[i].address});
	free(segments);
}
