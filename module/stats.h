/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directory stats/ of oprofilefs.
 *
 * received = read by the daemon + lost, where lost is the sum, over the CPUs, of
 * sample_lost_overflow, sample_lost_nested and sample_invalid_eip, and of stats/
 * sample_lost_no_mm, sample_lost_no_mapping, sample_lost_busy and sample_lost_no_room; exactly,
 * once a dump has emptied the buffers.
 */
#ifndef OPROFILE_STATS_H
#define OPROFILE_STATS_H

struct dentry;

/* Makes stats/ below @root.  Context: process, may sleep.  Return: 0 or a negative errno. */
int op_stats_create(struct dentry *root);

/* All to zero.  No producer may run. */
void op_stats_reset(void);

#endif
