/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sync: from the buffers of the CPUs to the event buffer (resolve.h), now and then.
 *
 * Runs every quarter of a second while there are samples, and ever less often, down to every two
 * seconds, while there are none; when a CPU's buffer is half full, for a dump, and when sampling
 * stops.  What the event buffer has no room for stays in the buffers of the CPUs.
 */
#ifndef OPROFILE_SYNC_H
#define OPROFILE_SYNC_H

/* Sync every CPU now.  Context: process, may sleep; takes op_sync_mutex. */
void op_sync_all(void);

/*
 * The same, then let the reader read.  Samples that had to be set aside have a tenth of a second;
 * then they are lost, so that everything is accounted for.
 */
void op_sync_and_make_ready(void);

/* A kernel module was loaded: the next sync tells the daemon.  Context: process; never waits. */
void op_sync_module_loaded(void);

/*
 * After the reader has emptied the event buffer: takes up what found no room.  Context: process,
 * may sleep; while the buffer is open, sampling or not.
 */
void op_sync_resume(void);

int op_sync_set_up(void);	/* Context: process.  Return: 0 or -ENOMEM. */
void op_sync_start_work(void);	/* the quarters of a second begin */
void op_sync_stop_work(void);	/* no work, no kick is under way any more; no producer may run */
void op_sync_tear_down(void);	/* lets go of the address spaces */

#endif
