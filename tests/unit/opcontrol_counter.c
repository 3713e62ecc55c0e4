// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters of the driver: which there are, that all that is written to one is read back, and what
 * is said of drivers that lack or forget something.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "opcontrol_catalogue.h"
#include "opcontrol_driver.h"
#include "utils/opcontrol/counter.h"
#include "utils/opcontrol/events.h"

static void what_was_written_is_read_back(void **state)
{
	struct settings settings;
	struct op_error error;
	struct events events;

	(void)state;
	put_driver(CATALOGUE_CPU, "0123");
	choose(&settings, "RETIRED:6000 REQUESTS:500:reads:1:0");
	assert_int_equal(events_open(&settings, &events, &error), 0);
	assert_int_equal(events_place(&events, &error), 0);

	/* a driver that takes one for the other */
	assert_int_equal(unlink("fs/1/user"), 0);
	assert_int_equal(link("fs/1/kernel", "fs/1/user"), 0);
	assert_int_equal(events_program(&events, &error), -1);
	assert_int_equal(error.code, EPROTO);
	assert_non_null(strstr(error.text, "event \"REQUESTS:500:reads:1:0\": "));
	assert_non_null(strstr(error.text, "/fs/1/kernel holds 0, though 1 was written"));
	assert_int_equal(get(0, "enabled"), 0);
	assert_int_equal(get(1, "enabled"), 0);

	/* one that forgets */
	put_counter('1');
	assert_int_equal(unlink("fs/0/count"), 0);
	assert_int_equal(symlink("/dev/null", "fs/0/count"), 0);
	assert_int_equal(events_program(&events, &error), -1);
	assert_non_null(strstr(error.text, "/fs/0/count"));

	/* one that lacks a file */
	assert_int_equal(unlink("fs/0/count"), 0);
	put_counter('0');
	assert_int_equal(unlink("fs/1/unit_mask"), 0);
	assert_int_equal(events_program(&events, &error), -1);
	assert_non_null(strstr(error.text, "/fs/1/unit_mask: No such file"));
	assert_int_equal(get(0, "enabled"), 0);
	events_close(&events);
	settings_free(&settings);
}

static void a_driver_without_extra(void **state)
{
	struct settings settings;
	struct op_error error;
	struct events events;

	(void)state;
	put_driver(CATALOGUE_CPU, "0");
	assert_int_equal(unlink("fs/0/extra"), 0);
	choose(&settings, "STALLS:1000:cycles");
	assert_int_equal(events_open(&settings, &events, &error), 0);
	assert_int_equal(events_place(&events, &error), 0);
	if (events_program(&events, &error))
		fail_msg("%s", error.text);
	assert_int_equal(get(0, "enabled"), 1);
	events_close(&events);
	settings_free(&settings);

	choose(&settings, "STALLS:1000:starts");
	assert_int_equal(events_open(&settings, &events, &error), 0);
	assert_int_equal(events_place(&events, &error), 0);
	assert_int_equal(events_program(&events, &error), -1);
	assert_non_null(strstr(error.text, "has modifiers (0x1040000)"));
	assert_int_equal(get(0, "enabled"), 0);
	events_close(&events);
	settings_free(&settings);
}

/* Fixed counters stand behind the general ones, and take their own event only. */
static void fixed_counters(void **state)
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

	(void)state;
	put_driver("i386/arch_perfmon", "01234");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct op_resolved_event choice = {
			.count = 1000,
			.unit_mask = cases[i].unit_mask,
			.event_code = cases[i].event_code,
			.kernel = true,
			.user = true,
			.counter = cases[i].counter,
		};

		assert_int_equal(counters_program(&counters, 0x1f, &choice, specs, 1, &error), 0);
		assert_int_equal(get(cases[i].counter, "event"), cases[i].event);
		assert_int_equal(get(cases[i].counter, "unit_mask"), cases[i].mask);
	}
}

static void counters_are_the_numbered_directories(void **state)
{
	static const char *const names[] = {"0",  "3",	"10", "63",  "64", "00", "01",
					    "1x", "-1", "+2", "4.5", " 5", "99", "100"};
	struct op_error error;
	uint64_t offered;
	char path[64];

	(void)state;
	put_driver("i386/nehalem", "");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "fs/%s", names[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_written_is_read_back),
		TEST(a_driver_without_extra),
		TEST(fixed_counters),
		TEST(counters_are_the_numbered_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
