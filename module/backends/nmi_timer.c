// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend nmi_timer: each CPU's hrtimer sends an NMI to the next CPU, which samples what it
 * interrupts.  Code that runs with interrupts off is seen without any performance counter,
 * as long as the sender has its interrupts on:
 *
 *	CPU 0 --NMI--> CPU 1 --NMI--> CPU 2 --NMI--> CPU 0
 *
 * With one CPU left in the ring its own hard interrupt has to do, as in the backend timer.
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
static struct cpumask ring; /* the CPUs that are being sampled */

static unsigned int next_in_ring(unsigned int cpu)
{
	unsigned int next;

	/* A CPU that comes or goes just now: with it or without it will do. */
	next = data_race(cpumask_next(cpu, &ring));
	if (next >= nr_cpu_ids)
		next = data_race(cpumask_first(&ring)); /* the same */
	return next;
}

static void send_tick(void)
{
	unsigned int self = smp_processor_id();
	unsigned int target = next_in_ring(self);

	if (target >= nr_cpu_ids)
		return;
	if (target == self)
		op_timer_sample();
	else if (!atomic_xchg(per_cpu_ptr(&pending, target), 1)) /* send:A */
		apic->send_IPI(target, NMI_VECTOR);		 /* send:B */
}

static int handle_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!atomic_xchg(this_cpu_ptr(&pending), 0)) /* handle:A */
		return NMI_DONE;
	if (!op_idle_interrupted())
		oprofile_add_sample(regs, 0);
	return NMI_HANDLED;
}

static int nmi_timer_probe(void)
{
	return boot_cpu_has(X86_FEATURE_APIC) ? 0 : -ENODEV;
}

static int nmi_timer_setup(void)
{
	if (num_online_cpus() == 1)
		pr_info("only one CPU: sampling by its own timer, interrupts-off code is not seen\n");
	return register_nmi_handler(NMI_LOCAL, handle_nmi, 0, "oprofile");
}

static void nmi_timer_shutdown(void)
{
	unregister_nmi_handler(NMI_LOCAL, "oprofile"); /* no handler is running any more */
}

static int nmi_timer_start(void)
{
	cpumask_clear(&ring);
	op_ticker_prepare(send_tick);
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

/* All tickers have stopped, so nothing more is sent; what was sent arrives. */
static void nmi_timer_stop(void)
{
	unsigned int cpu;

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
