// SPDX-License-Identifier: GPL-2.0-or-later
/* ELF files through libelf. */
#include "pp/symbols/elf_file.h"

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
#include <zlib.h>

#include "pp/symbols/debuginfod.h"
#include "libop/base/memory.h"
#include "libop/text/cells.h"

#define DEBUG_DIR "/usr/lib/debug"

int pp_object_open(struct pp_object *object, const char *path)
{
	struct stat status;

	elf_version(EV_CURRENT);
	object->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (object->fd < 0)
		return -1;
	/* Not mapped: a file that shrinks while it is read must not end the program. */
	if (!fstat(object->fd, &status) && S_ISREG(status.st_mode)) {
		object->elf = elf_begin(object->fd, ELF_C_READ, NULL);
		if (object->elf && elf_kind(object->elf) == ELF_K_ELF)
			return 0;
		elf_end(object->elf);
	}
	close(object->fd);
	return -1;
}

void pp_object_close(struct pp_object *object)
{
	elf_end(object->elf);
	close(object->fd);
}

/* The first section that @wanted says yes to. */
static Elf_Scn *find_section(const struct pp_object *object, const char *name, uint32_t type,
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

bool pp_object_has_section(const struct pp_object *object, const char *name)
{
	GElf_Shdr header;

	return find_section(object, name, SHT_NULL, &header) != NULL;
}

static bool has_build_id(const char *path, const void *id, size_t size)
{
	struct pp_object object;
	const void *other;
	bool same;

	if (pp_object_open(&object, path))
		return false;
	same = dwelf_elf_gnu_build_id(object.elf, &other) == (ssize_t)size &&
	       !memcmp(id, other, size);
	pp_object_close(&object);
	return same;
}

char *pp_object_build_id(const struct pp_object *object)
{
	const unsigned char *id;
	ssize_t size = dwelf_elf_gnu_build_id(object->elf, (const void **)&id);

	return size < 2 || size > 64 ? NULL : pp_hex(id, size);
}

char *pp_object_build_id_path(const struct pp_object *object)
{
	char *id = pp_object_build_id(object), *path;

	if (!id)
		return NULL;
	path = pp_format(DEBUG_DIR "/.build-id/%.2s/%s.debug", id, id + 2);
	free(id);
	return path;
}

/* @path, if it is the debug file of the object by its build-id; else it is freed. */
static char *if_debug_file(const struct pp_object *object, char *path)
{
	const void *id;
	ssize_t size = dwelf_elf_gnu_build_id(object->elf, &id);

	if (path && size > 0 && has_build_id(path, id, size))
		return path;
	free(path);
	return NULL;
}

static char *find_by_build_id(const struct pp_object *object, const char *root)
{
	char *below = pp_object_build_id_path(object), *path;

	if (!below)
		return NULL;
	path = pp_format("%s%s", root, below);
	free(below);
	return if_debug_file(object, path);
}

static bool has_crc(const char *path, uint32_t crc)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	unsigned char buffer[65536];
	struct stat status;
	uLong sum = crc32(0, NULL, 0);
	ssize_t n = -1;

	if (fd < 0)
		return false;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		while ((n = read(fd, buffer, sizeof(buffer))) > 0)
			sum = crc32(sum, buffer, n);
	close(fd);
	return !n && (uint32_t)sum == crc;
}

static char *find_by_link(const struct pp_object *object, const char *path, const char *root)
{
	GElf_Word crc;
	const char *name = dwelf_elf_gnu_debuglink(object->elf, &crc);
	char *real, *slash, *tries[3], *found = NULL;

	/* A name with a directory could lead anywhere. */
	if (!name || !*name || strchr(name, '/'))
		return NULL;
	real = realpath(path, NULL);
	if (!real)
		return NULL;
	slash = strrchr(real, '/');
	*slash = '\0';
	tries[0] = pp_format("%s/.debug/%s", real, name);
	tries[1] = pp_format("%s" DEBUG_DIR "%s/%s", root,
			     strncmp(real, root, strlen(root)) ? real : real + strlen(root), name);
	tries[2] = pp_format("%s/%s", real, name);
	for (int i = 0; i < 3; i++) {
		if (!found && has_crc(tries[i], crc))
			found = tries[i];
		else
			free(tries[i]);
	}
	free(real);
	return found;
}

/* What a server sends must be of this image, too. */
static char *fetch(const struct pp_object *object)
{
	const unsigned char *id;
	ssize_t size = dwelf_elf_gnu_build_id(object->elf, (const void **)&id);

	if (size <= 0 || size > 64)
		return NULL;
	return if_debug_file(object, pp_debuginfod_find(id, size));
}

char *pp_object_debug_file(const struct pp_object *object, const char *path, const char *root)
{
	char *found = find_by_build_id(object, root);

	found = found ? found : find_by_link(object, path, root);
	return found ? found : fetch(object);
}

/* Such tables are small; this is for damaged ones. */
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

int pp_object_mini_debug(const struct pp_object *object)
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

size_t pp_object_dynamic_sizes(const struct pp_object *object, struct pp_symbol_size **out)
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

size_t pp_object_code_segments(const struct pp_object *object, struct pp_segment **out)
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
