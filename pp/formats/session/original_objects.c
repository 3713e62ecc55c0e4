// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects of JIT code for OProfile: {anon:LABEL}/TGID.jo, an ELF file whose symbols have the
 * addresses of the code, as opjitconv makes it of what agents recorded.  Here the names are those
 * that reports of the session have.
 *
 * OProfile takes a symbol to reach up to the next one in its section, and all samples in the memory
 * of that process and label to be in the object.  So there are symbols of what has no name, too,
 * and each sample is in a section.  Of the code there are no bytes: sections are holes in the file.
 */
#include "original_objects.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/buffer.h"
#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/session/paths.h"
#include "pp/symbols/image_name.h"
#include "pp/symbols/image_reader.h"

/* Beside those of code: the null section, .symtab, .strtab, .shstrtab. */
#define SECTIONS_OTHER 4
#define SECTIONS_MOST  (SHN_LORESERVE - SECTIONS_OTHER)

/* Code that is not in the object and lies between what is: above, another section begins. */
#define GAP_MOST (UINT64_C(64) << 10)

#define UNKNOWN "[unknown]"

/* A function, or a byte that is in none. */
struct span {
	uint64_t start, end; /* addresses, without end */
	const char *name;    /* in the object's strings; NULL: none is known */
};

/* Spans that one section has. */
struct section {
	size_t first, end;
};

struct object {
	struct span *spans;
	size_t n, capacity;
	struct section *sections;
	size_t n_sections, sections_capacity;
	struct op_strings names;
};

/* ---- what has samples ---- */

void original_objects_add(struct original_objects *objects, const char *file,
			  const struct op_image_name *image, const struct op_image_name *source,
			  const struct odb_entry *entries, size_t n)
{
	struct original_memory *memory;
	const char *slash;

	if (image->kind != OP_IMAGE_ANON || image->end <= image->start || pp_image_is_vdso(image))
		return;
	/* .../{anon:LABEL}/TGID.START.END/EVENT */
	slash = strrchr(file, '/');
	slash = slash ? memrchr(file, '/', (size_t)(slash - file)) : NULL;
	if (!slash)
		return;
	objects->items = op_grow(objects->items, &objects->capacity, objects->n + 1,
				 sizeof(*objects->items));
	memory = &objects->items[objects->n++];
	*memory = (struct original_memory){
		.path = op_format("%.*s/%u.jo", (int)(slash - file), file, image->tgid),
		.image = *image,
		.source = *source,
		.keys = op_alloc(n, sizeof(*memory->keys)),
	};
	memory->image.name = op_copy(image->name);
	memory->source.name = op_copy(source->name);
	for (size_t i = 0; i < n; i++)
		if (entries[i].count && entries[i].key < image->end - image->start)
			memory->keys[memory->n++] = entries[i].key;
}

void original_objects_free(struct original_objects *objects)
{
	for (size_t i = 0; i < objects->n; i++) {
		free(objects->items[i].path);
		free(objects->items[i].image.name);
		free(objects->items[i].source.name);
		free(objects->items[i].keys);
	}
	free(objects->items);
	*objects = (struct original_objects){0};
}

/* By object, and by range: several events and threads have the same. */
static int compare_memory(const void *a, const void *b)
{
	const struct original_memory *left = a, *right = b;
	int order = strcmp(left->path, right->path);

	if (order)
		return order;
	if (left->image.start != right->image.start)
		return left->image.start < right->image.start ? -1 : 1;
	return (left->image.end > right->image.end) - (left->image.end < right->image.end);
}

/* ---- spans ---- */

static void add_span(struct object *object, uint64_t start, uint64_t end, const char *name)
{
	object->spans =
		op_grow(object->spans, &object->capacity, object->n + 1, sizeof(*object->spans));
	object->spans[object->n++] = (struct span){start, end, name};
}

