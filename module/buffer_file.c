// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file `buffer`.
 *
 *	open	EPERM without CAP_PERFMON or CAP_SYS_ADMIN; EBUSY if it is open already;
 *		else sets the profiler up: EINVAL if buffer_watershed >= buffer_size, ENOMEM
 *	read	exactly buffer_size words at offset 0, else EINVAL; waits until the buffer is
 *		ready, then returns what is there, perhaps nothing, and empties it; EAGAIN
 *		instead of waiting with O_NONBLOCK; EINTR
 *	poll	readable when the buffer is ready
 *	ioctl	OPROFILE_IOC_IMAGE, OPROFILE_IOC_UNWIND, OPROFILE_IOC_UNWIND_WANTED
 *	close	stops profiling, forgets the cookies
 */
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "buffer_file.h"
#include "core.h"
#include "images/dcookie.h"
#include "event_buffer.h"
#include "sync.h"
#include "unwind/table.h"
#include "uapi/oprofile.h"

static unsigned long opened;

static int buffer_open(struct inode *inode, struct file *file)
{
	int err;

	if (!perfmon_capable())
		return -EPERM;
	if (test_and_set_bit_lock(0, &opened)) /* buffer_open:A */
		return -EBUSY;
	err = oprofile_setup();
	if (err)
		clear_bit_unlock(0, &opened);
	return err;
}

static int buffer_release(struct inode *inode, struct file *file)
{
	oprofile_shutdown();
	clear_bit_unlock(0, &opened); /* buffer_release:A - pairs with buffer_open:A */
	return 0;
}

static ssize_t buffer_read(struct file *file, char __user *to, size_t count, loff_t *ppos)
{
	size_t size = op_event_buffer_size() * sizeof(u64);
	ssize_t nr;

	if (*ppos || count != size)
		return -EINVAL;

	if (!op_event_buffer_ready()) {
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(op_event_buffer_wait, op_event_buffer_ready()))
			return -EINTR;
	}

	do {
		if (mutex_lock_killable(&op_sync_mutex))
			return -EINTR;
		nr = op_event_buffer_read(to);
		mutex_unlock(&op_sync_mutex);
		/* A page was not there, and may be long in coming: not under the mutex. */
	} while (nr == -EFAULT && !fault_in_writeable(to, size));
	if (nr > 0)
		op_sync_resume();
	return nr;
}

static __poll_t buffer_poll(struct file *file, poll_table *wait)
{
	poll_wait(file, &op_event_buffer_wait, wait);
	return op_event_buffer_ready() ? EPOLLIN | EPOLLRDNORM : 0;
}

static long tell_image(void __user *user)
{
	struct oprofile_image *image;
	long err;

	image = kzalloc(sizeof(*image), GFP_KERNEL);
	if (!image)
		return -ENOMEM;
	err = -EFAULT;
	if (copy_from_user(&image->cookie, user, sizeof(image->cookie)))
		goto out;
	err = op_dcookie_image(image);
	if (!err && copy_to_user(user, image, sizeof(*image)))
		err = -EFAULT;
out:
	kfree(image);
	return err;
}

static long load_unwind(const void __user *user)
{
	struct oprofile_unwind unwind;

	if (copy_from_user(&unwind, user, sizeof(unwind)))
		return -EFAULT;
	return op_unwind_table_load(&unwind);
}

static long tell_wanted(void __user *user)
{
	struct oprofile_unwind_wanted wanted;

	op_unwind_table_wanted(&wanted);
	return copy_to_user(user, &wanted, sizeof(wanted)) ? -EFAULT : 0;
}

static long buffer_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	void __user *user = (void __user *)argument;

	switch (command) {
	case OPROFILE_IOC_IMAGE:
		return tell_image(user);
	case OPROFILE_IOC_UNWIND:
		return load_unwind(user);
	case OPROFILE_IOC_UNWIND_WANTED:
		return tell_wanted(user);
	default:
		return -ENOTTY;
	}
}

const struct file_operations op_buffer_fops = {
	.owner = THIS_MODULE,
	.open = buffer_open,
	.release = buffer_release,
	.read = buffer_read,
	.poll = buffer_poll,
	.unlocked_ioctl = buffer_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};
