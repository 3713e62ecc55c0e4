/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module is written for the newest kernel.  This header, included before every file of
 * the module, gives older kernels the names of the newest; Kbuild.include beside it finds
 * out what is missing, range.h says which kernels there are, and canary.c holds the
 * prototypes of what is used against the kernel's.
 */
#ifndef OPROFILE_COMPAT_H
#define OPROFILE_COMPAT_H

/* Here because this is read before any header of the kernel: what every message begins with. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "range.h"

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

/* cpuid() was in asm/processor.h until 6.15. */
#ifdef COMPAT_HAS_CPUID_API
#include <asm/cpuid/api.h>
#endif

/* Since 6.4; before, those of io_uring are the only ones. */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER PF_IO_WORKER
#endif

/* Since 6.8: the path that a user of the file would name, on overlayfs too. */
#ifndef COMPAT_HAS_FILE_USER_PATH
static inline const struct path *file_user_path(const struct file *file)
{
	return &file->f_path;
}
#endif

/*
 * The program of an address space with a reference, or NULL.  mm->exe_file goes away when
 * the last user does, so it may be asked as long as the mm_struct itself exists.
 */
static inline struct file *compat_mm_exe_file(struct mm_struct *mm)
{
	struct file *file;

	rcu_read_lock();
#ifdef COMPAT_GET_FILE_RCU_TAKES_FILE /* before 6.7 */
	file = rcu_dereference(mm->exe_file);
	if (file && !get_file_rcu(file))
		file = NULL;
#else
	file = get_file_rcu(&mm->exe_file);
#endif
	rcu_read_unlock();
	return file;
}

/* Since 6.7. */
#ifndef COMPAT_HAS_SIMPLE_INODE_INIT_TS
static inline struct timespec64 simple_inode_init_ts(struct inode *inode)
{
	inode->i_atime = current_time(inode);
	inode->i_mtime = inode->i_atime;
	inode->i_ctime = inode->i_atime;
	return inode->i_ctime;
}
#endif

/* Named so since 6.18. */
#ifndef COMPAT_HAS_INODE_JUST_DROP
#define inode_just_drop generic_delete_inode
#endif

/* Since 6.19 the dentries of a pseudo-filesystem are made persistent one by one. */
#ifdef COMPAT_HAS_D_MAKE_PERSISTENT
#define compat_kill_pseudo_super kill_anon_super
static inline void compat_d_publish(struct dentry *dentry, struct inode *inode)
{
	d_make_persistent(dentry, inode);
	dput(dentry);
}
#else
#define compat_kill_pseudo_super kill_litter_super
static inline void compat_d_publish(struct dentry *dentry, struct inode *inode)
{
	d_add(dentry, inode);
}
#endif

/* Named so since 6.16. */
#ifndef COMPAT_HAS_RDMSRQ
#define native_rdmsrq __rdmsr
#define native_wrmsrq native_wrmsrl
#define rdmsrq rdmsrl
#define wrmsrq wrmsrl
#define rdmsrq_safe rdmsrl_safe
#define wrmsrq_safe wrmsrl_safe
#endif

/* Since 6.13. */
#ifndef COMPAT_HAS_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif
