// SPDX-License-Identifier: GPL-2.0-only
/*
 * oprofilefs: numbers as they are written and read, and kinds of files.
 */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/pagemap.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "suite.h"

#include "core.h"
#include "core.h"
#include "entries.h"
#include "fake_backend.h"
#include "fake_user.h"
#include "mounted.h"
#include "scratch_file.h"

static int (*own_entries)(struct dentry *root); /* instead of the real ones; NULL: these */
static int nodes_left = -1; /* so many dentries and inodes can be made; -1: no limit */

static bool node_refused(void)
{
	if (nodes_left < 0)
		return false;
	if (!nodes_left)
		return true;
	nodes_left--;
	return false;
}

static int create_own_entries(struct dentry *root)
{
	return own_entries ? own_entries(root) : oprofile_create_entries(root);
}

/* Seams. */
static struct dentry *seam_d_alloc_name(struct dentry *parent, const char *name)
{
	return node_refused() ? NULL : d_alloc_name(parent, name);
}

static struct inode *seam_new_inode(struct super_block *sb)
{
	return node_refused() ? NULL : new_inode(sb);
}

#define d_alloc_name seam_d_alloc_name
#define new_inode seam_new_inode

#include "oprofilefs.c"

static const struct oprofilefs_owner test_owner = {
	.create_entries = create_own_entries,
	.set = oprofile_set,
};

static struct vfsmount *mounted;

int mounted_begin(void)
{
	struct vfsmount *mount;

	fs_owner = &test_owner;
	mount = kern_mount(&oprofilefs_type);
	if (IS_ERR(mount))
		return PTR_ERR(mount);
	mounted = mount;
	return 0;
}

void mounted_end(void)
{
	if (mounted)
		kern_unmount(mounted);
	mounted = NULL;
}

struct file *mounted_open(const char *name, int flags)
{
	return file_open_root_mnt(mounted, name, flags, 0);
}

void mounted_close(struct file *file)
{
	scratch_file_close(file);
}

ssize_t mounted_write(const char *name, const char *text)
{
	struct file *file = mounted_open(name, O_WRONLY);
	loff_t position = 0;
	ssize_t nr;

	if (IS_ERR(file))
		return PTR_ERR(file);
	nr = file->f_op->write(file, fake_user(text), strlen(text), &position);
	mounted_close(file);
	return nr;
}

ssize_t mounted_read(const char *name, char *text, size_t size)
{
	struct file *file = mounted_open(name, O_RDONLY);
	loff_t position = 0;
	ssize_t nr;

	text[0] = '\0';
	if (IS_ERR(file))
		return PTR_ERR(file);
	nr = file->f_op->read(file, fake_user(text), size - 1, &position);
	mounted_close(file);
	if (nr >= 0)
		text[nr] = '\0';
	return nr;
}

unsigned long mounted_number(struct kunit *test, const char *name)
{
	unsigned long number = ULONG_MAX;
	char text[32];
	ssize_t nr = mounted_read(name, text, sizeof(text));

	KUNIT_EXPECT_GT_MSG(test, nr, 1, "reading %s", name);
	KUNIT_EXPECT_EQ_MSG(test, kstrtoul(text, 10, &number), 0, "%s has %s", name, text);
	return number;
}

#define NUL_INSIDE "1\0002"
#define ZEROS_48 "000000000000000000000000000000000000000000000000"

