// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parts of ELF files: see symbol_part.h.
 *
 * A part is the size of the file, the number of ranges, each with its offset and length, as 64-bit
 * numbers, least significant byte first; then the bytes of all ranges.
 */
#include "symbol_part.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/number.h"
#include "libop/base/reader.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/door.h"
#include "libop/foreign/limits.h"

/* Relocations that are kept: stubs of calls are named by theirs. */
#define RELOCATIONS_MOST (1 << 20)
/* Names of sections. */
#define NAMES_MOST (1 << 20)

/* Headers of ranges in a part, besides their bytes. */
#define RANGES_MOST (1 << 20)

struct range {
	uint64_t start, length;
};

struct section {
	uint64_t offset, size, flags;
	uint32_t name, type;
};

/* A file that is looked at. */
struct elf_file {
	int fd;
	bool is_64, swap;
	uint64_t size;
	uint32_t count, names; /* sections, and which of them has their names */
	struct section *sections;
	char *text; /* their names */
	uint64_t text_size;
	struct range *ranges; /* two for each section */
	size_t n;
	uint64_t total;
	bool has_symbols;
};

static bool read_all(int fd, void *bytes, uint64_t length, uint64_t offset)
{
	return offset <= INT64_MAX && length <= INT64_MAX &&
	       pread(fd, bytes, length, (off_t)offset) == (ssize_t)length;
}

static void elf_file_keep(struct elf_file *file, uint64_t start, uint64_t length)
{
	if (!length || start >= file->size)
		return;
	if (length > file->size - start)
		length = file->size - start;
	file->ranges[file->n++] = (struct range){start, length};
	file->total += length;
}

/* ---- headers ---- */

static uint64_t word(const struct elf_file *file, const uint8_t *at)
{
	return file->is_64 ? op_load_u64(at, file->swap) : op_load_u32(at, file->swap);
}

