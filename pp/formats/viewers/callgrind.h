/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading what callgrind writes, for callgrind.c only. */
#ifndef PP_FORMATS_VIEWERS_CALLGRIND_H
#define PP_FORMATS_VIEWERS_CALLGRIND_H

#include "pp/formats/model/format.h"

int callgrind_probe(const uint8_t *bytes, size_t n);
int callgrind_read(struct input *input, struct prof_sink *sink, struct op_error *error);

#endif
