/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file `buffer`: the process that has it open owns the profiler.
 */
#ifndef OPROFILE_BUFFER_FILE_H
#define OPROFILE_BUFFER_FILE_H

struct file_operations;

extern const struct file_operations op_buffer_fops;

#endif
