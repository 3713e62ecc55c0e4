/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is a file a kernel image that symbols can be read from?
 */
#ifndef UTILS_OPCONTROL_VMLINUX_H
#define UTILS_OPCONTROL_VMLINUX_H

#include "libop/base/error.h"

/* 0 if @path is an x86-64 ELF image, else -1 with @error set. */
int vmlinux_check(const char *path, struct op_error *error);

#endif
