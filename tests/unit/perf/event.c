// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names and specifications of perf events, lists of CPUs, and the words for each refusal.
 */
#include "ring.h"

#include <limits.h>

#include "libop/base/array.h"
#include "libop/cpu/list.h"
#include "libop/perf/event.h"

/* The samples of a second are at many moments of a millisecond, whatever the rate is. */
TEST(periods_of_clocks_do_not_keep_step_with_milliseconds)
{
	for (uint64_t frequency = 1; frequency <= 20000; frequency++) {
		uint64_t period = op_perf_clock_period(frequency), n = 0;
		bool met[20] = {false};

		assert_true(period >= 1000000000 / frequency);
		assert_true(period <= 1070 * UINT64_C(1000000) / frequency);
		for (uint64_t i = 0; i < 60; i++)
			met[i * period % 1000000 / 50000] = true;
		for (size_t i = 0; i < 20; i++)
			n += met[i];
		if (n < 8)
			fail_msg("%" PRIu64 " Hz: %" PRIu64 " of 20 moments", frequency, n);
	}
	assert_int_equal(op_perf_clock_period(99), 10101010);
}

TEST(specifications)
{
	static char *const specs[] = {(char *)"cpu-clock", (char *)"page-faults:7:0:1:1",
				      (char *)"cycles:250000"};
	const struct op_perf_choose how = {0};
	struct op_perf_events events;
	struct op_error error;
	char *text;

	assert_int_equal(op_perf_choose(specs, 3, &how, &events, &error), 0);
	assert_int_equal(events.count, 3);
	assert_string_equal(events.cpu_type, OP_PERF_CPU_TYPE);
	assert_int_equal(events.event[0].attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(events.event[0].attr.sample_period, 1171573);
	assert_int_equal(events.event[1].attr.config, PERF_COUNT_SW_PAGE_FAULTS);
	assert_int_equal(events.event[1].attr.sample_period, 7);
	assert_int_equal(events.event[2].attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(events.event[2].attr.sample_period, 250000);
	text = op_perf_format(&events);
	op_perf_events_free(&events);
	assert_int_equal(op_perf_from_daemon(text, 0, &events, &error), 0);
	assert_int_equal(events.count, 3);
	assert_int_equal(events.event[1].attr.sample_period, 7);
	assert_int_equal(events.event[2].attr.type, PERF_TYPE_HARDWARE);
	op_perf_events_free(&events);
	free(text);
}

TEST(events_as_perf_has_them)
{
	static const struct {
		const char *spec, *name;
		uint32_t type, unit_mask;
		uint64_t config, period;
		bool exclude_user, exclude_kernel, exclude_guest, exclude_host;
		unsigned int precise;
	} cases[] = {
		{"cycles:u", "cycles", PERF_TYPE_HARDWARE, 0, PERF_COUNT_HW_CPU_CYCLES, 100000,
		 .exclude_kernel = true},
		{"cycles:k", "cycles", PERF_TYPE_HARDWARE, 0, PERF_COUNT_HW_CPU_CYCLES, 100000,
		 .exclude_user = true},
		{"cycles:uk", "cycles", PERF_TYPE_HARDWARE, 0, PERF_COUNT_HW_CPU_CYCLES, 100000,
		 .precise = 0},
		{"cycles:pp", "cycles", PERF_TYPE_HARDWARE, 0, PERF_COUNT_HW_CPU_CYCLES, 100000,
		 .precise = 2},
		{"cycles:Pu", "cycles", PERF_TYPE_HARDWARE, 0, PERF_COUNT_HW_CPU_CYCLES, 100000,
		 .exclude_kernel = true, .precise = 3},
		{"cycles:H", "cycles", PERF_TYPE_HARDWARE, 0, PERF_COUNT_HW_CPU_CYCLES, 100000,
		 .exclude_guest = true},
		{"cycles:G", "cycles", PERF_TYPE_HARDWARE, 0, PERF_COUNT_HW_CPU_CYCLES, 100000,
		 .exclude_host = true},
		{"cpu-clock:ppp", "cpu-clock", PERF_TYPE_SOFTWARE, 0, PERF_COUNT_SW_CPU_CLOCK,
		 1171573, .precise = 0},
		{"page-faults:u", "page-faults", PERF_TYPE_SOFTWARE, 0, PERF_COUNT_SW_PAGE_FAULTS,
		 1, .exclude_kernel = true},
		{"r01c2", "r01c2", PERF_TYPE_RAW, 1, 0x1c2, 100000, .precise = 0},
		{"r5301c2:20000", "r5301c2", PERF_TYPE_RAW, 1, 0x5301c2, 20000, .precise = 0},
		{"r01C2:u", "r01C2", PERF_TYPE_RAW, 1, 0x1c2, 100000, .exclude_kernel = true},
	};
	const struct op_perf_choose how = {0};
	struct op_perf_events events;
	struct op_error error;

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		char *spec = (char *)cases[i].spec;
		const struct perf_event_attr *attr;

		if (op_perf_choose(&spec, 1, &how, &events, &error))
			fail_msg("\"%s\": %s", spec, error.text);
		attr = &events.event[0].attr;
		assert_string_equal(events.event[0].event.name, cases[i].name);
		assert_int_equal(events.event[0].event.unit_mask, cases[i].unit_mask);
		assert_int_equal(attr->type, cases[i].type);
		assert_int_equal(attr->config, cases[i].config);
		assert_int_equal(attr->sample_period, cases[i].period);
		assert_int_equal(attr->exclude_user, cases[i].exclude_user);
		assert_int_equal(attr->exclude_guest, cases[i].exclude_guest);
		assert_int_equal(attr->exclude_host, cases[i].exclude_host);
		assert_int_equal(attr->precise_ip, cases[i].precise);
		if (cases[i].exclude_kernel)
			assert_true(attr->exclude_kernel);
		op_perf_events_free(&events);
	}
}

TEST(count_instead_of_one_that_is_paused)
{
	static const struct {
		uint64_t count, taken, ns, instead;
	} cases[] = {
		{100000, 26000, 1000000000, 5000000}, /* 26 kHz become 520 Hz */
		{100000, 3900, 150000000, 5000000},   /* the same, paused for 85 % */
		{100000, 1000, 1000000000, 200000},
		{100000, 10, 0, 200000}, /* never counted but paused */
		{1, 4000, 1000000000, 5},
		{1, 0, 0, 2},
		{UINT32_MAX, 1u << 30, 1, 10000000000000000000u},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++)
		if (op_perf_count_instead(cases[i].count, cases[i].taken, cases[i].ns) !=
		    cases[i].instead)
			fail_msg(
				"case %zu: %" PRIu64, i,
				op_perf_count_instead(cases[i].count, cases[i].taken, cases[i].ns));
}

TEST(frequencies)
{
	static char *const specs[] = {(char *)"cpu-clock", (char *)"cycles"};
	/* half the lowest limit that kernels come down to, so that none lowers it */
	const struct op_perf_choose how = {.frequency = 50};
	struct op_perf_events events;
	struct op_error error;

	assert_int_equal(op_perf_choose(specs, 2, &how, &events, &error), 0);
	/* a clock's period is known; the kernel finds out that of others */
	assert_int_equal(events.event[0].event.count, op_perf_clock_period(50));
	assert_false(events.event[0].attr.freq);
	assert_true(events.event[1].attr.freq);
	assert_int_equal(events.event[1].attr.sample_freq, 50);
	op_perf_events_free(&events);
}

TEST(events_that_the_daemon_has_no_place_for)
{
	static const struct {
		const char *spec;
		bool fits;
	} cases[] = {
		{"cycles:u", true},   {"cpu-clock", true}, {"r01c2", true},	{"r5301c2", false},
		{"r180001c2", false}, {"cycles:p", false}, {"cycles:G", false}, {"cycles:H", false},
	};
	const struct op_perf_choose how = {0};
	struct op_perf_events events;
	struct op_error error;

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		char *spec = (char *)cases[i].spec;

		assert_int_equal(op_perf_choose(&spec, 1, &how, &events, &error), 0);
		if (op_perf_check_format(&events, &error) != (cases[i].fits ? 0 : -1))
			fail_msg("\"%s\"", spec);
		op_perf_events_free(&events);
	}
}

