// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Build-ids: see build_id.h.
 */
#include "build_id.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/reader.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/door.h"
#include "libop/foreign/limits.h"

/* The largest file of notes that is read. */
#define NOTES_SIZE_MOST (1 << 20)

static uint64_t align4(uint64_t length)
{
	return (length + 3) & ~UINT64_C(3);
}

/* Notes are three words, a name and a descriptor, each padded to a multiple of four bytes. */
static size_t find_in_notes(const void *notes, size_t length, bool swap,
			    uint8_t id[static BUILD_ID_MAX])
{
	struct op_reader reader = op_reader_of(notes, length, swap);

	while (op_reader_left(&reader) >= sizeof(Elf64_Nhdr)) { /* the same as Elf32_Nhdr */
		Elf64_Nhdr note;
		const void *name, *description;

		note.n_namesz = op_reader_u32(&reader);
		note.n_descsz = op_reader_u32(&reader);
		note.n_type = op_reader_u32(&reader);
		name = op_reader_take(&reader, align4(note.n_namesz));
		description = reader.at;
		if (note.n_descsz > op_reader_left(&reader))
			return 0;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || !name ||
		    memcmp(name, ELF_NOTE_GNU, 4) != 0) {
			op_reader_take(&reader, align4(note.n_descsz));
			continue;
		}
		if (!note.n_descsz || note.n_descsz > BUILD_ID_MAX)
			return 0;
		memcpy(id, description, note.n_descsz);
		return note.n_descsz;
	}
	return 0;
}

size_t build_id_of_notes(const void *notes, size_t length, uint8_t id[static BUILD_ID_MAX])
{
	return find_in_notes(notes, length, false, id);
}

size_t build_id_of_notes_file(const char *path, uint8_t id[static BUILD_ID_MAX])
{
	size_t size, length = 0;
	char *notes = op_file_read(path, NOTES_SIZE_MOST, &size, NULL);

	if (notes)
		length = build_id_of_notes(notes, size, id);
	free(notes);
	return length;
}

/* ---- ELF files, whose headers may say anything ---- */

/* Headers that are read at once. */
#define HEADERS_ROOM 64

/* struct elf_notes - a file whose notes are looked at */
struct elf_notes {
	int fd;
	bool is_64, swap;
	uint64_t left; /* bytes of notes that may still be read */
	uint8_t *id;
	size_t length; /* of @id; 0: not found yet */
};

/* struct header_table - headers of one kind; those that have notes are of @type */
struct header_table {
	uint64_t offset;
	uint32_t count, most, size, type;
	/* in a header: */
	uint32_t type_at, offset_at, length_at;
};

static uint64_t load_word(const struct elf_notes *elf, const uint8_t *at)
{
	return elf->is_64 ? op_load_u64(at, elf->swap) : op_load_u32(at, elf->swap);
}

/* Return: the bytes that are there, up to @size. */
static size_t read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
	ssize_t n = offset > INT64_MAX ? 0 : pread(fd, bytes, size, (off_t)offset);

	return n > 0 ? (size_t)n : 0;
}

static void look_at_notes(struct elf_notes *elf, uint64_t offset, uint64_t size)
{
	size_t room = size < elf->left ? (size_t)size : (size_t)elf->left, n;
	void *notes = room ? malloc(room) : NULL;

	if (!notes)
		return;
	n = read_at(elf->fd, notes, room, offset);
	elf->left -= n;
	elf->length = find_in_notes(notes, n, elf->swap, elf->id);
	free(notes);
}

static void look_at_header(struct elf_notes *elf, const struct header_table *table,
			   const uint8_t *header)
{
	if (op_load_u32(header + table->type_at, elf->swap) == table->type)
		look_at_notes(elf, load_word(elf, header + table->offset_at),
			      load_word(elf, header + table->length_at));
}

static void look_at_table(struct elf_notes *elf, const struct header_table *table)
{
	uint32_t count = table->count < table->most ? table->count : table->most;
	uint8_t headers[HEADERS_ROOM * sizeof(Elf64_Shdr)];

	for (uint32_t i = 0; !elf->length && elf->left && i < count; i += HEADERS_ROOM) {
		uint64_t offset = table->offset + (uint64_t)i * table->size;
		size_t n = read_at(elf->fd, headers, (size_t)HEADERS_ROOM * table->size, offset);

		n /= table->size;
		if (n > count - i)
			n = count - i;
		for (size_t k = 0; !elf->length && k < n; k++)
			look_at_header(elf, table, headers + k * table->size);
		if (n < HEADERS_ROOM)
			return;
	}
}

