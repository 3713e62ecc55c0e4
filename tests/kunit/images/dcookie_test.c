// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cookies.
 */
#include <linux/dcache.h>
#include <linux/elf.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/kdev_t.h>
#include <linux/moduleparam.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/shmem_fs.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "suite.h"

#include "scratch_file.h"

static enum {
	ALL_WORKS, NO_COOKIE, NO_VALUE, NO_PATH_BUFFER, NO_PATH, NO_PATH_COPY, NO_QUEUE,
} fault;
static bool elsewhere; /* files are not below our root */

/* Seams. */
static void *seam_kzalloc(size_t size, gfp_t flags)
{
	return fault == NO_COOKIE ? NULL : kzalloc(size, flags);
}

static int seam_xa_alloc(struct xarray *xa, u32 *id, void *entry, struct xa_limit limit,
			 u32 *next, gfp_t flags)
{
	return fault == NO_VALUE ? -EBUSY : xa_alloc_cyclic(xa, id, entry, limit, next, flags);
}

static void *seam_kmalloc(size_t size, gfp_t flags)
{
	return fault == NO_PATH_BUFFER ? NULL : kmalloc(size, flags);
}

static char *seam_d_path(const struct path *path, char *buffer, int size)
{
	return fault == NO_PATH ? ERR_PTR(-ENAMETOOLONG) : d_path(path, buffer, size);
}

static char *seam_kstrndup(const char *text, size_t size, gfp_t flags)
{
	return fault == NO_PATH_COPY ? NULL : kstrndup(text, size, flags);
}

static struct workqueue_struct *seam_alloc_workqueue(const char *name)
{
	return fault == NO_QUEUE ? NULL : alloc_workqueue("%s", WQ_UNBOUND, 0, name);
}

static bool seam_path_is_under(const struct path *path, const struct path *root)
{
	return !elsewhere && path_is_under(path, root);
}

#undef kzalloc
#define kzalloc seam_kzalloc
#undef xa_alloc_cyclic
#define xa_alloc_cyclic seam_xa_alloc
#undef kmalloc
#define kmalloc seam_kmalloc
#undef d_path
#define d_path seam_d_path
#undef kstrndup
#define kstrndup seam_kstrndup
#undef alloc_workqueue
#define alloc_workqueue(name, flags, max_active) seam_alloc_workqueue(name)
#undef path_is_under
#define path_is_under seam_path_is_under

#include "images/dcookie.c"

static struct file *a, *b;
static struct oprofile_image image;

static int explain(u64 cookie)
{
	memset(&image, 0xee, sizeof(image));
	image.cookie = cookie;
	return op_dcookie_image(&image);
}

static void dcookie_same_and_distinct(struct kunit *test)
{
	struct file *again = filp_open("/oprofile_a", O_RDONLY, 0);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, again);
	KUNIT_EXPECT_EQ(test, op_dcookie_get(a, 0), 1);
	KUNIT_EXPECT_EQ(test, op_dcookie_get(a, 0), 1);
	KUNIT_EXPECT_EQ(test, op_dcookie_get(b, 0), 2);
	KUNIT_EXPECT_EQ(test, op_dcookie_get(again, 0), 1);
	KUNIT_EXPECT_EQ(test, op_dcookie_get(b, 0), 2);
	fput(again);
}

static void dcookie_explained(struct kunit *test)
{
	const struct inode *inode = file_inode(a);

	KUNIT_ASSERT_EQ(test, explain(op_dcookie_get(a, 0)), 0);
	KUNIT_EXPECT_STREQ(test, image.path, "/oprofile_a");
	KUNIT_EXPECT_EQ(test, image.path_size, sizeof("/oprofile_a"));
	KUNIT_EXPECT_EQ(test, image.device, new_encode_dev(inode->i_sb->s_dev));
	KUNIT_EXPECT_EQ(test, image.inode, inode->i_ino);
	KUNIT_EXPECT_EQ(test, image.generation, inode->i_generation);
	KUNIT_EXPECT_EQ(test, image.flags, 0);
	KUNIT_EXPECT_EQ(test, image.build_id_size, 0);

	/* To the last byte, for it goes to user space. */
	KUNIT_EXPECT_EQ(test, image.path[OPROFILE_PATH_MAX - 1], 0);
	KUNIT_EXPECT_EQ(test, image.build_id[OPROFILE_BUILD_ID_MAX - 1], 0);
}