TEST(raw_events_of_the_daemon)
{
	struct op_perf_events events;
	struct op_error error;

	assert_int_equal(
		op_perf_from_daemon("DISPATCH_STALL:0x1c0:5:100000:0x41:0:1", 0, &events, &error),
		0);
	assert_int_equal(events.event[0].attr.type, PERF_TYPE_RAW);
	assert_int_equal(events.event[0].attr.config, 0x1000041c0);
	assert_true(events.event[0].attr.exclude_kernel);
	assert_int_equal(events.event[0].event.counter, 0);
	op_perf_events_free(&events);
}

/* How many times strdup(), which is wrapped, has memory. */
static unsigned int copies_left = UINT_MAX;
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

char *__wrap_strdup(const char *text)
{
	if (!copies_left)
		return NULL;
	if (copies_left != UINT_MAX)
		copies_left--;
	return __real_strdup(text);
}

TEST(a_name_of_the_daemons_that_cannot_be_copied_is_an_error)
{
	static char *const specs[] = {(char *)"cpu-clock", (char *)"page-faults:7:0:1:1"};
	const struct op_perf_choose how = {0};
	struct op_perf_events events;
	struct op_error error;
	unsigned int copies = 0;
	char *text;
	int result;

	assert_int_equal(op_perf_choose(specs, 2, &how, &events, &error), 0);
	text = op_perf_format(&events);
	op_perf_events_free(&events);
	do {
		copies_left = copies++;
		result = op_perf_from_daemon(text, 0, &events, &error);
		copies_left = UINT_MAX;
		if (result) {
			assert_int_equal(error.code, ENOMEM);
			assert_int_equal(events.count, 0);
		}
	} while (result);
	assert_int_equal(events.count, 2);
	assert_true(copies > 2);
	op_perf_events_free(&events);
	free(text);
}