#define FIELD(file, header, kind, field)                                                           \
	((header) +                                                                                \
	 ((file)->is_64 ? offsetof(Elf64_##kind, field) : offsetof(Elf32_##kind, field)))
#define HALF(file, header, kind, field) op_load_u16(FIELD(file, header, kind, field), (file)->swap)
#define LONG(file, header, kind, field) op_load_u32(FIELD(file, header, kind, field), (file)->swap)
#define WORD(file, header, kind, field) word(file, FIELD(file, header, kind, field))

static void read_section(const struct elf_file *file, const uint8_t *header,
			 struct section *section)
{
	*section = (struct section){
		.offset = WORD(file, header, Shdr, sh_offset),
		.size = WORD(file, header, Shdr, sh_size),
		.flags = WORD(file, header, Shdr, sh_flags),
		.name = LONG(file, header, Shdr, sh_name),
		.type = LONG(file, header, Shdr, sh_type),
	};
}

static bool read_sections(struct elf_file *file, uint64_t offset)
{
	size_t size = file->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint8_t *headers = malloc(size * file->count);
	bool good;

	file->sections = calloc(file->count, sizeof(*file->sections));
	file->ranges = calloc(2 * (size_t)file->count + 3, sizeof(*file->ranges));
	good = headers && file->sections && file->ranges &&
	       read_all(file->fd, headers, size * file->count, offset);
	for (uint32_t i = 0; good && i < file->count; i++)
		read_section(file, headers + i * size, &file->sections[i]);
	if (good)
		elf_file_keep(file, offset, size * file->count);
	free(headers);
	return good;
}

static bool read_names(struct elf_file *file)
{
	const struct section *section = &file->sections[file->names];

	file->text_size = section->size < NAMES_MOST ? section->size : NAMES_MOST;
	file->text = calloc(1, file->text_size + 1);
	return file->text && read_all(file->fd, file->text, file->text_size, section->offset);
}

static bool read_head(struct elf_file *file)
{
	const int order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	uint8_t header[sizeof(Elf64_Ehdr)] = {0};
	uint64_t offset;

	if (pread(file->fd, header, sizeof(header), 0) < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(header, ELFMAG, SELFMAG) != 0)
		return false;
	file->is_64 = header[EI_CLASS] == ELFCLASS64;
	file->swap = header[EI_DATA] != order;
	file->count = HALF(file, header, Ehdr, e_shnum);
	file->names = HALF(file, header, Ehdr, e_shstrndx);
	offset = WORD(file, header, Ehdr, e_shoff);
	if (!offset || file->names >= file->count || file->count > FOREIGN_SECTIONS_MOST ||
	    !read_sections(file, offset) || !read_names(file))
		return false;
	elf_file_keep(file, 0, sizeof(header));
	elf_file_keep(file, WORD(file, header, Ehdr, e_phoff),
		      (uint64_t)HALF(file, header, Ehdr, e_phnum) *
			      (file->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)));
	return true;
}

/* ---- sections ---- */

static bool is_named(const char *name)
{
	static const char *const names[] = {".plt",	      ".plt.sec",	".plt.got",
					    ".plt.bnd",	      ".gnu_debugdata", ".gnu_debuglink",
					    ".gnu_debugaltlink", ".eh_frame_hdr"};

	for (size_t i = 0; i < OP_ARRAY_SIZE(names); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

static bool elf_file_is_wanted(const struct elf_file *file, const struct section *section)
{
	switch (section->type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
	case SHT_STRTAB:
	case SHT_SYMTAB_SHNDX:
	case SHT_DYNAMIC:
	case SHT_NOTE:
	case SHT_GNU_versym:
	case SHT_GNU_verdef:
	case SHT_GNU_verneed:
		return true;
	case SHT_RELA:
	case SHT_REL:
		return section->flags & SHF_ALLOC && section->size <= RELOCATIONS_MOST;
	case SHT_PROGBITS:
		return section->name < file->text_size && is_named(file->text + section->name);
	default:
		return false;
	}
}

static void elf_file_choose(struct elf_file *file)
{
	for (uint32_t i = 0; i < file->count; i++) {
		const struct section *section = &file->sections[i];

		if (!elf_file_is_wanted(file, section))
			continue;
		file->has_symbols |= section->type == SHT_SYMTAB || section->type == SHT_DYNSYM;
		elf_file_keep(file, section->offset, section->size);
	}
}

/* ---- ranges ---- */

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return op_compare_u64(x->start, y->start);
}

/* Joins ranges that overlap, so that no byte is kept twice. */
static void elf_file_join(struct elf_file *file)
{
	size_t n = 0;

	qsort(file->ranges, file->n, sizeof(*file->ranges), compare_ranges);
	file->total = 0;
	for (size_t i = 0; i < file->n; i++) {
		struct range *last = n ? &file->ranges[n - 1] : NULL;
		const struct range *range = &file->ranges[i];
		uint64_t end = range->start + range->length;

		if (!last || range->start > last->start + last->length)
			file->ranges[n++] = *range;
		else if (end > last->start + last->length)
			last->length = end - last->start;
	}
	file->n = n;
	for (size_t i = 0; i < n; i++)
		file->total += file->ranges[i].length;
}

static int elf_file_put(const struct elf_file *file, struct op_buffer *part, struct op_error *error)
{
	op_buffer_u64(part, file->size);
	op_buffer_u64(part, file->n);
	for (size_t i = 0; i < file->n; i++) {
		op_buffer_u64(part, file->ranges[i].start);
		op_buffer_u64(part, file->ranges[i].length);
	}
	if (!op_buffer_reserve(part, file->total))
		return op_error_memory(error);
	for (size_t i = 0; i < file->n; i++) {
		const struct range *range = &file->ranges[i];

		if (!read_all(file->fd, part->bytes + part->used, range->length, range->start))
			return op_error_set(error, EIO, "its symbols cannot be read");
		part->used += range->length;
	}
	return 0;
}

static int read_part(int fd, uint64_t most, struct op_buffer *part, struct op_error *error)
{
	struct elf_file file = {.fd = fd};
	struct stat status;
	int result = -1;

	if (!fstat(fd, &status))
		file.size = (uint64_t)status.st_size;
	if (!read_head(&file)) {
		op_error_set(error, ENOENT, "it is no ELF file with sections");
	} else {
		elf_file_choose(&file);
		elf_file_join(&file);
		if (!file.has_symbols)
			op_error_set(error, ENOENT, "it has no symbols");
		else if (file.total > most ||
			 file.size > foreign_expansion(file.total, FOREIGN_OBJECT_MOST))
			op_error_set(error, EFBIG, "it is too large");
		else
			result = elf_file_put(&file, part, error);
	}
	free(file.sections);
	free(file.ranges);
	free(file.text);
	return result;
}

/* ---- apart ---- */

/* The question is how much is kept at most; the answer is an errno, then the text of the error or
 * the part. */
static void symbol_part_work(int fd, struct op_reader *question, struct op_buffer *answer)
{
	uint64_t most = op_reader_u64(question);
	struct op_error error = {0};

	op_buffer_u32(answer, 0);
	if (!read_part(fd, most, answer, &error))
		return;
	op_buffer_free(answer);
	op_buffer_u32(answer, (uint32_t)error.code);
	op_buffer_put(answer, error.text, strlen(error.text) + 1);
}

static int take_part(struct op_reader *reader, struct op_buffer *part, struct op_error *error)
{
	uint32_t code = op_reader_u32(reader);
	size_t length = op_reader_left(reader);

	if (reader->failed)
		return op_error_set(error, EBADMSG, "reading it gave no symbols");
	if (code)
		return op_error_set(error, (int)code, "%s", op_reader_text(reader, length));
	op_buffer_put(part, op_reader_take(reader, length), length);
	return part->failed ? op_error_memory(error) : 0;
}

int symbol_part_read(int fd, uint64_t most, struct op_buffer *part, struct op_error *error)
{
	const struct apart_question question = {.work = symbol_part_work,
						.fd = fd,
						.bytes = &most,
						.length = sizeof(most),
						.seconds = APART_SECONDS_OF_DAEMON,
						.answer_most = most + RANGES_MOST};
	unsigned long failures = apart_failures();
	struct op_error why = {0};
	size_t length = 0;
	void *answer = apart_or_here(&question, &length, &why);
	struct op_reader reader = op_reader_of(answer, length, false);
	int result;

	if (apart_failures() != failures)
		apart_warn("symbol information", why.text);
	result = answer ? take_part(&reader, part, error)
			: op_error_set(error, why.code, "%s", why.text);
	free(answer);
	return result;
}

/* ---- and back ---- */

static bool write_range(int fd, const void *bytes, uint64_t length, uint64_t offset)
{
	return pwrite(fd, bytes, length, (off_t)offset) == (ssize_t)length;
}

static int fill(int fd, struct op_reader *reader, struct op_error *error)
{
	uint64_t size = op_reader_u64(reader), n = op_reader_u64(reader);
	struct op_reader ranges = *reader;
	const void *bytes;

	if (size > FOREIGN_OBJECT_MOST || n > op_reader_left(reader) / sizeof(struct range) ||
	    !op_reader_take(reader, n * sizeof(struct range)))
		return op_error_set(error, EBADMSG, "it is damaged");
	if (ftruncate(fd, (off_t)size))
		return op_error_errno(error, "cannot make it");
	while (n--) {
		uint64_t start = op_reader_u64(&ranges), length = op_reader_u64(&ranges);

		bytes = length <= op_reader_left(reader) ? op_reader_take(reader, length) : NULL;
		if (!bytes || start > size || length > size - start)
			return op_error_set(error, EBADMSG, "it is damaged");
		if (!write_range(fd, bytes, length, start))
			return op_error_errno(error, "cannot make it");
	}
	return 0;
}

int symbol_part_open(const void *bytes, size_t length, struct op_error *error)
{
	struct op_reader reader =
		op_reader_of(bytes, length, __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__);
	int fd = foreign_memory("symbols");

	if (fd < 0)
		return op_error_errno(error, "cannot make it");
	if (!fill(fd, &reader, error))
		return fd;
	close(fd);
	return -1;
}
