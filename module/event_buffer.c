// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event buffer.
 */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "event_buffer.h"

#define READY_AGE HZ /* words wait no longer for a reader to be woken */

DEFINE_MUTEX(op_sync_mutex); /* see event_buffer.h */
DECLARE_WAIT_QUEUE_HEAD(op_event_buffer_wait);

struct op_event_buffer op_event_buffer;

static unsigned long ready_words;   /* the watershed, counted from the start */
static unsigned long first_jiffies; /* when the oldest word was seen */
static bool waiting;		    /* there is an oldest word */
static bool ready;
static unsigned long last_read; /* jiffies of the read that will settle next */
static unsigned long settled;

int op_event_buffer_set_up(unsigned long size, unsigned long watershed)
{
	if (watershed >= size)
		return -EINVAL;
	/* Must leave memory for others, and must not invoke the OOM killer. */
	if (size / (PAGE_SIZE / sizeof(u64)) > si_mem_available() / 2)
		return -ENOMEM;
	op_event_buffer.words = __vmalloc(array_size(size, sizeof(u64)),
					  GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!op_event_buffer.words)
		return -ENOMEM;
	op_event_buffer.nr_words = 0;
	op_event_buffer.max_words = size;
	waiting = false;
	last_read = jiffies;
	WRITE_ONCE(settled, last_read);
	ready_words = size - watershed;
	WRITE_ONCE(ready, false);
	return 0;
}

void op_event_buffer_tear_down(void)
{
	vfree(op_event_buffer.words);
	op_event_buffer.words = NULL;
}

void op_event_buffer_make_ready(void)
{
	WRITE_ONCE(ready, true); /* make_ready:A */
	wake_up_all(&op_event_buffer_wait);
}

bool op_event_buffer_ready(void)
{
	return READ_ONCE(ready); /* ready:A - a hint: the words are read under op_sync_mutex */
}

void op_event_buffer_check_ready(void)
{
	if (ready || !op_event_buffer.nr_words)
		return;
	if (!waiting) {
		waiting = true;
		first_jiffies = jiffies;
	}
	if (op_event_buffer.nr_words >= ready_words ||
	    time_after_eq(jiffies, first_jiffies + READY_AGE))
		op_event_buffer_make_ready();
}

/* A read is settled when a later one finds that it is old enough. */
static void note_read(void)
{
	if (!time_after_eq(jiffies, last_read + OP_SETTLE_TIME))
		return;
	WRITE_ONCE(settled, last_read);
	last_read = jiffies;
}

ssize_t op_event_buffer_read(void __user *to)
{
	size_t size = op_event_buffer.nr_words * sizeof(u64);

	unsigned long left;

	pagefault_disable();
	left = copy_to_user(to, op_event_buffer.words, size);
	pagefault_enable();
	if (left)
		return -EFAULT;
	op_event_buffer.nr_words = 0;
	waiting = false;
	WRITE_ONCE(ready, false);
	note_read();
	return size;
}

unsigned long op_event_buffer_settled(void)
{
	return READ_ONCE(settled);
}
