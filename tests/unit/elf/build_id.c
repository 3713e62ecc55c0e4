// SPDX-License-Identifier: GPL-2.0-or-later
/* Build-ids in ELF notes, hostile ones among them. */
#include <elf.h>
#include <endian.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/elf/build_id.h"

struct notes {
	uint8_t bytes[256];
	size_t length;
};

static void add(struct notes *notes, uint32_t name_length, uint32_t length, uint32_t type,
		const char *name, const char *id)
{
	const uint32_t head[] = {name_length, length, type};
	uint8_t *at = notes->bytes + notes->length;

	memcpy(at, head, sizeof(head));
	memcpy(at + sizeof(head), name, strlen(name) + 1);
	memcpy(at + sizeof(head) + ((strlen(name) + 4) & ~(size_t)3), id, strlen(id));
	notes->length +=
		sizeof(head) + ((strlen(name) + 4) & ~(size_t)3) + ((strlen(id) + 3) & ~(size_t)3);
}

/* From memory of exactly that size, for the sanitiser.  Return: the length of the id. */
static size_t find(const struct notes *notes, size_t length, uint8_t id[static BUILD_ID_MAX])
{
	uint8_t *copy = malloc(length ? length : 1);
	size_t found;

	assert_non_null(copy);
	memcpy(copy, notes->bytes, length);
	found = build_id_of_notes(copy, length, id);
	free(copy);
	return found;
}

TEST(the_build_id_is_found_behind_other_notes)
{
	struct notes notes = {.length = 0};
	uint8_t id[BUILD_ID_MAX];

	add(&notes, 6, 3, NT_GNU_BUILD_ID, "Linux", "xyz");
	add(&notes, 4, 5, NT_GNU_ABI_TAG, "GNU", "12345");
	add(&notes, 4, 7, NT_GNU_BUILD_ID, "GNU", "abcdefg");
	assert_int_equal(find(&notes, notes.length, id), 7);
	assert_memory_equal(id, "abcdefg", 7);
}

TEST(notes_cut_anywhere_have_no_build_id)
{
	struct notes notes = {.length = 0};
	uint8_t id[BUILD_ID_MAX];

	add(&notes, 6, 3, NT_GNU_BUILD_ID, "Linux", "xyz");
	add(&notes, 4, 8, NT_GNU_BUILD_ID, "GNU", "abcdefgh");
	for (size_t length = 0; length < notes.length; length++)
		assert_int_equal(find(&notes, length, id), 0);
	assert_int_equal(find(&notes, notes.length, id), 8);
}

TEST(a_note_that_lies_about_its_size_is_refused)
{
	static const struct {
		uint32_t name_length, length;
	} lies[] = {
		{4, 0},
		{4, BUILD_ID_MAX + 1},
		{4, UINT32_MAX},
		{4, UINT32_MAX - 2},
		{UINT32_MAX, 8},
		{UINT32_MAX - 2, 8},
		{0x7fffffff, 8},
		{4, 0x80000000},
		{UINT32_MAX, UINT32_MAX},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(lies); i++) {
		struct notes notes = {.length = 0};
		uint8_t id[BUILD_ID_MAX];

		add(&notes, lies[i].name_length, lies[i].length, NT_GNU_BUILD_ID, "GNU",
		    "abcdefgh");
		assert_int_equal(find(&notes, notes.length, id), 0);
	}
}

TEST(a_file_that_is_not_there_has_no_build_id)
{
	uint8_t id[BUILD_ID_MAX];

	assert_int_equal(build_id_of_notes_file("/nonexistent", id), 0);
	assert_int_equal(build_id_of_file("/nonexistent", id), 0);
}

/* ---- whole files ---- */

/* A file in memory, and a path that opens it. */
struct object {
	int fd;
	char path[64];
};

static struct object new_object(void)
{
	struct object object = {.fd = memfd_create("object", MFD_CLOEXEC)};

	assert_true(object.fd >= 0);
	snprintf(object.path, sizeof(object.path), "/proc/self/fd/%d", object.fd);
	return object;
}

static void put(const struct object *object, const void *bytes, size_t length, uint64_t offset)
{
	assert_int_equal(pwrite(object->fd, bytes, length, (off_t)offset), length);
}

static void put_header(const struct object *object, uint16_t segments, uint16_t sections)
{
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, 1},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_phnum = segments,
		.e_shnum = sections,
		.e_phoff = segments ? sizeof(header) : 0,
		.e_shoff = sections ? sizeof(header) : 0,
	};

	put(object, &header, sizeof(header), 0);
}

