// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state machine, with a backend and stages that fail.
 *
 * A journal has what core.c called, in order: "name" for what sets up or starts, "-name" for
 * what undoes it.  For suites that do not write one, core.c calls what it always calls.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "suite.h"

#include "backend.h"
#include "core.h"
#include "cpu_buffer.h"
#include "images/dcookie.h"
#include "event_buffer.h"
#include "fake_backend.h"
#include "images/mapping_hooks.h"
#include "module_hook.h"
#include "stats.h"
#include "sync.h"
#include "images/unmapped.h"

static char journal[512];
static bool journal_kept;
static const char *failing; /* this name's call fails; NULL: none */
static int failure;

static void journal_begin(const char *fail, int err)
{
	journal[0] = '\0';
	journal_kept = true;
	failing = fail;
	failure = err;
}

static void write_down(const char *prefix, const char *name)
{
	if (!journal_kept)
		return;
	if (journal[0])
		strlcat(journal, " ", sizeof(journal));
	strlcat(journal, prefix, sizeof(journal));
	strlcat(journal, name, sizeof(journal));
}

static int begin(const char *name)
{
	if (failing && !strcmp(failing, name))
		return failure;
	write_down("", name);
	return 0;
}

static void end(const char *name)
{
	write_down("-", name);
}

/* Seams. */
#define STAGE(name)							\
static int seam_##name##_set_up(void)					\
{									\
	return begin(#name) ?: op_##name##_set_up();			\
}									\
static void seam_##name##_tear_down(void)				\
{									\
	end(#name);							\
	op_##name##_tear_down();					\
}

STAGE(dcookies)
STAGE(unmapped)
STAGE(sync)
STAGE(module_hook)

static int seam_mapping_hooks_set_up(void)
{
	int err = begin("mapping_hooks");

	return err || !IS_ENABLED(CONFIG_KPROBES) ? err : op_mapping_hooks_set_up();
}

static void seam_mapping_hooks_tear_down(void)
{
	end("mapping_hooks");
	op_mapping_hooks_tear_down();
}

static int seam_event_buffer_set_up(unsigned long size, unsigned long watershed)
{
	return begin("event_buffer") ?: op_event_buffer_set_up(size, watershed);
}

static void seam_event_buffer_tear_down(void)
{
	end("event_buffer");
	op_event_buffer_tear_down();
}

static int seam_cpu_buffers_set_up(unsigned long entries, u8 backtrace_depth)
{
	return begin("cpu_buffers") ?: op_cpu_buffers_set_up(entries, backtrace_depth);
}

static void seam_cpu_buffers_tear_down(void)
{
	end("cpu_buffers");
	op_cpu_buffers_tear_down();
}

static int seam_cpuhp_setup_state(enum cpuhp_state state, const char *name,
				  int (*start)(unsigned int cpu), int (*stop)(unsigned int cpu))
{
	return begin("hotplug") ?: cpuhp_setup_state(state, name, start, stop);
}

static void seam_cpuhp_remove_state(enum cpuhp_state state)
{
	end("hotplug");
	cpuhp_remove_state(state);
}

static int seam_cpu_buffer_allocate(unsigned int cpu)
{
	return failing && !strcmp(failing, "cpu_buffer_allocate") ? failure :
								    op_cpu_buffer_allocate(cpu);
}

#define op_event_buffer_set_up seam_event_buffer_set_up
#define op_event_buffer_tear_down seam_event_buffer_tear_down
#define op_cpu_buffers_set_up seam_cpu_buffers_set_up
#define op_cpu_buffers_tear_down seam_cpu_buffers_tear_down
#define op_cpu_buffer_allocate seam_cpu_buffer_allocate
#define op_dcookies_set_up seam_dcookies_set_up
#define op_dcookies_tear_down seam_dcookies_tear_down
#define op_unmapped_set_up seam_unmapped_set_up
#define op_unmapped_tear_down seam_unmapped_tear_down
#define op_sync_set_up seam_sync_set_up
#define op_sync_tear_down seam_sync_tear_down
#define op_mapping_hooks_set_up seam_mapping_hooks_set_up
#define op_mapping_hooks_tear_down seam_mapping_hooks_tear_down
#define op_module_hook_set_up seam_module_hook_set_up
#define op_module_hook_tear_down seam_module_hook_tear_down
#define cpuhp_setup_state seam_cpuhp_setup_state
#define cpuhp_remove_state seam_cpuhp_remove_state

#include "core.c"

static struct cpumask sampling; /* the CPUs between cpu_start() and cpu_stop() */

static int fake_setup(void)
{
	return begin("backend");
}

static void fake_shutdown(void)
{
	end("backend");
}

static int fake_start(void)
{
	return begin("start");
}

static void fake_stop(void)
{
	end("start");
}

static void fake_cpu_start(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &sampling);
}

static void fake_cpu_stop(unsigned int cpu)
{
	cpumask_clear_cpu(cpu, &sampling);
}

static const struct oprofile_backend fake_backend = {
	.name = "fake",
	.setup = fake_setup,
	.shutdown = fake_shutdown,
	.start = fake_start,
	.stop = fake_stop,
	.cpu_start = fake_cpu_start,
	.cpu_stop = fake_cpu_stop,
};

/* What a backend may leave out. */
static const struct oprofile_backend least_backend = {
	.name = "least",
	.cpu_start = fake_cpu_start,
	.cpu_stop = fake_cpu_stop,
};

#define SET_UP_ALL \
	"event_buffer cpu_buffers dcookies unmapped sync mapping_hooks module_hook backend"
#define TORN_DOWN_ALL \
	"-backend -module_hook -mapping_hooks -sync -unmapped -dcookies -cpu_buffers -event_buffer"

static const struct stage_failure {
	const char *stage;
	int err;
	const char *journal;
} stage_failures[] = {
	{ "event_buffer", -ENOMEM, "" },
	{ "cpu_buffers", -ENOMEM, "event_buffer -event_buffer" },
	{ "dcookies", -ENOMEM, "event_buffer cpu_buffers -cpu_buffers -event_buffer" },
	{ "unmapped", -ENOMEM,
	  "event_buffer cpu_buffers dcookies "
	  "-dcookies -cpu_buffers -event_buffer" },
	{ "sync", -ENOMEM,
	  "event_buffer cpu_buffers dcookies unmapped "
	  "-unmapped -dcookies -cpu_buffers -event_buffer" },
	{ "mapping_hooks", -EOPNOTSUPP,
	  "event_buffer cpu_buffers dcookies unmapped sync "
	  "-sync -unmapped -dcookies -cpu_buffers -event_buffer" },
	{ "module_hook", -EEXIST,
	  "event_buffer cpu_buffers dcookies unmapped sync mapping_hooks "
	  "-mapping_hooks -sync -unmapped -dcookies -cpu_buffers -event_buffer" },
	{ "backend", -EBUSY,
	  "event_buffer cpu_buffers dcookies unmapped sync mapping_hooks module_hook "
	  "-module_hook -mapping_hooks -sync -unmapped -dcookies -cpu_buffers -event_buffer" },
};

static void stage_failure_describe(const struct stage_failure *failure, char *text)
{
	strscpy(text, failure->stage, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(stage_failure, stage_failures, stage_failure_describe);

static void core_setup_fails(struct kunit *test)
{
	const struct stage_failure *failure = test->param_value;

	journal_begin(failure->stage, failure->err);
	KUNIT_EXPECT_EQ(test, oprofile_setup(), failure->err);
	KUNIT_EXPECT_STREQ(test, journal, failure->journal);
	KUNIT_EXPECT_EQ(test, oprofile_start(), -EINVAL);

	/* And nothing is in the way of the next try. */
	journal_begin(NULL, 0);
	KUNIT_EXPECT_EQ(test, oprofile_setup(), 0);
	KUNIT_EXPECT_STREQ(test, journal, SET_UP_ALL);
}

static void core_setup_and_shutdown(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);
	KUNIT_EXPECT_EQ(test, oprofile_setup(), -EBUSY);
	KUNIT_EXPECT_STREQ(test, journal, SET_UP_ALL);
	KUNIT_EXPECT_FALSE(test, oprofile_started());

	journal_begin(NULL, 0);
	oprofile_shutdown();
	oprofile_shutdown();
	KUNIT_EXPECT_STREQ(test, journal, TORN_DOWN_ALL);
}

static void core_settings_contradict(struct kunit *test)
{
	const struct oprofile_settings saved = oprofile_settings;

	oprofile_settings.buffer_watershed = oprofile_settings.buffer_size;
	KUNIT_EXPECT_EQ(test, oprofile_setup(), -EINVAL);
	oprofile_settings = saved;
	KUNIT_EXPECT_EQ(test, oprofile_setup(), 0);
}

static void core_start_and_stop(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, oprofile_start(), -EINVAL);
	KUNIT_EXPECT_EQ(test, oprofile_stop(), 0);
	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);

	journal_begin(NULL, 0);
	KUNIT_EXPECT_EQ(test, oprofile_start(), 0);
	KUNIT_EXPECT_EQ(test, oprofile_start(), 0);
	KUNIT_EXPECT_TRUE(test, oprofile_started());
	KUNIT_EXPECT_STREQ(test, journal, "start hotplug");
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&sampling, cpu_online_mask));

	journal_begin(NULL, 0);
	KUNIT_EXPECT_EQ(test, oprofile_stop(), 0);
	KUNIT_EXPECT_EQ(test, oprofile_stop(), 0);
	KUNIT_EXPECT_FALSE(test, oprofile_started());
	KUNIT_EXPECT_STREQ(test, journal, "-hotplug -start");
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&sampling));
	KUNIT_EXPECT_TRUE(test, op_event_buffer_ready());

	KUNIT_EXPECT_EQ(test, oprofile_start(), 0);
	KUNIT_EXPECT_TRUE(test, oprofile_started());
}

