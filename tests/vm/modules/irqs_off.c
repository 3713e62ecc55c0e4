// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel load whose profile is known: so many milliseconds in a function that runs with
 * interrupts off, then so many in one that runs with interrupts on, taking turns.
 *
 *	echo "OFF_MS ON_MS TURNS" >/proc/irqs_off	runs the load in the writer
 *	cat /proc/irqs_off		"off NS on NS": what the last load took, in ns
 *
 * A profiler that sees interrupts-off code finds irqs_off_spin() and irqs_on_spin() with
 * samples in the ratio of those times.  One that does not, finds next to nothing in
 * irqs_off_spin(): its ticks come when interrupts are on again, in the caller.
 */
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#define MS_MAX 500	/* with interrupts off; longer ones upset the kernel's own watchdogs */
#define TURNS_MAX 1000

static DEFINE_MUTEX(load_mutex);
static u64 off_ns, on_ns;

/*
 * Looks at the clock once in a while only: in QEMU that takes a lock, for which the CPU that
 * sends the NMIs has to queue, too.
 */
static __always_inline u64 spin(u64 cycles)
{
	u64 begin = rdtsc(), now;
	unsigned long i;

	do {
		for (i = 0; i < 2000; i++)
			barrier();
		now = rdtsc();
	} while (now - begin < cycles);
	return now - begin;
}

/*
 * Both functions must be alike and call nothing, so that all of their time is their own:
 * rdtsc() is one instruction.  noipa, lest the compiler make one function of the two.
 */
static __attribute__((noipa)) u64 irqs_off_spin(u64 cycles)
{
	return spin(cycles);
}

static __attribute__((noipa)) u64 irqs_on_spin(u64 cycles)
{
	return spin(cycles);
}

static ssize_t load_write(struct file *file, const char __user *text, size_t size, loff_t *pos)
{
	unsigned int off_ms, on_ms, turns, turn;
	u64 off = 0, on = 0;
	unsigned long flags;
	char line[64];

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, text, size))
		return -EFAULT;
	line[size] = '\0';
	if (sscanf(line, "%u %u %u", &off_ms, &on_ms, &turns) != 3)
		return -EINVAL;
	if (off_ms > MS_MAX || on_ms > MS_MAX || turns > TURNS_MAX)
		return -EINVAL;

	if (mutex_lock_interruptible(&load_mutex))
		return -EINTR;
	for (turn = 0; turn < turns && !signal_pending(current); turn++) {
		local_irq_save(flags);
		off += irqs_off_spin((u64)off_ms * tsc_khz);
		local_irq_restore(flags);
		on += irqs_on_spin((u64)on_ms * tsc_khz);
		cond_resched();
	}
	off_ns = div_u64(off * 1000, tsc_khz) * 1000;
	on_ns = div_u64(on * 1000, tsc_khz) * 1000;
	mutex_unlock(&load_mutex);
	return size;
}

static int load_show(struct seq_file *file, void *unused)
{
	mutex_lock(&load_mutex);
	seq_printf(file, "off %llu on %llu\n", off_ns, on_ns);
	mutex_unlock(&load_mutex);
	return 0;
}

static int load_open(struct inode *inode, struct file *file)
{
	return single_open(file, load_show, NULL);
}

static const struct proc_ops load_ops = {
	.proc_open = load_open,
	.proc_read = seq_read,
	.proc_write = load_write,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
};

static int __init load_init(void)
{
	return proc_create("irqs_off", 0600, NULL, &load_ops) ? 0 : -ENOMEM;
}

static void __exit load_exit(void)
{
	remove_proc_entry("irqs_off", NULL);
}

module_init(load_init);
module_exit(load_exit);
MODULE_DESCRIPTION("Load with interrupts off, for tests of the profiler");
MODULE_LICENSE("GPL");
