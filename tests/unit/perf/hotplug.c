// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUs that go and come, by a list of CPUs that we make up: each has its events while it is in the
 * list, and what it counted stays when it has gone.  Events are the kernel's own; messages are
 * refused, as in a container.
 */
#include <dirent.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>

#include "tests/unit/test.h"

#include "daemon/sources/perf/hotplug.h"
#include "daemon/live/uevent.h"
#include "libop/base/array.h"
#include "libop/cpu/list.h"

#define SKIPPED 77
#define SECOND	UINT64_C(1000000000)

static struct {
	const char *text; /* NULL: the list cannot be read */
	struct op_perf_events events;
	struct perf_counters counters;
	struct perf_merge merge;
	struct perf_drain drain;
	struct perf_hotplug hotplug;
	uint64_t now;
} machine;

int __wrap_op_cpu_list_online(int **cpus, size_t *count, struct op_error *error);
int __wrap_uevent_open(void);

int __wrap_op_cpu_list_online(int **cpus, size_t *count, struct op_error *error)
{
	if (!machine.text)
		return op_error_set(error, EIO, "no list");
	return op_cpu_list_parse(machine.text, "CPUs", cpus, count, error);
}

int __wrap_uevent_open(void)
{
	return -1;
}

/* ---- messages ---- */

TEST(messages)
{
	/* without the NUL that ends the string, unless it is told */
	static const struct {
		const char *text;
		size_t nuls;
		bool cpu;
	} cases[] = {
		{"online@/devices/system/cpu/cpu3", 0, true},
		{"offline@/devices/system/cpu/cpu12", 1, true},
		{"online@/devices/system/cpu/cpu", 1, false},
		{"online@/devices/system/cpu/cpufreq", 1, false},
		{"online@/devices/system/cpu/cpu3/cache", 1, false},
		{"online@/devices/system/memory/memory3", 1, false},
		{"change@/devices/system/cpu/cpu3", 1, false},
		{"libudev", 1, false},
		{"online@", 0, false},
		{"", 0, false},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++)
		assert_int_equal(
			uevent_is_cpu(cases[i].text, strlen(cases[i].text) + cases[i].nuls),
			cases[i].cpu);
}

/* ---- a machine ---- */

static int begin(bool unwind)
{
	static char spec[] = "cpu-clock:100000";
	char *specs[] = {spec};
	const struct op_perf_choose how = {0};
	struct perf_counters_config config = {.events = &machine.events};
	struct op_error error;

	memset(&machine, 0, sizeof(machine));
	machine.text = "0";
	machine.hotplug.counters = &machine.counters;
	machine.hotplug.merge = &machine.merge;
	machine.hotplug.drain = unwind ? &machine.drain : NULL;
	machine.hotplug.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (op_perf_choose(specs, 1, &how, &machine.events, &error) ||
	    perf_hotplug_open(&machine.hotplug, &config, &error) ||
	    perf_counters_open(&machine.counters, &config, &error) ||
	    (unwind && perf_drain_start(&machine.drain, &machine.counters, NULL, &error)) ||
	    perf_merge_reserve(&machine.merge, machine.counters.cpus) ||
	    perf_counters_enable(&machine.counters, &error)) {
		print_error("%s\n", error.text);
		return -1;
	}
	machine.hotplug.running = true;
	return 0;
}

TEST_HOOK(set_up)
{
	return begin(false);
}

TEST_HOOK(set_up_drain)
{
	return begin(true);
}

static size_t open_events(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	char link[64];
	size_t n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		ssize_t size = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);

		if (size > 0) {
			link[size] = '\0';
			n += strstr(link, "[perf_event]") != NULL;
		}
	}
	closedir(dir);
	return n;
}

TEST_HOOK(tear_down)
{
	perf_drain_stop(&machine.drain);
	perf_counters_close(&machine.counters);
	perf_hotplug_close(&machine.hotplug);
	perf_merge_free(&machine.merge);
	op_perf_events_free(&machine.events);
	close(machine.hotplug.epoll);
	assert_int_equal(open_events(), 0);
	return 0;
}