static const struct input {
	const char *text;
	int size; /* -1: strlen() */
	loff_t position;
	int err;
	unsigned long number;
} inputs[] = {
	{ "0", -1, 0, 0, 0 },
	{ "1", -1, 0, 0, 1 },
	{ "1234\n", -1, 0, 0, 1234 },
	{ " \t12\n ", -1, 0, 0, 12 },
	{ "+7", -1, 0, 0, 7 },
	{ "0x1f", -1, 0, 0, 31 },
	{ "0X1F\n", -1, 0, 0, 31 },
	{ "017", -1, 0, 0, 15 },
	{ "123456", 3, 0, 0, 123 },
	{ "18446744073709551615", -1, 0, 0, ULONG_MAX },
	{ "0xffffffffffffffff", -1, 0, 0, ULONG_MAX },
	{ ZEROS_48 "5", -1, 0, 0, 5 },
	{ ZEROS_48 "05", -1, 0, -EINVAL, 0 },
	{ "", -1, 0, -EINVAL, 0 },
	{ "\n", -1, 0, -EINVAL, 0 },
	{ "-1", -1, 0, -EINVAL, 0 },
	{ "-0", -1, 0, -EINVAL, 0 },
	{ "18446744073709551616", -1, 0, -EINVAL, 0 },
	{ "1e3", -1, 0, -EINVAL, 0 },
	{ "1.5", -1, 0, -EINVAL, 0 },
	{ "08", -1, 0, -EINVAL, 0 },
	{ "0x", -1, 0, -EINVAL, 0 },
	{ "x", -1, 0, -EINVAL, 0 },
	{ "1 2", -1, 0, -EINVAL, 0 },
	{ "12k", -1, 0, -EINVAL, 0 },
	{ NUL_INSIDE, 3, 0, -EINVAL, 0 },
	{ NUL_INSIDE, 2, 0, -EINVAL, 0 },
	{ "5", -1, 1, -EINVAL, 0 },
	{ "5", -1, -1, -EINVAL, 0 },
};

static void oprofilefs_parses(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(inputs); i++) {
		const struct input *input = &inputs[i];
		unsigned long number = 0;

		KUNIT_EXPECT_EQ_MSG(test,
				    oprofilefs_parse_number(fake_user(input->text),
							    input->size < 0 ? strlen(input->text) :
									      input->size,
							    &input->position, &number),
				    input->err, "of \"%s\"", input->text);
		KUNIT_EXPECT_EQ_MSG(test, number, input->number, "of \"%s\"", input->text);
	}
}

static void oprofilefs_parse_fault(struct kunit *test)
{
	unsigned long number = 3;
	loff_t position = 0;

	KUNIT_EXPECT_EQ(test, oprofilefs_parse_number(FAKE_USER_FAULT, 1, &position, &number),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, oprofilefs_parse_number(FAKE_USER_FAULT, SIZE_MAX, &position,
						      &number), -EINVAL);
	KUNIT_EXPECT_EQ(test, number, 3);
}

static void oprofilefs_reads_in_parts(struct kunit *test)
{
	char text[32] = "";
	loff_t position = 0;

	KUNIT_EXPECT_EQ(test, oprofilefs_read_number(12345, fake_user(text), 2, &position), 2);
	KUNIT_EXPECT_EQ(test, oprofilefs_read_number(12345, fake_user(text + 2), 3, &position), 3);
	KUNIT_EXPECT_EQ(test, oprofilefs_read_number(12345, fake_user(text + 5), 9, &position), 1);
	KUNIT_EXPECT_EQ(test, oprofilefs_read_number(12345, fake_user(text + 6), 9, &position), 0);
	KUNIT_EXPECT_STREQ(test, text, "12345\n");
	KUNIT_EXPECT_EQ(test, position, 6);
	position = 0;
	KUNIT_EXPECT_EQ(test, oprofilefs_read_number(ULONG_MAX, fake_user(text), 32, &position),
			21);
	position = -1;
	KUNIT_EXPECT_EQ(test, oprofilefs_read_number(1, fake_user(text), 32, &position), -EINVAL);
	position = 0;
	KUNIT_EXPECT_EQ(test, oprofilefs_read_number(1, FAKE_USER_FAULT, 2, &position), -EFAULT);
}

/* A file of each kind. */
static unsigned long setting, counter;
static int check_answer;

static int check(unsigned long value)
{
	return value == 13 ? check_answer : 0;
}

static unsigned long get(void)
{
	return counter * 2;
}

static unsigned long get_of(unsigned int of)
{
	return counter * 10 + of;
}

static const struct oprofilefs_number number = {
	.value = &setting, .min = 10, .max = 20, .check = check,
};

