// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols on disk: a header, the symbols, their aliases, the code, and the text of all names, each
 * NUL-terminated; in the byte order of the machine.
 */
#include "symbols_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/base/memory.h"
#include "debug_link.h"
#include "elf_file.h"
#include "libop/tables/table_cache.h"

#define NONE UINT32_MAX

long long pp_symbols_cache_least = 4 << 20;

struct head {
	uint64_t n_items, n_aliases, n_code, text_size;
	uint64_t text; /* as in struct pp_symbols */
	uint64_t mach;
	uint32_t arch, address_bits, big_endian, known;
};

struct item {
	uint64_t start, end, vma, skipped;
	uint32_t name; /* in the text */
	uint32_t padding;
};

struct alias {
	uint64_t start;
	uint32_t name;
	uint32_t padding;
};

struct code {
	uint64_t start, end, vma, offset, link;
	uint32_t name; /* or NONE */
	uint32_t padding;
};

char *pp_symbols_cache_name(const char *path, const char *root, bool want_lines, char **debug_path)
{
	struct stat status, debug_status = {0};
	struct pp_elf_file object;
	char *debug = NULL, *id, *kind, *name = NULL;
	bool has_symbols;

	if (stat(path, &status) || status.st_size < pp_symbols_cache_least ||
	    pp_elf_open(&object, path))
		return NULL;
	id = pp_elf_build_id(&object);
	has_symbols = pp_elf_has_section(&object, ".symtab");
	if (id && (!has_symbols || (want_lines && !pp_elf_has_section(&object, ".debug_line"))))
		debug = pp_debug_link_find(&object, path, root);
	pp_elf_close(&object);
	/* The key of the cache: the symbols of an image change when its debug file is installed. */
	if (debug && !has_symbols)
		stat(debug, &debug_status);
	kind = op_format("symbols-3-%" PRIx64 "-%" PRIx64, (uint64_t)debug_status.st_size,
			 (uint64_t)debug_status.st_mtime);
	if (id)
		name = op_table_cache_name(id, &status, kind);
	if (name)
		*debug_path = debug;
	else
		free(debug);
	free(kind);
	free(id);
	return name;
}

/* ---- reading ---- */

static bool take_items(struct pp_symbols *symbols, const struct head *head,
		       const struct item *items, const struct alias *aliases,
		       const struct code *code, const char *text)
{
	for (size_t i = 0; i < head->n_items; i++) {
		if (items[i].name >= head->text_size || items[i].end < items[i].start ||
		    (i && items[i].start < items[i - 1].start))
			return false;
		symbols->items[i] = (struct pp_symbol){.start = items[i].start,
						       .end = items[i].end,
						       .vma = items[i].vma,
						       .skipped = items[i].skipped,
						       .name = text + items[i].name};
	}
	for (size_t i = 0; i < head->n_aliases; i++) {
		if (aliases[i].name >= head->text_size)
			return false;
		symbols->aliases[i] = (struct pp_alias){.start = aliases[i].start,
							.name = text + aliases[i].name};
	}
	for (size_t i = 0; i < head->n_code; i++) {
		if ((code[i].name != NONE && code[i].name >= head->text_size) ||
		    code[i].end < code[i].start || (i && code[i].start < code[i - 1].start))
			return false;
		symbols->code[i] =
			(struct pp_code){.start = code[i].start,
					 .end = code[i].end,
					 .vma = code[i].vma,
					 .offset = code[i].offset,
					 .link = code[i].link,
					 .name = code[i].name == NONE ? NULL : text + code[i].name};
	}
	return true;
}

static bool symbols_cache_take(struct pp_symbols *symbols, const unsigned char *bytes, size_t size)
{
	const struct item *items;
	const struct alias *aliases;
	const struct code *code;
	const char *text;
	struct head head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	size -= sizeof(head);
	if (head.n_items > size / sizeof(*items))
		return false;
	items = (const void *)(bytes + sizeof(head));
	size -= head.n_items * sizeof(*items);
	aliases = (const void *)(items + head.n_items);
	if (head.n_aliases > size / sizeof(*aliases))
		return false;
	size -= head.n_aliases * sizeof(*aliases);
	if (head.n_code > size / sizeof(*code))
		return false;
	code = (const void *)(aliases + head.n_aliases);
	size -= head.n_code * sizeof(*code);
	text = (const void *)(code + head.n_code);
	if (head.text_size != size || (size && text[size - 1]))
		return false;
	symbols->items = op_alloc(head.n_items, sizeof(*symbols->items));
	symbols->code = op_alloc(head.n_code, sizeof(*symbols->code));
	symbols->aliases = op_alloc(head.n_aliases, sizeof(*symbols->aliases));
	symbols->n = head.n_items;
	symbols->n_aliases = head.n_aliases;
	symbols->n_code = head.n_code;
	symbols->text = head.text;
	symbols->machine = (struct pp_machine){.known = head.known,
					       .big_endian = head.big_endian,
					       .address_bits = head.address_bits,
					       .arch = (int)head.arch,
					       .mach = head.mach};
	return take_items(symbols, &head, items, aliases, code, text);
}

