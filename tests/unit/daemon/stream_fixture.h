/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the event stream share: names of sample files, and ways to separate them. */
#ifndef TEST_DAEMON_STREAM_FIXTURE_H
#define TEST_DAEMON_STREAM_FIXTURE_H

#include "fixture.h"

#define BASH "{root}/usr/bin/bash/"
#define LIBC "{root}/usr/lib/libc.so.6/"
#define CAT  "{root}/usr/bin/cat/"
#define KSYM "{kern}/kallsyms/"
#define NOVM "{kern}/no-vmlinux/"
#define EXT4 "{kern}/ext4/"
#define ALL  "TIMER.0.0.all.all.all"

#define STEXT 0xffffffff81000000

/* The start of most buffers. */
#define START CPU(0), CTX(501, 500, 0x10)

enum { LIB = 1, KERN = 2, THREAD = 4, CPUS = 8, NO_VMLINUX = 16 };

/* @separate: bits of the enum above. */
static inline struct profile_config make_config(int separate)
{
	return (struct profile_config){
		.kernel.mode = separate & NO_VMLINUX ? KERNEL_NO_VMLINUX : KERNEL_KALLSYMS,
		.separate_lib = separate & LIB,
		.separate_kernel = separate & KERN,
		.separate_thread = separate & THREAD,
		.separate_cpu = separate & CPUS,
	};
}

#endif