static void core_shutdown_stops(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);
	KUNIT_ASSERT_EQ(test, oprofile_start(), 0);
	journal_begin(NULL, 0);
	oprofile_shutdown();
	KUNIT_EXPECT_STREQ(test, journal, "-hotplug -start " TORN_DOWN_ALL);
	KUNIT_EXPECT_FALSE(test, oprofile_started());
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&sampling));
}

static void core_start_fails(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);

	journal_begin("start", -EIO);
	KUNIT_EXPECT_EQ(test, oprofile_start(), -EIO);
	KUNIT_EXPECT_STREQ(test, journal, "");
	KUNIT_EXPECT_FALSE(test, oprofile_started());

	journal_begin("hotplug", -ENOSPC);
	KUNIT_EXPECT_EQ(test, oprofile_start(), -ENOSPC);
	KUNIT_EXPECT_STREQ(test, journal, "start -start");
	KUNIT_EXPECT_FALSE(test, oprofile_started());
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&sampling));

	journal_begin(NULL, 0);
	KUNIT_EXPECT_EQ(test, oprofile_start(), 0);
}

/* A CPU must come online even if there is no memory for its buffer. */
static void core_cpu_without_buffer(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);
	journal_begin("cpu_buffer_allocate", -ENOMEM);
	KUNIT_EXPECT_EQ(test, oprofile_start(), 0);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&sampling, cpu_online_mask));
}

