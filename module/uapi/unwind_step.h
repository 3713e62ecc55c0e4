/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/*
 * From a frame to its caller's, by a row of an unwind table or by the frame pointer: what the
 * kernel module, which reads the stack as it is, and the daemon, which reads a copy, have in
 * common.
 */
#ifndef OPROFILE_UNWIND_STEP_H
#define OPROFILE_UNWIND_STEP_H

#include "unwind.h"

#ifdef __KERNEL__
#include <linux/compiler.h>
#else
#include <sys/cdefs.h>
#endif

/**
 * struct unwind_frame - what is known of a function activation
 * @pc, @sp, @fp: the registers; @fp if @knows_fp
 * @registers: of code that was interrupted, all of them; NULL for its callers: what they have
 *	called may have changed them
 * @known: those that are known, by DWARF's numbers, for who needs it
 * @knows_fp: @fp is known
 * @is_exact: @pc is the next instruction, not the one behind a call
 */
struct unwind_frame {
	__u64 pc;
	__u64 sp;
	__u64 fp;
	const void *registers;
	__u32 known;
	bool knows_fp;
	bool is_exact;
};

enum unwind_end {
	UNWIND_GOES_ON,
	UNWIND_AT_ROOT,	   /* the frame has no caller */
	UNWIND_NO_ROW,	   /* nothing is known of the code */
	UNWIND_NOT_SIMPLE, /* a row cannot have the rule, or it needs a register of a caller */
	UNWIND_UNREADABLE, /* it needs a word, or a frame pointer, that is not known */
	UNWIND_BAD_FRAME,  /* the caller's frame is not above, or there is no address in it */
};

/* The address that says which code a frame is in: of a call, not of what is behind it. */
static inline __u64 unwind_frame_code(const struct unwind_frame *frame)
{
	return frame->pc - !frame->is_exact;
}

/* Reads a word of the stack.  Return: false if it is not known. */
typedef bool unwind_read_fn(void *stack, __u64 address, __u64 *word);

/* The register of frame->registers that DWARF gives a number.  Return: false if not known. */
typedef bool unwind_register_fn(const struct unwind_frame *frame, unsigned int number,
				__u64 *value);

/* @words may be negative. */
static inline __u64 unwind_add(__u64 address, int words)
{
	return address + (__u64)((__s64)words * UNWIND_WORD);
}

/* The register that the CFA is found with.  Return: whether it is known. */
static __always_inline bool unwind_find_base(const struct unwind_row *row,
					     const struct unwind_frame *frame,
					     unwind_register_fn *find_register, __u64 *base)
{
	switch (unwind_row_cfa(row)) {
	case UNWIND_FP:
	case UNWIND_AT_FP:
		*base = frame->fp;
		return frame->knows_fp;
	case UNWIND_OTHER:
		return find_register(frame, unwind_row_extra(row), base);
	default:
		*base = frame->sp;
		return true;
	}
}

/* The CFA, and where the return address is. */
static __always_inline bool unwind_find_cfa(const struct unwind_row *row,
					    const struct unwind_frame *frame, __u64 base,
					    unwind_read_fn *read, void *stack, __u64 *cfa,
					    __u64 *at)
{
	enum unwind_cfa kind = unwind_row_cfa(row);
	__u64 place = unwind_add(base, row->cfa);

	*cfa = place;
	if (kind == UNWIND_AT_SP || kind == UNWIND_AT_FP) {
		if (!read(stack, place, cfa))
			return false;
		*cfa = unwind_add(*cfa, (int)unwind_row_extra(row));
	} else if (kind == UNWIND_PLT && (frame->pc & 15) >= unwind_row_extra(row)) {
		*cfa += UNWIND_WORD;
	}
	*at = row->fp_in & UNWIND_RETURN_BEHIND ? place + UNWIND_WORD : *cfa - UNWIND_WORD;
	return true;
}

/* Return: whether the caller's frame pointer is known. */
static __always_inline bool unwind_find_fp(const struct unwind_row *row,
					   const struct unwind_frame *frame, __u64 base,
					   __u64 cfa, unwind_read_fn *read, void *stack, __u64 *fp)
{
	switch (unwind_row_fp(row)) {
	case UNWIND_FP_SAME:
		*fp = frame->fp;
		return frame->knows_fp;
	case UNWIND_FP_AT_CFA:
		return read(stack, unwind_add(cfa, row->fp), fp);
	case UNWIND_FP_AT_BASE:
		return read(stack, unwind_add(base, row->fp), fp);
	default:
		return false;
	}
}

/**
 * unwind_step_by_row - go to the caller
 * @row: of the code of the frame
 * @frame: becomes the caller's, or stays
 * @read: of @stack, any bytes: what it says is not trusted
 *
 * Return: UNWIND_GOES_ON, or why there is no caller.
 */
static __always_inline enum unwind_end unwind_step_by_row(const struct unwind_row *row,
							  struct unwind_frame *frame,
							  unwind_read_fn *read, void *stack,
							  unwind_register_fn *find_register)
{
	enum unwind_cfa kind = unwind_row_cfa(row);
	struct unwind_frame caller = {};
	__u64 base, at;

	if (kind == UNWIND_NONE)
		return UNWIND_NO_ROW;
	if (kind == UNWIND_ROOT)
		return UNWIND_AT_ROOT;
	if (kind == UNWIND_STOP || kind > UNWIND_OTHER ||
	    (kind == UNWIND_OTHER && !frame->registers))
		return UNWIND_NOT_SIMPLE;
	if (!unwind_find_base(row, frame, find_register, &base) ||
	    !unwind_find_cfa(row, frame, base, read, stack, &caller.sp, &at) ||
	    !read(stack, at, &caller.pc))
		return UNWIND_UNREADABLE;
	caller.is_exact = unwind_row_is_signal(row);
	/* a signal handler may have a stack of its own */
	if (!caller.pc || (!caller.is_exact && caller.sp <= frame->sp))
		return UNWIND_BAD_FRAME;
	caller.knows_fp = unwind_find_fp(row, frame, base, caller.sp, read, stack, &caller.fp);
	*frame = caller;
	return UNWIND_GOES_ON;
}

/**
 * unwind_step_by_fp - go to the caller of code of which nothing is said
 *
 * As unwind_step_by_row().  The frame pointer must point to what "push %rbp; mov %rsp, %rbp" makes.
 * The last frame of a chain has a return address of 0, or its caller's frame pointer is 0.
 */
static __always_inline enum unwind_end unwind_step_by_fp(struct unwind_frame *frame,
							 unwind_read_fn *read, void *stack)
{
	struct unwind_frame caller = { .knows_fp = true };

	if (!frame->knows_fp)
		return UNWIND_NO_ROW;
	if (!frame->fp)
		return frame->is_exact ? UNWIND_NO_ROW : UNWIND_AT_ROOT;
	/* code without frame pointers has something else there */
	if (frame->fp < frame->sp)
		return frame->is_exact ? UNWIND_NO_ROW : UNWIND_BAD_FRAME;
	if (!read(stack, frame->fp, &caller.fp) ||
	    !read(stack, frame->fp + UNWIND_WORD, &caller.pc))
		return UNWIND_UNREADABLE;
	if (!caller.pc)
		return UNWIND_AT_ROOT;
	caller.sp = unwind_add(frame->fp, 2);
	if (caller.sp <= frame->sp)
		return UNWIND_BAD_FRAME;
	*frame = caller;
	return UNWIND_GOES_ON;
}

#endif
