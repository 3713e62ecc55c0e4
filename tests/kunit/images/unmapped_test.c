// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is remembered of mappings that have gone.  In the pictures a letter is a region's image,
 * from left to right are pages.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/interval_tree_generic.h>
#include <linux/list.h>
#include <linux/maple_tree.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "suite.h"

#include "images/dcookie.h"
#include "fake_mm.h"
#include "scratch_file.h"

static bool no_memory;
static bool locks_forbidden;
static unsigned long rss_pages; /* of each address space */

/* Seams. */
static void *seam_kmem_cache_alloc(struct kmem_cache *cache, gfp_t flags)
{
	return no_memory ? NULL : kmem_cache_alloc(cache, flags);
}

static struct kmem_cache *seam_kmem_cache_create(const char *name, size_t size)
{
	return no_memory ? NULL : kmem_cache_create(name, size, 0, 0, NULL);
}

#undef kmem_cache_alloc
#define kmem_cache_alloc seam_kmem_cache_alloc
#undef KMEM_CACHE
#define KMEM_CACHE(type, flags) seam_kmem_cache_create(#type, sizeof(struct type))
#undef in_nmi
#define in_nmi() locks_forbidden
#define get_mm_rss(mm) rss_pages

#include "images/unmapped.c"

static struct file *files[3]; /* a, b, c */
static struct mm_struct *the_mm, *other_mm;

#define PAGE(n) (0x10000000UL + (n) * PAGE_SIZE)

static void mark(const struct mm_struct *mm)
{
	op_mark_sampled(mm, op_mark_period_now());
}

/* Remembers pages from @first to before @end of a mapping of @file that begins at page 0. */
static void remember_pages(struct mm_struct *mm, struct file *file, unsigned int first,
			   unsigned int end)
{
	struct vm_area_struct vma = {
		.vm_mm = mm,
		.vm_start = PAGE(0),
		.vm_end = PAGE(100),
		.vm_file = file,
		.vm_pgoff = 7,
	};

	op_unmapped_remember(&vma, PAGE(first), PAGE(end));
}

static const unsigned int regions_max_default = 65536;

/* How many regions there are; spaces count as one each. */
static unsigned int count_regions(void)
{
	const struct unmapped_region *region;
	unsigned int nr = 0;

	list_for_each_entry(region, &regions_by_age, list)
		nr++;
	return nr;
}

static char letter(u64 cookie)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (cookie == op_dcookie_get(files[i], 0))
			return 'a' + i;
	}
	return '?';
}

/* What is found on each of 8 pages, as a picture. */
static const char *find_all(const struct mm_struct *mm, u32 epoch, char *picture)
{
	struct op_unmapped_image image;
	unsigned int page;

	for (page = 0; page < 8; page++)
		picture[page] = op_unmapped_find(mm, PAGE(page) + 5, epoch, &image) ?
			letter(image.cookie) : '.';
	picture[8] = '\0';
	return picture;
}

static void unmapped_found(struct kunit *test)
{
	struct op_unmapped_image image;
	u32 epoch = op_epoch_now();

	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, PAGE(2), epoch, &image));
	KUNIT_EXPECT_EQ(test, image.start, 0);
	KUNIT_EXPECT_EQ(test, image.end, ULONG_MAX);

	remember_pages(the_mm, files[0], 2, 5);
	KUNIT_EXPECT_TRUE(test, op_unmapped_find(the_mm, PAGE(2), epoch, &image));
	KUNIT_EXPECT_EQ(test, image.start, PAGE(2));
	KUNIT_EXPECT_EQ(test, image.end, PAGE(5));
	KUNIT_EXPECT_EQ(test, image.cookie, op_dcookie_get(files[0], 0));
	KUNIT_EXPECT_EQ(test, image.offset, (7 + 2) * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, image.epoch, epoch);

	KUNIT_EXPECT_TRUE(test, op_unmapped_find(the_mm, PAGE(5) - 1, epoch, &image));
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, PAGE(2) - 1, epoch, &image));
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, PAGE(5), epoch, &image));
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(other_mm, PAGE(2), epoch, &image));
	KUNIT_EXPECT_EQ(test, op_unmapped_lost(), 0);
}

