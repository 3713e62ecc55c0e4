// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend nmi_timer: each CPU's hrtimer sends an NMI to the next CPU that has something to do,
 * which samples what it interrupts.  Code that runs with interrupts off is seen without any
 * performance counter, as long as the sender has its interrupts on:
 *
 *	CPU 0 --NMI--> CPU 1 --NMI--> CPU 3 --NMI--> CPU 0	CPU 2 is idle
 *
 * The timer of an idle CPU stands still (ticker.h).  A CPU that is the only busy one samples itself
 * by its hard interrupt, as in the backend timer; when it has been busy for a whole interval it
 * calls the next CPU, idle as it is, to send to it until it is the only busy one no more:
 *
 *	CPU 0 --NMI--> CPU 3		CPU 0 was called; CPU 3 does not sample itself meanwhile
 *
 * So a machine that has next to nothing to do is not woken for samples.
 *
 * An NMI does not tell its sender.  pending is true while one of ours is on its way to this CPU;
 * the handler claims an NMI only then, so that it takes no other driver's.
 *
 *	sender, hard interrupt			target, NMI
 *	send:A  xchg pending to 1		handle:A  xchg pending to 0
 *	send:B  send the NMI
 *
 * send:A is before send:B, so the NMI finds it.  If pending was 1 already the earlier NMI has
 * not been handled yet, and a second one would be merged with it by the CPU anyway.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>

#include <asm/apic.h>
#include <asm/nmi.h>

#include "backend.h"
#include "backtrace.h"
#include "cpu_buffer.h"
#include "backends/idle.h"
#include "backends/ticker.h"
#include "backends/timer.h"

static DEFINE_PER_CPU(atomic_t, pending);
static DEFINE_PER_CPU(call_single_data_t, call); /* of the one that calls */
static struct cpumask ring; /* the CPUs that are being sampled */

/* The next one in a ring, perhaps @cpu itself; nr_cpu_ids or more if it is empty. */
static unsigned int next_in(const struct cpumask *mask, unsigned int cpu)
{
	unsigned int next;

	/* A CPU that comes or goes just now: with it or without it will do. */
	next = data_race(cpumask_next(cpu, mask));
	if (next >= nr_cpu_ids)
		next = data_race(cpumask_first(mask)); /* the same */
	return next;
}

static void send_nmi(unsigned int target)
{
	if (!atomic_xchg(per_cpu_ptr(&pending, target), 1)) /* send:A */
		apic->send_IPI(target, NMI_VECTOR);	    /* send:B */
}

static void come_and_help(void *unused)
{
	op_ticker_keep();
}

/* This CPU is the only one that has something to do. */
static void sample_alone(unsigned int self, bool whole)
{
	unsigned int helper = next_in(&ring, self);

	if (helper != self && op_ticker_ticks(helper))
		return; /* it samples this one */
	op_timer_sample();
	/* If the last call has not arrived yet, this one is refused. */
	if (helper != self && whole)
		smp_call_function_single_async(helper, this_cpu_ptr(&call));
}

/* This CPU has nothing to do, but was called.  Returns false if it is needed no more. */
static bool help(unsigned int target)
{
	if (next_in(op_ticker_busy(), target) != target)
		return false; /* there are two at least, that sample each other */
	send_nmi(target);
	return true;
}

/* This CPU ends to have something to do: is it needed to send to the one that calls it? */
static bool keeps_ticking(void)
{
	const struct cpumask *busy = op_ticker_busy();
	unsigned int self = smp_processor_id();
	unsigned int alone = next_in(busy, self);

	return alone < nr_cpu_ids && next_in(busy, alone) == alone &&
	       next_in(&ring, alone) == self && op_ticker_whole(alone);
}

static bool send_tick(bool whole)
{
	const struct cpumask *busy = op_ticker_busy();
	unsigned int self = smp_processor_id();
	unsigned int target = next_in(busy, self);

	if (target >= nr_cpu_ids)
		return false;
	if (!cpumask_test_cpu(self, busy))
		return help(target);
	if (target == self)
		sample_alone(self, whole);
	else
		send_nmi(target);
	return false;
}

static int handle_timer_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!atomic_xchg(this_cpu_ptr(&pending), 0)) /* handle:A */
		return NMI_DONE;
	if (!op_idle_interrupted())
		oprofile_add_sample(regs, 0);
	return NMI_HANDLED;
}

NOKPROBE_SYMBOL(handle_timer_nmi);

static int nmi_timer_probe(void)
{
	return boot_cpu_has(X86_FEATURE_APIC) ? 0 : -ENODEV;
}

static int nmi_timer_setup(void)
{
	if (num_online_cpus() == 1)
		pr_info("only one CPU: sampling by its own timer, interrupts-off code is not seen\n");
	return register_nmi_handler(NMI_LOCAL, handle_timer_nmi, 0, "oprofile");
}

static void nmi_timer_shutdown(void)
{
	unregister_nmi_handler(NMI_LOCAL, "oprofile"); /* no handler is running any more */
}

static int nmi_timer_start(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		INIT_CSD(per_cpu_ptr(&call, cpu), come_and_help, NULL);
	cpumask_clear(&ring);
	op_ticker_prepare(send_tick, keeps_ticking);
	return 0;
}

static void nmi_timer_cpu_start(unsigned int cpu)
{
	/* What was on its way when the CPU went offline has been lost. */
	atomic_set(per_cpu_ptr(&pending, cpu), 0);
	cpumask_set_cpu(cpu, &ring);
	op_ticker_start();
}

static void nmi_timer_cpu_stop(unsigned int cpu)
{
	op_ticker_stop();
	cpumask_clear_cpu(cpu, &ring);
}

static void do_nothing(void *unused)
{
}

/* All tickers have stopped, so nothing more is sent; what was sent arrives. */
static void nmi_timer_stop(void)
{
	unsigned int cpu;

	op_ticker_end();
	on_each_cpu(do_nothing, NULL, true); /* calls arrive in order */
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		while (atomic_read(per_cpu_ptr(&pending, cpu))) /* stop:A - pairs with handle:A */
			usleep_range(10, 100);
	}
	cpus_read_unlock();
}

static const char *nmi_timer_cpu_type(void)
{
	return num_online_cpus() == 1 ? "timer" : "nmi_timer";
}

const struct oprofile_backend op_nmi_timer_backend = {
	.name = "nmi_timer",
	.probe = nmi_timer_probe,
	.setup = nmi_timer_setup,
	.shutdown = nmi_timer_shutdown,
	.start = nmi_timer_start,
	.stop = nmi_timer_stop,
	.cpu_start = nmi_timer_cpu_start,
	.cpu_stop = nmi_timer_cpu_stop,
	.create_files = op_ticker_create_files,
	.cpu_type = nmi_timer_cpu_type,
	.backtrace = op_backtrace,
};
