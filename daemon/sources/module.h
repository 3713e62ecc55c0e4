/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel as a source: oprofilefs, /proc and /sys.
 */
#ifndef DAEMON_SOURCES_MODULE_H
#define DAEMON_SOURCES_MODULE_H

#include "source.h"

#define OPROFILEFS_DEFAULT_DIR "/dev/oprofile"

/**
 * source_kernel_open - open the event buffer, which sets the module up
 * @oprofilefs: the directory where oprofilefs is mounted
 *
 * Return: the source, or NULL with @error set.
 */
struct source *source_kernel_open(const char *oprofilefs, struct op_error *error);

#endif
