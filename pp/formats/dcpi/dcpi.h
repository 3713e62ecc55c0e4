/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles of DCPI (DIGITAL Continuous Profiling Infrastructure), versions 0.06 and 0.07: the
 * writer; the reader and format_dcpi are in read.c.
 *
 * A file is for one image and one event.  Behind the header (header.h) it has numbers of 32
 * bits, little-endian: chunks of an offset from the start of the text, a number of counts and as
 * many counts; then how many counts are not 0, and their sum.
 */
#ifndef PP_FORMATS_DCPI_DCPI_H
#define PP_FORMATS_DCPI_DCPI_H

#include "pp/formats/model/format.h"

/* Bytes from one count to the next: of an instruction of Alpha processors; of those whose
 * instructions begin anywhere, for which our files have a line "stride 1". */
#define DCPI_STRIDE_ALPHA 4
#define DCPI_STRIDE_BYTES 1

/* Facts: the name of a file below the directory (or ""), then the lines of its header. */
#define DCPI_FACT_FILE "dcpi.file"
#define DCPI_FACT_LINE "dcpi.line"

/* As format::write: a file in the directory for each image and event. */
int dcpi_write(struct prof *prof, struct output *output, struct op_error *error);

#endif