static const struct oprofilefs_number unchecked = { .value = &setting, .min = 0, .max = -1UL };
static const struct oprofilefs_getter getter = { .get = get_of, .of = 3 };

static int kinds_of_entries(struct dentry *root)
{
	struct dentry *directory = oprofilefs_mkdir(root, "folder");

	if (IS_ERR(directory))
		return PTR_ERR(directory);
	return oprofilefs_create_number(directory, "number", &number) ?:
	       oprofilefs_create_number(root, "unchecked", &unchecked) ?:
	       oprofilefs_create_counter(root, "counter", &counter) ?:
	       oprofilefs_create_getter(root, "getter", get) ?:
	       oprofilefs_create_getter_of(root, "getter_of", &getter);
}

static void mount_kinds(struct kunit *test)
{
	own_entries = kinds_of_entries;
	setting = 15;
	counter = 21;
	check_answer = 0;
	KUNIT_ASSERT_EQ(test, mounted_begin(), 0);
}

static void oprofilefs_kinds(struct kunit *test)
{
	char text[32];

	mount_kinds(test);
	KUNIT_EXPECT_EQ(test, mounted_read("folder/number", text, sizeof(text)), 3);
	KUNIT_EXPECT_STREQ(test, text, "15\n");
	KUNIT_EXPECT_EQ(test, mounted_number(test, "counter"), 21);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "getter"), 42);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "getter_of"), 213);
	counter++;
	KUNIT_EXPECT_EQ(test, mounted_number(test, "counter"), 22);
	KUNIT_EXPECT_EQ(test, mounted_read("folder/nothing", text, sizeof(text)), -ENOENT);
	KUNIT_EXPECT_EQ(test, mounted_read("number", text, sizeof(text)), -ENOENT);
}

static void oprofilefs_limits(struct kunit *test)
{
	static const struct {
		const char *text;
		int answer;
		unsigned long after;
	} writes[] = {
		{ "10", 2, 10 },
		{ "9", -EINVAL, 10 },
		{ "20\n", 3, 20 },
		{ "21", -EINVAL, 20 },
		{ "-15", -EINVAL, 20 },
		{ "18446744073709551615", -EINVAL, 20 },
		{ "", -EINVAL, 20 },
		{ "13", -ENXIO, 20 },
		{ "14", 2, 14 },
	};
	unsigned int i;

	mount_kinds(test);
	check_answer = -ENXIO;
	for (i = 0; i < ARRAY_SIZE(writes); i++) {
		KUNIT_EXPECT_EQ_MSG(test, mounted_write("folder/number", writes[i].text),
				    writes[i].answer, "of \"%s\"", writes[i].text);
		KUNIT_EXPECT_EQ(test, setting, writes[i].after);
	}
	KUNIT_EXPECT_EQ(test, mounted_write("unchecked", "18446744073709551615"), 20);
	KUNIT_EXPECT_EQ(test, setting, ULONG_MAX);
	KUNIT_EXPECT_EQ(test, mounted_write("unchecked", "0"), 1);
	KUNIT_EXPECT_EQ(test, setting, 0);
}

/* A second write through the same opened file is not at its beginning. */
static void oprofilefs_partial_writes(struct kunit *test)
{
	loff_t position = 0;
	struct file *file;

	mount_kinds(test);
	file = mounted_open("unchecked", O_RDWR);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	KUNIT_EXPECT_EQ(test, file->f_op->write(file, fake_user("12"), 1, &position), 1);
	position = 1;
	KUNIT_EXPECT_EQ(test, file->f_op->write(file, fake_user("2"), 1, &position), -EINVAL);
	KUNIT_EXPECT_EQ(test, setting, 1);
	mounted_close(file);
}

static umode_t mode_of(struct kunit *test, const char *name)
{
	struct file *file = mounted_open(name, O_PATH);
	umode_t mode;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	mode = file_inode(file)->i_mode;
	KUNIT_EXPECT_TRUE(test, uid_eq(file_inode(file)->i_uid, GLOBAL_ROOT_UID));
	mounted_close(file);
	return mode;
}