static void core_least_backend(struct kunit *test)
{
	fake_backend_use(&least_backend);
	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);
	KUNIT_EXPECT_EQ(test, oprofile_start(), 0);
	KUNIT_EXPECT_EQ(test, oprofile_stop(), 0);
	journal_begin("hotplug", -ENOSPC);
	KUNIT_EXPECT_EQ(test, oprofile_start(), -ENOSPC);
	journal_begin(NULL, 0);
	oprofile_shutdown();
	fake_backend_use(&fake_backend);
}

static void core_set(struct kunit *test)
{
	unsigned long setting = 1;

	KUNIT_EXPECT_EQ(test, oprofile_set(&setting, 2), 0);
	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);
	KUNIT_EXPECT_EQ(test, oprofile_set(&setting, 3), 0);
	KUNIT_ASSERT_EQ(test, oprofile_start(), 0);
	KUNIT_EXPECT_EQ(test, oprofile_set(&setting, 4), -EBUSY);
	KUNIT_EXPECT_EQ(test, setting, 3);
	oprofile_stop();
	KUNIT_EXPECT_EQ(test, oprofile_set(&setting, 5), 0);
	KUNIT_EXPECT_EQ(test, setting, 5);
}

static void core_pause_and_resume(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_possible_mask);

	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);
	oprofile_pause();
	oprofile_resume();
	KUNIT_EXPECT_FALSE(test, oprofile_started()); /* it was not started before, either */

	op_cpu_stats(cpu)->received = 7;
	KUNIT_ASSERT_EQ(test, oprofile_start(), 0);
	KUNIT_EXPECT_EQ(test, op_cpu_stats(cpu)->received, 0);

	op_cpu_stats(cpu)->received = 7;
	journal_begin(NULL, 0);
	oprofile_pause();
	KUNIT_EXPECT_FALSE(test, oprofile_started());
	oprofile_resume();
	KUNIT_EXPECT_TRUE(test, oprofile_started());
	KUNIT_EXPECT_STREQ(test, journal, "-hotplug -start start hotplug");
	KUNIT_EXPECT_EQ(test, op_cpu_stats(cpu)->received, 7);
	op_cpu_stats_reset();
}

static void core_stopped_while_paused(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);
	KUNIT_ASSERT_EQ(test, oprofile_start(), 0);
	oprofile_pause();
	oprofile_stop();
	oprofile_resume();
	KUNIT_EXPECT_FALSE(test, oprofile_started());

	KUNIT_ASSERT_EQ(test, oprofile_start(), 0);
	oprofile_pause();
	oprofile_shutdown();
	oprofile_resume();
	KUNIT_EXPECT_FALSE(test, oprofile_started());
	KUNIT_EXPECT_EQ(test, oprofile_start(), -EINVAL);
}

static void core_started_while_paused(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);
	KUNIT_ASSERT_EQ(test, oprofile_start(), 0);
	oprofile_pause();
	journal_begin(NULL, 0);
	KUNIT_ASSERT_EQ(test, oprofile_start(), 0);
	KUNIT_EXPECT_FALSE(test, oprofile_started());
	KUNIT_EXPECT_STREQ(test, journal, "");
	oprofile_resume();
	KUNIT_EXPECT_TRUE(test, oprofile_started());
	KUNIT_EXPECT_STREQ(test, journal, "start hotplug");
}

