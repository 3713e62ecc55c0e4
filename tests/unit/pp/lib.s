# SPDX-License-Identifier: GPL-2.0-or-later
# A library with one function that stripping leaves and one that it takes.
	.text
	.globl lib_work
	.type lib_work, @function
	.type lib_hidden, @function
lib_work:
	.skip 32, 0x90
	.size lib_work, 32
lib_hidden:
	.skip 32, 0x90
	.size lib_hidden, 32
