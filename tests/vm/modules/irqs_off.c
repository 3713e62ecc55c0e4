// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel load whose profile is known: so many milliseconds in a function that runs with
 * interrupts off, then so many in one that runs with interrupts on, taking turns.
 *
 *	echo "OFF_MS ON_MS TURNS" >/proc/irqs_off	runs the load in the writer
 *	cat /proc/irqs_off		"off NS NMIS on NS NMIS": of the last load, how long each
 *					took, in ns, and how many NMIs came in it
 *
 * A profiler that sees interrupts-off code finds irqs_off_spin() and irqs_on_spin() with
 * samples in the ratio of those times.  One that does not, finds next to nothing in
 * irqs_off_spin(): its ticks come when interrupts are on again, in the caller.
 *
 * The NMIs are seen by a handler of our own, which the kernel calls for each, whoever takes it.  So
 * how many samples a profiler that samples by NMI must have in each function is known exactly.
 */
#include <linux/atomic.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/msr.h>
#include <asm/nmi.h>
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

/* Where a function's code is, and the NMIs that interrupted it. */
struct code {
	unsigned long start;
	unsigned long size;
	atomic_t nmis;
};

static struct code off_code = { .start = (unsigned long)irqs_off_spin };
static struct code on_code = { .start = (unsigned long)irqs_on_spin };

/* The size, of what kallsyms says: "irqs_on_spin+0x0/0x4d [irqs_off]". */
static bool find_size(struct code *code)
{
	char text[KSYM_SYMBOL_LEN];
	const char *size;

	sprint_symbol(text, code->start);
	size = strchr(text, '/');
	return size && sscanf(size, "/0x%lx", &code->size) == 1;
}

static void count_nmi(struct code *code, unsigned long pc)
{
	if (pc - code->start < code->size)
		atomic_inc(&code->nmis);
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	count_nmi(&off_code, instruction_pointer(regs));
	count_nmi(&on_code, instruction_pointer(regs));
	return NMI_DONE; /* it is not ours */
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
	atomic_set(&off_code.nmis, 0);
	atomic_set(&on_code.nmis, 0);
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
	seq_printf(file, "off %llu %d on %llu %d\n", off_ns, atomic_read(&off_code.nmis), on_ns,
		   atomic_read(&on_code.nmis));
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
	int err;

	if (!find_size(&off_code) || !find_size(&on_code))
		return -ENOENT;
	err = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "irqs_off");
	if (err)
		return err;
	if (proc_create("irqs_off", 0600, NULL, &load_ops))
		return 0;
	unregister_nmi_handler(NMI_LOCAL, "irqs_off");
	return -ENOMEM;
}

static void __exit load_exit(void)
{
	remove_proc_entry("irqs_off", NULL);
	unregister_nmi_handler(NMI_LOCAL, "irqs_off");
}

module_init(load_init);
module_exit(load_exit);
MODULE_DESCRIPTION("Load with interrupts off, for tests of the profiler");
MODULE_LICENSE("GPL");
