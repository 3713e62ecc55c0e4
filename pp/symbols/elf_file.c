// SPDX-License-Identifier: GPL-2.0-or-later
/* ELF files through libelf. */
#include "elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/memory.h"
#include "libop/text/cells.h"

int pp_elf_open(struct pp_elf_file *object, const char *path)
{
	struct stat status;

	elf_version(EV_CURRENT);
	object->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (object->fd < 0)
		return -1;
	/* Not mapped: a file that shrinks while it is read would raise SIGBUS. */
	if (!fstat(object->fd, &status) && S_ISREG(status.st_mode)) {
		object->elf = elf_begin(object->fd, ELF_C_READ, NULL);
		if (object->elf && elf_kind(object->elf) == ELF_K_ELF)
			return 0;
		elf_end(object->elf);
	}
	close(object->fd);
	return -1;
}

void pp_elf_close(struct pp_elf_file *object)
{
	elf_end(object->elf);
	close(object->fd);
}

/* The first section of this name, or of this type if @name is NULL; not SHT_NOBITS. */
static Elf_Scn *find_section(const struct pp_elf_file *object, const char *name, uint32_t type,
			     GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(object->elf, &names))
		return NULL;
	while ((section = elf_nextscn(object->elf, section)) != NULL) {
		const char *is;

		if (!gelf_getshdr(section, header) || header->sh_type == SHT_NOBITS)
			continue;
		if (!name && header->sh_type == type)
			return section;
		is = name ? elf_strptr(object->elf, names, header->sh_name) : NULL;
		if (is && !strcmp(is, name))
			return section;
	}
	return NULL;
}

bool pp_elf_has_section(const struct pp_elf_file *object, const char *name)
{
	GElf_Shdr header;

	return find_section(object, name, SHT_NULL, &header) != NULL;
}

char *pp_elf_build_id(const struct pp_elf_file *object)
{
	const unsigned char *id;
	ssize_t size = dwelf_elf_gnu_build_id(object->elf, (const void **)&id);

	return size < 2 || size > 64 ? NULL : pp_hex(id, size);
}

/* A bound for damaged data: such tables are small. */
#define MINI_DEBUG_LIMIT (64 << 20)

static int unpack(const void *packed, size_t size, int fd)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	unsigned char buffer[65536];
	lzma_ret result;
	uint64_t total = 0;

	if (lzma_stream_decoder(&stream, MINI_DEBUG_LIMIT, 0) != LZMA_OK)
		return -1;
	stream.next_in = packed;
	stream.avail_in = size;
	do {
		size_t n;

		stream.next_out = buffer;
		stream.avail_out = sizeof(buffer);
		result = lzma_code(&stream, LZMA_FINISH);
		n = sizeof(buffer) - stream.avail_out;
		total += n;
		if (total > MINI_DEBUG_LIMIT || write(fd, buffer, n) != (ssize_t)n)
			result = LZMA_MEMLIMIT_ERROR;
	} while (result == LZMA_OK);
	lzma_end(&stream);
	return result == LZMA_STREAM_END ? 0 : -1;
}

int pp_elf_mini_debug(const struct pp_elf_file *object)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(object, ".gnu_debugdata", SHT_NULL, &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	int fd;

	if (!data || !data->d_buf || !data->d_size)
		return -1;
	fd = memfd_create("gnu_debugdata", MFD_CLOEXEC);
	if (fd >= 0 && (unpack(data->d_buf, data->d_size, fd) || lseek(fd, 0, SEEK_SET))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct pp_symbol_size *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

size_t pp_elf_dynamic_sizes(const struct pp_elf_file *object, struct pp_symbol_size **out)
{
	struct pp_symbol_size *sizes;
	size_t n, used = 0;
	GElf_Shdr header;
	Elf_Scn *section = find_section(object, NULL, SHT_DYNSYM, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	size_t entry = gelf_fsize(object->elf, ELF_T_SYM, 1, EV_CURRENT);

	*out = NULL;
	if (!data || !data->d_buf || !entry)
		return 0;
	n = data->d_size / entry;
	if (n > INT32_MAX)
		return 0;
	sizes = pp_alloc(n, sizeof(*sizes));
	for (size_t i = 0; i < n; i++) {
		GElf_Sym symbol;

		if (!gelf_getsym(data, i, &symbol) || !symbol.st_size ||
		    symbol.st_shndx == SHN_UNDEF)
			continue;
		sizes[used].address = symbol.st_value;
		sizes[used++].size = symbol.st_size;
	}
	qsort(sizes, used, sizeof(*sizes), compare_sizes);
	*out = sizes;
	return used;
}

static int compare_segments(const void *a, const void *b)
{
	const struct pp_segment *left = a, *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

size_t pp_elf_code_segments(const struct pp_elf_file *object, struct pp_segment **out)
{
	struct pp_segment *segments;
	size_t n, used = 0;

	*out = NULL;
	if (elf_getphdrnum(object->elf, &n) || !n || n > 65535)
		return 0;
	segments = pp_alloc(n, sizeof(*segments));
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(object->elf, i, &header) || header.p_type != PT_LOAD ||
		    !(header.p_flags & PF_X) || !header.p_filesz)
			continue;
		segments[used].offset = header.p_offset;
		segments[used].size = header.p_filesz;
		segments[used++].address = header.p_vaddr;
	}
	qsort(segments, used, sizeof(*segments), compare_segments);
	*out = segments;
	return used;
}
