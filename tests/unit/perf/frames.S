# SPDX-License-Identifier: GPL-2.0-or-later
# Code whose frames unwinders go wrong at; see unwind.c.
	.text

# It has no caller, and ends where the next function begins.
	.type	without_caller, @function
without_caller:
	.cfi_startproc
	.cfi_undefined 16
	nop
	.cfi_endproc
	.size	without_caller, . - without_caller

# void faulting(void) - its first instruction makes a signal
	.globl	faulting
	.type	faulting, @function
faulting:
	.cfi_startproc
	ud2
	ret
	.cfi_endproc
	.size	faulting, . - faulting

# void call_faulting(void) - has no frame pointer
	.globl	call_faulting
	.type	call_faulting, @function
call_faulting:
	.cfi_startproc
	subq	$40, %rsp
	.cfi_def_cfa_offset 48
	call	faulting
	addq	$40, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	call_faulting, . - call_faulting

# void by_other_register(void (*call)(void)) - its frame is found by rbx, as the dynamic linker's
	.globl	by_other_register
	.type	by_other_register, @function
by_other_register:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movq	%rsp, %rbx
	.cfi_def_cfa_register 3
	subq	$72, %rsp
	andq	$-64, %rsp
	call	*%rdi
	movq	%rbx, %rsp
	.cfi_def_cfa_register 7
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	by_other_register, . - by_other_register

# void without_table(void (*call)(void)), with_pointer(the same) - nothing is said of their frames
	.globl	without_table
	.type	without_table, @function
without_table:
	pushq	%rbx
	subq	$304, %rsp
	xorl	%ebx, %ebx
	call	*%rdi
	addq	$304, %rsp
	popq	%rbx
	ret
	.size	without_table, . - without_table

	.globl	with_pointer
	.type	with_pointer, @function
with_pointer:
	pushq	%rbp
	movq	%rsp, %rbp
	call	*%rdi
	movl	$1000, %ecx
1:	loop	1b
	popq	%rbp
	ret
	.size	with_pointer, . - with_pointer

	.section .note.GNU-stack, "", @progbits
