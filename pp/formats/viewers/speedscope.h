/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading speedscope's JSON, for speedscope.c only. */
#ifndef PP_FORMATS_VIEWERS_SPEEDSCOPE_H
#define PP_FORMATS_VIEWERS_SPEEDSCOPE_H

#include "pp/formats/model/format.h"

int speedscope_probe(const uint8_t *bytes, size_t n);
int speedscope_read(struct input *input, struct prof_sink *sink, struct op_error *error);

#endif
