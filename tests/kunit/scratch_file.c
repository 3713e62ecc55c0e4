// SPDX-License-Identifier: GPL-2.0-only
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/sched.h>

#include "scratch_file.h"

void scratch_file_close(struct file *file)
{
	/* After a failed assertion KUnit cleans up in its caller's thread, which may be init. */
	if (current->flags & PF_KTHREAD)
		__fput_sync(file);
	else
		fput(file);
}

struct file *scratch_file(struct kunit *test, const char *name, const void *bytes, size_t size)
{
	char path[64];
	struct file *file;
	loff_t position = 0;

	snprintf(path, sizeof(path), "/%s", name);
	file = filp_open(path, O_CREAT | O_EXCL | O_RDWR, 0700);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	if (size)
		KUNIT_ASSERT_EQ(test, kernel_write(file, bytes, size, &position), (ssize_t)size);
	return file;
}

void scratch_file_unlink(struct kunit *test, struct file *file)
{
	struct dentry *dentry = file->f_path.dentry;
	struct inode *directory = d_inode(dentry->d_parent);

	dget(dentry); /* or d_delete() would take the inode from the opened file's dentry */
	inode_lock(directory);
	KUNIT_EXPECT_EQ(test, directory->i_op->unlink(directory, dentry), 0);
	inode_unlock(directory);
	d_delete(dentry);
	dput(dentry);
}

void scratch_file_end(struct kunit *test, struct file *file)
{
	if (!d_unlinked(file->f_path.dentry))
		scratch_file_unlink(test, file);
	scratch_file_close(file);
}
