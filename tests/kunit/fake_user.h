/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Seams for code that copies from and to its caller's memory.  KUnit's threads have no user
 * memory, so here it is kernel memory of the test, and FAKE_USER_FAULT, which cannot be read or
 * written.  Included after all headers of the kernel, before the code.
 */
#ifndef OPROFILE_KUNIT_FAKE_USER_H
#define OPROFILE_KUNIT_FAKE_USER_H

#include <linux/fs.h>
#include <linux/string.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#define FAKE_USER_FAULT ((char __user *)16)

static const void *fake_user_read_only; /* writing to this address fails; NULL: none */

static inline char __user *fake_user(const void *memory)
{
	return (char __force __user *)memory;
}

static inline unsigned long fake_copy_from_user(void *to, const void __user *from,
						unsigned long size)
{
	if (from == FAKE_USER_FAULT)
		return size;
	memcpy(to, (const void __force *)from, size);
	return 0;
}

static inline unsigned long fake_copy_to_user(void __user *to, const void *from,
					      unsigned long size)
{
	if (to == FAKE_USER_FAULT || (fake_user_read_only && to == fake_user(fake_user_read_only)))
		return size;
	memcpy((void __force *)to, from, size);
	return 0;
}

static inline size_t fake_fault_in_writeable(char __user *to, size_t size)
{
	bool fault = to == FAKE_USER_FAULT ||
		     (fake_user_read_only && to == fake_user(fake_user_read_only));

	return fault ? size : 0;
}

static inline ssize_t fake_read_from_buffer(void __user *to, size_t count, loff_t *position,
					    const void *from, size_t available)
{
	if (to == FAKE_USER_FAULT)
		return -EFAULT;
	return memory_read_from_buffer((void __force *)to, count, position, from, available);
}

#define copy_from_user fake_copy_from_user
#define copy_to_user fake_copy_to_user
#define fault_in_writeable fake_fault_in_writeable
#define simple_read_from_buffer fake_read_from_buffer

#endif
