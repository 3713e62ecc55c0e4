/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which kernels the module is for.  The only place that asks for a version: elsewhere the probes
 * of Kbuild.include say what there is.
 */
#ifndef OPROFILE_RANGE_H
#define OPROFILE_RANGE_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "oprofile needs Linux 6.1 or newer"
#endif

/*
 * All of these are in 7.2.  A newer kernel without one has moved or changed it again, and what
 * stands in for older kernels would be wrong for it.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#ifndef COMPAT_HAS_FILE_USER_PATH
#error "oprofile knows Linux 6.1 to 7.2: this one has no file_user_path()"
#endif
#ifdef COMPAT_GET_FILE_RCU_TAKES_FILE
#error "oprofile knows Linux 6.1 to 7.2: this one has another get_file_rcu()"
#endif
#ifndef COMPAT_HAS_SIMPLE_INODE_INIT_TS
#error "oprofile knows Linux 6.1 to 7.2: this one has no simple_inode_init_ts()"
#endif
#ifndef COMPAT_HAS_INODE_JUST_DROP
#error "oprofile knows Linux 6.1 to 7.2: this one has no inode_just_drop()"
#endif
#ifndef COMPAT_HAS_D_MAKE_PERSISTENT
#error "oprofile knows Linux 6.1 to 7.2: this one has no d_make_persistent()"
#endif
#ifndef COMPAT_HAS_HRTIMER_SETUP
#error "oprofile knows Linux 6.1 to 7.2: this one has no hrtimer_setup()"
#endif
#ifndef COMPAT_HAS_RDMSRQ
#error "oprofile knows Linux 6.1 to 7.2: this one has no rdmsrq()"
#endif
#ifndef COMPAT_HAS_CPUID_API
#error "oprofile knows Linux 6.1 to 7.2: this one has no asm/cpuid/api.h"
#endif
#endif

#endif
