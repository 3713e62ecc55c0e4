// SPDX-License-Identifier: GPL-2.0-or-later
/* Mappings of CPU profiles: their lines in all forms. */
#include "tests/unit/test.h"

#include "describe.h"
#include "pp/formats/gperftools/maps.h"

TEST(lines_of_mappings_are_read_in_all_forms)
{
	static const struct {
		const char *text;
		const char *maps;
	} table[] = {
		{"40000000-40015000 r-xp 00001000 03:01 12845071   /lib/ld-2.3.2.so\n",
		 "40000000-40015000 @1000 /lib/ld-2.3.2.so\n"},
		{"40000000-40015000 r-xp 00001000 fe:0a 0  /a b/c (deleted)\r\n",
		 "40000000-40015000 @1000 /a b/c\n"},
		{"40000000-40015000 r-xp 00000000 03:01 1\n", "40000000-40015000 @0 \n"},
		{"40000000-40015000 rw-p 00000000 03:01 1 /x\n", ""},
		{"40000000-40015000: /lib/ld.so\n", "40000000-40015000 @0 /lib/ld.so\n"},
		{"  40000000-40015000: /lib/ld.so\n", "40000000-40015000 @0 /lib/ld.so\n"},
		{"0x40000-0x80000 /path/binary (@FF00) abc12345\n",
		 "40000-80000 @ff00 /path/binary abc12345\n"},
		{"40000 80000 /path/binary\n", "40000-80000 @0 /path/binary\n"},
		{"40000-80000 r-xp /path/binary (@10)\n", "40000-80000 @10 /path/binary\n"},
		{"40000-80000 /path/binary 0123456789abcdef0123456789abcdef01234567\n",
		 "40000-80000 @0 /path/binary 0123456789abcdef0123456789abcdef01234567\n"},
		{"build=/where\n40000-80000: $build/prog\n", "40000-80000 @0 /where/prog\n"},
		{" build = /where\n40000-80000: $build/prog\n", "40000-80000 @0 $build/prog\n"},
		{"build=/a\n40000-80000: $builds\nbuild=/b\n80000-90000: $build.so/$build\n",
		 "40000-80000 @0 $builds\n80000-90000 @0 /b.so//b\n"},
		{"root=/r\nbuild=$root/b\n40000-80000: $build/$none/x\n",
		 "40000-80000 @0 /r/b/$none/x\n"},
		{"MAPPED_LIBRARIES:\n\nno map\n40000-30000: /end/before/start\n40000-\n-40000\n"
		 "12345678901234567-22345678901234567: /too/long\n",
		 ""},
		/* parts side by side */
		{"1000-2000 r-xp 00000000 00:01 1 /a\n2000-3000 r-xp 00001000 00:01 1 /a\n"
		 "3000-4000 r-xp 00003000 00:01 1 /a\n",
		 "1000-3000 @0 /a\n3000-4000 @3000 /a\n"},
		{"ffffffffff600000-ffffffffff601000 r-xp 00000000 00:00 0   [vsyscall]",
		 "ffffffffff600000-ffffffffff601000 @0 [vsyscall]\n"},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct description to = {0};
		struct cpuprofile_maps maps;

		cpuprofile_maps_read(&maps, table[i].text, strlen(table[i].text));
		description_add(&to, "%s", "");
		for (size_t j = 0; j < maps.n; j++) {
			const struct cpuprofile_map *map = &maps.items[j];

			description_add(&to, "%" PRIx64 "-%" PRIx64 " @%" PRIx64 " %s%s%s\n",
					map->start, map->end, map->offset, map->path,
					map->build_id ? " " : "",
					map->build_id ? map->build_id : "");
		}
		assert_string_equal(to.text, table[i].maps);
		cpuprofile_maps_free(&maps);
		free(to.text);
	}
}

/* A value that doubles the one before would need more memory than there is. */
TEST(variables_that_double_are_bounded)
{
	struct description text = {0};
	struct cpuprofile_maps maps;

	description_add(&text, "v0=/0123456789abcdef\n");
	for (int i = 1; i < 60; i++)
		description_add(&text, "v%d=$v%d$v%d\n", i, i - 1, i - 1);
	description_add(&text, "1000-2000: $v59\n3000-4000: $v2\n");
	cpuprofile_maps_read(&maps, text.text, text.n);
	assert_int_equal(maps.n, 2);
	assert_string_equal(maps.items[0].path, "$v59");
	assert_int_equal(strlen(maps.items[1].path), 4 * 17);
	cpuprofile_maps_free(&maps);
	free(text.text);
}
