/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all samples of a session have in common: the file OP_SAMPLES_LABELS has lines "NAME VALUE",
 * such as "cgroup /system.slice/ssh.service".
 */
#ifndef LIBOP_SESSION_LABELS_H
#define LIBOP_SESSION_LABELS_H

#include "libop/base/error.h"

/* Bytes of the file, at most. */
#define OP_LABELS_MOST (64u << 10)

/* Bytes of a value; the rest of a longer one is left out. */
#define OP_LABEL_VALUE_MOST 4096

/* Writes the file, of one label, into a session (samples/NAME); newlines become blanks.  Return: 0,
 * or -1 with @error set. */
int op_label_write(const char *samples_dir, const char *name, const char *value,
		   struct op_error *error);

/* The value of a label of a session, which the caller frees; NULL: it has none of this name. */
char *op_label_read(const char *samples_dir, const char *name);

#endif
