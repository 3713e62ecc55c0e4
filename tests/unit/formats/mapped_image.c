// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the name of a mapping says about its image, and the name and place that an image gets.
 */
#include "tests/unit/test.h"

#include "pp/formats/model/mapped_image.h"

#define KERNEL	UINT64_C(0xffffffff81000000)
#define MODULES UINT64_C(0xffffffffc0000000)

TEST(test_names)
{
	static const struct {
		const char *name;
		uint64_t start;
		enum prof_image_kind kind;
		uint64_t offset; /* of one at 0x1000 */
		const char *again;
	} table[] = {
		{"/bin/prog", 0x400000, PROF_FILE, 0x1000, "/bin/prog"},
		{"/lib/libc.so.6", 0x7f0000000000, PROF_FILE, 0x1000, "/lib/libc.so.6"},
		{"prog", 0x400000, PROF_FILE, 0x1000, "prog"},
		{"[vdso]", 0x7fff00000000, PROF_VDSO, 0, "[vdso]"},
		{"[heap]", 0x800000, PROF_ANON, 0, "[heap]"},
		{"[vsyscall]", 0xffffffffff600000, PROF_ANON, 0, "[vsyscall]"},
		{"//anon", 0x800000, PROF_ANON, 0, "//anon"},
		{"/anon_hugepage (deleted)", 0x800000, PROF_ANON, 0, "/anon_hugepage (deleted)"},
		{"", 0x800000, PROF_ANON, 0, "//anon"},
		{"[kernel.kallsyms]", KERNEL, PROF_KERNEL, 0, "[kernel.kallsyms]"},
		{"[kernel.kallsyms]_text", 0, PROF_KERNEL, 0, "[kernel.kallsyms]"},
		{"/boot/vmlinux-6.1", KERNEL, PROF_KERNEL, 0, "/boot/vmlinux-6.1"},
		{"", KERNEL, PROF_KERNEL, 0, "[kernel.kallsyms]"},
		{"[ext4]", MODULES, PROF_MODULE, 0, "[ext4]"},
		{"/lib/modules/6.1/ext4.ko.xz", MODULES, PROF_MODULE, 0,
		 "/lib/modules/6.1/ext4.ko.xz"},
		{"bpf_prog_0123456789abcdef_x", MODULES, PROF_BPF, 0,
		 "bpf_prog_0123456789abcdef_x"},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct prof_image image = mapped_image(table[i].name, table[i].start,
						       table[i].start + 0x1000, 0x1000);
		struct mapping mapping = mapping_of(&image);

		assert_int_equal(image.kind, table[i].kind);
		assert_int_equal(image.offset, table[i].offset);
		assert_int_equal(image.is_kernel, image.kind == PROF_KERNEL ||
							  image.kind == PROF_MODULE ||
							  image.kind == PROF_BPF);
		assert_string_equal(mapping.name, table[i].again);
		assert_int_equal(mapping.start, table[i].start);
		assert_int_equal(mapping.offset, table[i].offset);
		free(mapping.name);
	}
}

/* What has no file begins at its offset 0, wherever a part of it was mapped. */
TEST(test_places)
{
	static const struct {
		enum prof_image_kind kind;
		uint64_t start, offset, mapped_start, mapped_offset;
	} table[] = {
		{PROF_FILE, 0x401000, 0x1000, 0x401000, 0x1000},
		{PROF_KERNEL, KERNEL + 0x200000, 0x200000, KERNEL, 0},
		{PROF_MODULE, MODULES + 0x3000, 0x3000, MODULES, 0},
		{PROF_ANON, 0x1000, 0x2000, 0x1000, 0x2000}, /* that would be below 0 */
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct prof_image image = {.kind = table[i].kind,
						 .path = "x",
						 .start = table[i].start,
						 .end = table[i].start + 0x1000,
						 .offset = table[i].offset};
		struct mapping mapping = mapping_of(&image);

		assert_int_equal(mapping.start, table[i].mapped_start);
		assert_int_equal(mapping.end, table[i].start + 0x1000);
		assert_int_equal(mapping.offset, table[i].mapped_offset);
		free(mapping.name);
	}
}

TEST(test_build_ids)
{
	static const struct {
		const char *text;
		unsigned int length;
	} table[] = {
		{NULL, 0},
		{"", 0},
		{"0123456789abcdefABCDEF", 11},
		{"0123456789abcdef0123456789abcdef01234567", 20},
		{"0123456789abcdef0123456789abcdef0123456789", 0}, /* longer than any */
		{"012", 0},
		{"Go's/own", 0},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct prof_image image = {.build_id_length = 3};

		mapped_image_build_id(&image, table[i].text);
		assert_int_equal(image.build_id_length, table[i].length);
		if (table[i].length)
			assert_memory_equal(image.build_id, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
	}
}

TEST(test_libraries)
{
	assert_true(mapped_image_is_library("/lib/libc.so.6"));
	assert_true(mapped_image_is_library("/lib/libc-2.31.so"));
	assert_false(mapped_image_is_library("/bin/x.sort"));
	assert_false(mapped_image_is_library("/bin/prog"));
}
