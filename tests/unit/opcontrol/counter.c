// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of a driver that is a directory of plain files. */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/remove_tree.h"
#include "libop/session/small_files.h"
#include "utils/opcontrol/counter.h"

static char top[] = "/tmp/opcontrol-XXXXXX";

TEST_HOOK(enter)
{
	strcpy(top + strlen(top) - 6, "XXXXXX");
	return !mkdtemp(top) || chdir(top) || setenv("OPROFILE_FS_DIR", top, 1);
}

TEST_HOOK(leave)
{
	return chdir("/") || op_tree_remove(AT_FDCWD, top, NULL);
}

static void make_counters(unsigned int count)
{
	static const char *const names[] = {"enabled", "event", "count", "unit_mask",
					    "kernel",  "user",	"extra"};
	char path[32];

	for (unsigned int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%u", i);
		assert_int_equal(mkdir(path, 0700), 0);
		for (size_t n = 0; n < OP_ARRAY_SIZE(names); n++) {
			snprintf(path, sizeof(path), "%u/%s", i, names[n]);
			assert_int_equal(op_file_replace(path, "0\n", 2, 0600, NULL), 0);
		}
	}
}

static void expect_number(unsigned int counter, const char *name, uint64_t number)
{
	char path[32];

	snprintf(path, sizeof(path), "%u/%s", counter, name);
	assert_int_equal(number_file_read(path), number);
}

/* Fixed counters stand behind the general ones. */
TEST_WITH(fixed_counters_take_only_their_own_event, enter, leave)
{
	static const struct {
		uint32_t event_code, unit_mask; /* as chosen */
		unsigned int counter;
		uint32_t event, mask; /* as written */
	} cases[] = {
		{0xc0, 0, 1, 0xc0, 0}, {0xc0, 0, 2, 0xc0, 0}, {0x3c, 0, 3, 0x3c, 0},
		{0, 3, 4, 0x3c, 1},    {0, 1, 2, 0xc0, 0},
	};
	const struct op_counters counters = op_counters_plain(2, 3);
	char spec[] = "X:1000", *specs[] = {spec};
	struct op_error error;

	make_counters(5);
	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		const struct op_resolved_event choice = {
			.count = 1000,
			.unit_mask = cases[i].unit_mask,
			.event_code = cases[i].event_code,
			.kernel = true,
			.user = true,
			.counter = cases[i].counter,
		};

		assert_int_equal(counters_program(&counters, 0x1f, &choice, specs, 1, &error), 0);
		expect_number(cases[i].counter, "event", cases[i].event);
		expect_number(cases[i].counter, "unit_mask", cases[i].mask);
	}
}

TEST_WITH(counters_are_the_numbered_directories, enter, leave)
{
	static const char *const names[] = {"0",  "3",	"10", "63",  "64", "00", "01",
					    "1x", "-1", "+2", "4.5", " 5", "99", "100"};
	struct op_error error;
	uint64_t offered;
	char path[64];

	for (size_t i = 0; i < OP_ARRAY_SIZE(names); i++)
		assert_int_equal(mkdir(names[i], 0700), 0);
	assert_int_equal(counters_offered(&offered, &error), 0);
	assert_true(offered == (1ull << 0 | 1ull << 3 | 1ull << 10 | 1ull << 63));
	counters_list(offered, path, sizeof(path));
	assert_string_equal(path, "0, 3, 10, 63");
	counters_list(0, path, sizeof(path));
	assert_string_equal(path, "");
	/* cut, not overrun */
	counters_list(UINT64_MAX, path, 8);
	assert_string_equal(path, "0, 1, 2");
}