/*
 *	epoch e		aaa.....	unmapped
 *	epoch e + 1	.bbbb...	unmapped
 *	epoch e + 2	c.......	unmapped
 */
static void unmapped_epochs(struct kunit *test)
{
	u32 epoch = op_epoch_now();
	char picture[9];

	remember_pages(the_mm, files[0], 0, 3);
	op_epoch_advance();
	remember_pages(the_mm, files[1], 1, 5);
	op_epoch_advance();
	remember_pages(the_mm, files[2], 0, 1);

	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch - 1, picture), "aaabb...");
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch, picture), "aaabb...");
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch + 1, picture), "cbbbb...");
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch + 2, picture), "c.......");
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch + 3, picture), "........");
	KUNIT_EXPECT_STREQ(test, find_all(other_mm, epoch, picture), "........");
}

/* The same where the numbers begin anew. */
static void unmapped_epochs_wrap(struct kunit *test)
{
	atomic_set(&op_mapping_epoch, -1);
	unmapped_epochs(test);
	KUNIT_EXPECT_EQ(test, op_epoch_now(), 1);
}

/* Where nothing is found, how far that holds. */
static void unmapped_gaps(struct kunit *test)
{
	struct op_unmapped_image gap;
	u32 epoch = op_epoch_now();

	remember_pages(the_mm, files[0], 1, 2);
	remember_pages(the_mm, files[1], 4, 6);
	remember_pages(other_mm, files[1], 3, 4);
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, PAGE(0), epoch, &gap));
	KUNIT_EXPECT_EQ(test, gap.start, 0);
	KUNIT_EXPECT_EQ(test, gap.end, PAGE(1));
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, PAGE(3), epoch, &gap));
	KUNIT_EXPECT_EQ(test, gap.start, PAGE(2));
	KUNIT_EXPECT_EQ(test, gap.end, PAGE(4));
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, PAGE(6), epoch, &gap));
	KUNIT_EXPECT_EQ(test, gap.start, PAGE(6));
	KUNIT_EXPECT_EQ(test, gap.end, ULONG_MAX);

	/* Regions of before do not narrow it for later samples. */
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, PAGE(3), epoch + 1, &gap));
	KUNIT_EXPECT_EQ(test, gap.start, 0);
	KUNIT_EXPECT_EQ(test, gap.end, ULONG_MAX);
}

/*
 * A mapping that grew over where another one had been: the answer for its first pages does not
 * hold for the others, as long as that other one does.
 *
 *	epoch e		aaaa....	unmapped
 *			..b.....	unmapped before a grew
 */
static void unmapped_grown(struct kunit *test)
{
	struct op_unmapped_image image;
	u32 epoch = op_epoch_now();

	remember_pages(the_mm, files[1], 2, 3);
	op_epoch_advance();
	remember_pages(the_mm, files[0], 0, 4);
	KUNIT_EXPECT_TRUE(test, op_unmapped_find(the_mm, PAGE(1), epoch, &image));
	KUNIT_EXPECT_EQ(test, image.cookie, op_dcookie_get(files[0], 0));
	KUNIT_EXPECT_EQ(test, image.start, PAGE(0));
	KUNIT_EXPECT_EQ(test, image.end, PAGE(2));

	KUNIT_EXPECT_TRUE(test, op_unmapped_find(the_mm, PAGE(3), epoch, &image));
	KUNIT_EXPECT_EQ(test, image.cookie, op_dcookie_get(files[0], 0));
	KUNIT_EXPECT_EQ(test, image.start, PAGE(3));
	KUNIT_EXPECT_EQ(test, image.end, PAGE(4));
	KUNIT_EXPECT_EQ(test, image.offset, (7 + 3) * PAGE_SIZE);

	KUNIT_EXPECT_TRUE(test, op_unmapped_find(the_mm, PAGE(2), epoch, &image));
	KUNIT_EXPECT_EQ(test, image.cookie, op_dcookie_get(files[1], 0));
	KUNIT_EXPECT_TRUE(test, op_unmapped_find(the_mm, PAGE(2), epoch + 1, &image));
	KUNIT_EXPECT_EQ(test, image.cookie, op_dcookie_get(files[0], 0));
	KUNIT_EXPECT_EQ(test, image.start, PAGE(0));
	KUNIT_EXPECT_EQ(test, image.end, PAGE(4));
	KUNIT_EXPECT_EQ(test, image.offset, 7 * PAGE_SIZE);
}

