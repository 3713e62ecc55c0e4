// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program of exactly known length: 2 * LENGTH_TURNS + 9 instructions in user mode, of which
 * LENGTH_TURNS are conditional jumps and one is a system call.  One is a repeated string
 * instruction over memory that was never used, so that it faults some hundred times, and takes
 * long enough to be interrupted.  No library.
 */
#define LENGTH_TURNS  1000000
#define LENGTH_MEMORY 4194304

#define TEXT(x)	 #x
#define VALUE(x) TEXT(x)

__asm__(".globl _start\n"
	"_start:\n\t"
	"cld\n\t"
	"mov $memory, %edi\n\t"
	"mov $" VALUE(LENGTH_MEMORY) ", %ecx\n\t"
	"xor %eax, %eax\n\t"
	"rep stosb\n\t"
	"mov $" VALUE(LENGTH_TURNS) ", %ecx\n"
	"1:\tdec %ecx\n\t"
	"jnz 1b\n\t"
	"mov $60, %eax\n\t"
	"xor %edi, %edi\n\t"
	"syscall\n\t"
	".lcomm memory, " VALUE(LENGTH_MEMORY));
