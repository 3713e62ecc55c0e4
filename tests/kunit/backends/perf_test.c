// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backend perf, with a perf that refuses, and whose events count what the test says.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "suite.h"

#include "cpu_buffer.h"
#include "x86/machines.h"
#include "x86/settings.h"
#include "x86/times.h"
#include "x86/times_sums.h"

#define EVENTS_MAX 16

static struct fake_event {
	struct perf_event event;
	struct perf_event_attr attr;
	int cpu;
	bool open;
	perf_overflow_handler_t overflow;
	u64 enabled_ns, running_ns;
} *fakes;
static unsigned int nr_created, nr_counting;
static unsigned int fails_at; /* the creation of this number; 0: none */
static struct op_x86_identity fake_identity;
static unsigned int last_sample;
static bool fake_mixed; /* CPUs with odd numbers are of another kind */
static struct pmu big_pmu = { .type = PERF_TYPE_RAW }, small_pmu = { .type = 10 };

static struct perf_event *seam_create(struct perf_event_attr *attr, int cpu,
				      struct task_struct *task, perf_overflow_handler_t overflow,
				      void *context)
{
	struct fake_event *fake;

	if (++nr_created == fails_at)
		return ERR_PTR(-EOPNOTSUPP);
	nr_counting += !attr->disabled;
	for (fake = fakes; fake < fakes + EVENTS_MAX && fake->open; fake++)
		;
	if (fake == fakes + EVENTS_MAX)
		return ERR_PTR(-ENOSPC);
	memset(fake, 0, sizeof(*fake));
	fake->attr = *attr;
	fake->cpu = cpu;
	fake->open = true;
	fake->overflow = overflow;
	fake->event.overflow_handler_context = context;
	fake->event.pmu = fake_mixed && cpu % 2 ? &small_pmu : &big_pmu;
	return &fake->event;
}

static int seam_release(struct perf_event *event)
{
	container_of(event, struct fake_event, event)->open = false;
	return 0;
}

static u64 seam_read_value(struct perf_event *event, u64 *enabled, u64 *running)
{
	struct fake_event *fake = container_of(event, struct fake_event, event);

	*enabled = fake->enabled_ns;
	*running = fake->running_ns;
	return 0;
}

static bool seam_model_of_machine(struct op_x86_identity *identity, struct op_x86_model *model)
{
	*identity = fake_identity;
	if (!op_x86_model_find(&fake_identity, model))
		return false;
	model->mixed = fake_mixed;
	return true;
}

static unsigned int nr_throttled;

static void seam_throttled(void)
{
	nr_throttled++;
}

static u64 last_weight; /* 0: the period */

static void seam_add_sample(struct pt_regs *regs, u8 event)
{
	last_sample = event;
	last_weight = 0;
}

static void seam_add_weighted_sample(struct pt_regs *regs, u8 event, u64 weight)
{
	last_sample = event;
	last_weight = weight;
}

/* Seams. */
#define perf_event_create_kernel_counter seam_create
#define perf_event_release_kernel seam_release
#define perf_event_read_value seam_read_value
#define op_x86_model_of_machine seam_model_of_machine
#define oprofile_add_sample seam_add_sample
#define oprofile_add_weighted_sample seam_add_weighted_sample
#define op_cpu_stats_throttled seam_throttled

#include "backends/perf.c"

static unsigned int nr_open(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < EVENTS_MAX; i++)
		nr += fakes[i].open;
	return nr;
}

static void probe_answers(struct kunit *test)
{
	fake_identity = machine_sapphire.identity;
	KUNIT_EXPECT_EQ(test, op_perf_backend.probe(), 0);
	KUNIT_EXPECT_EQ(test, nr_open(), 0);
	KUNIT_EXPECT_STREQ(test, op_perf_backend.cpu_type(), "i386/arch_perfmon");

	/* Version 6, which the backend x86 leaves alone. */
	fake_identity.leaf_a_eax = (fake_identity.leaf_a_eax & ~0xff) | 6;
	KUNIT_EXPECT_EQ(test, op_perf_backend.probe(), 0);

	nr_created = 0;
	fails_at = 1;
	KUNIT_EXPECT_EQ(test, op_perf_backend.probe(), -EOPNOTSUPP);

	fake_identity = (struct op_x86_identity){ .vendor = OP_X86_OTHER };
	KUNIT_EXPECT_EQ(test, op_perf_backend.probe(), -ENODEV);
}

