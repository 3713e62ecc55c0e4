// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks into memory management, as kprobes: there is no notifier for any of this.
 *
 * The places were chosen because they see everything with one function each, and have been
 * the same for many years:
 *
 *	uprobe_munmap	called for each file mapping, or part of one, whose pages are about to be
 *			unmapped: munmap, mmap over it, mremap, exec, exit
 *	perf_event_mmap	called when a mapping is made, grows, or gets other permissions
 *	copy_vma	called by mremap that moves a mapping, which perf_event_mmap is not
 *	unlink_anon_vmas called for each mapping that is freed, with a file or without: munmap, mmap
 *			over it, mremap, exit; and for one that is merged into another
 *	exit_mmap	called for an address space that nobody uses any more, before its mappings
 *			go: exit, exec
 *
 * The second and third advance the epoch, with mmap_lock held for writing, so before anybody can
 * run the new code.  The fourth sees mappings without a file, which the first does not.  Each of
 * them is told of one mapping: handlers run with preemption off, and must not sleep, nor do
 * anything that takes as long as a process has mappings.
 *
 * A kernel with function tracing (CONFIG_KPROBES_ON_FTRACE, as Debian's are) calls them as
 * functions.  Without, they are called from the int3 exception until the kernel has optimised
 * the probe, which takes it some RCU grace periods; that counts as NMI, where no lock may be
 * taken and no memory be allocated.  On PREEMPT_RT that is so wherever preemption is off.  Then
 * what is unmapped is postponed (postponed.h).
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/ptrace.h>

#include "images/mapping_hooks.h"
#include "images/marks.h"
#include "images/unmapped.h"
#include "refusal.h"
#include "unwind/map.h"

static bool executable_file(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & VM_EXEC) && vma->vm_file;
}

/* void uprobe_munmap(struct vm_area_struct *vma, unsigned long start, unsigned long end) */
static int on_unmap(struct kprobe *probe, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);
	unsigned long start = regs_get_kernel_argument(regs, 1);
	unsigned long end = regs_get_kernel_argument(regs, 2);

	/* What is not executable now may have been. */
	op_unwind_map_remove(vma->vm_mm, start, end);
	if (executable_file(vma))
		op_unmapped_remember(vma, start, end);
	return 0;
}

/* void perf_event_mmap(struct vm_area_struct *vma) */
static int on_map(struct kprobe *probe, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);

	if (vma->vm_flags & VM_EXEC) {
		op_unwind_map_add(vma->vm_mm);
		op_epoch_advance();
	}
	return 0;
}

/* struct vm_area_struct *copy_vma(struct vm_area_struct **vma, ...) */
static int on_move(struct kprobe *probe, struct pt_regs *regs)
{
	struct vm_area_struct **moved = (void *)regs_get_kernel_argument(regs, 0);

	if ((*moved)->vm_flags & VM_EXEC)
		op_unwind_map_add((*moved)->vm_mm);
	op_epoch_advance();
	return 0;
}

/*
 * void unlink_anon_vmas(struct vm_area_struct *vma)
 *
 * To remember one that is merged, and so still there, does no harm: it was what it is.
 */
static int on_unlink(struct kprobe *probe, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);

	if ((vma->vm_flags & VM_EXEC) && !vma->vm_file)
		op_unmapped_remember_area(vma);
	return 0;
}

/* void exit_mmap(struct mm_struct *mm) */
static int on_exit(struct kprobe *probe, struct pt_regs *regs)
{
	struct mm_struct *mm = (void *)regs_get_kernel_argument(regs, 0);

	op_unwind_map_end(mm);
	op_unmapped_remember_end(mm);
	return 0;
}

static struct kprobe unmap_probe = { .symbol_name = "uprobe_munmap", .pre_handler = on_unmap };
static struct kprobe map_probe = { .symbol_name = "perf_event_mmap", .pre_handler = on_map };
static struct kprobe move_probe = { .symbol_name = "copy_vma", .pre_handler = on_move };
static struct kprobe exit_probe = { .symbol_name = "exit_mmap", .pre_handler = on_exit };
static struct kprobe unlink_probe = {
	.symbol_name = "unlink_anon_vmas",
	.pre_handler = on_unlink,
};

static struct kprobe *probes[] = { &unmap_probe, &map_probe, &move_probe, &unlink_probe,
				   &exit_probe };

/* What each probe's address has while it is not armed. */
static kprobe_opcode_t unarmed[ARRAY_SIZE(probes)];
static bool in_place;
static unsigned long missed_before[ARRAY_SIZE(probes)]; /* the last reset */
static atomic_long_t nr_disarmed = ATOMIC_LONG_INIT(0);

/*
 * Registered, and not armed, so that the code there can be seen as it is without a probe.
 * Whether kprobes are switched off in debugfs, no function tells.
 */
static int register_unarmed(void)
{
	int err;
	int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		/* A kprobe that was registered before must be given back as new. */
		probes[i]->addr = NULL;
		probes[i]->flags = KPROBE_FLAG_DISABLED;
		probes[i]->nmissed = 0;
		missed_before[i] = 0;
	}
	err = register_kprobes(probes, ARRAY_SIZE(probes));
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		unarmed[i] = READ_ONCE(*probes[i]->addr);
	return 0;
}

/* The kernel may lack one of the functions: uprobe_munmap is there for CONFIG_UPROBES. */
static void log_failure(int err)
{
	int i = 0;

	while (i < ARRAY_SIZE(probes) - 1 && probes[i]->addr)
		i++; /* this one was found */
	if (err == -ENOENT)
		op_log_refusal("cannot watch mappings come and go: this kernel has no %s%s\n",
			       probes[i]->symbol_name,
			       probes[i] == &unmap_probe ? " (CONFIG_UPROBES)" : "");
	else
		op_log_refusal("cannot watch mappings come and go: no kprobe is set (error %d)\n",
			       -err);
}

int op_mapping_hooks_set_up(void)
{
	int err;
	int i;

	err = register_unarmed();
	for (i = 0; !err && i < ARRAY_SIZE(probes); i++) {
		err = enable_kprobe(probes[i]);
		if (err)
			unregister_kprobes(probes, ARRAY_SIZE(probes));
	}
	if (err)
		log_failure(err);
	in_place = !err;
	return err;
}

/* A call was there before the probe: of another tracer, whose probe would look the same. */
static bool traced_by_others(int i)
{
	return IS_ENABLED(CONFIG_X86) && kprobe_ftrace(probes[i]) && unarmed[i] == 0xe8;
}

void op_mapping_hooks_watch(void)
{
	int i;

	if (!in_place)
		return;
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (READ_ONCE(*probes[i]->addr) == unarmed[i] && !traced_by_others(i)) {
			atomic_long_inc(&nr_disarmed);
			return;
		}
	}
}

unsigned long op_mapping_hooks_disarmed(void)
{
	return atomic_long_read(&nr_disarmed);
}

unsigned long op_mapping_hooks_missed(void)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		sum += READ_ONCE(probes[i]->nmissed) - missed_before[i];
	return sum;
}

void op_mapping_hooks_reset(void)
{
	int i;

	atomic_long_set(&nr_disarmed, 0);
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		missed_before[i] = READ_ONCE(probes[i]->nmissed);
}

void op_mapping_hooks_tear_down(void)
{
	in_place = false;
	unregister_kprobes(probes, ARRAY_SIZE(probes));
}
