/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver as its file system, oprofilefs, shows it.
 */
#ifndef UTILS_OPCONTROL_DRIVER_H
#define UTILS_OPCONTROL_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "setting.h"

#define DRIVER_DEFAULT_DIR  "/dev/oprofile"
#define DRIVER_ENVIRONMENT  "OPROFILE_FS_DIR"
#define DRIVER_CPU_TYPE_MAX 64

/* The directory of oprofilefs: $OPROFILE_FS_DIR, else DRIVER_DEFAULT_DIR. */
const char *driver_dir(void);
/* Whether $OPROFILE_FS_DIR names another directory, which is never mounted. */
bool driver_is_given(void);
/* Is oprofilefs mounted there? */
bool driver_is_mounted(void);

/* Mounts oprofilefs unless it is; the module must be loaded: 0, or -1 with @error set. */
int driver_mount(struct op_error *error);
/* Unmounts it, if it is: 0, or -1 with @error set (EBUSY: @error names what uses it). */
int driver_unmount(struct op_error *error);
/*
 * Has the driver look again which backend is the best and which counters are free, which it does as
 * oprofilefs is mounted.
 * Where it is in use, all stays as it is.  Return: 0, or -1 with @error set: it is gone now.
 */
int driver_remount(struct op_error *error);

/* Fills in such as "nmi_timer": 0, or -1 with @error set. */
int driver_cpu_type(char type[DRIVER_CPU_TYPE_MAX], struct op_error *error);
#define DRIVER_BACKEND_MAX 128
/* Fills in which backend samples, and why: as above. */
int driver_backend(char backend[DRIVER_BACKEND_MAX], struct op_error *error);
/* Is it a type that counts timer interrupts and has no events? */
bool driver_is_timer(const char *cpu_type);

/* Is there such a file? */
bool driver_has(const char *name);
/* Reads or writes the number in a file of oprofilefs: 0, or -1 with @error set. */
int driver_read(const char *name, uint64_t *value, struct op_error *error);
int driver_write(const char *name, uint64_t value, struct op_error *error);

/* Do these settings fit the driver that is there?  0, or -1 with @error set. */
int driver_check(const struct settings *settings, struct op_error *error);

/* Gives the driver its buffer sizes, depth, frequency and time slice: 0, or -1 with @error set. */
int driver_configure(const struct settings *settings, struct op_error *error);

/* EBUSY if some process has the event buffer open, which @error names; else 0. */
int driver_check_free(struct op_error *error);

#endif
