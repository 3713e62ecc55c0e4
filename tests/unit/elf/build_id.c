// SPDX-License-Identifier: GPL-2.0-or-later
/* Build-ids in ELF notes, hostile ones among them. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "libop/elf/build_id.h"
#include "tests/unit/test.h"

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

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
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