static const struct op_x86_setting kernel_only = {
	.enabled = 1, .event = 0x12e, .unit_mask = 0x41, .count = 6000, .kernel = 1,
};

static const struct op_x86_setting user_only = {
	.enabled = 1, .event = 0xc0, .count = 7000, .user = 1,
};

static void set_up(struct kunit *test)
{
	fake_identity = machine_family10.identity;
	KUNIT_ASSERT_EQ(test, op_perf_backend.probe(), 0);
	settings_put(1, &kernel_only);
	settings_put(6, &user_only);
	nr_created = 0;
}

/* It has counted so many events since it was made. */
static void overflow_of(struct fake_event *fake, u64 counted)
{
	local64_set(&fake->event.count, counted);
	fake->overflow(&fake->event, NULL, NULL);
}

/* Each event is tried before anything is started, and none stays open. */
static void start_tries_all(struct kunit *test)
{
	set_up(test);
	KUNIT_EXPECT_EQ(test, op_perf_backend.setup(), 0);
	KUNIT_EXPECT_EQ(test, nr_created, 0);
	KUNIT_EXPECT_EQ(test, op_perf_backend.start(), 0);
	KUNIT_EXPECT_EQ(test, nr_created, num_online_cpus() + 2);
	KUNIT_EXPECT_EQ(test, nr_counting, 0); /* nothing can overflow before the start */
	KUNIT_EXPECT_EQ(test, nr_open(), 0);

	for (fails_at = 1; fails_at <= 3; fails_at++) {
		nr_created = 0;
		KUNIT_EXPECT_EQ(test, op_perf_backend.start(), -EOPNOTSUPP);
		KUNIT_EXPECT_EQ(test, nr_created, fails_at);
		KUNIT_EXPECT_EQ(test, nr_open(), 0);
	}
	KUNIT_EXPECT_STREQ(test, op_perf_backend.reason(),
			   "perf refuses the event of counter 6 on CPU 0 (error 95)");
	fails_at = 0;
	settings_clear();
	KUNIT_EXPECT_EQ(test, op_perf_backend.setup(), -EINVAL);
}

static void events_as_asked(struct kunit *test)
{
	set_up(test);
	KUNIT_ASSERT_EQ(test, op_perf_backend.setup(), 0);
	op_perf_backend.cpu_start(0);
	KUNIT_ASSERT_EQ(test, nr_open(), 2);
	KUNIT_EXPECT_EQ(test, fakes[0].cpu, 0);
	KUNIT_EXPECT_EQ(test, fakes[0].attr.type, PERF_TYPE_RAW);
	KUNIT_EXPECT_EQ(test, fakes[0].attr.config, 0x10000412eULL);
	KUNIT_EXPECT_EQ(test, fakes[0].attr.sample_period, 6000);
	KUNIT_EXPECT_TRUE(test, fakes[0].attr.exclude_user);
	KUNIT_EXPECT_FALSE(test, fakes[0].attr.exclude_kernel);
	KUNIT_EXPECT_EQ(test, fakes[1].attr.config, 0xc0ULL);
	KUNIT_EXPECT_EQ(test, fakes[1].attr.sample_period, 7000);
	KUNIT_EXPECT_FALSE(test, fakes[1].attr.exclude_user);
	KUNIT_EXPECT_TRUE(test, fakes[1].attr.exclude_kernel);
	KUNIT_EXPECT_EQ(test, nr_counting, 2);
	overflow_of(&fakes[1], 7001);
	KUNIT_EXPECT_EQ(test, last_sample, 6);
	overflow_of(&fakes[0], 6001);
	KUNIT_EXPECT_EQ(test, last_sample, 1);
	KUNIT_EXPECT_EQ(test, nr_throttled, 0);
	op_perf_backend.cpu_stop(0);
	KUNIT_EXPECT_EQ(test, nr_open(), 0);
}

