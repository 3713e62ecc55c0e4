/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event buffer: words for the daemon, in the format of uapi/oprofile.h.
 *
 * All functions but the wait queue's are called with op_sync_mutex held (sync.h).
 */
#ifndef OPROFILE_EVENT_BUFFER_H
#define OPROFILE_EVENT_BUFFER_H

#include <linux/types.h>
#include <linux/wait.h>

#define OP_BUFFER_SIZE_DEFAULT 131072 /* words */
#define OP_BUFFER_SIZE_MIN 1024
#define OP_BUFFER_SIZE_MAX (1UL << 27)
#define OP_BUFFER_WATERSHED_DEFAULT 32768 /* words */

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

/* Words that can still be added; never more than op_event_buffer_size(). */
unsigned long op_event_buffer_free(void);
unsigned long op_event_buffer_size(void);

/* Adds a word, for which there must be room. */
void op_event_buffer_add(u64 word);

/* The reader may read now, be it full enough or not. */
void op_event_buffer_make_ready(void);

/* May the reader read?  Any context, no lock. */
bool op_event_buffer_ready(void);

/* Makes it ready if it is full to the watershed, or has held words for a second. */
void op_event_buffer_check_ready(void);

/**
 * op_event_buffer_read - copy all words to user space, and empty the buffer
 * @to: room for op_event_buffer_size() words
 *
 * Context: process, may sleep.  Return: bytes, 0 if it is empty; -EFAULT, then nothing is
 * lost.
 */
ssize_t op_event_buffer_read(void __user *to);

#endif