/* remember_pages() where the hook may neither lock nor allocate. */
static void postpone_pages(struct mm_struct *mm, struct file *file, unsigned int first,
			   unsigned int end)
{
	preempt_disable(); /* as in the hook */
	locks_forbidden = true;
	remember_pages(mm, file, first, end);
	locks_forbidden = false;
	preempt_enable();
}

/* They are constant but for functions that differ between kernels. */
static void let_run(struct vm_area_struct *vma)
{
	*(vm_flags_t *)&vma->vm_flags = VM_EXEC;
}

/* Memory of @mm without a file, that code may run in. */
static void map_area(struct kunit *test, struct mm_struct *mm, unsigned int first,
		     unsigned int end)
{
	let_run(fake_mm_map(test, mm, PAGE(first), PAGE(end), NULL, 0));
}

static void expect_area(struct kunit *test, unsigned int page, u32 epoch, unsigned int first,
			unsigned int end)
{
	static struct oprofile_image named; /* large */
	struct op_unmapped_image image;

	KUNIT_ASSERT_TRUE(test, op_unmapped_find(the_mm, PAGE(page), epoch, &image));
	KUNIT_EXPECT_EQ(test, image.start, PAGE(first));
	KUNIT_EXPECT_EQ(test, image.end, PAGE(end));
	KUNIT_EXPECT_EQ(test, image.offset, PAGE(first));
	named.cookie = image.cookie;
	KUNIT_ASSERT_EQ(test, op_dcookie_image(&named), 0);
	KUNIT_EXPECT_EQ(test, named.flags, OPROFILE_IMAGE_ANON);
	KUNIT_EXPECT_EQ(test, named.inode, PAGE(first));
	KUNIT_EXPECT_EQ(test, named.device, PAGE(end));
}

/*
 * A process ends, as exit_mmap() does it: the mappings are in the tree until all have been told of.
 */
static void end_process(struct mm_struct *mm)
{
	VMA_ITERATOR(iterator, mm, 0);
	struct vm_area_struct *vma;

	atomic_set(&mm->mm_users, 0);
	op_unmapped_remember_end(mm);
	mmap_write_lock(mm);
	for_each_vma(iterator, vma) {
		if (vma->vm_file)
			op_unmapped_remember(vma, vma->vm_start, vma->vm_end);
		else if (vma->vm_flags & VM_EXEC)
			op_unmapped_remember_area(vma);
	}
	mmap_write_unlock(mm);
	atomic_set(&mm->mm_users, 1);
}

/*
 * Executable memory without a file is remembered by its addresses, and gets a cookie when asked
 * for.
 */
static void unmapped_areas(struct kunit *test)
{
	u32 epoch = op_epoch_now();
	struct op_unmapped_image image;

	map_area(test, the_mm, 0, 2);
	fake_mm_map(test, the_mm, PAGE(2), PAGE(3), NULL, 0); /* of data */
	let_run(fake_mm_map(test, the_mm, PAGE(3), PAGE(4), files[0], 0));
	map_area(test, the_mm, 5, 6);
	map_area(test, other_mm, 0, 8);
	end_process(the_mm);
	KUNIT_EXPECT_EQ(test, count_regions(), 3);
	expect_area(test, 1, epoch, 0, 2);
	expect_area(test, 5, epoch, 5, 6);
	KUNIT_EXPECT_TRUE(test, op_unmapped_find(the_mm, PAGE(3), epoch, &image));
	KUNIT_EXPECT_EQ(test, image.cookie, op_dcookie_get(files[0], 0));
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, PAGE(2), epoch, &image));
	KUNIT_EXPECT_TRUE(test, image.gone);
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, PAGE(0), op_epoch_now(), &image));
	KUNIT_EXPECT_FALSE(test, image.gone);
	KUNIT_EXPECT_EQ(test, op_unmapped_find_program(the_mm, epoch),
			op_dcookie_get(files[2], 0));
	KUNIT_EXPECT_EQ(test, op_unmapped_lost(), 0);
}