/* The names of symbols go with the image that is read. */
static const char *object_keep(struct object *object, const char *name)
{
	if (op_strings_add(&object->names, name))
		op_out_of_memory();
	return object->names.item[object->names.count - 1];
}

static void add_spans(struct object *object, const struct pp_symbols *symbols,
		      const struct original_memory *memory)
{
	uint64_t start = memory->image.start;
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < memory->n; i++) {
		uint64_t key = memory->keys[i];
		size_t found = pp_symbols_find(symbols, key);

		if (found >= symbols->n)
			add_span(object, start + key, start + key + 1, NULL);
		else if (found != last)
			add_span(object, start + symbols->items[found].start,
				 start + symbols->items[found].end,
				 object_keep(object, symbols->items[found].name));
		last = found;
	}
}

/* @memory: @n ranges by compare_memory() */
static void add_memory(struct object *object, struct pp_image_reader *reader,
		       const struct original_memory *memory, size_t n)
{
	struct pp_image_content content = {0};

	for (size_t i = 0; i < n; i++) {
		if (!i || memory[i].image.start != memory[i - 1].image.start ||
		    memory[i].image.end != memory[i - 1].image.end) {
			pp_image_content_free(&content);
			pp_image_reader_read(reader, &memory[i].source, &content);
		}
		add_spans(object, &content.symbols, &memory[i]);
	}
	pp_image_content_free(&content);
}

static int compare_spans(const void *a, const void *b)
{
	const struct span *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return !left->name - !right->name;
}

/* Memory that grew, and several events, have the same code more than once. */
static void order_spans(struct object *object)
{
	size_t n = 0;

	if (object->n)
		qsort(object->spans, object->n, sizeof(*object->spans), compare_spans);
	for (size_t i = 0; i < object->n; i++) {
		struct span span = object->spans[i];

		if (n && span.start < object->spans[n - 1].end)
			span.start = object->spans[n - 1].end;
		if (span.start < span.end)
			object->spans[n++] = span;
	}
	object->n = n;
}

static bool is_named(const struct object *object)
{
	for (size_t i = 0; i < object->n; i++)
		if (object->spans[i].name)
			return true;
	return false;
}

/* Makes sections of spans that are no more than @gap bytes apart. */
static void divide(struct object *object, uint64_t gap)
{
	object->n_sections = 0;
	for (size_t i = 0; i < object->n; i++) {
		if (!i || object->spans[i].start - object->spans[i - 1].end > gap) {
			object->sections =
				op_grow(object->sections, &object->sections_capacity,
					object->n_sections + 1, sizeof(*object->sections));
			object->sections[object->n_sections++].first = i;
		}
		object->sections[object->n_sections - 1].end = i + 1;
	}
}

/* As many sections as ELF has numbers for. */
static void make_sections(struct object *object)
{
	uint64_t gap = GAP_MOST;

	do {
		divide(object, gap);
		gap *= 2;
	} while (object->n_sections > SECTIONS_MOST);
}

/* ---- the file ---- */

/* The ELF header of this program, which the linker has a name for: objects are of its class, byte
 * order and machine. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";

static uint32_t section_name(const char *name)
{
	uint32_t at = 0;

	while (at < sizeof(section_names) - 1 && strcmp(section_names + at, name) != 0)
		at++;
	return at;
}

static uint32_t original_objects_put_name(struct op_buffer *strings, const char *name)
{
	uint32_t at = (uint32_t)strings->used;

	op_buffer_put(strings, name, strlen(name) + 1);
	return at;
}

static void put_symbol(struct op_buffer *symbols, uint32_t name, size_t section, uint64_t start,
		       uint64_t end)
{
	const ElfW(Sym) symbol = {
		.st_name = name,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = (uint16_t)section,
		.st_value = (ElfW(Addr))start,
		.st_size = (ElfW(Xword))(end - start),
	};

	op_buffer_put(symbols, &symbol, sizeof(symbol));
}

/* Names in @strings; the first section has number 1. */
static void object_put_symbols(const struct object *object, struct op_buffer *symbols,
			       struct op_buffer *strings)
{
	uint32_t unknown;

