// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring of NMIs, with an APIC that only counts what it is to send.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/processor.h>

#include "suite.h"

#include "backend.h"
#include "cpu_buffer.h"
#include "backends/idle.h"
#include "backends/ticker.h"
#include "backends/timer.h"

static struct cpuinfo_x86 fake_cpu;
static unsigned int online;
static int handler_error;
static unsigned int handlers, sent, sent_to, sent_vector, timer_samples, nmi_samples;
static bool idle;
static unsigned long tickers; /* CPUs whose ticker was started */
static struct cpumask busy_now;
static bool other_whole; /* the other CPU has been busy for long */
static bool other_ticks; /* the other CPU's timer runs */
static unsigned int calls, called, kept;
static op_tick_fn tick;

static void seam_send_IPI(int cpu, int vector)
{
	sent++;
	sent_to = cpu;
	sent_vector = vector;
}

static struct apic fake_apic = { .send_IPI = seam_send_IPI };

static int seam_register_nmi_handler(unsigned int type, nmi_handler_t handler,
				     unsigned long flags, const char *name)
{
	if (!handler_error)
		handlers++;
	return handler_error;
}

static void seam_unregister_nmi_handler(unsigned int type, const char *name)
{
	handlers--;
}

static void seam_timer_sample(void)
{
	timer_samples++;
}

static void seam_add_sample(struct pt_regs *regs, u8 event)
{
	nmi_samples++;
}

static bool seam_idle_interrupted(void)
{
	return idle;
}

static void seam_ticker_prepare(op_tick_fn fn, bool (*keep)(void))
{
	tick = fn;
}

static void seam_ticker_end(void)
{
}

static void seam_ticker_keep(void)
{
	kept++;
}

static bool seam_ticker_ticks(unsigned int cpu)
{
	return other_ticks;
}

static bool seam_ticker_whole(unsigned int cpu)
{
	return other_whole;
}

static int seam_call(int cpu, call_single_data_t *data)
{
	calls++;
	called = cpu;
	data->func(data->info);
	return 0;
}

static void seam_ticker_start(void)
{
	tickers++;
}

static void seam_ticker_stop(void)
{
	tickers--;
}

/* Seams. */
#define apic (&fake_apic)
#define boot_cpu_data fake_cpu
#undef num_online_cpus
#define num_online_cpus() online
#undef register_nmi_handler
#define register_nmi_handler seam_register_nmi_handler
#define unregister_nmi_handler seam_unregister_nmi_handler
#define op_timer_sample seam_timer_sample
#define oprofile_add_sample seam_add_sample
#define op_idle_interrupted seam_idle_interrupted
#define op_ticker_prepare seam_ticker_prepare
#define op_ticker_start seam_ticker_start
#define op_ticker_stop seam_ticker_stop
#define op_ticker_end seam_ticker_end
#define op_ticker_keep seam_ticker_keep
#define op_ticker_ticks seam_ticker_ticks
#define op_ticker_whole seam_ticker_whole
#define op_ticker_busy() (&busy_now)
#define smp_call_function_single_async seam_call

#include "backends/nmi_timer.c"

#undef apic

static unsigned int self, other;

static void probe_and_type(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, op_nmi_timer_backend.probe(), -ENODEV);
	set_bit(X86_FEATURE_APIC, (unsigned long *)fake_cpu.x86_capability);
	KUNIT_EXPECT_EQ(test, op_nmi_timer_backend.probe(), 0);

	online = 2;
	KUNIT_EXPECT_STREQ(test, op_nmi_timer_backend.cpu_type(), "nmi_timer");
	online = 1;
	KUNIT_EXPECT_STREQ(test, op_nmi_timer_backend.cpu_type(), "timer");
}

static void setup_answers(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, op_nmi_timer_backend.setup(), 0);
	KUNIT_EXPECT_EQ(test, handlers, 1);
	op_nmi_timer_backend.shutdown();
	KUNIT_EXPECT_EQ(test, handlers, 0);
	handler_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, op_nmi_timer_backend.setup(), -ENOMEM);
}

