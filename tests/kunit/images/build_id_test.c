// SPDX-License-Identifier: GPL-2.0-only
/*
 * Build-ids, of well-formed notes and of such that nobody should believe.
 */
#include <linux/align.h>
#include <linux/elf.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "suite.h"

#include "scratch_file.h"

static bool no_memory;
static pgoff_t missing = -1; /* page that is not in the cache */
static pgoff_t stale = -1; /* page that is being read */
static struct folio *stale_folio;

/* Seams. */
static struct folio *seam_filemap_get_folio(struct address_space *mapping, pgoff_t index)
{
	struct folio *folio;

	if (index == missing)
		return ERR_PTR(-ENOENT);
	folio = filemap_get_folio(mapping, index);
	if (index == stale && !IS_ERR_OR_NULL(folio)) {
		folio_clear_uptodate(folio);
		stale_folio = folio;
	}
	return folio;
}

static void *seam_kmalloc_array(size_t nr, size_t size, gfp_t flags)
{
	return no_memory ? NULL : kmalloc_array(nr, size, flags);
}

#undef kmalloc_array
#define kmalloc_array seam_kmalloc_array

#define filemap_get_folio seam_filemap_get_folio

#include "images/build_id.c"

#define W(a) (a) & 0xff, (a) >> 8 & 0xff, (a) >> 16 & 0xff, (u8)((u32)(a) >> 24)
#define NOTE(name_size, id_size, type) W(name_size), W(id_size), W(type)
#define GNU 'G', 'N', 'U', 0
#define ID3 0xa1, 0xb2, 0xc3
#define ID20 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
#define ID32 ID20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32

static const struct notes {
	const char *what;
	size_t size;
	u8 bytes[80];
	u32 id_size; /* expected; 0: none */
	u8 first, last; /* of its bytes */
} notes[] = {
	{ "SHA-1", 36, { NOTE(4, 20, 3), GNU, ID20 }, 20, 1, 20 },
	{ "longest", 48, { NOTE(4, 32, 3), GNU, ID32 }, 32, 1, 32 },
	{ "one byte", 20, { NOTE(4, 1, 3), GNU, 9, 0, 0, 0 }, 1, 9, 9 },
	{ "not padded at the end", 19, { NOTE(4, 3, 3), GNU, ID3 }, 3, 0xa1, 0xc3 },
	{ "behind another of GNU", 40, { NOTE(4, 4, 1), GNU, W(0), NOTE(4, 3, 3), GNU, ID3 },
	  3, 0xa1, 0xc3 },
	{ "behind one with a padded name", 44,
	  { NOTE(6, 2, 3), 'L', 'i', 'n', 'u', 'x', 0, 0, 0, 7, 7, 0, 0, NOTE(4, 3, 3), GNU, ID3 },
	  3, 0xa1, 0xc3 },
	{ "behind an empty note", 32, { NOTE(0, 0, 0), NOTE(4, 3, 3), GNU, ID3 },
	  3, 0xa1, 0xc3 },
	{ "the first of two", 40, { NOTE(4, 3, 3), GNU, ID3, 0, NOTE(4, 3, 3), GNU, 8, 8, 8 },
	  3, 0xa1, 0xc3 },
	{ "nothing", 0, {}, 0, 0, 0 },
	{ "less than a header", 11, { NOTE(4, 3, 3) }, 0, 0, 0 },
	{ "a header alone", 12, { NOTE(4, 3, 3) }, 0, 0, 0 },
	{ "id cut off", 18, { NOTE(4, 3, 3), GNU, ID3 }, 0, 0, 0 },
	{ "name cut off", 14, { NOTE(4, 3, 3), GNU, ID3 }, 0, 0, 0 },
	{ "empty id", 16, { NOTE(4, 0, 3), GNU }, 0, 0, 0 },
	{ "id too long", 52, { NOTE(4, 33, 3), GNU, ID32, 33 }, 0, 0, 0 },
	{ "another type", 20, { NOTE(4, 3, 4), GNU, ID3 }, 0, 0, 0 },
	{ "another owner", 20, { NOTE(4, 3, 3), 'G', 'N', 'V', 0, ID3 }, 0, 0, 0 },
	{ "owner without its NUL", 20, { NOTE(3, 3, 3), GNU, ID3 }, 0, 0, 0 },
	{ "name size wraps", 20, { NOTE(0xffffffff, 3, 3), GNU, ID3 }, 0, 0, 0 },
	{ "name size wraps when padded", 20, { NOTE(0xfffffffd, 3, 3), GNU, ID3 }, 0, 0, 0 },
	{ "id size wraps", 20, { NOTE(4, 0xffffffff, 3), GNU, ID3 }, 0, 0, 0 },
	{ "id size wraps back", 40,
	  { NOTE(4, 0xfffffff0, 1), GNU, W(0), NOTE(4, 3, 3), GNU, ID3 }, 0, 0, 0 },
	{ "padding cut off", 19, { NOTE(4, 3, 1), GNU, ID3 }, 0, 0, 0 },
};

