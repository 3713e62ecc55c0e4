/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event buffer: words for the daemon, in the format of uapi/oprofile.h.
 *
 * All functions but the wait queue's are called with op_sync_mutex held.
 */
#ifndef OPROFILE_EVENT_BUFFER_H
#define OPROFILE_EVENT_BUFFER_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

#define OP_BUFFER_SIZE_DEFAULT 131072 /* words */
#define OP_BUFFER_SIZE_MIN 1024
#define OP_BUFFER_SIZE_MAX (1UL << 27)
#define OP_BUFFER_WATERSHED_DEFAULT 32768 /* words */

#define OP_SETTLE_TIME (30 * HZ) /* in which the reader asks for the cookies that it has read */

/*
 * Owns this buffer, the consumer's side of the CPU buffers, and what sync keeps from one time to
 * the next.
 */
extern struct mutex op_sync_mutex;

/* Waited on by the reader; woken when the buffer is made ready. */
extern wait_queue_head_t op_event_buffer_wait;

/**
 * op_event_buffer_set_up - allocate
 * @size: words
 * @watershed: the reader is woken when no more than so many words are free
 *
 * Context: process, may sleep.  Return: 0; -EINVAL if @watershed >= @size; -ENOMEM.
 */
int op_event_buffer_set_up(unsigned long size, unsigned long watershed);
void op_event_buffer_tear_down(void);

/**
 * struct op_event_buffer - only for the functions in this header
 * @nr_words: that wait for the reader
 */
struct op_event_buffer {
	u64 *words;
	unsigned long nr_words;
	unsigned long max_words;
};

extern struct op_event_buffer op_event_buffer;

/* Words that can still be added; never more than op_event_buffer_size(). */
static inline unsigned long op_event_buffer_free(void)
{
	return op_event_buffer.max_words - op_event_buffer.nr_words;
}

static inline unsigned long op_event_buffer_size(void)
{
	return op_event_buffer.max_words;
}

/* Where the next words go, for which there must be room. */
static inline u64 *op_event_buffer_begin(void)
{
	return op_event_buffer.words + op_event_buffer.nr_words;
}

/* Words have been put there, up to @end.  Then comes op_event_buffer_check_ready(). */
static inline void op_event_buffer_end(const u64 *end)
{
	op_event_buffer.nr_words = end - op_event_buffer.words;
}

/* The reader may read now, be it full enough or not. */
void op_event_buffer_make_ready(void);

/* May the reader read?  Any context, no lock. */
bool op_event_buffer_ready(void);

/* Makes it ready if it is full to the watershed, or has held words for a second. */
void op_event_buffer_check_ready(void);

/*
 * Jiffies before which whatever was written has been read, OP_SETTLE_TIME ago or longer.  Any
 * context, no lock.
 */
unsigned long op_event_buffer_settled(void);

/**
 * op_event_buffer_read - copy all words to user space, and empty the buffer
 * @to: room for op_event_buffer_size() words
 *
 * Does not wait for pages: -EFAULT if one has to be fetched, too.  Context: process.
 * Return: bytes, 0 if it is empty; -EFAULT, then nothing is lost.
 */
ssize_t op_event_buffer_read(void __user *to);

#endif