	op_buffer_zeros(symbols, sizeof(ElfW(Sym)));
	op_buffer_zeros(strings, 1);
	unknown = original_objects_put_name(strings, UNKNOWN);
	for (size_t i = 0; i < object->n_sections; i++) {
		const struct section *section = &object->sections[i];

		for (size_t k = section->first; k < section->end; k++) {
			const struct span *span = &object->spans[k];

			put_symbol(symbols,
				   span->name ? original_objects_put_name(strings, span->name)
					      : unknown,
				   i + 1, span->start, span->end);
			if (k + 1 < section->end && span[1].start > span->end)
				put_symbol(symbols, unknown, i + 1, span->end, span[1].start);
		}
	}
}

static void put_section(struct op_buffer *headers, const char *name, uint32_t type, uint64_t offset,
			uint64_t size)
{
	ElfW(Shdr) header = {
		.sh_name = section_name(name),
		.sh_type = type,
		.sh_offset = (ElfW(Off))offset,
		.sh_size = (ElfW(Xword))size,
		.sh_addralign = 1,
	};

	if (type == SHT_SYMTAB) {
		/* the strings come next; all but the first are global */
		header.sh_link = (uint32_t)(headers->used / sizeof(header) + 1);
		header.sh_info = 1;
		header.sh_entsize = sizeof(ElfW(Sym));
	}
	op_buffer_put(headers, &header, sizeof(header));
}

/* Code comes last in the file.  Return: the length of the file. */
static uint64_t put_code(const struct object *object, uint64_t offset, struct op_buffer *headers)
{
	for (size_t i = 0; i < object->n_sections; i++) {
		const struct span *first = &object->spans[object->sections[i].first];
		uint64_t size = object->spans[object->sections[i].end - 1].end - first->start;
		const ElfW(Shdr) header = {
			.sh_name = section_name(".text"),
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = (ElfW(Addr))first->start,
			.sh_offset = (ElfW(Off))offset,
			.sh_size = (ElfW(Xword))size,
			.sh_addralign = 1,
		};

		op_buffer_put(headers, &header, sizeof(header));
		offset += size;
	}
	return offset;
}

static void put_header(size_t n_sections, struct op_buffer *file)
{
	ElfW(Ehdr) header = {
		.e_type = ET_EXEC,
		.e_machine = __ehdr_start.e_machine,
		.e_version = EV_CURRENT,
		.e_shoff = sizeof(header),
		.e_flags = __ehdr_start.e_flags,
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(ElfW(Shdr)),
		.e_shnum = (uint16_t)n_sections,
		.e_shstrndx = (uint16_t)(n_sections - 1),
	};

	memcpy(header.e_ident, __ehdr_start.e_ident, EI_NIDENT);
	op_buffer_put(file, &header, sizeof(header));
}

/*
 * Header, section headers, symbols, strings, names of sections; code.
 * @file: all before the code is added
 * Return: the length of the file.
 */
static uint64_t put_file(const struct object *object, struct op_buffer *file)
{
	struct op_buffer symbols = {0}, strings = {0}, headers = {0};
	size_t n_sections = object->n_sections + SECTIONS_OTHER;
	uint64_t at = sizeof(ElfW(Ehdr)) + n_sections * sizeof(ElfW(Shdr)), code, end;

	object_put_symbols(object, &symbols, &strings);
	code = at + symbols.used + strings.used + sizeof(section_names);
	put_section(&headers, "", SHT_NULL, 0, 0);
	end = put_code(object, code, &headers);
	put_section(&headers, ".symtab", SHT_SYMTAB, at, symbols.used);
	put_section(&headers, ".strtab", SHT_STRTAB, at + symbols.used, strings.used);
	put_section(&headers, ".shstrtab", SHT_STRTAB, at + symbols.used + strings.used,
		    sizeof(section_names));
	put_header(n_sections, file);
	op_buffer_put(file, headers.bytes, headers.used);
	op_buffer_put(file, symbols.bytes, symbols.used);
	op_buffer_put(file, strings.bytes, strings.used);
	op_buffer_put(file, section_names, sizeof(section_names));
	op_buffer_check(&symbols);
	op_buffer_check(&strings);
	op_buffer_check(file);
	op_buffer_free(&symbols);
	op_buffer_free(&strings);
	op_buffer_free(&headers);
	return end;
}

