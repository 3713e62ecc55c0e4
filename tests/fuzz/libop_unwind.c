// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as an image, as a section of call frame information, as an unwind table, and as code:
 * tables and rows are what they must be, and walks end within the stack.  The seed is an image,
 * made with the fuzzer, and its section.  See driver.h.
 */
#include <gelf.h>
#include <sys/mman.h>

#include "driver.h"
#include "libop/unwind/builder.h"
#include "libop/unwind/code.h"
#include "libop/unwind/image.h"
#include "libop/unwind/section.h"
#include "libop/unwind/walk.h"

const unsigned int fuzz_iterations = 20000;

__asm__(".section .rodata\nseed_image:\n.incbin \"" SEED_IMAGE "\"\nseed_image_end:\n.byte 0\n"
	".previous\n");
extern const uint8_t seed_image[], seed_image_end[];

/* Sizes are known to the assembler only. */
struct fuzz_seed fuzz_seeds_made[4];
extern const struct fuzz_seed fuzz_seeds[4] __attribute__((alias("fuzz_seeds_made")));

static int file_of(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	fuzz_must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size, "there is room in memory");
	return fd;
}

static void find_section(const uint8_t *bytes, size_t size, struct fuzz_seed *seed)
{
	int fd = file_of(bytes, size);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	fuzz_must(elf && !elf_getshdrstrndx(elf, &names), "the seed is an image");
	while ((section = elf_nextscn(elf, section))) {
		fuzz_must(gelf_getshdr(section, &header) != NULL, "sections have headers");
		if (!strcmp(elf_strptr(elf, names, header.sh_name), ".eh_frame"))
			*seed = (struct fuzz_seed){bytes + header.sh_offset, header.sh_size};
	}
	fuzz_must(seed->size > 0, "the seed has call frame information");
	elf_end(elf);
	close(fd);
}

__attribute__((constructor)) static void make_seeds(void)
{
	size_t size = (size_t)(seed_image_end - seed_image);
	struct unwind_table *table;
	int fd;

	fuzz_seeds_made[0] = (struct fuzz_seed){seed_image, size};
	find_section(seed_image, size, &fuzz_seeds_made[1]);
	fd = file_of(seed_image, size);
	table = unwind_image_compile(fd);
	fuzz_must(table && table->rows, "the seed has a table");
	fuzz_seeds_made[2] = (struct fuzz_seed){table, unwind_table_size(table)};
	close(fd);
}

/* Walks from each of some rows, over a stack of which each word is in it. */
static void walk(const struct unwind_table *table)
{
	static uint64_t words[64];
	const struct unwind_stack stack = {(const uint8_t *)words, 0x7000, sizeof(words)};

	for (size_t i = 0; i < 64; i++)
		words[i] = 0x7000 + (i * 37 + 11) % 64 * 8;
	for (uint64_t page = 0; page <= table->pages; page += 1 + table->pages / 16) {
		for (uint64_t at = 0; at < UINT16_MAX; at += 1021) {
			uint64_t offset = page << UNWIND_PAGE_BITS | at;
			struct unwind_frame frame = {
				.pc = offset, .sp = 0x7000, .fp = 0x7100, .knows_fp = true};

			for (int n = 0; n < 8; n++) {
				const struct unwind_row *row = unwind_table_find(table, offset);

				if (unwind_step(row, &stack, &frame) != UNWIND_GOES_ON)
					break;
				fuzz_must(frame.pc != 0, "callers have addresses");
				offset = frame.pc * 97;
			}
		}
	}
}

static void check(struct unwind_table *table)
{
	if (!table)
		return;
	fuzz_must(unwind_table_check(table, unwind_table_size(table)) != NULL,
		  "a table that was made is valid");
	walk(table);
	free(table);
}

/* struct made - a table that is made of a section */
struct made {
	struct unwind_builder builder;
	const struct cfi_range *range;
	uint64_t at; /* where the next row must start */
};

static void take(void *context, uint64_t start, uint64_t end, const struct unwind_row *row)
{
	struct made *made = context;

	fuzz_must(start == made->at && start < end && end <= made->range->end,
		  "rows of a range have no gaps");
	made->at = end;
	unwind_builder_add(&made->builder, start, end, row);
}

static void as_section(const struct cfi_section *section)
{
	struct cfi_ranges ranges = {0};
	struct made made = {0};

	fuzz_must(!cfi_read(section, &ranges), "there is memory");
	cfi_sort(&ranges);
	for (size_t i = 0; i < ranges.n; i++) {
		fuzz_must(ranges.items[i].start < ranges.items[i].end, "ranges have code");
		fuzz_must(!i || ranges.items[i - 1].start <= ranges.items[i].start,
			  "ranges are in order");
		made.range = &ranges.items[i];
		made.at = made.range->start;
		cfi_run(made.range, take, &made);
		fuzz_must(made.at == made.range->end, "rows go up to the end of the range");
	}
	check(unwind_builder_finish(&made.builder, (uint32_t)ranges.n, ranges.refused));
	cfi_ranges_free(&ranges);
}

static void as_code(const uint8_t *bytes, size_t size)
{
	struct unwind_row row;

	for (int is_exact = 0; is_exact < 2; is_exact++) {
		bool is_known = unwind_code_row(bytes, size, is_exact, &row);

		fuzz_must(unwind_row_is_valid(&row), "a row is valid");
		fuzz_must(is_known == (unwind_row_cfa(&row) != UNWIND_NONE), "it says something");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* of this size, so that a sanitizer sees what is read behind it */
	uint8_t *bytes = malloc(size ? size : 1);
	struct cfi_section section = {bytes, size, 0x2000, true};
	const struct unwind_table *table;
	int fd = file_of(data, size);

	fuzz_must(bytes != NULL, "there is memory");
	memcpy(bytes, data, size);
	check(unwind_image_compile(fd));
	as_section(&section);
	section.is_eh = false;
	as_section(&section);
	cfi_header_address(&section);
	as_code(bytes, size);
	table = unwind_table_check(bytes, size);
	if (table)
		walk(table);
	free(bytes);
	close(fd);
	return 0;
}