/* An area that a living process unmaps is remembered, and no other one. */
static void unmapped_area_of_the_living(struct kunit *test)
{
	u32 epoch = op_epoch_now();
	struct op_unmapped_image image;

	map_area(test, the_mm, 0, 2);
	map_area(test, the_mm, 3, 4);
	map_area(test, other_mm, 0, 8);
	mmap_write_lock(the_mm);
	op_unmapped_remember_area(find_vma(the_mm, PAGE(0)));
	mmap_write_unlock(the_mm);
	KUNIT_EXPECT_EQ(test, count_regions(), 1);
	expect_area(test, 1, epoch, 0, 2);
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, PAGE(3), epoch, &image));
	KUNIT_EXPECT_FALSE(test, image.gone);
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, PAGE(1), epoch + 1, &image));
}

/* The same where the hook may neither lock nor allocate. */
static void unmapped_areas_postponed(struct kunit *test)
{
	u32 epoch = op_epoch_now();

	map_area(test, the_mm, 0, 2);
	mmap_write_lock(the_mm);
	preempt_disable();
	locks_forbidden = true;
	op_unmapped_remember_area(find_vma(the_mm, PAGE(0)));
	locks_forbidden = false;
	KUNIT_EXPECT_EQ(test, count_regions(), 0);
	preempt_enable();
	mmap_write_unlock(the_mm);
	expect_area(test, 1, epoch, 0, 2);
}

/*
 * Processes come and go, and each has the memory of the one before for its mm_struct, its program
 * at the same addresses, and no time between: each sample is of its own.
 */
static void unmapped_successors(struct kunit *test)
{
	struct file *exe = rcu_dereference_protected(the_mm->exe_file, true);
	struct op_unmapped_image image;
	u32 epochs[6];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(epochs); i++) {
		struct vm_area_struct *vma = fake_mm_map(test, the_mm, PAGE(0), PAGE(1),
							 files[i % 3], i);

		let_run(vma);
		rcu_assign_pointer(the_mm->exe_file, files[i % 3]);
		epochs[i] = op_epoch_now();
		end_process(the_mm);
		fake_mm_unmap(vma);
	}
	rcu_assign_pointer(the_mm->exe_file, exe);
	for (i = 0; i < ARRAY_SIZE(epochs); i++) {
		KUNIT_ASSERT_TRUE(test, op_unmapped_find(the_mm, PAGE(0), epochs[i], &image));
		KUNIT_EXPECT_EQ(test, image.cookie, op_dcookie_get(files[i % 3], 0));
		KUNIT_EXPECT_EQ(test, image.offset, i * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, op_unmapped_find_program(the_mm, epochs[i]),
				op_dcookie_get(files[i % 3], 0));
	}
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, PAGE(0), op_epoch_now(), &image));
	KUNIT_EXPECT_EQ(test, op_unmapped_lost(), 0);
}

/* A large one takes long to end: it is kept until its mappings have gone, for its own samples. */
static void unmapped_dying(struct kunit *test)
{
	struct vm_area_struct *vma = fake_mm_map(test, the_mm, PAGE(0), PAGE(1), files[0], 0);
	u32 epoch = op_epoch_now();

	rss_pages = OP_DYING_PAGES;
	atomic_set(&the_mm->mm_users, 0);
	op_unmapped_remember_end(the_mm);
	op_spaces_let_die();
	KUNIT_EXPECT_EQ(test, atomic_read(&the_mm->mm_count), 2);
	KUNIT_EXPECT_PTR_EQ(test, op_unmapped_grab_dying(the_mm, epoch), the_mm);
	mmdrop(the_mm);
	KUNIT_EXPECT_NULL(test, op_unmapped_grab_dying(the_mm, op_epoch_now()));

	fake_mm_unmap(vma);
	op_spaces_let_die();
	KUNIT_EXPECT_EQ(test, atomic_read(&the_mm->mm_count), 1);
	KUNIT_EXPECT_NULL(test, op_unmapped_grab_dying(the_mm, epoch));
	KUNIT_EXPECT_EQ(test, op_dying_shares.total, 0);

	/* A small one is not kept; one that nobody lets die goes with the buffer. */
	rss_pages = 0;
	op_unmapped_remember_end(the_mm);
	KUNIT_EXPECT_EQ(test, atomic_read(&the_mm->mm_count), 1);
	rss_pages = OP_DYING_PAGES;
	op_unmapped_remember_end(the_mm);
	KUNIT_EXPECT_EQ(test, atomic_read(&the_mm->mm_count), 2);
	op_unmapped_tear_down();
	KUNIT_EXPECT_EQ(test, atomic_read(&the_mm->mm_count), 1);
	KUNIT_ASSERT_EQ(test, op_unmapped_set_up(), 0);
	atomic_set(&the_mm->mm_users, 1);
	rss_pages = 0;
}