/* A second later, with this list.  Return: as perf_hotplug_follow(). */
static bool follow(const char *text)
{
	machine.text = text;
	machine.now += SECOND;
	return perf_hotplug_follow(&machine.hotplug, machine.now);
}

/* Takes all records there are. */
static void take_all(void)
{
	const void *bytes;
	struct perf_cpu *cpu;
	size_t size;

	perf_merge_begin(&machine.merge, &machine.counters);
	while ((cpu = perf_merge_next(&machine.merge, UINT64_MAX, &bytes, &size))) {
		cpu->samples++;
		perf_merge_pass(&machine.merge, size);
	}
	for (size_t i = 0; i < machine.counters.cpus; i++) {
		if (machine.counters.cpu[i].ring.page)
			perf_ring_release(&machine.counters.cpu[i].ring);
	}
}

static void run_on(int cpu, unsigned int milliseconds)
{
	struct timespec used;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	for (struct timespec time = used;
	     (time.tv_sec - used.tv_sec) * 1000 + (time.tv_nsec - used.tv_nsec) / 1000000 <
	     milliseconds;)
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
}

static uint64_t samples(int number)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < machine.counters.cpus; i++) {
		if (machine.counters.cpu[i].cpu == number)
			sum += machine.counters.cpu[i].samples;
	}
	return sum;
}

static bool has_two_cpus(void)
{
	bool has = !begin(false) && follow("0-1") && machine.counters.cpus == 2;

	tear_down(NULL);
	return has;
}

TEST_NEEDS(has_two_cpus, "two CPUs cannot be profiled as a whole here")

TEST_WITH(the_same_list, set_up, tear_down)
{
	int fd = machine.counters.cpu[0].fd;

	for (int i = 0; i < 10; i++) {
		assert_false(follow("0"));
		assert_false(perf_hotplug_close_done(&machine.hotplug));
	}
	assert_int_equal(machine.counters.cpus, 1);
	assert_int_equal(machine.counters.cpu[0].fd, fd);
	assert_false(follow(NULL));
	assert_int_equal(machine.counters.cpus, 1);
	assert_false(machine.counters.cpu[0].gone);
}

/* Nothing is looked at before its time. */
TEST_WITH(once_a_second, set_up, tear_down)
{
	assert_false(follow("0"));
	machine.text = "0-1";
	assert_false(perf_hotplug_follow(&machine.hotplug, machine.now + SECOND - 1));
	assert_true(perf_hotplug_follow(&machine.hotplug, machine.now + SECOND));
	assert_int_equal(machine.counters.cpus, 2);
}