static void put_notes_segment(const struct object *object, size_t i, uint64_t offset, uint64_t size)
{
	const Elf64_Phdr segment = {
		.p_type = PT_NOTE, .p_flags = PF_R, .p_offset = offset, .p_filesz = size};

	put(object, &segment, sizeof(segment), sizeof(Elf64_Ehdr) + i * sizeof(segment));
}

/* Most memory that this process ever had, in KiB. */
static long peak(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

TEST(a_section_has_the_build_id_where_there_are_no_segments)
{
	const struct object object = new_object();
	const uint64_t where = 1 << 16;
	struct notes notes = {.length = 0};
	Elf64_Shdr section = {.sh_type = SHT_NOTE, .sh_offset = where};
	uint8_t id[BUILD_ID_MAX];

	add(&notes, 4, 8, NT_GNU_BUILD_ID, "GNU", "abcdefgh");
	section.sh_size = notes.length;
	put_header(&object, 0, 200);
	/* the other headers are zeros */
	put(&object, &section, sizeof(section), sizeof(Elf64_Ehdr) + 130 * sizeof(section));
	put(&object, notes.bytes, notes.length, where);
	assert_int_equal(build_id_of_file(object.path, id), 8);
	assert_memory_equal(id, "abcdefgh", 8);
	close(object.fd);
}

TEST(files_of_the_other_byte_order_have_build_ids)
{
	const struct object object = new_object();
	const Elf32_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2MSB, 1},
		.e_phoff = htobe32(sizeof(header)),
		.e_phnum = htobe16(1),
		.e_phentsize = htobe16(sizeof(Elf32_Phdr)),
	};
	const Elf32_Phdr segment = {.p_type = htobe32(PT_NOTE),
				    .p_offset = htobe32(sizeof(header) + sizeof(segment)),
				    .p_filesz = htobe32(24)};
	const uint32_t note[] = {htobe32(4), htobe32(8), htobe32(NT_GNU_BUILD_ID)};
	uint8_t id[BUILD_ID_MAX];

	put(&object, &header, sizeof(header), 0);
	put(&object, &segment, sizeof(segment), sizeof(header));
	put(&object, note, sizeof(note), sizeof(header) + sizeof(segment));
	put(&object, "GNU\0abcdefgh", 12, sizeof(header) + sizeof(segment) + sizeof(note));
	assert_int_equal(build_id_of_file(object.path, id), 8);
	assert_memory_equal(id, "abcdefgh", 8);
	close(object.fd);
}

/* 512 MiB of notes in a file that is all hole. */
TEST(a_huge_segment_of_notes_takes_no_memory)
{
	const uint64_t size = UINT64_C(512) << 20;
	const struct object object = new_object();
	uint8_t id[BUILD_ID_MAX];
	long before = peak();

	put_header(&object, 1, 0);
	put_notes_segment(&object, 0, 4096, size);
	assert_int_equal(ftruncate(object.fd, (off_t)(4096 + size)), 0);
	assert_int_equal(build_id_of_file(object.path, id), 0);
	assert_int_equal(build_id_of_open(object.fd, object.path, id), 0);
	assert_uint_in_range(peak() - before, 0, 16 << 10);
	close(object.fd);
}

/* 2 MB that 65,000 segments name again and again, as in a file that a user maps. */
TEST(many_segments_of_notes_take_no_time)
{
	const size_t segments = 65000, size = 2 << 20;
	const struct object object = new_object();
	const uint64_t start = sizeof(Elf64_Ehdr) + segments * sizeof(Elf64_Phdr);
	char *notes = calloc(1, size);
	uint8_t id[BUILD_ID_MAX];
	long before = peak();
	double began;

	assert_non_null(notes);
	put_header(&object, (uint16_t)segments, 0);
	for (size_t i = 0; i < segments; i++)
		put_notes_segment(&object, i, start, size);
	put(&object, notes, size, start);
	free(notes);
	began = cpu_seconds();
	assert_int_equal(build_id_of_file(object.path, id), 0);
	/* a tenth of a second is 500 times what it takes */
	assert_uint_in_range((cpu_seconds() - began) * 1000, 0, 100);
	assert_uint_in_range(peak() - before, 0, 16 << 10);
	close(object.fd);
}
