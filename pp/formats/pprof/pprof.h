/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pprof's profile.proto: the writer; the reader and format_pprof are in read.c. */
#ifndef PP_FORMATS_PPROF_PPROF_H
#define PP_FORMATS_PPROF_PPROF_H

#include "pp/formats/model/format.h"

/* Labels of samples. */
#define PPROF_LABEL_THREAD "thread" /* the name; "comm" is read, too */
#define PPROF_LABEL_PID	   "pid"
#define PPROF_LABEL_TID	   "tid"
#define PPROF_LABEL_CPU	   "cpu"
#define PPROF_LABEL_APP	   "app" /* the program, if it is not that of the first mapping */
#define PPROF_NO_APP	   "[unknown]"

/* Facts that have a place of their own in the format. */
#define PPROF_FACT_COMMENT	"pprof.comment"
#define PPROF_FACT_DROP_FRAMES	"pprof.drop-frames"
#define PPROF_FACT_KEEP_FRAMES	"pprof.keep-frames"
#define PPROF_FACT_DEFAULT_TYPE "pprof.default-sample-type"
#define PPROF_FACT_DOC_URL	"pprof.doc-url"

/* As format::write: gzip around it. */
int pprof_write(struct prof *prof, struct output *output, struct op_error *error);

#endif