#define SEGMENTS(bits, header)                                                                     \
	(struct header_table)                                                                      \
	{                                                                                          \
		.count = op_load_u16((header) + offsetof(Elf##bits##_Ehdr, e_phnum), elf->swap),   \
		.offset = load_word(elf, (header) + offsetof(Elf##bits##_Ehdr, e_phoff)),          \
		.most = FOREIGN_SEGMENTS_MOST, .size = sizeof(Elf##bits##_Phdr), .type = PT_NOTE,  \
		.type_at = offsetof(Elf##bits##_Phdr, p_type),                                     \
		.offset_at = offsetof(Elf##bits##_Phdr, p_offset),                                 \
		.length_at = offsetof(Elf##bits##_Phdr, p_filesz),                                 \
	}

#define SECTIONS(bits, header)                                                                     \
	(struct header_table)                                                                      \
	{                                                                                          \
		.count = op_load_u16((header) + offsetof(Elf##bits##_Ehdr, e_shnum), elf->swap),   \
		.offset = load_word(elf, (header) + offsetof(Elf##bits##_Ehdr, e_shoff)),          \
		.most = FOREIGN_SECTIONS_MOST, .size = sizeof(Elf##bits##_Shdr), .type = SHT_NOTE, \
		.type_at = offsetof(Elf##bits##_Shdr, sh_type),                                    \
		.offset_at = offsetof(Elf##bits##_Shdr, sh_offset),                                \
		.length_at = offsetof(Elf##bits##_Shdr, sh_size),                                  \
	}

static bool read_ident(struct elf_notes *elf, const uint8_t *header)
{
	const int order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	elf->is_64 = header[EI_CLASS] == ELFCLASS64;
	elf->swap = header[EI_DATA] != order;
	return !memcmp(header, ELFMAG, SELFMAG) && (elf->is_64 || header[EI_CLASS] == ELFCLASS32) &&
	       (header[EI_DATA] == ELFDATA2LSB || header[EI_DATA] == ELFDATA2MSB);
}

size_t build_id_read(int fd, uint8_t id[static BUILD_ID_MAX])
{
	struct elf_notes notes = {.fd = fd, .left = FOREIGN_NOTES_MOST, .id = id}, *elf = &notes;
	uint8_t header[sizeof(Elf64_Ehdr)] = {0};
	struct header_table table;

	if (read_at(fd, header, sizeof(header), 0) < sizeof(Elf32_Ehdr) || !read_ident(elf, header))
		return 0;
	table = elf->is_64 ? SEGMENTS(64, header) : SEGMENTS(32, header);
	look_at_table(elf, &table);
	if (!elf->length) { /* relocatable files, such as kernel modules, have sections only */
		table = elf->is_64 ? SECTIONS(64, header) : SECTIONS(32, header);
		look_at_table(elf, &table);
	}
	return elf->length;
}

static void build_id_work(int fd, struct op_reader *question, struct op_buffer *answer)
{
	uint8_t id[BUILD_ID_MAX];

	(void)question;
	op_buffer_put(answer, id, build_id_read(fd, id));
}

size_t build_id_of_open(int fd, const char *path, uint8_t id[static BUILD_ID_MAX])
{
	const struct apart_question question = {.work = build_id_work,
						.fd = fd,
						.path = path,
						.seconds = APART_SECONDS_OF_DAEMON,
						.answer_most = BUILD_ID_MAX};
	unsigned long failures = apart_failures();
	struct op_error error = {0};
	size_t length = 0;
	void *answer = apart_or_here(&question, &length, &error);

	if (apart_failures() != failures)
		apart_warn("the build-id", error.text);
	if (answer)
		memcpy(id, answer, length);
	free(answer);
	return answer ? length : 0;
}

size_t build_id_of_file(const char *path, uint8_t id[static BUILD_ID_MAX])
{
	int fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_NONE);
	size_t length;

	if (fd < 0)
		return 0;
	length = build_id_of_open(fd, path, id);
	close(fd);
	return length;
}
