/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Callers of the interrupted code: the kernel's by the kernel's unwinder, the
 * program's by its chain of frame pointers.
 */
#ifndef OPROFILE_BACKTRACE_H
#define OPROFILE_BACKTRACE_H

struct op_frames;
struct pt_regs;

/**
 * op_backtrace - log the callers of an interrupted context
 * @regs: the context, of kernel or user code; of kernel code, the callers in the program
 *	that entered the kernel follow those in the kernel
 *
 * Context: NMI or hard interrupt.  Does not fault; bounded by the depth of @frames.
 */
#ifdef CONFIG_X86
void op_backtrace(struct pt_regs *regs, struct op_frames *frames);
#else
#define op_backtrace NULL /* a backend without backtraces, see backend.h */
#endif

#endif
