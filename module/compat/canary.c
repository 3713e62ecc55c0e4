// SPDX-License-Identifier: GPL-2.0-only
/*
 * The prototypes that the module relies on, and that moved or might: where a kernel has another
 * one, the build ends here, and not in a machine.  There is no code in this file.
 *
 * For what compat.h gives older kernels, the prototype is the newest kernel's on all of them.
 * Functions that a kprobe is set on matter most: their arguments are read from registers, which
 * no compiler checks.  copy_vma() and unlink_anon_vmas() have left the public headers; the guest
 * tests of munmap and jit watch them.
 */
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/pagemap.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/suspend.h>
#include <linux/uprobes.h>
#include <trace/events/irq.h>
#include <trace/events/sched.h>

/* The test of this file wants to see each of them fail. */
#ifdef COMPAT_CANARIES_DIE
#define CANARY(function, ...) \
	static_assert(!__same_type(typeof(function), __VA_ARGS__), #function " was looked at")
#else
#define CANARY(function, ...) \
	static_assert(__same_type(typeof(function), __VA_ARGS__), #function " has changed")
#endif

/* What compat.h makes the same. */
CANARY(file_user_path, const struct path *(const struct file *));
CANARY(simple_inode_init_ts, struct timespec64(struct inode *));
CANARY(inode_just_drop, int(struct inode *));
CANARY(compat_mm_exe_file, struct file *(struct mm_struct *));
CANARY(compat_d_publish, void(struct dentry *, struct inode *));
CANARY(compat_kill_pseudo_super, void(struct super_block *));
CANARY(hrtimer_setup, void(struct hrtimer *, enum hrtimer_restart (*)(struct hrtimer *), clockid_t,
			   enum hrtimer_mode));

/* Files. */
CANARY(d_path, char *(const struct path *, char *, int));
CANARY(filemap_get_folio, struct folio *(struct address_space *, pgoff_t));
CANARY(get_tree_single, int(struct fs_context *, int (*)(struct super_block *,
							 struct fs_context *)));
CANARY(simple_read_from_buffer, ssize_t(void __user *, size_t, loff_t *, const void *, size_t));

/* Memory and tasks. */
CANARY(find_vma, struct vm_area_struct *(struct mm_struct *, unsigned long));
CANARY(((struct vm_area_struct *)0)->vm_pgoff, unsigned long);
CANARY(((struct vm_operations_struct *)0)->name, const char *(*)(struct vm_area_struct *));

/* Hooks, and what they are set on. */
CANARY(exit_mmap, void(struct mm_struct *));
CANARY(perf_event_mmap, void(struct vm_area_struct *));
CANARY(register_kprobes, int(struct kprobe **, int));
CANARY(register_pm_notifier, int(struct notifier_block *));
#ifdef CONFIG_UPROBES
CANARY(uprobe_munmap, void(struct vm_area_struct *, unsigned long, unsigned long));
#endif

#ifdef CONFIG_TRACEPOINTS
CANARY(check_trace_callback_type_sched_switch, void(void (*)(void *, bool, struct task_struct *,
							     struct task_struct *, unsigned int)));
CANARY(check_trace_callback_type_softirq_entry, void(void (*)(void *, unsigned int)));
CANARY(check_trace_callback_type_softirq_exit, void(void (*)(void *, unsigned int)));
#endif

/* Time. */
CANARY(hrtimer_forward_now, u64(struct hrtimer *, ktime_t));
CANARY(hrtimer_cancel, int(struct hrtimer *));

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/irq_regs.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/processor.h>
#include <asm/unwind.h>

CANARY(get_irq_regs, struct pt_regs *(void));
CANARY(((struct apic *)0)->send_IPI, void (*)(int, int));
CANARY(((struct apic *)0)->read, u32 (*)(u32));
CANARY(((struct apic *)0)->write, void (*)(u32, u32));
CANARY(__register_nmi_handler, int(unsigned int, struct nmiaction *));
CANARY(unregister_nmi_handler, void(unsigned int, const char *));
CANARY(((struct nmiaction *)0)->handler, int (*)(unsigned int, struct pt_regs *));
CANARY(reserve_perfctr_nmi, int(unsigned int));
CANARY(reserve_evntsel_nmi, int(unsigned int));
CANARY(release_perfctr_nmi, void(unsigned int));
CANARY(release_evntsel_nmi, void(unsigned int));

CANARY(cpuid, void(unsigned int, unsigned int *, unsigned int *, unsigned int *, unsigned int *));
CANARY(native_rdmsrq, u64(u32));
CANARY(rdmsrq_safe, int(u32, u64 *));
CANARY(wrmsrq_safe, int(u32, u64));

CANARY(unwind_next_frame, bool(struct unwind_state *));
CANARY(unwind_get_return_address, unsigned long(struct unwind_state *));
CANARY(copy_from_user_nmi, unsigned long(void *, const void __user *, unsigned long));

CANARY(perf_event_create_kernel_counter, struct perf_event *(struct perf_event_attr *, int,
							     struct task_struct *,
							     perf_overflow_handler_t, void *));
CANARY(perf_event_read_value, u64(struct perf_event *, u64 *, u64 *));
CANARY(perf_event_release_kernel, int(struct perf_event *));
#endif