/*
 * The end of a process was not written down, for want of memory: the next one has its own program.
 */
static void unmapped_end_lost(struct kunit *test)
{
	struct file *exe = rcu_dereference_protected(the_mm->exe_file, true);
	u32 epoch = op_epoch_now(), next;

	remember_pages(the_mm, files[0], 0, 1);
	op_epoch_advance();
	next = op_epoch_now();
	rcu_assign_pointer(the_mm->exe_file, files[1]);
	remember_pages(the_mm, files[1], 0, 1);
	rcu_assign_pointer(the_mm->exe_file, exe);
	KUNIT_EXPECT_EQ(test, op_unmapped_find_program(the_mm, epoch),
			op_dcookie_get(files[2], 0));
	KUNIT_EXPECT_EQ(test, op_unmapped_find_program(the_mm, next),
			op_dcookie_get(files[1], 0));
}

/* With many regions, each page has what it had, and how far that holds is never too far. */
static void unmapped_many(struct kunit *test)
{
	const unsigned int most = 200, size = 3; /* of which one page is left out */
	struct op_unmapped_image image;
	u32 epoch = op_epoch_now();
	unsigned int i;

	for (i = 0; i < most; i++)
		remember_pages(the_mm, files[i % 2], size * i, size * i + 2);
	for (i = 0; i < most * size; i++) {
		bool found = op_unmapped_find(the_mm, PAGE(i), epoch, &image);

		KUNIT_EXPECT_EQ(test, found, i % size < 2);
		KUNIT_EXPECT_LE(test, image.start, PAGE(i));
		KUNIT_EXPECT_GE(test, image.end, PAGE(i + 1));
		KUNIT_EXPECT_GE(test, image.start, i / size ? PAGE(i / size * size) : 0);
		if (found)
			KUNIT_EXPECT_EQ(test, image.cookie,
					op_dcookie_get(files[i / size % 2], 0));
		if (i + 1 < most * size)
			KUNIT_EXPECT_LE(test, image.end, PAGE(i / size * size + size));
	}
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, ULONG_MAX, epoch, &image));
	KUNIT_EXPECT_FALSE(test, op_unmapped_find(the_mm, 0, epoch, &image));
}

/* What was postponed is found, and whose program it was, even if the process has exited. */
static void unmapped_postponed(struct kunit *test)
{
	u32 epoch = op_epoch_now();
	struct file *exe = rcu_dereference_protected(the_mm->exe_file, true);
	char picture[9];

	preempt_disable(); /* so that no worker comes first */
	postpone_pages(the_mm, files[0], 0, 3);
	op_epoch_advance();
	postpone_pages(the_mm, files[1], 1, 5);
	KUNIT_EXPECT_EQ(test, count_regions(), 0);
	preempt_enable();
	RCU_INIT_POINTER(the_mm->exe_file, NULL);
	KUNIT_EXPECT_EQ(test, op_unmapped_find_program(the_mm, epoch), op_dcookie_get(files[2], 0));
	rcu_assign_pointer(the_mm->exe_file, exe);

	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch, picture), "aaabb...");
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch + 1, picture), ".bbbb...");
	KUNIT_EXPECT_EQ(test, count_regions(), 2);
	KUNIT_EXPECT_EQ(test, op_unmapped_lost(), 0);
}

/* Without a sync, a worker takes it over, and lets go of the file. */
static void unmapped_postponed_worker(struct kunit *test)
{
	unsigned int left;

	postpone_pages(the_mm, files[0], 0, 3);
	for (left = 1000; left && count_regions() != 1; left--)
		msleep(20);
	KUNIT_EXPECT_EQ(test, count_regions(), 1);
}

