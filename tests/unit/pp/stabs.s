# SPDX-License-Identifier: GPL-2.0-or-later
# stabs.c with the old debug information that GCC wrote until 12, by gcc-12 -O1 -gstabs -S.
	.file	"stabs.c"
	.stabs	"stabs.c",100,0,2,.Ltext0
	.text
.Ltext0:
	.stabs	"gcc2_compiled.",60,0,0,0
	.stabs	"work:F(0,1)=r(0,1);-2147483648;2147483647;",36,0,0,work
	.stabs	"int:t(0,1)",128,0,0,0
	.stabs	"n:P(0,1)",64,0,0,5
	.globl	work
	.type	work, @function
work:
	.stabn	68,0,7,.LM0-.LFBB1
.LM0:
.LFBB1:
.LFB0:
	.cfi_startproc
.LBB2:
	.stabn	68,0,10,.LM1-.LFBB1
.LM1:
	testl	%edi, %edi
	jle	.L4
	movl	$0, %edx
	.stabn	68,0,10,.LM2-.LFBB1
.LM2:
	movl	$0, %eax
.LBE2:
	.stabn	68,0,8,.LM3-.LFBB1
.LM3:
	movl	$0, %ecx
.L3:
.LBB3:
	.stabn	68,0,11,.LM4-.LFBB1
.LM4:
	addl	%edx, %ecx
	.stabn	68,0,10,.LM5-.LFBB1
.LM5:
	addl	$1, %eax
	.stabn	68,0,10,.LM6-.LFBB1
.LM6:
	addl	%edi, %edx
	cmpl	%eax, %edi
	jne	.L3
.L1:
.LBE3:
	.stabn	68,0,13,.LM7-.LFBB1
.LM7:
	movl	%ecx, %eax
	ret
.L4:
	.stabn	68,0,8,.LM8-.LFBB1
.LM8:
	movl	$0, %ecx
	.stabn	68,0,12,.LM9-.LFBB1
.LM9:
	jmp	.L1
	.cfi_endproc
.LFE0:
	.size	work, .-work
	.stabs	"sum:r(0,1)",64,0,0,2
	.stabn	192,0,0,.LFBB1-.LFBB1
	.stabs	"i:r(0,1)",64,0,0,0
	.stabn	192,0,0,.LBB2-.LFBB1
	.stabn	224,0,0,.LBE2-.LFBB1
	.stabs	"i:r(0,1)",64,0,0,0
	.stabn	192,0,0,.LBB3-.LFBB1
	.stabn	224,0,0,.LBE3-.LFBB1
	.stabn	224,0,0,.Lscope1-.LFBB1
.Lscope1:
	.stabs	"main:F(0,1)",36,0,0,main
	.stabs	"argc:P(0,1)",64,0,0,5
	.stabs	"argv:P(0,2)=*(0,3)=*(0,4)=r(0,4);0;127;",64,0,0,4
	.stabs	"char:t(0,4)",128,0,0,0
	.globl	main
	.type	main, @function
main:
	.stabn	68,0,16,.LM10-.LFBB2
.LM10:
.LFBB2:
.LFB1:
	.cfi_startproc
	.stabn	68,0,17,.LM11-.LFBB2
.LM11:
	cmpl	$3, %edi
	jg	.L9
	.stabn	68,0,19,.LM12-.LFBB2
.LM12:
	movq	(%rsi), %rax
	movsbl	(%rax), %eax
	.stabn	68,0,20,.LM13-.LFBB2
.LM13:
	ret
.L9:
	.stabn	68,0,18,.LM14-.LFBB2
.LM14:
	call	work
	ret
	.cfi_endproc
.LFE1:
	.size	main, .-main
.Lscope2:
	.stabs	"",100,0,0,.Letext0
.Letext0:
	.section	.note.GNU-stack,"",@progbits
