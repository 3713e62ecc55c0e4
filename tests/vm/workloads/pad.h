/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells files apart by where their samples can be: the build makes several files of one
 * source, each with a pad of another length, never run, before the code that does.  A sample
 * booked on the wrong file falls into a pad or past the code.
 */
#ifndef WORKLOAD_PAD_H
#define WORKLOAD_PAD_H

#ifndef PAD_PAGES
#error "the build says how long the pad is"
#endif

#define PAD_TEXT(pages) PAD_TEXT_(pages)
#define PAD_TEXT_(pages)                                                                           \
	__asm__(".text\n"                                                                          \
		".globl pad_never_run\n"                                                           \
		".type pad_never_run, @function\n"                                                 \
		"pad_never_run:\n\t"                                                               \
		".fill 4096 * " #pages ", 1, 0xcc\n\t"                                             \
		".size pad_never_run, . - pad_never_run\n")

PAD_TEXT(PAD_PAGES);

#endif