/* There is room for so many that each process has some; what is too much is counted. */
static void unmapped_postponed_limits(struct kunit *test)
{
	const unsigned int most = 10000;
	unsigned int i, room;

	preempt_disable();
	for (i = 0; i < most; i++)
		postpone_pages(the_mm, files[0], 0, 1 + i % 8);
	preempt_enable();
	room = most - op_unmapped_lost();
	KUNIT_EXPECT_GE(test, room, 64);
	KUNIT_EXPECT_LE(test, room, 512);

	/* What was taken over makes room. */
	op_unmapped_drained(op_epoch_now());
	KUNIT_EXPECT_EQ(test, count_regions(), 8);
	postpone_pages(the_mm, files[1], 0, 1);
	KUNIT_EXPECT_EQ(test, op_unmapped_lost(), most - room);
}

/* Address spaces without samples are not worth memory. */
static void unmapped_not_sampled(struct kunit *test)
{
	struct mm_struct *unsampled = fake_mm(test, NULL);

	/* Unless its mark is that of another. */
	if (!op_was_sampled(unsampled)) {
		remember_pages(unsampled, files[0], 0, 1);
		KUNIT_EXPECT_EQ(test, count_regions(), 0);
	}
	mark(unsampled);
	remember_pages(unsampled, files[0], 0, 1);
	KUNIT_EXPECT_EQ(test, count_regions(), 1);
	op_unmapped_tear_down();
	KUNIT_ASSERT_EQ(test, op_unmapped_set_up(), 0);
	fake_mm_end(test, unsampled);
}

/*
 * madvise(MADV_DONTNEED), and a library that is loaded again and again, are one region; with
 * another one in between they are not.
 */
static void unmapped_repeated(struct kunit *test)
{
	u32 epoch = op_epoch_now();
	char picture[9];
	int i;

	for (i = 0; i < 100; i++) {
		remember_pages(the_mm, files[0], 0, 4);
		op_epoch_advance();
	}
	KUNIT_EXPECT_EQ(test, count_regions(), 1);
	remember_pages(the_mm, files[1], 0, 4);
	op_epoch_advance();
	remember_pages(the_mm, files[0], 0, 4);
	KUNIT_EXPECT_EQ(test, count_regions(), 3);
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch + 99, picture), "aaaa....");
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch + 100, picture), "bbbb....");
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch + 101, picture), "aaaa....");
	remember_pages(the_mm, files[0], 0, 3);
	remember_pages(other_mm, files[0], 0, 4);
	KUNIT_EXPECT_EQ(test, count_regions(), 5);
	KUNIT_EXPECT_EQ(test, op_unmapped_lost(), 0);
}

static void unmapped_limits(struct kunit *test)
{
	no_memory = true;
	remember_pages(the_mm, files[0], 0, 1);
	no_memory = false;
	KUNIT_EXPECT_EQ(test, op_unmapped_lost(), 1);

	/* As many as there may be of one address space, and then of all. */
	op_regions_max = 3 * SHARE;
	remember_pages(the_mm, files[0], 0, 1);
	remember_pages(the_mm, files[0], 1, 2);
	remember_pages(the_mm, files[0], 2, 3);
	KUNIT_EXPECT_EQ(test, op_unmapped_lost(), 1);
	remember_pages(the_mm, files[0], 3, 4);
	KUNIT_EXPECT_EQ(test, op_unmapped_lost(), 2);
	remember_pages(other_mm, files[0], 3, 4);
	KUNIT_EXPECT_EQ(test, op_unmapped_lost(), 2);
	KUNIT_EXPECT_EQ(test, count_regions(), 4);
	KUNIT_EXPECT_EQ(test, op_region_shares.total, 6); /* and two spaces */
	op_regions_max = 12;
	remember_pages(other_mm, files[0], 4, 5);
	KUNIT_EXPECT_EQ(test, op_unmapped_lost(), 3);
	op_unmapped_tear_down();
	KUNIT_ASSERT_EQ(test, op_unmapped_set_up(), 0);
	KUNIT_EXPECT_EQ(test, op_region_shares.total, 0);

	/* One that has no room for a region has none for itself. */
	op_regions_max = 2;
	mark(the_mm);
	remember_pages(the_mm, files[0], 0, 1);
	KUNIT_EXPECT_EQ(test, op_unmapped_lost(), 4);
	KUNIT_EXPECT_EQ(test, op_region_shares.total, 0);
	op_regions_max = regions_max_default;

	op_unmapped_lost_reset();
	KUNIT_EXPECT_EQ(test, op_unmapped_lost(), 0);
}