static void dcookie_unknown(struct kunit *test)
{
	static const u64 unknown[] = {
		OPROFILE_NO_COOKIE, OPROFILE_INVALID_COOKIE, 2, U32_MAX, 1ULL << 32 | 1,
		1ULL << 63 | 1,
	};
	unsigned int i;

	KUNIT_ASSERT_EQ(test, op_dcookie_get(a, 0), 1);
	for (i = 0; i < ARRAY_SIZE(unknown); i++)
		KUNIT_EXPECT_EQ(test, explain(unknown[i]), -EINVAL);
}

/* Neither the file nor its mount is kept busy. */
static void dcookie_released(struct kunit *test)
{
	long before = file_count(a);

	KUNIT_ASSERT_EQ(test, explain(op_dcookie_get(a, 0)), 0);
	KUNIT_EXPECT_EQ(test, file_count(a), before);
	KUNIT_ASSERT_EQ(test, explain(op_dcookie_get(a, 0)), 0);
	KUNIT_EXPECT_EQ(test, file_count(a), before);
}

/* Cookies begin anew with each opening of the buffer. */
static void dcookie_forgotten(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, op_dcookie_get(a, 0), 1);
	KUNIT_EXPECT_EQ(test, op_dcookie_get(b, 0), 2);
	op_dcookies_tear_down();
	KUNIT_ASSERT_EQ(test, op_dcookies_set_up(), 0);
	KUNIT_EXPECT_EQ(test, explain(1), -EINVAL);
	KUNIT_EXPECT_EQ(test, op_dcookie_get(b, 0), 1);
	KUNIT_ASSERT_EQ(test, explain(1), 0);
	KUNIT_EXPECT_STREQ(test, image.path, "/oprofile_b");
}

/* A file of another name is another image, as it will be in reports. */
static void dcookie_renamed(struct kunit *test)
{
	struct dentry *dentry = a->f_path.dentry;
	struct dentry *other = d_alloc_name(dentry->d_parent, "oprofile_renamed");

	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_EXPECT_EQ(test, op_dcookie_get(a, 0), 1);
	KUNIT_ASSERT_EQ(test, explain(1), 0);
	d_move(dentry, other);
	dput(other);
	KUNIT_EXPECT_EQ(test, op_dcookie_get(a, 0), 2);
	KUNIT_ASSERT_EQ(test, explain(1), 0);
	KUNIT_EXPECT_STREQ(test, image.path, "/oprofile_a");
	KUNIT_ASSERT_EQ(test, explain(2), 0);
	KUNIT_EXPECT_STREQ(test, image.path, "/oprofile_renamed");
}

static void dcookie_deleted(struct kunit *test)
{
	scratch_file_unlink(test, a);
	KUNIT_ASSERT_EQ(test, explain(op_dcookie_get(a, 0)), 0);
	KUNIT_EXPECT_STREQ(test, image.path, "/oprofile_a");
	KUNIT_EXPECT_EQ(test, image.flags, OPROFILE_IMAGE_DELETED);
}

/* Deleted after it was first seen: what was seen stays right. */
static void dcookie_deleted_later(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, explain(op_dcookie_get(a, 0)), 0);
	scratch_file_unlink(test, a);
	KUNIT_EXPECT_EQ(test, op_dcookie_get(a, 0), 1);
	KUNIT_ASSERT_EQ(test, explain(1), 0);
	KUNIT_EXPECT_STREQ(test, image.path, "/oprofile_a");
	KUNIT_EXPECT_EQ(test, image.flags, 0);
}

/* Such as of memfd_create(2). */
static void dcookie_nameless(struct kunit *test)
{
	struct file *file = shmem_file_setup("oprofile", PAGE_SIZE, 0);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	KUNIT_ASSERT_EQ(test, explain(op_dcookie_get(file, 0)), 0);
	KUNIT_EXPECT_EQ(test, image.flags, OPROFILE_IMAGE_DELETED);
	KUNIT_EXPECT_STREQ(test, image.path, "/oprofile");
	fput(file);
}

static void dcookie_foreign(struct kunit *test)
{
	elsewhere = true;
	KUNIT_ASSERT_EQ(test, explain(op_dcookie_get(a, 0)), 0);
	KUNIT_EXPECT_EQ(test, image.flags, OPROFILE_IMAGE_FOREIGN_NS);
	KUNIT_EXPECT_STREQ(test, image.path, "/oprofile_a");
}

