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
 *
 * The last two advance the epoch, with mmap_lock held for writing, so before anybody can run
 * the new code.  Handlers run with preemption off and must not sleep.
 *
 * A kernel with function tracing (CONFIG_KPROBES_ON_FTRACE, as Debian's are) calls them as
 * functions.  Without, they are called from the int3 exception until the kernel has optimised
 * the probe, which takes it some RCU grace periods; that counts as NMI, where no lock may be
 * taken and no memory be allocated.  Then what is unmapped cannot be remembered, and counts in
 * unmapped_lost.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/ptrace.h>

#include "images/mapping_hooks.h"
#include "images/unmapped.h"

static bool executable_file(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & VM_EXEC) && vma->vm_file;
}

/* void uprobe_munmap(struct vm_area_struct *vma, unsigned long start, unsigned long end) */
static int on_unmap(struct kprobe *probe, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);

	if (executable_file(vma))
		op_unmapped_remember(vma, regs_get_kernel_argument(regs, 1),
				     regs_get_kernel_argument(regs, 2));
	return 0;
}

/* void perf_event_mmap(struct vm_area_struct *vma) */
static int on_map(struct kprobe *probe, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);

	if (vma->vm_flags & VM_EXEC)
		op_unmapped_advance_epoch();
	return 0;
}

/* struct vm_area_struct *copy_vma(struct vm_area_struct **vma, ...) */
static int on_move(struct kprobe *probe, struct pt_regs *regs)
{
	op_unmapped_advance_epoch();
	return 0;
}

static struct kprobe unmap_probe = { .symbol_name = "uprobe_munmap", .pre_handler = on_unmap };
static struct kprobe map_probe = { .symbol_name = "perf_event_mmap", .pre_handler = on_map };
static struct kprobe move_probe = { .symbol_name = "copy_vma", .pre_handler = on_move };
static struct kprobe *probes[] = { &unmap_probe, &map_probe, &move_probe };

int op_mapping_hooks_set_up(void)
{
	int err;
	int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		/* A kprobe that was registered before must be given back as new. */
		probes[i]->addr = NULL;
		probes[i]->flags = 0;
	}
	err = register_kprobes(probes, ARRAY_SIZE(probes));
	if (err)
		pr_err("cannot watch mappings come and go: error %d; kprobes are needed\n", err);
	return err;
}

void op_mapping_hooks_tear_down(void)
{
	unregister_kprobes(probes, ARRAY_SIZE(probes));
}
