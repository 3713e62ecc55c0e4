/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a profile holds, as lines "key: value". */
#ifndef PP_FORMATS_MODEL_INFO_H
#define PP_FORMATS_MODEL_INFO_H

#include <stdio.h>

#include "format.h"

/* Writes it; @prof may be one with PROF_COUNTS_ONLY. */
void info_write(const struct prof *prof, const struct format *format, const char *file, FILE *out);

#endif