static void dcookie_build_id(struct kunit *test)
{
	/* A program header at 64 says that there is a note at 120. */
	struct {
		Elf64_Ehdr ehdr;
		Elf64_Phdr phdr;
		Elf64_Nhdr note;
		char owner[4];
		u8 id[4];
	} elf = {
		.ehdr = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELF_DATA },
			  .e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 1 },
		.phdr = { .p_type = PT_NOTE, .p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
			  .p_filesz = sizeof(Elf64_Nhdr) + 8 },
		.note = { .n_namesz = 4, .n_descsz = 4, .n_type = 3 },
		.owner = "GNU",
		.id = { 0xde, 0xad, 0xbe, 0xef },
	};
	struct file *file = scratch_file(test, "oprofile_elf", &elf, sizeof(elf));

	KUNIT_ASSERT_EQ(test, explain(op_dcookie_get(file, 0)), 0);
	KUNIT_EXPECT_EQ(test, image.flags, OPROFILE_IMAGE_BUILD_ID);
	KUNIT_EXPECT_EQ(test, image.build_id_size, 4);
	KUNIT_EXPECT_EQ(test, memcmp(image.build_id, elf.id, 4), 0);
	scratch_file_end(test, file);
}

static void dcookie_no_path(struct kunit *test)
{
	static const int faults[] = { NO_PATH_BUFFER, NO_PATH, NO_PATH_COPY };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		fault = faults[i];
		KUNIT_ASSERT_EQ(test, explain(op_dcookie_get(a, 0)), 0);
		KUNIT_EXPECT_EQ(test, image.flags, OPROFILE_IMAGE_NO_PATH);
		KUNIT_EXPECT_STREQ(test, image.path, "");
		KUNIT_EXPECT_EQ(test, image.path_size, 1);
		KUNIT_EXPECT_EQ(test, image.inode, file_inode(a)->i_ino);
		op_dcookies_tear_down();
		KUNIT_ASSERT_EQ(test, op_dcookies_set_up(), 0);
	}
}

/* Without memory there is no cookie, and nothing is kept; with memory there is. */
static void dcookie_no_memory(struct kunit *test)
{
	long before = file_count(a);

	fault = NO_COOKIE;
	KUNIT_EXPECT_EQ(test, op_dcookie_get(a, 0), OPROFILE_INVALID_COOKIE);
	fault = NO_VALUE;
	KUNIT_EXPECT_EQ(test, op_dcookie_get(a, 0), OPROFILE_INVALID_COOKIE);
	KUNIT_EXPECT_EQ(test, file_count(a), before);
	fault = ALL_WORKS;
	KUNIT_EXPECT_EQ(test, op_dcookie_get(a, 0), 1);

	op_dcookies_tear_down();
	fault = NO_QUEUE;
	KUNIT_EXPECT_EQ(test, op_dcookies_set_up(), -ENOMEM);
	fault = ALL_WORKS;
	KUNIT_ASSERT_EQ(test, op_dcookies_set_up(), 0);
}

static void dcookie_many(struct kunit *test)
{
	struct file *files[64];
	char name[32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(name, sizeof(name), "oprofile_many_%u", i);
		files[i] = scratch_file(test, name, "", 0);
	}
	for (i = 0; i < 3 * ARRAY_SIZE(files); i++)
		KUNIT_EXPECT_EQ(test, op_dcookie_get(files[i % ARRAY_SIZE(files)], 0),
				1 + i % ARRAY_SIZE(files));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(name, sizeof(name), "/oprofile_many_%u", i);
		KUNIT_EXPECT_EQ(test, explain(i + 1), 0);
		KUNIT_EXPECT_STREQ(test, image.path, name);
		scratch_file_end(test, files[i]);
	}
}

/* All look-ups at all slices. */
static void age(unsigned long read)
{
	unsigned int i;

	for (i = 0; i < AGE_SLICES; i++)
		op_dcookies_age(read);
}

/* A cookie that never got into the stream goes with its last user. */
static void dcookie_used(struct kunit *test)
{
	u64 value = op_dcookie_use(a, 0);

	KUNIT_ASSERT_EQ(test, explain(value), 0);
	KUNIT_EXPECT_TRUE(test, op_dcookie_hold(value));
	op_dcookie_unuse(value);
	KUNIT_EXPECT_EQ(test, explain(value), 0);
	op_dcookie_unuse(value);
	KUNIT_EXPECT_EQ(test, explain(value), -EINVAL);
	KUNIT_EXPECT_FALSE(test, op_dcookie_hold(value));
	KUNIT_EXPECT_FALSE(test, op_dcookie_say(value));
	KUNIT_EXPECT_EQ(test, image_bytes.total, 0);
	op_dcookie_unuse(value);

	/* No number stands for two files. */
	KUNIT_EXPECT_EQ(test, op_dcookie_use(b, 0), value + 1);
	KUNIT_EXPECT_TRUE(test, op_dcookie_say(value + 1));
	KUNIT_ASSERT_EQ(test, explain(value + 1), 0);
	op_dcookie_unuse(value + 1);
	KUNIT_EXPECT_EQ(test, explain(value + 1), 0);
	KUNIT_EXPECT_FALSE(test, op_dcookie_say(OPROFILE_INVALID_COOKIE));
	KUNIT_EXPECT_FALSE(test, op_dcookie_say(OPROFILE_NO_COOKIE));
}