/* Nothing is for anybody but root. */
static void oprofilefs_modes(struct kunit *test)
{
	const struct super_block *sb;

	mount_kinds(test);
	sb = mounted->mnt_sb;
	KUNIT_EXPECT_EQ(test, d_inode(sb->s_root)->i_mode, S_IFDIR | 0700);
	KUNIT_EXPECT_EQ(test, mode_of(test, "folder"), S_IFDIR | 0700);
	KUNIT_EXPECT_EQ(test, mode_of(test, "folder/number"), S_IFREG | 0600);
	KUNIT_EXPECT_EQ(test, mode_of(test, "counter"), S_IFREG | 0400);
	KUNIT_EXPECT_EQ(test, mode_of(test, "getter"), S_IFREG | 0400);
	KUNIT_EXPECT_EQ(test, mode_of(test, "getter_of"), S_IFREG | 0400);
	KUNIT_EXPECT_EQ(test, sb->s_magic, OPROFILEFS_MAGIC);
	KUNIT_EXPECT_TRUE(test, sb->s_iflags & SB_I_NOEXEC);
	KUNIT_EXPECT_TRUE(test, sb->s_iflags & SB_I_NODEV);
	KUNIT_EXPECT_EQ(test, oprofilefs_type.fs_flags & FS_USERNS_MOUNT, 0);
	KUNIT_EXPECT_EQ(test, d_inode(sb->s_root)->i_nlink, 3);
}

static const struct oprofile_backend no_files_backend = { .name = "no_files" };

/* Whichever dentry or inode cannot be made: mounting fails, and nothing is left behind. */
static void oprofilefs_no_memory(struct kunit *test)
{
	int limit, err = -ENOMEM;

	fake_backend_use(&no_files_backend);
	for (limit = 0; err && limit < 1000; limit++) {
		nodes_left = limit;
		err = mounted_begin();
		if (err)
			KUNIT_ASSERT_EQ(test, err, -ENOMEM);
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_GT(test, limit, 2 * 20); /* there are more entries than 20 */
}

static int no_entries(struct dentry *root)
{
	return -EIO;
}

static void oprofilefs_entries_fail(struct kunit *test)
{
	own_entries = no_entries;
	KUNIT_EXPECT_EQ(test, mounted_begin(), -EIO);
}

static void oprofilefs_registered(struct kunit *test)
{
	struct file_system_type *type;

	KUNIT_ASSERT_EQ(test, oprofilefs_register(&test_owner), 0);
	KUNIT_EXPECT_EQ(test, oprofilefs_register(&test_owner), -EBUSY);
	type = get_fs_type("oprofilefs");
	KUNIT_EXPECT_PTR_EQ(test, type, &oprofilefs_type);
	if (type)
		module_put(type->owner);
	oprofilefs_unregister();
	KUNIT_EXPECT_EQ(test, oprofilefs_register(&test_owner), 0);
	oprofilefs_unregister();
}

static int oprofilefs_init(struct kunit *test)
{
	own_entries = NULL;
	nodes_left = -1;
	return 0;
}

static void oprofilefs_exit(struct kunit *test)
{
	mounted_end();
	own_entries = NULL;
	nodes_left = -1;
	fake_backend_use(NULL);
}

TEST_SUITE(oprofile_oprofilefs, oprofilefs_init, oprofilefs_exit,
	   KUNIT_CASE(oprofilefs_parses),
	   KUNIT_CASE(oprofilefs_parse_fault),
	   KUNIT_CASE(oprofilefs_reads_in_parts),
	   KUNIT_CASE(oprofilefs_kinds),
	   KUNIT_CASE(oprofilefs_limits),
	   KUNIT_CASE(oprofilefs_partial_writes),
	   KUNIT_CASE(oprofilefs_modes),
	   KUNIT_CASE(oprofilefs_no_memory),
	   KUNIT_CASE(oprofilefs_entries_fail),
	   KUNIT_CASE(oprofilefs_registered));