static void unmapped_program(struct kunit *test)
{
	u32 epoch = op_epoch_now();

	KUNIT_EXPECT_EQ(test, op_unmapped_find_program(the_mm, epoch), OPROFILE_INVALID_COOKIE);
	remember_pages(the_mm, files[1], 0, 1);
	remember_pages(other_mm, files[1], 0, 1);
	KUNIT_EXPECT_EQ(test, op_unmapped_find_program(the_mm, epoch), op_dcookie_get(files[2], 0));
	KUNIT_EXPECT_EQ(test, op_unmapped_find_program(other_mm, epoch),
			OPROFILE_INVALID_COOKIE); /* it has none */
}

/* Drains until the period that goes on has ended, as sync does every quarter of a second. */
static void end_period(void)
{
	unsigned int period = op_mark_period;

	synchronize_rcu();
	while (op_mark_period == period)
		op_unmapped_drained(op_epoch_now());
}

/* What a sample may ask for is kept: regions and marks go with the period after their own. */
static void unmapped_forgotten(struct kunit *test)
{
	char picture[9];
	u32 epoch;

	end_period(); /* begin with a new one */
	mark(the_mm);
	epoch = op_epoch_now();
	remember_pages(the_mm, files[0], 0, 2);
	op_epoch_advance();
	remember_pages(the_mm, files[1], 4, 6);

	end_period(); /* its epoch is that of both, or earlier */
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch, picture), "aa..bb..");
	KUNIT_EXPECT_TRUE(test, op_was_sampled(the_mm));
	end_period();
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch, picture), "........");
	KUNIT_EXPECT_FALSE(test, op_was_sampled(the_mm));
	KUNIT_EXPECT_EQ(test, count_regions(), 0);
}

/* Samples of an epoch that are still to be resolved keep what they may ask for. */
static void unmapped_kept(struct kunit *test)
{
	char picture[9];
	unsigned int i;
	u32 epoch;

	end_period();
	mark(the_mm);
	epoch = op_epoch_now();
	remember_pages(the_mm, files[0], 0, 2);
	op_epoch_advance();
	for (i = 0; i < 8; i++) {
		synchronize_rcu();
		op_unmapped_drained(epoch);
	}
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch, picture), "aa......");
	end_period();
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, epoch, picture), "........");
}

/*
 * A child maps b over the a that it inherited, runs it, unmaps it, sleeps until its mark has gone,
 * and exits.  If its mm_struct is the next child's, which runs a, then that finds no b.
 */
static void unmapped_reused(struct kunit *test)
{
	char picture[9];
	u32 epoch;

	end_period();
	mark(the_mm);
	epoch = op_epoch_now();
	remember_pages(the_mm, files[1], 0, 2);
	while (op_was_sampled(the_mm)) {
		synchronize_rcu();
		op_unmapped_drained(epoch - 1); /* so that the region stays as long as it can */
	}
	end_process(the_mm);
	KUNIT_EXPECT_EQ(test, atomic_read(&the_mm->mm_count), 1);
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, op_epoch_now(), picture), "........");
}

/* Regions go after a while, even where nothing is mapped ever again; so do processes that ended. */
static void unmapped_ages(struct kunit *test)
{
	unsigned int i;

	remember_pages(the_mm, files[0], 0, 2);
	end_process(other_mm);
	KUNIT_EXPECT_EQ(test, count_regions(), 1);
	KUNIT_EXPECT_EQ(test, op_region_shares.total, 3);
	KUNIT_EXPECT_EQ(test, atomic_read(&the_mm->mm_count), 1);
	for (i = 0; i < 4; i++)
		end_period();
	KUNIT_EXPECT_EQ(test, count_regions(), 0);
	KUNIT_EXPECT_EQ(test, op_region_shares.total, 0);
}

