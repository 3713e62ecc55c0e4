// SPDX-License-Identifier: GPL-2.0-or-later
/* ELF files through libelf. */
#include "elf_file.h"

#include <gelf.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/reader.h"
#include "libop/elf/build_id.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/door.h"
#include "libop/foreign/limits.h"
#include "libop/text/cells.h"

int pp_elf_open(struct pp_elf_file *object, const char *path)
{
	elf_version(EV_CURRENT);
	object->fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	if (object->fd < 0)
		return -1;
	/* Not mapped: a file that shrinks while it is read would raise SIGBUS. */
	object->elf = elf_begin(object->fd, ELF_C_READ, NULL);
	if (object->elf && elf_kind(object->elf) == ELF_K_ELF)
		return 0;
	elf_end(object->elf);
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

static char *hex_build_id(int fd, const char *path)
{
	uint8_t id[BUILD_ID_MAX];
	size_t size = build_id_of_open(fd, path, id);

	return size < 2 ? NULL : op_hex(id, size);
}

char *pp_elf_build_id(const struct pp_elf_file *object)
{
	return hex_build_id(object->fd, NULL);
}

char *pp_elf_build_id_at(const char *path)
{
	int fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	char *id = fd >= 0 ? hex_build_id(fd, path) : NULL;

	if (fd >= 0)
		close(fd);
	return id;
}

/* A bound for damaged data: such tables are small. */
#define MINI_DEBUG_LIMIT (64 << 20)

static int elf_file_unpack(const void *packed, size_t size, int fd)
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
	fd = foreign_memory("gnu_debugdata");
	if (fd >= 0 && (elf_file_unpack(data->d_buf, data->d_size, fd) || lseek(fd, 0, SEEK_SET))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ".zdebug_": "ZLIB", then the size as a big-endian number. */
static uint64_t size_of_old_kind(int fd, const GElf_Shdr *header)
{
	char head[12];

	if (pread(fd, head, sizeof(head), (off_t)header->sh_offset) != sizeof(head) ||
	    memcmp(head, "ZLIB", 4) != 0)
		return header->sh_size;
	return op_load_u64(head + 4, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

/* Bytes of a section in memory, if it is one of debug information; else 0. */
static uint64_t debug_size(int fd, Elf_Scn *section, const char *name, const GElf_Shdr *header)
{
	GElf_Chdr packed;

	if (!name || header->sh_type == SHT_NOBITS)
		return 0;
	if (!strncmp(name, ".zdebug_", 8))
		return size_of_old_kind(fd, header);
	if (strncmp(name, ".debug_", 7) != 0)
		return 0;
	if (!(header->sh_flags & SHF_COMPRESSED) || !gelf_getchdr(section, &packed))
		return header->sh_size;
	return packed.ch_size;
}

/* A sum of up to 65536 sections of less than 2^47 bytes does not overflow. */
static uint64_t sum_debug(Elf *elf, int fd)
{
	Elf_Scn *section = NULL;
	uint64_t total = 0;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		uint64_t size;

		if (!gelf_getshdr(section, &header))
			continue;
		size = debug_size(fd, section, elf_strptr(elf, names, header.sh_name), &header);
		total += size < FOREIGN_DEBUG_MOST ? size : FOREIGN_DEBUG_MOST + 1;
	}
	return total;
}

bool pp_elf_debug_fits(int fd, uint64_t *bytes)
{
	struct stat status;
	uint64_t total;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	total = elf ? sum_debug(elf, fd) : 0;
	elf_end(elf);
	if (bytes)
		*bytes = total;
	return !fstat(fd, &status) && total <= foreign_stored(&status, FOREIGN_DEBUG_MOST);
}

static int compare_sizes(const void *a, const void *b)
{
	const struct pp_symbol_size *left = a, *right = b;

	return op_compare_u64(left->address, right->address);
}

static bool has_size(const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	return symbol->st_size && symbol->st_shndx != SHN_UNDEF && type != STT_SECTION &&
	       type != STT_FILE && type != STT_TLS;
}

size_t pp_elf_symbol_sizes(Elf *elf, GElf_Word type, struct pp_symbol_size **out)
{
	const struct pp_elf_file object = {.fd = -1, .elf = elf};
	struct pp_symbol_size *sizes;
	size_t n, used = 0;
	GElf_Shdr header;
	Elf_Scn *section = find_section(&object, NULL, type, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);

	*out = NULL;
	if (!data || !data->d_buf || !entry)
		return 0;
	n = data->d_size / entry;
	if (n > INT32_MAX)
		return 0;
	sizes = op_alloc(n, sizeof(*sizes));
	for (size_t i = 0; i < n; i++) {
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol) || !has_size(&symbol))
			continue;
		sizes[used].address = symbol.st_value;
		sizes[used++].size = symbol.st_size;
	}
	qsort(sizes, used, sizeof(*sizes), compare_sizes);
	*out = sizes;
	return used;
}

/* ---- where functions begin ---- */

/* The head of .eh_frame_hdr as linkers write it (Linux Standard Base, "Exception Frames"): version,
 * and encodings of three numbers; then the address of .eh_frame and the number of functions; then
 * of each the distance from here, and that of its call frame information. */
static const uint8_t header_form[] = {1, 0x1b, 0x03, 0x3b};
#define HEADER_SIZE 12
#define HEADER_ITEM 8

/* Reads the 32 bits at @at. */
static int64_t read_distance(const uint8_t *at, bool swap)
{
	return (int32_t)op_load_u32(at, swap);
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return op_compare_u64(*left, *right);
}

/* The file's offset of an address in code; or UINT64_MAX. */
static uint64_t offset_of(const struct pp_segment *segments, size_t n, uint64_t address)
{
	for (size_t i = 0; i < n; i++)
		if (address - segments[i].address < segments[i].size)
			return segments[i].offset + (address - segments[i].address);
	return UINT64_MAX;
}

size_t pp_elf_function_starts(const struct pp_elf_file *object, uint64_t **out)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(object, ".eh_frame_hdr", SHT_PROGBITS, &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	struct pp_segment *segments;
	size_t n_segments, n, used = 0;
	const uint8_t *bytes;
	GElf_Ehdr head;
	bool swap;

	*out = NULL;
	if (!data || !data->d_buf || data->d_size < HEADER_SIZE ||
	    memcmp(data->d_buf, header_form, sizeof(header_form)) != 0 ||
	    !gelf_getehdr(object->elf, &head))
		return 0;
	bytes = data->d_buf;
	swap = (head.e_ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	n = op_load_u32(bytes + sizeof(header_form) + sizeof(uint32_t), swap);
	if (n > (data->d_size - HEADER_SIZE) / HEADER_ITEM)
		return 0;
	n_segments = pp_segments_of(object->elf, &segments);
	*out = op_alloc(n, sizeof(**out));
	for (size_t i = 0; i < n; i++) {
		int64_t distance = read_distance(bytes + HEADER_SIZE + i * HEADER_ITEM, swap);
		uint64_t offset =
			offset_of(segments, n_segments, header.sh_addr + (uint64_t)distance);

		if (offset != UINT64_MAX)
			(*out)[used++] = offset;
	}
	free(segments);
	qsort(*out, used, sizeof(**out), compare_keys);
	return used;
}

/* ---- where code is ---- */

/* Segments of one file; libelf has no more, either. */
#define SEGMENTS_MOST 65535

static int compare_segments(const void *a, const void *b)
{
	const struct pp_segment *left = a, *right = b;

	return op_compare_u64(left->offset, right->offset);
}

size_t pp_segments_of(Elf *elf, struct pp_segment **out)
{
	struct pp_segment *segments;
	size_t n, used = 0;

	*out = NULL;
	if (elf_getphdrnum(elf, &n) || !n || n > SEGMENTS_MOST)
		return 0;
	segments = op_alloc(n, sizeof(*segments));
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    !(header.p_flags & PF_X) || !header.p_filesz)
			continue;
		segments[used++] =
			(struct pp_segment){header.p_offset, header.p_filesz, header.p_vaddr};
	}
	qsort(segments, used, sizeof(*segments), compare_segments);
	*out = segments;
	return used;
}

