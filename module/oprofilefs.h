/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * oprofilefs: the pseudo-filesystem that is mounted on /dev/oprofile.
 *
 * One instance.  Directories are 0700, files 0600 or 0400, owned by root; it cannot be
 * mounted from a user namespace.  entries.c draws the tree; this is how files are made.
 */
#ifndef OPROFILE_OPROFILEFS_H
#define OPROFILE_OPROFILEFS_H

#include <linux/types.h>

struct dentry;
struct file_operations;

/**
 * struct oprofilefs_number - a setting
 * @value: where it is kept
 * @min, @max: allowed, inclusive; anything else is EINVAL and changes nothing
 * @check: a further condition, 0 or a negative errno; may be NULL
 *
 * Read as "%lu\n"; written in decimal, 0x... or 0...; EBUSY while profiling is started.
 * Static: it must live as long as the file system is mounted.
 */
struct oprofilefs_number {
	unsigned long *value;
	unsigned long min;
	unsigned long max;
	int (*check)(unsigned long value);
};

/**
 * struct oprofilefs_getter - a number that is found out when it is read
 * @get: called in process context, may sleep
 * @of: what it is called with
 *
 * Static, as above.
 */
struct oprofilefs_getter {
	unsigned long (*get)(unsigned int of);
	unsigned int of;
};

/*
 * All return 0 or a negative errno.  Context: process, may sleep; only while the file system
 * is being mounted (entries.c, and create_files() of the backend).
 */
struct dentry *oprofilefs_mkdir(struct dentry *parent, const char *name); /* or ERR_PTR */
int oprofilefs_create_number(struct dentry *parent, const char *name,
			     const struct oprofilefs_number *number);
int oprofilefs_create_counter(struct dentry *parent, const char *name,
			      const unsigned long *value); /* read-only */
int oprofilefs_create_getter(struct dentry *parent, const char *name,
			     unsigned long (*get)(void)); /* read-only */
int oprofilefs_create_getter_of(struct dentry *parent, const char *name,
				const struct oprofilefs_getter *getter); /* read-only */
int oprofilefs_create_file(struct dentry *parent, const char *name, umode_t mode,
			   const struct file_operations *fops);

/**
 * oprofilefs_parse_number - read a number that is written to a file
 * @from, @count, @ppos: as write() got them
 *
 * Return: 0; -EINVAL for anything but one number, more than 49 bytes, or an offset that is
 * not zero; -EFAULT; -ERANGE becomes -EINVAL.
 */
int oprofilefs_parse_number(const char __user *from, size_t count, const loff_t *ppos,
			    unsigned long *number);

/* Answers a read() with "%lu\n". */
ssize_t oprofilefs_read_number(unsigned long number, char __user *to, size_t count, loff_t *ppos);

/**
 * struct oprofilefs_owner - whose file system it is
 * @create_entries: makes all entries below the root, with the functions above.  0 or a negative
 *	errno
 * @set: changes a setting; 0 or a negative errno
 *
 * Both in process context, may sleep.
 */
struct oprofilefs_owner {
	int (*create_entries)(struct dentry *root);
	int (*set)(unsigned long *setting, unsigned long value);
};

/* Context: process.  @owner: static.  Return: 0 or a negative errno. */
int oprofilefs_register(const struct oprofilefs_owner *owner);
void oprofilefs_unregister(void); /* not mounted: each mount holds the module */

#endif
