// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backtraces on x86-64.
 *
 * What is logged are return addresses, which point behind the call.
 */
#include <linux/compat.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include <asm/cpu_entry_area.h>
#include <asm/unwind.h>

#include "backtrace.h"
#include "cpu_buffer.h"
#include "current.h"

/* The frame that "push %rbp; mov %rsp, %rbp" makes, of a 64-bit and a 32-bit program. */
struct frame64 {
	u64 next;
	u64 return_address;
};

struct frame32 {
	u32 next;
	u32 return_address;
};

static bool kernel_callers(struct pt_regs *regs, struct op_frames *frames)
{
	struct unwind_state state;
	unsigned long address;

	for (unwind_start(&state, current, regs, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		address = unwind_get_return_address(&state);
		if (!address)
			break;
		if (!op_frames_add(frames, address, true))
			return false;
	}
	if (unwind_error(&state))
		op_frames_abort(frames);
	return true;
}

/*
 * copy_from_user_nmi() checks that the user's page tables are the ones in use, which nothing
 * can change before this NMI or interrupt returns.  So only the first frame goes through it.
 */
static bool read_first_frame(unsigned long at, bool is_64bit, struct frame64 *frame)
{
	struct frame32 frame32;

	if (is_64bit)
		return !copy_from_user_nmi(frame, (void __user *)at, sizeof(*frame));
	if (copy_from_user_nmi(&frame32, (void __user *)at, sizeof(frame32)))
		return false;
	frame->next = frame32.next;
	frame->return_address = frame32.return_address;
	return true;
}

/* With page faults disabled. */
static bool read_frame(unsigned long at, bool is_64bit, struct frame64 *frame)
{
	const struct frame64 __user *user64 = (void __user *)at;
	const struct frame32 __user *user32 = (void __user *)at;

	if (is_64bit)
		return access_ok(user64, sizeof(*user64)) &&
		       !__get_user(frame->next, &user64->next) &&
		       !__get_user(frame->return_address, &user64->return_address);
	return access_ok(user32, sizeof(*user32)) && !__get_user(frame->next, &user32->next) &&
	       !__get_user(frame->return_address, &user32->return_address);
}

/*
 * A chain that ends as the ABI says ends with a zero.  The stack grows down: a caller's frame
 * lies higher, or this is no chain of frames.
 */
static void user_callers(struct pt_regs *regs, struct op_frames *frames)
{
	bool is_64bit = user_64bit_mode(regs);
	unsigned long at = regs->bp;
	struct frame64 frame;
	bool good;

	if (!at)
		return;
	/* Code without frame pointers has something else there: no fault for that. */
	if (at < regs->sp) {
		op_frames_abort(frames);
		return;
	}
	good = read_first_frame(at, is_64bit, &frame);
	pagefault_disable();
	while (good && frame.return_address &&
	       op_frames_add(frames, frame.return_address, false) && frame.next) {
		good = frame.next > at;
		at = frame.next;
		good = good && read_frame(at, is_64bit, &frame);
	}
	pagefault_enable();
	if (!good)
		op_frames_abort(frames);
}

/*
 * Are the user's registers saved, for kernel code that was interrupted at @sp?  In the first
 * instructions of an entry they are those of an earlier one: it still has the user's stack, the
 * stack that interrupts begin with, or is pushing them.
 */
static bool user_regs_saved(unsigned long sp)
{
	unsigned long saved = (unsigned long)task_pt_regs(current);

	if (sp < TASK_SIZE_MAX || sp >> P4D_SHIFT == CPU_ENTRY_AREA_BASE >> P4D_SHIFT)
		return false;
	return sp <= saved || sp > (unsigned long)task_stack_page(current) + THREAD_SIZE;
}

void op_backtrace(struct pt_regs *regs, struct op_frames *frames)
{
	if (!user_mode(regs)) {
		unsigned long sp = regs->sp;

		if (!kernel_callers(regs, frames))
			return;
		if (!op_current(mm) || (op_current(flags) & PF_KTHREAD))
			return;
		regs = task_pt_regs(current);
		if (!user_regs_saved(sp) || !user_mode(regs))
			return;
		if (!op_frames_add(frames, regs->ip, false))
			return;
	}
	user_callers(regs, frames);
}
