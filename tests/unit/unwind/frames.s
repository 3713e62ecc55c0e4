# SPDX-License-Identifier: GPL-2.0-or-later
# Call frame information of each kind; each instruction is one byte of code.
	.text
	.globl	frames
frames:
plain:
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	nop
	.cfi_def_cfa_register 6
	nop
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	nop
	.cfi_restore_state
	nop
	.cfi_restore 6
	.cfi_def_cfa 7, 8
	nop
	.cfi_undefined 6
	nop
	.cfi_same_value 6
	.cfi_offset 3, -24		# another register: the row stays
	nop
	.cfi_endproc

# directly behind it, with the same rules
root:
	.cfi_startproc
	nop
	.cfi_undefined 16
	nop
	.cfi_endproc
	nop				# nothing is said of this

# a frame that is aligned
aligned:
	.cfi_startproc
	.cfi_def_cfa 10, 0
	nop
	.cfi_escape 0x10, 6, 2, 0x76, 0		# fp: at fp + 0
	.cfi_escape 0x0f, 3, 0x76, 0x78, 6	# CFA: what is at fp - 8
	nop
	.cfi_restore 6
	.cfi_escape 0x0f, 5, 0x77, 40, 6, 0x23, 8	# CFA: what is at sp + 40, + 8
	nop
	.cfi_endproc

plt:
	.cfi_startproc
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
	nop
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3a, 0x2a, 0x33, 0x24, 0x22
	nop
	.cfi_endproc

# as the C library's, from where a handler returns
restore:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 6
	.cfi_escape 0x10, 6, 3, 0x77, 0xf8, 0
	.cfi_escape 0x10, 7, 3, 0x77, 0xa0, 1
	.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 1
	nop
	.cfi_endproc

# what is not simple: one each
odd:
	.cfi_startproc
	.cfi_def_cfa 7, 12
	nop
	.cfi_endproc
	nop
far:
	.cfi_startproc
	.cfi_def_cfa_offset 0x40000
	nop
	.cfi_endproc
	nop
moved:
	.cfi_startproc
	.cfi_register 6, 3
	nop
	.cfi_endproc
	nop
elsewhere:
	.cfi_startproc
	.cfi_offset 16, -16
	nop
	.cfi_endproc
	nop
calculated:
	.cfi_startproc
	.cfi_escape 0x0f, 5, 0x77, 8, 0x79, 0, 0x22	# sp + 8 + r9
	nop
	.cfi_endproc
	nop
valued:
	.cfi_startproc
	.cfi_escape 0x16, 6, 2, 0x77, 8
	nop
	.cfi_endproc
	nop
unmatched:
	.cfi_startproc
	nop
	.cfi_escape 0x0b				# nothing is remembered
	nop
	.cfi_escape 0x0e, 16
	nop
	.cfi_endproc
	nop
unknown:
	.cfi_startproc
	nop
	.cfi_escape 0x3c
	nop
	.cfi_endproc
	nop
	.section .note.GNU-stack, "", @progbits
