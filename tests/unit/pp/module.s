# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel module's sections, in an order that shows how the kernel loads them: code one section
# after another, each aligned, without what is for the start only.
	.section .init.text, "ax", @progbits
	.globl init_module
	.type init_module, @function
init_module:
	.rept 64
	nop
	.endr
	.size init_module, .-init_module

	.text
	.file 1 "src/demo.c"
	.globl demo_read
	.type demo_read, @function
demo_read:
	.loc 1 100
	.rept 40
	nop
	.endr
	.size demo_read, .-demo_read
	.globl demo_write
	.type demo_write, @function
demo_write:
	.loc 1 200
	.rept 24
	nop
	.endr
	ret
	.size demo_write, .-demo_write

	.section .data
	.quad 0

	.section .text.unlikely, "ax", @progbits
	.p2align 4
	.type demo_warn, @function
demo_warn:
	.loc 1 300
	.rept 16
	nop
	.endr
	.size demo_warn, .-demo_warn

	.section .exit.text, "ax", @progbits
	.globl cleanup_module
	.type cleanup_module, @function
cleanup_module:
	.loc 1 400
	.rept 8
	nop
	.endr
	.size cleanup_module, .-cleanup_module
