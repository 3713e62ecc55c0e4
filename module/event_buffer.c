// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event buffer.
 */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "event_buffer.h"

#define READY_AGE HZ /* words wait no longer for a reader to be woken */

DECLARE_WAIT_QUEUE_HEAD(op_event_buffer_wait);

static u64 *words;
static unsigned long nr_words;
static unsigned long max_words;
static unsigned long ready_words;  /* the watershed, counted from the start */
static unsigned long first_jiffies; /* when the oldest word was added */
static bool ready;

int op_event_buffer_set_up(unsigned long size, unsigned long watershed)
{
	if (watershed >= size)
		return -EINVAL;
	words = vmalloc(array_size(size, sizeof(*words)));
	if (!words)
		return -ENOMEM;
	nr_words = 0;
	max_words = size;
	ready_words = size - watershed;
	WRITE_ONCE(ready, false);
	return 0;
}

void op_event_buffer_tear_down(void)
{
	vfree(words);
	words = NULL;
}

unsigned long op_event_buffer_size(void)
{
	return max_words;
}

unsigned long op_event_buffer_free(void)
{
	return max_words - nr_words;
}

void op_event_buffer_add(u64 word)
{
	if (!nr_words)
		first_jiffies = jiffies;
	words[nr_words++] = word;
	if (nr_words == ready_words)
		op_event_buffer_make_ready();
}

void op_event_buffer_make_ready(void)
{
	WRITE_ONCE(ready, true);
	wake_up_all(&op_event_buffer_wait);
}

bool op_event_buffer_ready(void)
{
	return READ_ONCE(ready);
}

void op_event_buffer_check_ready(void)
{
	if (nr_words && !ready && time_after_eq(jiffies, first_jiffies + READY_AGE))
		op_event_buffer_make_ready();
}

ssize_t op_event_buffer_read(void __user *to)
{
	size_t size = nr_words * sizeof(*words);

	if (copy_to_user(to, words, size))
		return -EFAULT;
	nr_words = 0;
	WRITE_ONCE(ready, false);
	return size;
}