/* Between the notice of a suspend and the freezing of processes, CPU 0 would lose its counters. */
static void core_first_started_while_paused(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_possible_mask);

	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);
	op_cpu_stats(cpu)->received = 7;
	oprofile_pause();
	journal_begin(NULL, 0);
	KUNIT_EXPECT_EQ(test, oprofile_start(), 0);
	KUNIT_EXPECT_EQ(test, op_cpu_stats(cpu)->received, 0);
	KUNIT_EXPECT_FALSE(test, oprofile_started());
	KUNIT_EXPECT_STREQ(test, journal, "");
	oprofile_resume();
	KUNIT_EXPECT_TRUE(test, oprofile_started());
	oprofile_stop();

	oprofile_pause();
	KUNIT_EXPECT_EQ(test, oprofile_start(), 0);
	oprofile_stop();
	oprofile_resume();
	KUNIT_EXPECT_FALSE(test, oprofile_started());
}

static void core_restarts(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_possible_mask);

	journal_begin(NULL, 0);
	KUNIT_EXPECT_TRUE(test, oprofile_restart());
	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);
	journal_begin(NULL, 0);
	KUNIT_EXPECT_TRUE(test, oprofile_restart());
	KUNIT_EXPECT_STREQ(test, journal, "");
	KUNIT_ASSERT_EQ(test, oprofile_start(), 0);
	op_cpu_stats(cpu)->received = 7;
	journal_begin(NULL, 0);
	KUNIT_EXPECT_TRUE(test, oprofile_restart());
	KUNIT_EXPECT_STREQ(test, journal, "-hotplug -start start hotplug");
	KUNIT_EXPECT_EQ(test, op_cpu_stats(cpu)->received, 7);
	KUNIT_EXPECT_TRUE(test, oprofile_started());
	op_cpu_stats_reset();

	/* Nothing can stand in. */
	journal_begin("start", -EBUSY);
	KUNIT_EXPECT_TRUE(test, oprofile_restart());
	KUNIT_EXPECT_FALSE(test, oprofile_started());
	KUNIT_EXPECT_STREQ(test, journal, "-hotplug -start");

	/* Who stops waits for what restarts, and must not be waited for. */
	mutex_lock(&state_mutex);
	KUNIT_EXPECT_FALSE(test, oprofile_restart());
	mutex_unlock(&state_mutex);
}

static void core_resume_fails(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);
	KUNIT_ASSERT_EQ(test, oprofile_start(), 0);
	oprofile_pause();
	journal_begin("start", -EIO);
	oprofile_resume();
	KUNIT_EXPECT_FALSE(test, oprofile_started());

	/* It does not try again by itself. */
	journal_begin(NULL, 0);
	oprofile_resume();
	KUNIT_EXPECT_FALSE(test, oprofile_started());
	KUNIT_EXPECT_EQ(test, oprofile_start(), 0);
}

static void core_dump(struct kunit *test)
{
	oprofile_dump(); /* there is nothing to sync yet */
	KUNIT_ASSERT_EQ(test, oprofile_setup(), 0);
	KUNIT_EXPECT_FALSE(test, op_event_buffer_ready());
	oprofile_dump();
	KUNIT_EXPECT_TRUE(test, op_event_buffer_ready());
}

static int core_init(struct kunit *test)
{
	fake_backend_use(&fake_backend);
	cpumask_clear(&sampling);
	journal_begin(NULL, 0);
	return 0;
}

static void core_exit(struct kunit *test)
{
	failing = NULL;
	oprofile_shutdown();
	journal_kept = false;
	fake_backend_use(NULL);
}

TEST_SUITE(oprofile_core, core_init, core_exit,
	   KUNIT_CASE_PARAM(core_setup_fails, stage_failure_gen_params),
	   KUNIT_CASE(core_setup_and_shutdown),
	   KUNIT_CASE(core_settings_contradict),
	   KUNIT_CASE(core_start_and_stop),
	   KUNIT_CASE(core_shutdown_stops),
	   KUNIT_CASE(core_start_fails),
	   KUNIT_CASE(core_cpu_without_buffer),
	   KUNIT_CASE(core_least_backend),
	   KUNIT_CASE(core_set),
	   KUNIT_CASE(core_pause_and_resume),
	   KUNIT_CASE(core_stopped_while_paused),
	   KUNIT_CASE(core_started_while_paused),
	   KUNIT_CASE(core_first_started_while_paused),
	   KUNIT_CASE(core_restarts),
	   KUNIT_CASE(core_resume_fails),
	   KUNIT_CASE(core_dump));