static void start_all(void)
{
	op_nmi_timer_backend.start();
	op_nmi_timer_backend.cpu_start(self);
	op_nmi_timer_backend.cpu_start(other);
	cpumask_set_cpu(self, &busy_now);
	cpumask_set_cpu(other, &busy_now);
}

static void stop_all(void)
{
	op_nmi_timer_backend.cpu_stop(other);
	op_nmi_timer_backend.cpu_stop(self);
	op_nmi_timer_backend.stop();
}

/* A tick sends to the next CPU, and does not send again before that was handled. */
static void tick_sends_once(struct kunit *test)
{
	if (nr_cpu_ids < 2)
		kunit_skip(test, "the ring needs two CPUs");
	start_all();
	KUNIT_EXPECT_EQ(test, tickers, 2);
	tick(true);
	KUNIT_EXPECT_EQ(test, sent, 1);
	KUNIT_EXPECT_EQ(test, sent_to, other);
	KUNIT_EXPECT_EQ(test, sent_vector, NMI_VECTOR);
	tick(true);
	KUNIT_EXPECT_EQ(test, sent, 1);
	atomic_set(per_cpu_ptr(&pending, other), 0);
	tick(true);
	KUNIT_EXPECT_EQ(test, sent, 2);
	KUNIT_EXPECT_EQ(test, timer_samples, 0);
	atomic_set(per_cpu_ptr(&pending, other), 0);
	stop_all();
	KUNIT_EXPECT_EQ(test, tickers, 0);
}

/* Only an NMI that was announced is ours, and one announcement is one sample. */
static void nmi_claimed_once(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, handle_timer_nmi(NMI_LOCAL, NULL), NMI_DONE);
	atomic_set(this_cpu_ptr(&pending), 1);
	KUNIT_EXPECT_EQ(test, handle_timer_nmi(NMI_LOCAL, NULL), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, nmi_samples, 1);
	KUNIT_EXPECT_EQ(test, handle_timer_nmi(NMI_LOCAL, NULL), NMI_DONE);
	KUNIT_EXPECT_EQ(test, nmi_samples, 1);

	idle = true;
	atomic_set(this_cpu_ptr(&pending), 1);
	KUNIT_EXPECT_EQ(test, handle_timer_nmi(NMI_LOCAL, NULL), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, nmi_samples, 1);
}

/* What was on its way to a CPU that went offline is lost: it is sampled again all the same. */
static void cpu_comes_online(struct kunit *test)
{
	if (nr_cpu_ids < 2)
		kunit_skip(test, "the ring needs two CPUs");
	start_all();
	tick(true);
	op_nmi_timer_backend.cpu_stop(other);
	KUNIT_EXPECT_EQ(test, sent, 1);
	op_nmi_timer_backend.cpu_start(other);
	tick(true);
	KUNIT_EXPECT_EQ(test, sent, 2);
	KUNIT_EXPECT_EQ(test, sent_to, other);
	atomic_set(per_cpu_ptr(&pending, other), 0);
	stop_all();
}

/* The last CPU of the ring samples itself, by its interrupt; one in no ring does nothing. */
static void last_cpu_falls_back(struct kunit *test)
{
	op_nmi_timer_backend.start();
	tick(true);
	KUNIT_EXPECT_EQ(test, sent + timer_samples, 0);
	op_nmi_timer_backend.cpu_start(self);
	cpumask_set_cpu(self, &busy_now);
	tick(true);
	KUNIT_EXPECT_EQ(test, sent, 0);
	KUNIT_EXPECT_EQ(test, timer_samples, 1);
	KUNIT_EXPECT_EQ(test, calls, 0);
	op_nmi_timer_backend.cpu_stop(self);
	op_nmi_timer_backend.stop();
}

