# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of known size at known offsets and lines, for tests of the report tools.
	.file 1 "src/prog.c"
	.text
	.globl _start, hot, cold, _Z3addii, __hot_alias
	.type _start, @function
	.type hot, @function
	.type cold, @function
	.type _Z3addii, @function
	.type quiet, @function
_start:
	.loc 1 10
	.rept 16
	nop
	.endr
hot:
__hot_alias:
	.loc 1 20
	.rept 4
	nop
	.endr
	.loc 1 21
	.rept 28
	nop
	.endr
cold:
	.loc 1 30
	.rept 16
	nop
	.endr
_Z3addii:
	.loc 1 40
	.rept 16
	nop
	.endr
quiet:
.Llocal:
	.loc 1 50
	.rept 16
	nop
	.endr
	.section .odd, "ax", @progbits
	.rept 32
	nop
	.endr
