/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading folded stacks, for folded.c only. */
#ifndef PP_FORMATS_VIEWERS_FOLDED_H
#define PP_FORMATS_VIEWERS_FOLDED_H

#include "pp/formats/model/format.h"

/* The events of stacks with two numbers. */
#define FOLDED_BEFORE "before"
#define FOLDED_AFTER  "after"

int folded_probe(const uint8_t *bytes, size_t n);
int folded_read(struct input *input, struct prof_sink *sink, struct op_error *error);

#endif