/* perf stops the event: its period is lengthened, and its samples stand for what was counted. */
static void samples_weigh_what_they_stand_for(struct kunit *test)
{
	struct hw_perf_event *hw = &fakes[0].event.hw;

	set_up(test);
	KUNIT_ASSERT_EQ(test, op_perf_backend.setup(), 0);
	op_perf_backend.cpu_start(0);
	overflow_of(&fakes[0], 6003);
	KUNIT_EXPECT_EQ(test, last_weight, 0);
	KUNIT_EXPECT_EQ(test, hw->sample_period, 6000);
	hw->interrupts = MAX_INTERRUPTS;
	overflow_of(&fakes[0], 12001);
	KUNIT_EXPECT_EQ(test, nr_throttled, 1);
	KUNIT_EXPECT_EQ(test, last_weight, 0);
	KUNIT_EXPECT_EQ(test, hw->sample_period, 48000);
	hw->interrupts = 1;
	hw->interrupts_seq++;
	overflow_of(&fakes[0], 18000); /* the counter was set before that */
	KUNIT_EXPECT_EQ(test, last_weight, 0);
	overflow_of(&fakes[0], 66009);
	KUNIT_EXPECT_EQ(test, last_weight, 48000);
	KUNIT_EXPECT_EQ(test, last_sample, 1);

	/* The other event is counted by itself, and so is the next start. */
	overflow_of(&fakes[1], 7000);
	KUNIT_EXPECT_EQ(test, last_weight, 0);
	KUNIT_EXPECT_EQ(test, fakes[1].event.hw.sample_period, 7000);
	op_perf_backend.cpu_stop(0);
	op_perf_backend.cpu_start(0);
	overflow_of(&fakes[0], 6000);
	KUNIT_EXPECT_EQ(test, last_weight, 0);
	KUNIT_EXPECT_EQ(test, hw->sample_period, 6000);
	op_perf_backend.cpu_stop(0);
}

/* Standing in for x86: what that counts on fixed counters, perf is asked for as an event. */
static void fixed_counters_as_events(struct kunit *test)
{
	static const struct op_x86_setting instructions = {
		.enabled = 1, .event = 0xc0, .count = 7000, .user = 1,
	}, cycles = { .enabled = 1, .event = 0x3c, .count = 8000, .kernel = 1 };

	fake_identity = machine_core2.identity;
	KUNIT_ASSERT_EQ(test, op_perf_backend.probe(), 0);
	settings_put(2, &instructions);
	settings_put(3, &cycles);
	KUNIT_ASSERT_EQ(test, op_perf_backend.setup(), 0);
	op_perf_backend.cpu_start(0);
	KUNIT_ASSERT_EQ(test, nr_open(), 2);
	KUNIT_EXPECT_EQ(test, fakes[0].attr.config, 0xc0ULL);
	KUNIT_EXPECT_TRUE(test, fakes[0].attr.exclude_kernel);
	KUNIT_EXPECT_EQ(test, fakes[1].attr.config, 0x3cULL);
	KUNIT_EXPECT_TRUE(test, fakes[1].attr.exclude_user);
	KUNIT_EXPECT_TRUE(test, fakes[1].attr.exclude_guest);
	op_perf_backend.cpu_stop(0);
}

/* On big cores, say, and something else on small ones. */
static const struct op_x86_setting near_calls = {
	.enabled = 1, .event = 0xc4, .unit_mask = 0x02, .count = 6000, .user = 1,
};