/* One that is in the stream goes when its time has come and the reader has read of it. */
static void dcookie_aged(struct kunit *test)
{
	u64 value = op_dcookie_get(a, 0), other = op_dcookie_use(b, 0);
	struct dcookie *cookie;

	KUNIT_ASSERT_TRUE(test, op_dcookie_say(value));
	KUNIT_ASSERT_EQ(test, explain(value), 0);
	KUNIT_ASSERT_EQ(test, explain(other), 0);
	cookie = xa_load(&cookies_by_value, value);

	age(jiffies + 1);
	KUNIT_EXPECT_EQ(test, explain(value), 0); /* it is young */
	cookie->touched = jiffies - image_age * HZ - 1;
	age(cookie->touched);
	KUNIT_EXPECT_EQ(test, explain(value), 0); /* it may not have been read of */
	age(cookie->touched + 1);
	KUNIT_EXPECT_EQ(test, explain(value), -EINVAL);
	KUNIT_EXPECT_EQ(test, explain(other), 0);
	KUNIT_EXPECT_EQ(test, op_dcookie_get(a, 0), other + 1);
}

/* Memory has an end, and is given back when it is short. */
static void dcookie_bounded(struct kunit *test)
{
	struct dcookie *cookie;
	u64 value;

	images_kb_max = 0;
	KUNIT_EXPECT_EQ(test, op_dcookie_get(a, 0), OPROFILE_INVALID_COOKIE);
	KUNIT_EXPECT_EQ(test, op_dcookies_lost(), 1);
	images_kb_max = 2;
	value = op_dcookie_get(a, 0);
	KUNIT_ASSERT_EQ(test, explain(value), 0);
	KUNIT_ASSERT_TRUE(test, op_dcookie_say(value));
	images_kb_max = 0;
	KUNIT_EXPECT_EQ(test, op_dcookie_get(b, 0), OPROFILE_INVALID_COOKIE);
	KUNIT_EXPECT_EQ(test, op_dcookie_get(a, 0), value); /* what there is stays */
	cookie = xa_load(&cookies_by_value, value);
	op_dcookies_age(cookie->touched);
	KUNIT_EXPECT_EQ(test, explain(value), 0);
	op_dcookies_age(cookie->touched + 1);
	KUNIT_EXPECT_EQ(test, explain(value), -EINVAL);
	op_dcookies_lost_reset();
	KUNIT_EXPECT_EQ(test, op_dcookies_lost(), 0);
	images_kb_max = 16384;
}

static u64 area_cookie_of(u16 account, unsigned long page, const char *label)
{
	struct op_area area = { .start = page << PAGE_SHIFT, .end = (page + 1) << PAGE_SHIFT };

	strscpy(area.label, label, sizeof(area.label));
	return op_dcookie_get_area(&area, account);
}

static u64 area_cookie(unsigned long page, const char *label)
{
	return area_cookie_of(0, page, label);
}

/*
 * However much one user has, there is room for another; who has little left forgets before the
 * time.
 */
static void dcookie_shared(struct kunit *test)
{
	u64 one, another;

	images_kb_max = 4;
	op_share_take(&image_bytes, 1, 1800);
	one = op_dcookie_get(a, 1);
	another = op_dcookie_get(b, 2);
	KUNIT_ASSERT_EQ(test, explain(one), 0);
	KUNIT_ASSERT_EQ(test, explain(another), 0);
	op_share_take(&image_bytes, 1, 200);
	KUNIT_EXPECT_EQ(test, area_cookie_of(1, 5, ""), OPROFILE_INVALID_COOKIE);
	KUNIT_EXPECT_NE(test, area_cookie_of(3, 5, ""), OPROFILE_INVALID_COOKIE);
	op_dcookies_age(jiffies + 1);
	KUNIT_EXPECT_EQ(test, explain(one), -EINVAL);
	KUNIT_EXPECT_EQ(test, explain(another), 0);
	op_share_give(&image_bytes, 1, 2000);
}