/* A period does not end before all samples are published that may ask. */
static void unmapped_grace(struct kunit *test)
{
	unsigned int period, i;

	end_period();
	period = op_mark_period;
	rcu_read_lock();
	for (i = 0; i < 100; i++)
		op_unmapped_drained(op_epoch_now());
	KUNIT_EXPECT_EQ(test, op_mark_period, period);
	rcu_read_unlock();
}

static void unmapped_memory(struct kunit *test)
{
	op_unmapped_tear_down();
	no_memory = true;
	KUNIT_EXPECT_EQ(test, op_unmapped_set_up(), -ENOMEM);
	no_memory = false;
	KUNIT_ASSERT_EQ(test, op_unmapped_set_up(), 0);
}

/* Marks and regions do not outlive the buffer. */
static void unmapped_torn_down(struct kunit *test)
{
	char picture[9];

	remember_pages(the_mm, files[0], 0, 2);
	op_unmapped_tear_down();
	KUNIT_ASSERT_EQ(test, op_unmapped_set_up(), 0);
	KUNIT_EXPECT_EQ(test, count_regions(), 0);
	KUNIT_EXPECT_FALSE(test, op_was_sampled(the_mm));
	KUNIT_EXPECT_STREQ(test, find_all(the_mm, 0, picture), "........");

	/* Not even what was postponed. */
	mark(the_mm);
	postpone_pages(the_mm, files[0], 0, 2);
	op_unmapped_tear_down();
	KUNIT_ASSERT_EQ(test, op_unmapped_set_up(), 0);
	KUNIT_EXPECT_EQ(test, count_regions(), 0);
}

static int unmapped_init(struct kunit *test)
{
	static const char *const names[] = { "oprofile_a", "oprofile_b", "oprofile_c" };
	unsigned int i;

	KUNIT_ASSERT_EQ(test, op_dcookies_set_up(), 0);
	KUNIT_ASSERT_EQ(test, op_unmapped_set_up(), 0);
	for (i = 0; i < ARRAY_SIZE(files); i++)
		files[i] = scratch_file(test, names[i], "", 0);
	the_mm = fake_mm(test, files[2]);
	other_mm = fake_mm(test, NULL);
	mark(the_mm);
	mark(other_mm);
	op_unmapped_lost_reset();
	return 0;
}

static void unmapped_exit(struct kunit *test)
{
	unsigned int i;

	no_memory = false;
	op_unmapped_tear_down();
	op_unmapped_lost_reset();
	op_dcookies_tear_down();
	fake_mm_end(test, the_mm);
	fake_mm_end(test, other_mm);
	for (i = 0; i < ARRAY_SIZE(files); i++)
		scratch_file_end(test, files[i]);
}

TEST_SUITE(oprofile_unmapped, unmapped_init, unmapped_exit,
	   KUNIT_CASE(unmapped_found),
	   KUNIT_CASE(unmapped_epochs),
	   KUNIT_CASE(unmapped_epochs_wrap),
	   KUNIT_CASE(unmapped_gaps),
	   KUNIT_CASE(unmapped_grown),
	   KUNIT_CASE(unmapped_areas),
	   KUNIT_CASE(unmapped_area_of_the_living),
	   KUNIT_CASE(unmapped_areas_postponed),
	   KUNIT_CASE(unmapped_successors),
	   KUNIT_CASE(unmapped_dying),
	   KUNIT_CASE(unmapped_end_lost),
	   KUNIT_CASE(unmapped_many),
	   KUNIT_CASE(unmapped_postponed),
	   KUNIT_CASE(unmapped_postponed_worker),
	   KUNIT_CASE(unmapped_postponed_limits),
	   KUNIT_CASE(unmapped_not_sampled),
	   KUNIT_CASE(unmapped_repeated),
	   KUNIT_CASE(unmapped_limits),
	   KUNIT_CASE(unmapped_program),
	   KUNIT_CASE(unmapped_reused),
	   KUNIT_CASE(unmapped_ages),
	   KUNIT_CASE(unmapped_forgotten),
	   KUNIT_CASE(unmapped_kept),
	   KUNIT_CASE(unmapped_grace),
	   KUNIT_CASE(unmapped_memory),
	   KUNIT_CASE(unmapped_torn_down));
