/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU profiles of gperftools: the writer; the reader and format_cpuprofile are in read.c.
 */
#ifndef PP_FORMATS_GPERFTOOLS_CPUPROFILE_H
#define PP_FORMATS_GPERFTOOLS_CPUPROFILE_H

#include "pp/formats/model/format.h"

/* As format::write: slots of 64 bits, little-endian. */
int cpuprofile_write(struct prof *prof, struct output *output, struct op_error *error);

#endif