/* An idle CPU is sent nothing, and called only by one that is busy for long and alone. */
static void idle_left_alone(struct kunit *test)
{
	if (nr_cpu_ids < 2)
		kunit_skip(test, "the ring needs two CPUs");
	start_all();
	cpumask_clear_cpu(other, &busy_now);
	KUNIT_EXPECT_FALSE(test, tick(false));
	KUNIT_EXPECT_EQ(test, sent + calls, 0);
	KUNIT_EXPECT_EQ(test, timer_samples, 1);

	tick(true);
	KUNIT_EXPECT_EQ(test, timer_samples, 2);
	KUNIT_EXPECT_EQ(test, calls, 1);
	KUNIT_EXPECT_EQ(test, called, other);
	KUNIT_EXPECT_EQ(test, kept, 1);

	/* It has come: one sample for each interval, not two. */
	other_ticks = true;
	tick(true);
	KUNIT_EXPECT_EQ(test, timer_samples, 2);
	KUNIT_EXPECT_EQ(test, sent, 0);
	KUNIT_EXPECT_EQ(test, calls, 1);
	stop_all();
}

/* An idle CPU that was called goes on as long as another one is the only busy one. */
static void idle_helps(struct kunit *test)
{
	if (nr_cpu_ids < 2)
		kunit_skip(test, "the ring needs two CPUs");
	start_all();
	cpumask_clear_cpu(self, &busy_now);
	KUNIT_EXPECT_FALSE(test, keeps_ticking());
	other_whole = true;
	KUNIT_EXPECT_EQ(test, keeps_ticking(), cpumask_weight(&ring) == 2);
	KUNIT_EXPECT_TRUE(test, tick(true));
	KUNIT_EXPECT_EQ(test, sent, 1);
	KUNIT_EXPECT_EQ(test, sent_to, other);
	atomic_set(per_cpu_ptr(&pending, other), 0);

	cpumask_clear(&busy_now);
	KUNIT_EXPECT_FALSE(test, tick(true));
	KUNIT_EXPECT_EQ(test, sent + timer_samples, 1);
	stop_all();
}

static void deliver(struct work_struct *work)
{
	atomic_set(per_cpu_ptr(&pending, self), 0);
}

static DECLARE_DELAYED_WORK(delivery, deliver);

/* No NMI is on its way any more when the backend has stopped. */
static void stop_waits(struct kunit *test)
{
	op_nmi_timer_backend.start();
	atomic_set(this_cpu_ptr(&pending), 1);
	schedule_delayed_work(&delivery, msecs_to_jiffies(20));
	op_nmi_timer_backend.stop();
	KUNIT_EXPECT_EQ(test, atomic_read(this_cpu_ptr(&pending)), 0);
	flush_delayed_work(&delivery);
}

static int nmi_timer_init(struct kunit *test)
{
	migrate_disable();
	self = smp_processor_id();
	other = (self + 1) % nr_cpu_ids;
	memset(&fake_cpu, 0, sizeof(fake_cpu));
	atomic_set(per_cpu_ptr(&pending, self), 0);
	atomic_set(per_cpu_ptr(&pending, other), 0);
	online = 2;
	handler_error = 0;
	handlers = 0;
	sent = 0;
	timer_samples = 0;
	nmi_samples = 0;
	tickers = 0;
	calls = 0;
	kept = 0;
	other_ticks = false;
	other_whole = false;
	idle = false;
	cpumask_clear(&busy_now);
	cpumask_clear(&ring);
	return 0;
}

static void nmi_timer_exit(struct kunit *test)
{
	cpumask_clear(&ring);
	migrate_enable();
}

TEST_SUITE(oprofile_nmi_timer, nmi_timer_init, nmi_timer_exit,
	   KUNIT_CASE(probe_and_type),
	   KUNIT_CASE(setup_answers),
	   KUNIT_CASE(tick_sends_once),
	   KUNIT_CASE(nmi_claimed_once),
	   KUNIT_CASE(cpu_comes_online),
	   KUNIT_CASE(last_cpu_falls_back),
	   KUNIT_CASE(idle_left_alone),
	   KUNIT_CASE(idle_helps),
	   KUNIT_CASE(stop_waits));
