// SPDX-License-Identifier: GPL-2.0-only
#include <linux/file.h>
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/rcupdate.h>

#include "fake_mm.h"

struct mm_struct *fake_mm(struct kunit *test, struct file *exe)
{
	struct mm_struct *mm = kunit_kzalloc(test, sizeof(*mm), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mm);
	mt_init_flags(&mm->mm_mt, MM_MT_FLAGS);
	init_rwsem(&mm->mmap_lock);
	mt_set_external_lock(&mm->mm_mt, &mm->mmap_lock);
	atomic_set(&mm->mm_count, 1);
	atomic_set(&mm->mm_users, 1);
	if (exe)
		rcu_assign_pointer(mm->exe_file, get_file(exe));
	return mm;
}

void fake_mm_end(struct kunit *test, struct mm_struct *mm)
{
	struct file *exe = rcu_dereference_protected(mm->exe_file, true);

	KUNIT_EXPECT_EQ(test, atomic_read(&mm->mm_count), 1);
	KUNIT_EXPECT_FALSE(test, rwsem_is_locked(&mm->mmap_lock));
	RCU_INIT_POINTER(mm->exe_file, NULL);
	if (exe)
		fput(exe);
	mmap_write_lock(mm);
	__mt_destroy(&mm->mm_mt);
	mmap_write_unlock(mm);
}

int fake_mm_store(struct mm_struct *mm, unsigned long start, unsigned long end, void *entry)
{
	MA_STATE(mas, &mm->mm_mt, start, end - 1);
	bool locked = down_write_trylock(&mm->mmap_lock); /* otherwise the test holds it */
	int err = mas_store_gfp(&mas, entry, GFP_KERNEL);

	if (locked)
		up_write(&mm->mmap_lock);
	return err;
}

struct vm_area_struct *fake_mm_map(struct kunit *test, struct mm_struct *mm, unsigned long start,
				   unsigned long end, struct file *file, unsigned long pgoff)
{
	struct vm_area_struct *vma = kunit_kzalloc(test, sizeof(*vma), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, vma);
	vma->vm_mm = mm;
	vma->vm_start = start;
	vma->vm_end = end;
	vma->vm_file = file;
	vma->vm_pgoff = pgoff;
	KUNIT_ASSERT_EQ(test, 0, fake_mm_store(mm, start, end, vma));
	return vma;
}

void fake_mm_unmap(struct vm_area_struct *vma)
{
	MA_STATE(mas, &vma->vm_mm->mm_mt, vma->vm_start, vma->vm_start);
	bool locked = down_write_trylock(&vma->vm_mm->mmap_lock);

	mas_erase(&mas);
	if (locked)
		up_write(&vma->vm_mm->mmap_lock);
}