TEST(senseless_specifications)
{
	static const struct {
		char *spec;
		const char *cause;
	} cases[] = {
		{(char *)"cpu-clock:0", "a count of 0"},
		{(char *)"cpu-clock:10",
		 "the smallest that the kernel has is 10000: cpu-clock:10000"},
		{(char *)"task-clock:9999", "smallest that the kernel has is 10000"},
		{(char *)"cpu-clock:1000:1", "no unit masks"},
		{(char *)"cpu-clock:1000:0:0:0", "neither kernel nor user"},
		{(char *)"cpu-clock:1x", "not a number"},
		{(char *)"cycles:S", "modifier \"S\" is not one of"},
		{(char *)"nogroup:noevent", "no tracepoint of this kernel"},
		{(char *)"rxyz", "rxyz"},
		{(char *)"", "without a name"},
	};
	const struct op_perf_choose how = {0};
	struct op_perf_events events;
	struct op_error error;

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		assert_int_equal(op_perf_choose(&cases[i].spec, 1, &how, &events, &error), -1);
		if (!strstr(error.text, cases[i].cause))
			fail_msg("\"%s\": unclear: %s", cases[i].spec, error.text);
	}
}

/* Others than these are the machine's. */
TEST(events_without_a_counter_are_found_out)
{
	struct op_perf_event event = {.event.name = (char *)"unlikely",
				      .attr = {.size = sizeof(struct perf_event_attr),
					       .type = PERF_TYPE_SOFTWARE,
					       .config = 9999,
					       .sample_period = 1}};
	const struct op_perf_events events = {.event = &event, .count = 1};
	struct op_error error;
	int fd;

	event.attr.config = PERF_COUNT_SW_CPU_CLOCK;
	event.attr.sample_period = 1000000;
	event.attr.exclude_kernel = 1;
	fd = op_perf_open(&event.attr, 0, -1, -1);
	if (fd < 0)
		skip();
	close(fd);
	assert_int_equal(op_perf_check_counters(&events, &error), 0);
	event.attr.config = 9999;
	assert_int_equal(op_perf_check_counters(&events, &error), -1);
	assert_non_null(strstr(error.text, "event \"unlikely\""));
}

TEST(refusals)
{
	const struct perf_event_attr hardware = {.type = PERF_TYPE_HARDWARE, .sample_period = 1},
				     software = {.type = PERF_TYPE_SOFTWARE};
	static const struct {
		int code;
		bool hardware;
		pid_t pid;
		const char *cure;
	} cases[] = {
		{ENOENT, true, 0, "use \"-e cpu-clock\""},
		{EOPNOTSUPP, true, 0, "use \"-e cpu-clock\""},
		{ENOENT, false, 0, "this kernel does not have it"},
		{EMFILE, false, 0, "\"ulimit -n 65536\""},
		{ENFILE, false, 0, "\"sysctl fs.file-max=1000000\""},
		{ESRCH, false, 4711, ": no process 4711"},
		{ENOSYS, false, 0, "CONFIG_PERF_EVENTS"},
		{EBUSY, true, 0, "\"sysctl kernel.nmi_watchdog=0\""},
		{EINVAL, true, 0, "perf_event_max_sample_rate"},
		{EIO, true, 0, "Input/output error"},
	};
	struct op_error error;

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		op_perf_explain_open(cases[i].code, "name",
				     cases[i].hardware ? &hardware : &software, cases[i].pid,
				     &error);
		assert_int_equal(error.code, cases[i].code);
		if (strncmp(error.text, "event \"name\": ", 14) ||
		    !strstr(error.text, cases[i].cure))
			fail_msg("case %zu: unclear: %s", i, error.text);
	}
	op_perf_explain_map(EPERM, 528384, &error);
	assert_non_null(strstr(error.text, "\"sysctl kernel.perf_event_mlock_kb=1032\""));
}

TEST(lists_of_cpus)
{
	static const struct {
		const char *text, *list; /* NULL: an error */
	} cases[] = {
		{"0", "0 "},	{"0-3", "0 1 2 3 "}, {"8,0-1", "0 1 8 "}, {"2,2,1-2", "1 2 "},
		{"", NULL},	{"1-", NULL},	     {"3-1", NULL},	  {"a", NULL},
		{"1,,2", NULL}, {"65536", NULL},     {"-1", NULL},	  {"1-2-3", NULL},
	};
	struct op_error error;
	size_t count;
	int *cpus;

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		char text[64] = "";
		int result = op_cpu_list_parse(cases[i].text, "CPUs", &cpus, &count, &error);

		assert_int_equal(result, cases[i].list ? 0 : -1);
		for (size_t j = 0; !result && j < count; j++)
			sprintf(text + strlen(text), "%d ", cpus[j]);
		if (!result)
			assert_string_equal(text, cases[i].list);
		free(cpus);
	}
}
