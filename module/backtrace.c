// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backtraces on x86-64: the kernel's callers, and those of programs of which no unwind tables are
 * known.
 *
 * What is logged are return addresses, which point behind the call.
 */
#include <linux/compat.h>
#include <linux/kprobes.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include <asm/cpu_entry_area.h>
#include <asm/unwind.h>

#include "backtrace.h"
#include "cpu_buffer.h"
#include "current.h"
#include "unwind/walk.h"

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

	op_frames_end(frames, UNWIND_AT_ROOT);
	for (unwind_start(&state, current, regs, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		address = unwind_get_return_address(&state);
		if (!address)
			break;
		if (!op_frames_add(frames, address, true)) {
			op_frames_end(frames, UNWIND_GOES_ON);
			return false;
		}
	}
	if (unwind_error(&state))
		op_frames_end(frames, UNWIND_BAD_FRAME);
	return true;
}

NOKPROBE_SYMBOL(kernel_callers);

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

/* The caller's frame, in an access section. */
#define unsafe_get_frame(frame, type, at, error)					\
	do {										\
		const struct type __user *_user = (void __user *)(at);			\
		struct type _frame;							\
											\
		unsafe_get_user(_frame.next, &_user->next, error);			\
		unsafe_get_user(_frame.return_address, &_user->return_address, error);	\
		*(frame) = (struct frame64){ _frame.next, _frame.return_address };	\
	} while (0)

/*
 * From the frame at @at, which has been read, up; with page faults disabled.  A chain that ends as
 * the ABI says ends with a zero.  The stack grows down: a caller's frame lies higher, or this is no
 * chain of frames.  Most of what a call chain costs is here: there is one access section for all
 * frames, and @frames is copied, to be kept in registers.
 * Returns false if a frame could not be read.
 */
static __always_inline bool add_frames(unsigned long at, struct frame64 frame,
				       struct op_frames *frames, bool is_64bit)
{
	unsigned long end_of_user = TASK_SIZE_MAX - sizeof(frame);
	struct op_frames added = *frames;
	unsigned long next;
	bool good = false;

	if (op_frames_full(frames))
		return true;
	OPTIMIZER_HIDE_VAR(end_of_user); /* cmp takes no constant of 64 bits */
	if (!user_access_begin((void __user *)at, sizeof(frame)))
		return false;
	while (frame.return_address && op_frames_put(&added, frame.return_address, false)) {
		/* 0 for what is none of the user's, without a branch to speculate on. */
		next = frame.next & array_index_mask_nospec(frame.next, end_of_user);
		if (next <= at) {
			good = !frame.next;
			goto end;
		}
		at = next;
		if (is_64bit)
			unsafe_get_frame(&frame, frame64, at, end);
		else
			unsafe_get_frame(&frame, frame32, at, end);
	}
	good = true;
end:
	user_access_end();
	*frames = added;
	return good;
}

static void user_callers(struct pt_regs *regs, struct op_frames *frames)
{
	bool is_64bit = user_64bit_mode(regs);
	unsigned long at = regs->bp;
	struct frame64 frame;
	bool good;

	if (is_64bit && op_unwind_user(regs, frames))
		return;
	op_frames_end(frames, UNWIND_NO_ROW);
	if (!at)
		return;
	/* Code without frame pointers has something else there: no fault for that. */
	if (at < regs->sp) {
		op_frames_abort(frames);
		return;
	}
	good = read_first_frame(at, is_64bit, &frame);
	pagefault_disable();
	if (good && is_64bit)
		good = add_frames(at, frame, frames, true);
	else if (good)
		good = add_frames(at, frame, frames, false);
	pagefault_enable();
	if (!good)
		op_frames_end(frames, UNWIND_UNREADABLE);
	else
		op_frames_end(frames, frames->nr < frames->depth ? UNWIND_AT_ROOT : UNWIND_GOES_ON);
}

NOKPROBE_SYMBOL(user_callers);

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

/*
 * Kernel threads have none, though they may use a program's memory.  Nor have the workers that the
 * kernel makes for a program (io_uring, vhost), though registers of their maker may lie there.
 */
static bool has_user_stack(void)
{
	return op_current(mm) &&
	       !(op_current(flags) & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER));
}

void op_backtrace(struct pt_regs *regs, struct op_frames *frames)
{
	if (!user_mode(regs)) {
		unsigned long sp = regs->sp;

		if (!kernel_callers(regs, frames))
			return;
		if (!has_user_stack())
			return;
		regs = task_pt_regs(current);
		if (!user_regs_saved(sp) || !user_mode(regs)) {
			op_frames_end(frames, UNWIND_UNREADABLE);
			return;
		}
		if (!op_frames_add(frames, regs->ip, false)) {
			op_frames_end(frames, UNWIND_GOES_ON);
			return;
		}
	}
	user_callers(regs, frames);
}

NOKPROBE_SYMBOL(op_backtrace);