/* The CPUs of this machine do not go: their events are stopped, as if they had. */
static void stop_gone(void)
{
	for (size_t i = 0; i < machine.counters.cpus; i++) {
		const struct perf_cpu *cpu = &machine.counters.cpu[i];

		if (cpu->gone && cpu->fd >= 0)
			assert_int_equal(ioctl(cpu->fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	}
}

TEST_WITH(comes_and_goes, set_up, tear_down)
{
	uint64_t before = 0, left;

	for (int turn = 0; turn < 3; turn++) {
		assert_true(follow("0-1"));
		assert_int_equal(open_events(), 2);
		run_on(1, 50);
		take_all();
		assert_true(samples(1) > before);
		before = samples(1);
		run_on(1, 50);
		/* what is in the ring when the CPU goes is taken, and then the ring is closed */
		assert_false(follow("0"));
		assert_null(perf_counters_find(&machine.counters, 1));
		stop_gone();
		assert_false(perf_hotplug_close_done(&machine.hotplug));
		assert_int_equal(open_events(), 2);
		take_all();
		left = samples(1);
		assert_true(left > before);
		assert_false(perf_hotplug_close_done(&machine.hotplug));
		assert_int_equal(open_events(), 1);
		/* one place keeps the numbers of all times */
		assert_int_equal(machine.counters.cpus, 2);
		assert_int_equal(samples(1), left);
		before = left;
	}
}

TEST_AGAIN(comes_and_goes, set_up_drain, tear_down)

/* It is back before what it left was taken: both rings are read. */
TEST_WITH(back_at_once, set_up, tear_down)
{
	uint64_t all;

	assert_true(follow("0-1"));
	run_on(1, 50);
	assert_false(follow("0"));
	stop_gone();
	assert_true(follow("0-1"));
	assert_int_equal(machine.counters.cpus, 3);
	assert_int_equal(open_events(), 3);
	run_on(1, 50);
	take_all();
	assert_true(machine.counters.cpu[1].samples > 0);
	assert_true(machine.counters.cpu[2].samples > 0);
	perf_hotplug_close_done(&machine.hotplug);
	assert_int_equal(open_events(), 2);
	assert_false(follow("0"));
	stop_gone();
	take_all();
	all = samples(1);
	perf_hotplug_close_done(&machine.hotplug);
	assert_int_equal(open_events(), 1);
	assert_int_equal(machine.counters.cpus, 2);
	assert_int_equal(samples(1), all);
}

TEST_AGAIN(back_at_once, set_up_drain, tear_down)

/* Off and on between two looks: only that the event counts no more tells. */
TEST_WITH(a_dead_event, set_up, tear_down)
{
	struct perf_cpu *cpu;

	assert_true(follow("0-1"));
	cpu = perf_counters_find(&machine.counters, 1);
	assert_non_null(cpu);
	assert_false(perf_counters_stand_still(&machine.counters, cpu));
	assert_int_equal(ioctl(cpu->fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	assert_true(perf_counters_stand_still(&machine.counters, cpu));
	assert_true(follow("0-1"));
	assert_true(machine.counters.cpu[1].gone);
	cpu = perf_counters_find(&machine.counters, 1);
	assert_non_null(cpu);
	assert_false(perf_counters_stand_still(&machine.counters, cpu));
}

/* Events that are stopped prove nothing: all are opened anew before they are started again. */
TEST_WITH(stopped_and_started, set_up, tear_down)
{
	assert_true(follow("0-1"));
	perf_counters_disable(&machine.counters);
	machine.hotplug.running = false;
	assert_false(follow("0-1"));
	assert_int_equal(open_events(), 2);
	perf_hotplug_restart(&machine.hotplug);
	assert_int_equal(open_events(), 4);
	take_all();
	perf_hotplug_close_done(&machine.hotplug);
	assert_int_equal(open_events(), 2);
	/* nothing counts before it is started */
	run_on(1, 20);
	take_all();
	assert_int_equal(perf_counters_find(&machine.counters, 1)->samples, 0);
}

/* A CPU in the list whose events the kernel refuses leaves nothing, however often it is tried. */
TEST_WITH(refused, set_up, tear_down)
{
	for (int i = 0; i < 3; i++) {
		follow("0,65535");
		assert_int_equal(machine.counters.cpus, 1);
		assert_int_equal(open_events(), 1);
	}
}

/* The kernel loses records, and no further one comes that could tell. */
TEST_WITH(losses_without_a_record, set_up, tear_down)
{
	struct {
		uint64_t count, enabled, lost;
	} told = {0};
	struct perf_cpu *cpu;
	bool losses;

	assert_true(follow("0-1"));
	cpu = perf_counters_find(&machine.counters, 1);
	assert_non_null(cpu);
	for (int i = 0; i < 100 && !told.lost; i++) {
		run_on(1, 100);
		if (read(cpu->fd, &told, sizeof(told)) < (ssize_t)sizeof(told))
			skip(); /* a kernel before 6.0 */
	}
	assert_true(told.lost > 0);
	assert_false(follow("0"));
	stop_gone();
	assert_int_equal(read(cpu->fd, &told, sizeof(told)), sizeof(told));
	take_all();
	losses = perf_hotplug_close_done(&machine.hotplug);
	assert_true(losses);
	assert_int_equal(machine.counters.cpu[1].lost, told.lost);
}
