// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program of exactly known length: 2 * LENGTH_TURNS + 4 instructions in user mode, of which
 * LENGTH_TURNS are conditional jumps and one is a system call. No library, no second page.
 */
#define LENGTH_TURNS 1000000

#define TEXT(x)	 #x
#define VALUE(x) TEXT(x)

__asm__(".globl _start\n"
	"_start:\n\t"
	"mov $" VALUE(LENGTH_TURNS) ", %ecx\n"
	"1:\tdec %ecx\n\t"
	"jnz 1b\n\t"
	"mov $60, %eax\n\t"
	"xor %edi, %edi\n\t"
	"syscall");
