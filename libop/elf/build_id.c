// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Build-ids: see build_id.h.
 */
#include "build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

static size_t align4(size_t length)
{
	return (length + 3) & ~(size_t)3;
}

/* Notes are three words, a name and a descriptor, each padded to a multiple of four bytes. */
size_t build_id_of_notes(const void *notes, size_t length, uint8_t id[static BUILD_ID_MAX])
{
	const uint8_t *at = notes;
	Elf64_Nhdr note; /* the same as Elf32_Nhdr */

	while (length >= sizeof(note)) {
		size_t name, description;

		memcpy(&note, at, sizeof(note));
		at += sizeof(note);
		length -= sizeof(note);
		name = align4(note.n_namesz);
		description = align4(note.n_descsz);
		if (note.n_namesz > length || name > length || note.n_descsz > length - name)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(at, ELF_NOTE_GNU, 4)) {
			if (!note.n_descsz || note.n_descsz > BUILD_ID_MAX)
				return 0;
			memcpy(id, at + name, note.n_descsz);
			return note.n_descsz;
		}
		if (description > length - name)
			return 0;
		at += name + description;
		length -= name + description;
	}
	return 0;
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