/* Each CPU's events are of the PMU that has it, and count what is the same on all. */
static void events_of_several_kinds(struct kunit *test)
{
	int cpu, i;

	fake_mixed = true;
	fake_identity = machine_sapphire.identity;
	KUNIT_ASSERT_EQ(test, op_perf_backend.probe(), 0);
	settings_put(1, &user_only);
	KUNIT_ASSERT_EQ(test, op_perf_backend.setup(), 0);
	for (cpu = 0; cpu < 2; cpu++)
		op_perf_backend.cpu_start(cpu);
	KUNIT_ASSERT_EQ(test, nr_open(), 2);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, fakes[i].attr.type, fakes[i].cpu ? 10 : PERF_TYPE_RAW);
	for (cpu = 0; cpu < 2; cpu++)
		op_perf_backend.cpu_stop(cpu);
	settings_put(0, &near_calls);
	KUNIT_EXPECT_EQ(test, op_perf_backend.setup(), -EINVAL);
	fake_mixed = false;
	KUNIT_ASSERT_EQ(test, op_perf_backend.probe(), 0);
	KUNIT_EXPECT_EQ(test, op_perf_backend.setup(), 0);
}

/* A CPU where perf refuses one event counts the other; nothing is read or released of the first. */
static void one_event_refused(struct kunit *test)
{
	set_up(test);
	KUNIT_ASSERT_EQ(test, op_perf_backend.setup(), 0);
	nr_created = 0;
	fails_at = 2;
	op_perf_backend.cpu_start(0);
	KUNIT_EXPECT_EQ(test, nr_open(), 1);
	perf_refresh_times();
	op_perf_backend.cpu_stop(0);
	KUNIT_EXPECT_EQ(test, nr_open(), 0);
	KUNIT_EXPECT_EQ(test, times_enabled(0, 1), 0);
}

/* perf's times are sums: what is new is added, at each read and at the stop. */
static void times_are_kept(struct kunit *test)
{
	set_up(test);
	KUNIT_ASSERT_EQ(test, op_perf_backend.setup(), 0);
	op_perf_backend.cpu_start(0);
	fakes[0].enabled_ns = 1000;
	fakes[0].running_ns = 600;
	perf_refresh_times();
	perf_refresh_times();
	KUNIT_EXPECT_EQ(test, times_enabled(0, 1), 1000);
	KUNIT_EXPECT_EQ(test, times_running(0, 1), 600);
	fakes[0].enabled_ns = 1500;
	fakes[0].running_ns = 700;
	op_perf_backend.cpu_stop(0);
	KUNIT_EXPECT_EQ(test, times_enabled(0, 1), 1500);
	KUNIT_EXPECT_EQ(test, times_running(0, 1), 700);
	perf_refresh_times();
	KUNIT_EXPECT_EQ(test, times_enabled(0, 1), 1500);

	/* The next start's events begin at zero, and the times go on. */
	op_perf_backend.cpu_start(0);
	fakes[0].enabled_ns = 50;
	fakes[0].running_ns = 40;
	op_perf_backend.cpu_stop(0);
	KUNIT_EXPECT_EQ(test, times_enabled(0, 1), 1550);
	KUNIT_EXPECT_EQ(test, times_running(0, 1), 740);
}

static int perf_init(struct kunit *test)
{
	fakes = kunit_kcalloc(test, EVENTS_MAX, sizeof(*fakes), GFP_KERNEL);
	if (!fakes)
		return -ENOMEM;
	settings_clear();
	nr_programs = 0;
	fake_mixed = false;
	memset(per_cpu(cpu_events, 0), 0, sizeof(cpu_events));
	nr_created = 0;
	nr_counting = 0;
	nr_throttled = 0;
	fails_at = 0;
	return 0;
}

static void perf_exit(struct kunit *test)
{
	memset(per_cpu(cpu_events, 0), 0, sizeof(cpu_events));
	settings_clear();
	op_x86_times_reset();
}

TEST_SUITE(oprofile_x86_perf, perf_init, perf_exit,
	   KUNIT_CASE(probe_answers),
	   KUNIT_CASE(start_tries_all),
	   KUNIT_CASE(fixed_counters_as_events),
	   KUNIT_CASE(events_as_asked),
	   KUNIT_CASE(samples_weigh_what_they_stand_for),
	   KUNIT_CASE(events_of_several_kinds),
	   KUNIT_CASE(one_event_refused),
	   KUNIT_CASE(times_are_kept));