static int write_object(const struct object *object, const char *path, struct op_error *error)
{
	struct op_buffer file = {0};
	uint64_t length = put_file(object, &file);
	int result = op_mkdir_parents(path, OP_SESSION_DIR_MODE, error);

	if (!result)
		result = op_file_replace(path, file.bytes, file.used, OP_SESSION_FILE_MODE, error);
	if (!result && truncate(path, (off_t)length))
		result = op_error_errno(error, "%s", path);
	op_buffer_free(&file);
	return result;
}

static void free_object(struct object *object)
{
	free(object->spans);
	free(object->sections);
	op_strings_free(&object->names);
}

/* @memory: @n ranges that one object has */
static int write_one(struct pp_image_reader *reader, const struct original_memory *memory, size_t n,
		     const char *dir, struct op_error *error)
{
	char *path = op_format("%s/%s", dir, memory->path);
	struct object object = {0};
	int result = 0;

	/* one that the session has is of OProfile's agents */
	if (access(path, F_OK)) {
		add_memory(&object, reader, memory, n);
		order_spans(&object);
		make_sections(&object);
		if (is_named(&object))
			result = write_object(&object, path, error);
	}
	free_object(&object);
	free(path);
	return result;
}

int original_objects_write(struct original_objects *objects, struct pp_image_reader *reader,
			   const char *dir, struct op_error *error)
{
	if (objects->n)
		qsort(objects->items, objects->n, sizeof(*objects->items), compare_memory);
	for (size_t i = 0, end; i < objects->n; i = end) {
		for (end = i + 1;
		     end < objects->n && !strcmp(objects->items[end].path, objects->items[i].path);)
			end++;
		if (write_one(reader, &objects->items[i], end - i, dir, error))
			return -1;
	}
	return 0;
}

/* ---- what is left out ---- */

/* Of a file, OProfile has the names that are in it. */
static bool is_file_gone(const char *text)
{
	struct op_image_name image;
	bool is;

	if (op_image_name_parse(text, &image, NULL))
		return false;
	is = image.kind == OP_IMAGE_FILE && !pp_image_is_named(image.name) &&
	     access(image.name, F_OK);
	free(image.name);
	return is;
}

static void find_gone(const struct op_functions *functions, struct op_names *names,
		      struct op_names *images)
{
	bool is_gone = false;

	for (size_t i = 0; i < functions->n_keys; i++) {
		const struct op_function_key *key = &functions->keys[i];
		const char *image = functions->images.names[key->image];

		if (!i || key->image != key[-1].image)
			is_gone = is_file_gone(image);
		if (!is_gone)
			continue;
		op_names_keep(images, image);
		op_names_keep(names, functions->items[key->function].name);
	}
}

void original_objects_warn(char *const *samples_dirs, size_t n)
{
	struct op_names names = {0}, images = {0};

	for (size_t i = 0; i < n; i++) {
		struct op_functions functions;

		op_functions_read(&functions, samples_dirs[i]);
		find_gone(&functions, &names, &images);
		op_functions_free(&functions);
	}
	if (names.n)
		op_warn("OProfile has the names that are in files: those of %zu function%s, in %zu "
			"file%s that %s not here, are left out; pprof and folded keep them",
			names.n, names.n == 1 ? "" : "s", images.n, images.n == 1 ? "" : "s",
			images.n == 1 ? "is" : "are");
	op_names_free_kept(&names);
	op_names_free_kept(&images);
}