static void notes_describe(const struct notes *note, char *text)
{
	strscpy(text, note->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(notes, notes, notes_describe);

static void build_id_found(struct kunit *test)
{
	const struct notes *wanted = test->param_value;
	struct op_build_id id = {};
	u8 *bytes;

	/* Just so many bytes, so that KASAN sees a read behind them. */
	bytes = kunit_kzalloc(test, wanted->size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, bytes);
	memcpy(bytes, wanted->bytes, wanted->size);
	KUNIT_EXPECT_EQ(test, op_build_id_find_note(bytes, wanted->size, &id), !!wanted->id_size);
	KUNIT_EXPECT_EQ(test, id.size, wanted->id_size);
	if (id.size && id.size <= sizeof(id.bytes)) {
		KUNIT_EXPECT_EQ(test, id.bytes[0], wanted->first);
		KUNIT_EXPECT_EQ(test, id.bytes[id.size - 1], wanted->last);
	}
}

/* Whatever bytes: an answer, and no id that is larger than what there is. */
static void build_id_random(struct kunit *test)
{
	u32 random = 2463534242U;
	struct op_build_id id;
	unsigned int round, i;
	u8 *bytes = kunit_kmalloc(test, 64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	for (round = 0; round < 100000; round++) {
		memcpy(bytes, notes[round % 8].bytes, 64);
		for (i = 0; i < 1 + round % 3; i++) {
			random ^= random << 13;
			random ^= random >> 17;
			random ^= random << 5;
			bytes[random >> 8 & 63] = random >> 16;
		}
		id.size = 0;
		if (op_build_id_find_note(bytes, random & 63, &id)) {
			KUNIT_ASSERT_GT(test, id.size, 0);
			KUNIT_ASSERT_LE(test, id.size, (random & 63) - 16);
			KUNIT_ASSERT_LE(test, id.size, sizeof(id.bytes));
		}
	}
}

static const u8 good_note[] = { NOTE(4, 3, 3), GNU, ID3, 0 };

#define NOTE_AT 0x1800 /* not in the first page */

#define FILL_ELF(bits, elf, phdr_at)							\
do {											\
	Elf##bits##_Ehdr *ehdr = (void *)(elf);						\
	Elf##bits##_Phdr *phdr = (void *)(elf) + (phdr_at);				\
											\
	memcpy(ehdr->e_ident, ELFMAG, SELFMAG);						\
	ehdr->e_ident[EI_CLASS] = ELFCLASS##bits;					\
	ehdr->e_ident[EI_DATA] = ELF_DATA;						\
	ehdr->e_phoff = (phdr_at);							\
	ehdr->e_phentsize = sizeof(*phdr);						\
	ehdr->e_phnum = 3;								\
	phdr[0].p_type = PT_LOAD;							\
	phdr[1].p_type = PT_NOTE;							\
	phdr[1].p_offset = NOTE_AT + 0x100; /* nothing is there */			\
	phdr[1].p_filesz = 16;								\
	phdr[2].p_type = PT_NOTE;							\
	phdr[2].p_offset = NOTE_AT;							\
	phdr[2].p_filesz = sizeof(good_note);						\
} while (0)

enum fault {
	NONE, NONE32, AT_END_OF_PAGE, BEHIND_PAGE, PHOFF_WRAPS, PHNUM_SMALL, PHENTSIZE, MAGIC,
	CLASS, BYTE_ORDER, OFFSET_NEGATIVE, OFFSET_BEHIND, SIZE_HUGE, SIZE_ZERO, CUT_IN_HEADER,
	CUT_IN_IDENT, EMPTY,
};

static const struct image {
	const char *what;
	enum fault fault;
	bool found;
} images[] = {
	{ "64 bits", NONE, true },
	{ "32 bits", NONE32, true },
	{ "program headers end with the page", AT_END_OF_PAGE, true },
	{ "a size far behind the end", SIZE_HUGE, true },
	{ "program headers end behind the page", BEHIND_PAGE, false },
	{ "e_phoff wraps", PHOFF_WRAPS, false },
	{ "not as many program headers", PHNUM_SMALL, false },
	{ "another size of program headers", PHENTSIZE, false },
	{ "no ELF", MAGIC, false },
	{ "no class", CLASS, false },
	{ "another byte order", BYTE_ORDER, false },
	{ "a negative offset", OFFSET_NEGATIVE, false },
	{ "an offset behind the end", OFFSET_BEHIND, false },
	{ "an empty note segment", SIZE_ZERO, false },
	{ "the file ends in the header", CUT_IN_HEADER, false },
	{ "the file ends in e_ident", CUT_IN_IDENT, false },
	{ "an empty file", EMPTY, false },
};

static void image_describe(const struct image *image, char *text)
{
	strscpy(text, image->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(image, images, image_describe);

static void build_id_read(struct kunit *test)
{
	const struct image *image = test->param_value;
	size_t size = NOTE_AT + 0x200, phdr_at = 0x80;
	struct op_build_id id = { .size = 99 };
	struct file *file;
	Elf64_Ehdr *ehdr;
	Elf64_Phdr *note;
	u8 *elf;

	elf = kunit_kzalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, elf);
	if (image->fault == AT_END_OF_PAGE)
		phdr_at = PAGE_SIZE - 3 * sizeof(Elf64_Phdr);
	else if (image->fault == BEHIND_PAGE)
		phdr_at = PAGE_SIZE - 3 * sizeof(Elf64_Phdr) + 1;
	if (image->fault == NONE32)
		FILL_ELF(32, elf, phdr_at);
	else
		FILL_ELF(64, elf, phdr_at);
	memcpy(elf + NOTE_AT, good_note, sizeof(good_note));

	ehdr = (Elf64_Ehdr *)elf;
	note = (Elf64_Phdr *)(elf + phdr_at) + 2;
	switch (image->fault) {
	case PHOFF_WRAPS:
		ehdr->e_phoff = -(u64)sizeof(Elf64_Phdr);
		break;
	case PHNUM_SMALL:
		ehdr->e_phnum = 2;
		break;
	case PHENTSIZE:
		ehdr->e_phentsize++;
		break;
	case MAGIC:
		elf[1] = 'e';
		break;
	case CLASS:
		elf[EI_CLASS] = 3;
		break;
	case BYTE_ORDER:
		elf[EI_DATA] = ELFDATA2LSB + ELFDATA2MSB - ELF_DATA;
		break;
	case OFFSET_NEGATIVE:
		note->p_offset = 1ULL << 63 | NOTE_AT;
		break;
	case OFFSET_BEHIND:
		note->p_offset = size;
		break;
	case SIZE_HUGE:
		note->p_filesz = ~0ULL;
		break;
	case SIZE_ZERO:
		note->p_filesz = 0;
		break;
	case CUT_IN_HEADER:
		size = sizeof(Elf64_Ehdr) - 1;
		break;
	case CUT_IN_IDENT:
		size = EI_NIDENT;
		break;
	case EMPTY:
		size = 0;
		break;
	default:
		break;
	}

	file = scratch_file(test, "oprofile_build_id", elf, size);
	KUNIT_EXPECT_EQ(test, op_build_id_read(file, &id), image->found);
	KUNIT_EXPECT_EQ(test, id.size, image->found ? 3 : 0);
	KUNIT_EXPECT_EQ(test, id.bytes[0], image->found ? 0xa1 : 0);
	scratch_file_end(test, file);
}

static void build_id_not_read(struct kunit *test)
{
	struct op_build_id id = { .size = 99 };
	struct file *file = filp_open("/", O_RDONLY, 0);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	KUNIT_EXPECT_FALSE(test, op_build_id_read(file, &id));
	KUNIT_EXPECT_EQ(test, id.size, 0);
	fput(file);

	file = scratch_file(test, "oprofile_build_id", good_note, sizeof(good_note));
	no_memory = true;
	KUNIT_EXPECT_FALSE(test, op_build_id_read(file, &id));
	no_memory = false;
	file->f_mode &= ~FMODE_READ;
	KUNIT_EXPECT_FALSE(test, op_build_id_read(file, &id));
	file->f_mode |= FMODE_READ;
	scratch_file_end(test, file);
}

static unsigned int nr_reads;

static ssize_t count_read(struct kiocb *iocb, struct iov_iter *to)
{
	nr_reads++;
	return -EIO;
}

static const struct file_operations counting_fops = { .read_iter = count_read };

/* An ELF file of two pages, whose file system counts how often it is asked to read. */
static struct file *counted_file(struct kunit *test)
{
	u8 *elf = kunit_kzalloc(test, NOTE_AT + 0x200, GFP_KERNEL);
	struct file *file;

	KUNIT_ASSERT_NOT_NULL(test, elf);
	FILL_ELF(64, elf, 0x80);
	memcpy(elf + NOTE_AT, good_note, sizeof(good_note));
	file = scratch_file(test, "oprofile_build_id", elf, NOTE_AT + 0x200);
	file->f_op = &counting_fops;
	nr_reads = 0;
	return file;
}

/* Who owns the file may never answer: only what is in the page cache counts. */
static void build_id_of_cache(struct kunit *test)
{
	struct file *file = counted_file(test);
	struct op_build_id id;
	pgoff_t page;

	KUNIT_EXPECT_TRUE(test, op_build_id_read(file, &id));
	for (page = 0; page < 2; page++) {
		missing = page;
		KUNIT_EXPECT_FALSE(test, op_build_id_read(file, &id));
		KUNIT_EXPECT_EQ(test, id.size, 0);
		missing = -1;
		stale = page;
		KUNIT_EXPECT_FALSE(test, op_build_id_read(file, &id));
		stale = -1;
		folio_mark_uptodate(stale_folio);
	}
	KUNIT_EXPECT_TRUE(test, op_build_id_read(file, &id));
	KUNIT_EXPECT_EQ(test, id.size, 3);
	KUNIT_EXPECT_EQ(test, nr_reads, 0);

	/* Memory that read(2) may not see. */
	file->f_mode &= ~FMODE_CAN_READ;
	KUNIT_EXPECT_FALSE(test, op_build_id_read(file, &id));
	file->f_mode |= FMODE_CAN_READ;
	scratch_file_end(test, file);
}

TEST_SUITE(oprofile_build_id, NULL, NULL,
	   KUNIT_CASE_PARAM(build_id_found, notes_gen_params),
	   KUNIT_CASE(build_id_random),
	   KUNIT_CASE_PARAM(build_id_read, image_gen_params),
	   KUNIT_CASE(build_id_not_read),
	   KUNIT_CASE(build_id_of_cache));