static void dcookie_area(struct kunit *test)
{
	u64 vdso = area_cookie(1, "[vdso]");

	KUNIT_ASSERT_EQ(test, explain(vdso), 0);
	KUNIT_EXPECT_STREQ(test, image.path, "[vdso]");
	KUNIT_EXPECT_EQ(test, image.flags, OPROFILE_IMAGE_ANON);
	KUNIT_EXPECT_EQ(test, image.inode, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, image.device, 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, area_cookie_of(1, 1, "[vdso]"), vdso);
	KUNIT_EXPECT_EQ(test, area_cookie(1, ""), vdso + 1);
	KUNIT_EXPECT_EQ(test, area_cookie(2, "[vdso]"), vdso + 2);
	KUNIT_EXPECT_EQ(test, op_dcookie_get(a, 0), vdso + 3);
	KUNIT_ASSERT_EQ(test, explain(vdso + 1), 0);
	KUNIT_EXPECT_STREQ(test, image.path, "");
	KUNIT_EXPECT_EQ(test, image.path_size, 1);
}

/* They take no more than their part, and one user no more than is left of that. */
static void dcookie_area_bounded(struct kunit *test)
{
	unsigned long page = 0, most, size = sizeof(struct dcookie) + 1, of_one;
	u64 value;

	images_kb_max = 64;
	most = most_bytes() / AREAS_PART;
	of_one = most / 2 / size;
	while (area_cookie(page, "") != OPROFILE_INVALID_COOKIE && page <= most)
		page++;
	KUNIT_EXPECT_EQ(test, page, of_one);
	KUNIT_EXPECT_NE(test, area_cookie(0, ""), OPROFILE_INVALID_COOKIE);
	for (; page < 100 * of_one; page++)
		area_cookie_of(page % 8, page, "");
	KUNIT_EXPECT_GT(test, area_bytes.total, most / 4 * 3);
	KUNIT_EXPECT_LE(test, area_bytes.total, most);
	value = op_dcookie_get(a, 0);
	KUNIT_EXPECT_NE(test, value, OPROFILE_INVALID_COOKIE);
	KUNIT_ASSERT_EQ(test, explain(value), 0);

	/* They go as soon as the reader knows them; a file stays. */
	age(jiffies + 1);
	KUNIT_EXPECT_EQ(test, area_bytes.total, 0);
	KUNIT_EXPECT_EQ(test, explain(value), 0);
	KUNIT_EXPECT_NE(test, area_cookie(page, ""), OPROFILE_INVALID_COOKIE);
	KUNIT_EXPECT_EQ(test, op_dcookies_lost(), 0);
}

static void dcookie_area_no_memory(struct kunit *test)
{
	fault = NO_COOKIE;
	KUNIT_EXPECT_EQ(test, area_cookie(1, ""), OPROFILE_INVALID_COOKIE);
	fault = NO_VALUE;
	KUNIT_EXPECT_EQ(test, area_cookie(1, ""), OPROFILE_INVALID_COOKIE);
	fault = ALL_WORKS;
	KUNIT_EXPECT_EQ(test, area_bytes.total, 0);
	KUNIT_EXPECT_EQ(test, image_bytes.total, 0);
}

static int dcookie_init(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, op_dcookies_set_up(), 0);
	a = scratch_file(test, "oprofile_a", "a", 1);
	b = scratch_file(test, "oprofile_b", "b", 1);
	return 0;
}

static void dcookie_exit(struct kunit *test)
{
	op_dcookies_tear_down();
	fault = ALL_WORKS;
	images_kb_max = 16384;
	op_dcookies_lost_reset();
	elsewhere = false;
	scratch_file_end(test, a);
	scratch_file_end(test, b);
}

TEST_SUITE(oprofile_dcookie, dcookie_init, dcookie_exit,
	   KUNIT_CASE(dcookie_same_and_distinct),
	   KUNIT_CASE(dcookie_explained),
	   KUNIT_CASE(dcookie_unknown),
	   KUNIT_CASE(dcookie_released),
	   KUNIT_CASE(dcookie_forgotten),
	   KUNIT_CASE(dcookie_renamed),
	   KUNIT_CASE(dcookie_deleted),
	   KUNIT_CASE(dcookie_deleted_later),
	   KUNIT_CASE(dcookie_nameless),
	   KUNIT_CASE(dcookie_foreign),
	   KUNIT_CASE(dcookie_build_id),
	   KUNIT_CASE(dcookie_no_path),
	   KUNIT_CASE(dcookie_no_memory),
	   KUNIT_CASE(dcookie_many),
	   KUNIT_CASE(dcookie_used),
	   KUNIT_CASE(dcookie_aged),
	   KUNIT_CASE(dcookie_bounded),
	   KUNIT_CASE(dcookie_shared),
	   KUNIT_CASE(dcookie_area),
	   KUNIT_CASE(dcookie_area_bounded),
	   KUNIT_CASE(dcookie_area_no_memory));