bool pp_symbols_unpack(struct pp_symbols *symbols, void *bytes, size_t size)
{
	symbols->owner = bytes;
	symbols->release = free;
	if (bytes && symbols_cache_take(symbols, bytes, size))
		return true;
	pp_symbols_free(symbols);
	return false;
}

bool pp_symbols_cache_load(const char *name, struct pp_symbols *symbols)
{
	size_t size = 0;
	void *bytes = op_table_cache_load(name, &size);

	return pp_symbols_unpack(symbols, bytes, size);
}

/* ---- writing ---- */

struct text {
	char *bytes;
	size_t n, capacity;
};

/* Adjacent names are rarely equal, so names are not shared. */
static uint32_t symbols_cache_put(struct text *text, const char *name)
{
	size_t n = strlen(name) + 1, at = text->n;

	text->bytes = op_grow(text->bytes, &text->capacity, at + n, 1);
	memcpy(text->bytes + at, name, n);
	text->n += n;
	return (uint32_t)at;
}

void *pp_symbols_pack(const struct pp_symbols *symbols, size_t *length)
{
	struct head head = {
		.n_items = symbols->n,
		.n_aliases = symbols->n_aliases,
		.n_code = symbols->n_code,
		.text = symbols->text,
		.mach = symbols->machine.mach,
		.arch = (uint32_t)symbols->machine.arch,
		.address_bits = symbols->machine.address_bits,
		.big_endian = symbols->machine.big_endian,
		.known = symbols->machine.known,
	};
	size_t size = sizeof(head) + symbols->n * sizeof(struct item) +
		      symbols->n_aliases * sizeof(struct alias) +
		      symbols->n_code * sizeof(struct code);
	struct text text = {0};
	unsigned char *bytes = op_alloc(1, size);
	struct item *items = (void *)(bytes + sizeof(head));
	struct alias *aliases = (void *)(items + symbols->n);
	struct code *code = (void *)(aliases + symbols->n_aliases);

	for (size_t i = 0; i < symbols->n; i++)
		items[i] = (struct item){.start = symbols->items[i].start,
					 .end = symbols->items[i].end,
					 .vma = symbols->items[i].vma,
					 .skipped = symbols->items[i].skipped,
					 .name = symbols_cache_put(&text, symbols->items[i].name)};
	for (size_t i = 0; i < symbols->n_aliases; i++)
		aliases[i] =
			(struct alias){.start = symbols->aliases[i].start,
				       .name = symbols_cache_put(&text, symbols->aliases[i].name)};
	for (size_t i = 0; i < symbols->n_code; i++) {
		const struct pp_code *from = &symbols->code[i];

		code[i] = (struct code){.start = from->start,
					.end = from->end,
					.vma = from->vma,
					.offset = from->offset,
					.link = from->link,
					.name = from->name ? symbols_cache_put(&text, from->name)
							   : NONE};
	}
	head.text_size = text.n;
	memcpy(bytes, &head, sizeof(head));
	if (text.n < NONE) {
		size_t capacity = size;

		bytes = op_grow(bytes, &capacity, size + text.n, 1);
		if (text.n)
			memcpy(bytes + size, text.bytes, text.n);
		*length = size + text.n;
	} else {
		free(bytes);
		bytes = NULL;
	}
	free(text.bytes);
	return bytes;
}

void pp_symbols_cache_store(const char *name, const struct pp_symbols *symbols)
{
	size_t length;
	void *bytes = pp_symbols_pack(symbols, &length);

	if (bytes)
		op_table_cache_store(name, bytes, length);
	free(bytes);
}