/* The answer is whether it is ET_EXEC, then the segments; nothing if it is no ELF file. */
static void elf_file_work(int fd, struct op_reader *question, struct op_buffer *answer)
{
	struct pp_segment *segments = NULL;
	GElf_Ehdr header;
	size_t n;
	Elf *elf;

	(void)question;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header)) {
		n = pp_segments_of(elf, &segments);
		op_buffer_u32(answer, header.e_type == ET_EXEC);
		op_buffer_put(answer, segments, n * sizeof(*segments));
	}
	free(segments);
	elf_end(elf);
}

bool pp_segments_read(struct pp_segments *out, const char *path)
{
	struct apart_question question = {
		.work = elf_file_work,
		.fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW),
		.path = path,
		.seconds = APART_SECONDS_OF_REPORT,
		.answer_most = SEGMENTS_MOST * sizeof(struct pp_segment) + sizeof(uint32_t),
	};
	unsigned long failures = apart_failures();
	struct op_reader reader;
	struct op_error error;
	size_t length = 0;
	void *answer;

	*out = (struct pp_segments){0};
	if (question.fd < 0)
		return false;
	answer = apart_or_here(&question, &length, &error);
	if (apart_failures() != failures)
		apart_warn("the layout", error.text);
	close(question.fd);
	reader = op_reader_of(answer, length, false);
	out->is_fixed = op_reader_u32(&reader);
	if (answer && !reader.failed) {
		out->n = op_reader_left(&reader) / sizeof(*out->items);
		out->items = op_alloc(out->n, sizeof(*out->items));
		op_reader_copy(&reader, out->items, out->n * sizeof(*out->items));
	}
	free(answer);
	return out->items;
}
