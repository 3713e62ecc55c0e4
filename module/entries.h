/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What stands in /dev/oprofile.
 */
#ifndef OPROFILE_ENTRIES_H
#define OPROFILE_ENTRIES_H

struct dentry;

/* Makes all entries below @root.  Context: process, may sleep.  Return: 0 or an errno. */
int oprofile_create_entries(struct dentry *root);

#endif
