// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Build-ids: see build_id.h.
 */
#include "build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/reader.h"

/* The largest file of notes that is read. */
#define NOTES_SIZE_MOST (1 << 20)

static uint64_t align4(uint64_t length)
{
	return (length + 3) & ~UINT64_C(3);
}

/* Notes are three words, a name and a descriptor, each padded to a multiple of four bytes. */
size_t build_id_of_notes(const void *notes, size_t length, uint8_t id[static BUILD_ID_MAX])
{
	struct op_reader reader = op_reader_of(notes, length, false);
	Elf64_Nhdr note; /* the same as Elf32_Nhdr */

	while (op_reader_copy(&reader, &note, sizeof(note))) {
		const void *name = op_reader_take(&reader, align4(note.n_namesz));
		const void *description = reader.at;

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

size_t build_id_of_notes_file(const char *path, uint8_t id[static BUILD_ID_MAX])
{
	size_t size, length = 0;
	char *notes = op_file_read(path, NOTES_SIZE_MOST, &size, NULL);

	if (notes)
		length = build_id_of_notes(notes, size, id);
	free(notes);
	return length;
}

static size_t build_id_of_elf(Elf *elf, uint8_t id[static BUILD_ID_MAX])
{
	size_t segments, length = 0;

	if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &segments))
		return 0;
	for (size_t i = 0; !length && i < segments; i++) {
		Elf_Data *data;
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz,
					    ELF_T_BYTE);
		if (data)
			length = build_id_of_notes(data->d_buf, data->d_size, id);
	}
	return length;
}

size_t build_id_of_file(const char *path, uint8_t id[static BUILD_ID_MAX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t length = 0;
	Elf *elf;

	if (fd < 0)
		return 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		length = build_id_of_elf(elf, id);
	elf_end(elf);
	close(fd);
	return length;
}
