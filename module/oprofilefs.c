// SPDX-License-Identifier: GPL-2.0-only
/*
 * oprofilefs: the file system itself, and the kinds of files.
 */
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "oprofilefs.h"

#define OPROFILEFS_MAGIC 0x6f70726f /* "opro" */
#define NUMBER_INPUT_MAX 49	    /* bytes that a number may be written with */

static const struct oprofilefs_owner *fs_owner;

int oprofilefs_parse_number(const char __user *from, size_t count, const loff_t *ppos,
			    unsigned long *number)
{
	char text[NUMBER_INPUT_MAX + 1] = "";

	if (*ppos || !count || count > NUMBER_INPUT_MAX)
		return -EINVAL;
	if (copy_from_user(text, from, count))
		return -EFAULT;
	if (strlen(text) != count) /* a NUL in between */
		return -EINVAL;
	return kstrtoul(strim(text), 0, number) ? -EINVAL : 0;
}

ssize_t oprofilefs_read_number(unsigned long number, char __user *to, size_t count, loff_t *ppos)
{
	char text[24];
	int length = scnprintf(text, sizeof(text), "%lu\n", number);

	return simple_read_from_buffer(to, count, ppos, text, length);
}

static ssize_t number_read(struct file *file, char __user *to, size_t count, loff_t *ppos)
{
	const struct oprofilefs_number *number = file_inode(file)->i_private;

	return oprofilefs_read_number(READ_ONCE(*number->value), to, count, ppos);
}

static ssize_t number_write(struct file *file, const char __user *from, size_t count, loff_t *ppos)
{
	const struct oprofilefs_number *number = file_inode(file)->i_private;
	unsigned long value;
	int err;

	err = oprofilefs_parse_number(from, count, ppos, &value);
	if (err)
		return err;
	if (value < number->min || value > number->max)
		return -EINVAL;
	if (number->check) {
		err = number->check(value);
		if (err)
			return err;
	}
	err = fs_owner->set(number->value, value);
	return err ?: count;
}

static const struct file_operations number_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = number_read,
	.write = number_write,
	.llseek = default_llseek,
};

static ssize_t counter_read(struct file *file, char __user *to, size_t count, loff_t *ppos)
{
	const unsigned long *value = file_inode(file)->i_private;

	return oprofilefs_read_number(READ_ONCE(*value), to, count, ppos);
}

static const struct file_operations counter_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = counter_read,
	.llseek = default_llseek,
};

static ssize_t getter_read(struct file *file, char __user *to, size_t count, loff_t *ppos)
{
	unsigned long (*get)(void) = file_inode(file)->i_private;

	return oprofilefs_read_number(get(), to, count, ppos);
}

static const struct file_operations getter_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = getter_read,
	.llseek = default_llseek,
};

static ssize_t getter_of_read(struct file *file, char __user *to, size_t count, loff_t *ppos)
{
	const struct oprofilefs_getter *getter = file_inode(file)->i_private;

	return oprofilefs_read_number(getter->get(getter->of), to, count, ppos);
}

static const struct file_operations getter_of_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = getter_of_read,
	.llseek = default_llseek,
};

static struct inode *new_node(struct super_block *sb, umode_t mode)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return NULL;
	inode->i_ino = get_next_ino();
	inode->i_mode = mode;
	simple_inode_init_ts(inode);
	if (S_ISDIR(mode)) {
		inode->i_op = &simple_dir_inode_operations;
		inode->i_fop = &simple_dir_operations;
		inc_nlink(inode);
	}
	return inode;
}

/*
 * The dentry is kept by the tree; the pointer that is returned is valid while the file system
 * is mounted.
 */
static struct dentry *create_node(struct dentry *parent, const char *name, umode_t mode,
				  const struct file_operations *fops, const void *private)
{
	struct dentry *dentry = d_alloc_name(parent, name);
	struct inode *inode;

	if (!dentry)
		return ERR_PTR(-ENOMEM);
	inode = new_node(parent->d_sb, mode);
	if (!inode) {
		dput(dentry);
		return ERR_PTR(-ENOMEM);
	}
	if (fops)
		inode->i_fop = fops;
	inode->i_private = (void *)private;
	if (S_ISDIR(mode))
		inc_nlink(d_inode(parent));
	compat_d_publish(dentry, inode);
	return dentry;
}

struct dentry *oprofilefs_mkdir(struct dentry *parent, const char *name)
{
	return create_node(parent, name, S_IFDIR | 0700, NULL, NULL);
}

int oprofilefs_create_number(struct dentry *parent, const char *name,
			     const struct oprofilefs_number *number)
{
	return PTR_ERR_OR_ZERO(create_node(parent, name, S_IFREG | 0600, &number_fops, number));
}

int oprofilefs_create_counter(struct dentry *parent, const char *name, const unsigned long *value)
{
	return PTR_ERR_OR_ZERO(create_node(parent, name, S_IFREG | 0400, &counter_fops, value));
}

int oprofilefs_create_getter(struct dentry *parent, const char *name, unsigned long (*get)(void))
{
	return PTR_ERR_OR_ZERO(create_node(parent, name, S_IFREG | 0400, &getter_fops, get));
}

int oprofilefs_create_getter_of(struct dentry *parent, const char *name,
				const struct oprofilefs_getter *getter)
{
	return PTR_ERR_OR_ZERO(create_node(parent, name, S_IFREG | 0400, &getter_of_fops, getter));
}

int oprofilefs_create_file(struct dentry *parent, const char *name, umode_t mode,
			   const struct file_operations *fops)
{
	return PTR_ERR_OR_ZERO(create_node(parent, name, S_IFREG | mode, fops, NULL));
}

static const struct super_operations super_ops = {
	.statfs = simple_statfs,
	.drop_inode = inode_just_drop,
};

static int fill_super(struct super_block *sb, struct fs_context *fc)
{
	struct inode *root;

	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_magic = OPROFILEFS_MAGIC;
	sb->s_op = &super_ops;
	sb->s_time_gran = 1;
	sb->s_iflags |= SB_I_NOEXEC | SB_I_NODEV;

	root = new_node(sb, S_IFDIR | 0700);
	if (!root)
		return -ENOMEM;
	sb->s_root = d_make_root(root); /* frees the inode when it fails */
	if (!sb->s_root)
		return -ENOMEM;
	return fs_owner->create_entries(sb->s_root);
}

static int get_tree(struct fs_context *fc)
{
	return get_tree_single(fc, fill_super);
}

static const struct fs_context_operations context_ops = {
	.get_tree = get_tree,
};

static int init_context(struct fs_context *fc)
{
	fc->ops = &context_ops;
	return 0;
}

static struct file_system_type oprofilefs_type = {
	.owner = THIS_MODULE,
	.name = "oprofilefs",
	.init_fs_context = init_context,
	.kill_sb = compat_kill_pseudo_super,
};

/* No MODULE_ALIAS_FS(): mount(2) would load the module for anybody, before it refuses to mount. */

int oprofilefs_register(const struct oprofilefs_owner *owner)
{
	fs_owner = owner;
	return register_filesystem(&oprofilefs_type);
}

void oprofilefs_unregister(void)
{
	unregister_filesystem(&oprofilefs_type);
}
