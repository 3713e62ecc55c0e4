// SPDX-License-Identifier: GPL-2.0-or-later
/* Unwind tables of images: see image.h. */
#include "image.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/limits.h"
#include "section.h"

/* struct image - a file while its table is made */
struct image {
	Elf *elf;
	GElf_Phdr *segments; /* those that are loaded */
	size_t n_segments;
	GElf_Phdr header; /* .eh_frame_hdr; of no size if there is none */
	struct cfi_ranges ranges;
	struct unwind_builder builder;
	uint64_t to_offset; /* of the range that is worked on: offset - address */
};

static bool is_known(Elf *elf)
{
	GElf_Ehdr header;

	return elf && elf_kind(elf) == ELF_K_ELF && gelf_getclass(elf) == ELFCLASS64 &&
	       gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64 &&
	       header.e_ident[EI_DATA] == ELFDATA2LSB;
}

static bool read_segments(struct image *image)
{
	size_t count;

	if (elf_getphdrnum(image->elf, &count) || count > FOREIGN_SEGMENTS_MOST)
		return false;
	image->segments = calloc(count + 1, sizeof(*image->segments));
	for (size_t i = 0; image->segments && i < count; i++) {
		GElf_Phdr *segment = &image->segments[image->n_segments];

		if (!gelf_getphdr(image->elf, (int)i, segment))
			continue;
		if (segment->p_type == PT_GNU_EH_FRAME)
			image->header = *segment;
		if (segment->p_type == PT_LOAD)
			image->n_segments++;
	}
	return image->segments;
}

/* ---- sections ---- */

/* Bytes of the file, which are there until it is closed; none if it does not have them. */
static struct cfi_section read_bytes(struct image *image, uint64_t offset, uint64_t size,
				     uint64_t address)
{
	struct cfi_section section = {.address = address, .is_eh = true};
	Elf_Data *data;

	if (!size || size > UNWIND_SECTION_MOST || offset > INT64_MAX)
		return section;
	data = elf_getdata_rawchunk(image->elf, (int64_t)offset, size, ELF_T_BYTE);
	if (data) {
		section.bytes = data->d_buf;
		section.size = data->d_size;
	}
	return section;
}

/* Return: 1 if there are sections of that name with contents; -1 when out of memory. */
static int read_section(struct image *image, const char *name, bool is_eh)
{
	size_t names, seen = 0;
	Elf_Scn *next = NULL;
	int found = 0;

	if (elf_getshdrstrndx(image->elf, &names))
		return 0;
	while ((next = elf_nextscn(image->elf, next)) && seen++ < FOREIGN_SECTIONS_MOST) {
		GElf_Shdr header;
		struct cfi_section section;
		const char *its = gelf_getshdr(next, &header)
					  ? elf_strptr(image->elf, names, header.sh_name)
					  : NULL;

		if (!its || strcmp(its, name) != 0 || header.sh_type == SHT_NOBITS ||
		    header.sh_flags & SHF_COMPRESSED)
			continue;
		found = 1;
		section = read_bytes(image, header.sh_offset, header.sh_size,
				     is_eh ? header.sh_addr : 0);
		section.is_eh = is_eh;
		if (cfi_read(&section, &image->ranges))
			return -1;
	}
	return found;
}

static const GElf_Phdr *segment_of(const struct image *image, uint64_t address)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const GElf_Phdr *segment = &image->segments[i];

		if (address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz)
			return segment;
	}
	return NULL;
}

/* .eh_frame of a file without section headers. */
static int read_by_header(struct image *image)
{
	const struct cfi_section header = read_bytes(image, image->header.p_offset,
						     image->header.p_filesz, image->header.p_vaddr);
	uint64_t address = header.bytes ? cfi_header_address(&header) : 0;
	const GElf_Phdr *segment = address ? segment_of(image, address) : NULL;
	struct cfi_section section;
	uint64_t skipped;

	if (!segment)
		return 0;
	skipped = address - segment->p_vaddr;
	/* it ends where an entry has no length */
	section = read_bytes(image, segment->p_offset + skipped, segment->p_filesz - skipped,
			     address);
	return cfi_read(&section, &image->ranges);
}

/* Return: 0, or -1 when out of memory. */
static int read_sections(struct image *image)
{
	int found = read_section(image, ".eh_frame", true);

	if (!found)
		found = read_by_header(image);
	return found < 0 || read_section(image, ".debug_frame", false) < 0 ? -1 : 0;
}

/* ---- rows ---- */

static void take_row(void *context, uint64_t start, uint64_t end, const struct unwind_row *row)
{
	struct image *image = context;

	unwind_builder_add(&image->builder, start + image->to_offset, end + image->to_offset, row);
}

/* The rows of a range, as far as the file has it. */
static void add_range(struct image *image, struct cfi_range *range)
{
	const GElf_Phdr *segment = segment_of(image, range->start);
	uint64_t left;

	if (!segment) {
		image->ranges.refused++;
		return;
	}
	left = segment->p_filesz - (range->start - segment->p_vaddr);
	if (range->end - range->start > left)
		range->end = range->start + left;
	image->to_offset = segment->p_offset - segment->p_vaddr;
	/* offsets wrap in files that nobody can map */
	if (range->start + image->to_offset < range->end + image->to_offset)
		cfi_run(range, take_row, image);
}

static struct unwind_table *compile(struct image *image)
{
	struct cfi_ranges *ranges = &image->ranges;
	struct unwind_table *table;
	bool failed = false;

	if (is_known(image->elf) && read_segments(image))
		failed = read_sections(image);
	cfi_sort(ranges);
	for (size_t i = 0; i < ranges->n && !failed; i++)
		add_range(image, &ranges->items[i]);
	table = unwind_builder_finish(&image->builder, (uint32_t)ranges->n, ranges->refused);
	if (table && (failed || unwind_table_size(table) > UNWIND_TABLE_MOST)) {
		free(table);
		table = NULL;
	}
	return table;
}

struct unwind_table *unwind_image_compile(int fd)
{
	struct unwind_table *table;
	struct image image = {0};

	elf_version(EV_CURRENT);
	/* read, not mapped: a file that gets shorter would end us */
	image.elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	table = compile(&image);
	cfi_ranges_free(&image.ranges);
	free(image.segments);
	elf_end(image.elf);
	return table;
}

/* ---- in a process apart ---- */

static void unwind_image_work(int fd, struct op_reader *question, struct op_buffer *answer)
{
	struct unwind_table *table = unwind_image_compile(fd);

	(void)question;
	if (table)
		op_buffer_put(answer, table, unwind_table_size(table));
	free(table);
}

struct unwind_table *unwind_image_open(int fd, bool is_apart, struct op_error *error)
{
	const struct apart_question question = {.work = unwind_image_work,
						.fd = fd,
						.seconds = APART_SECONDS_OF_DAEMON,
						.answer_most = UNWIND_TABLE_MOST};
	size_t length;
	void *answer;

	if (!is_apart)
		return unwind_image_compile(fd);
	answer = apart_ask(&question, &length, error);
	if (!answer || unwind_table_check(answer, length))
		return answer;
	free(answer);
	op_error_set(error, EINVAL, "no unwind table");
	return NULL;
}
