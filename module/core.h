/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state machine:
 *
 *	closed --setup--> set up --start--> started --stop--> set up --shutdown--> closed
 *
 * setup happens when the buffer is opened and shutdown when it is closed; start and stop when
 * `enable` is written.  One mutex.  All functions: process context, may sleep, but do not wait for
 * anything that a profiled process could hold up.  Those that return a number return -EINTR if a
 * fatal signal comes before the mutex.
 */
#ifndef OPROFILE_CORE_H
#define OPROFILE_CORE_H

#include <linux/types.h>

/* What the settings entries hold; constant between setup and shutdown is what was copied. */
struct oprofile_settings {
	unsigned long buffer_size;
	unsigned long buffer_watershed;
	unsigned long cpu_buffer_size;
	unsigned long backtrace_depth;
};

extern struct oprofile_settings oprofile_settings;

/*
 * Closed -> set up.  Return: 0; -EINVAL for settings that contradict each other; -ENOMEM;
 * what the backend or a hook says.
 */
int oprofile_setup(void);

/* Any state -> closed. */
void oprofile_shutdown(void);

/*
 * Set up -> started; statistics begin at zero.  Return: 0, also if it was started already;
 * -EINVAL if not set up; what the backend says.
 */
int oprofile_start(void);

/* Started -> set up; syncs, then lets the reader read.  Return: 0, in any state; -EINTR. */
int oprofile_stop(void);

/*
 * Stop for a while, and go on with the same statistics, unless it was stopped by another process in
 * between.  A start in between takes effect when that is over.
 */
void oprofile_pause(void);
void oprofile_resume(void);

/*
 * If started, begin anew with the same statistics, since the backend cannot go on; what stands in
 * for it may.  Return: false if it is just being started or stopped: try again later.
 */
bool oprofile_restart(void);

/* Syncs, then lets the reader read; nothing happens when closed.  Return: 0; -EINTR. */
int oprofile_dump(void);

bool oprofile_started(void);

/* Changes a setting.  Return: 0; -EBUSY while started. */
int oprofile_set(unsigned long *setting, unsigned long value);

#endif
