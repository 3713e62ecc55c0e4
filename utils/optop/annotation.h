/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of a function, with their samples and source lines.
 */
#ifndef UTILS_OPTOP_ANNOTATION_H
#define UTILS_OPTOP_ANNOTATION_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "model.h"
#include "symbols.h"

/* Instructions beyond these are not shown. */
#define ANNOTATION_LINES_MOST 20000

struct annotation_line {
	uint64_t offset; /* a key of the image */
	size_t size;
	char *text;    /* the instruction; any bytes */
	char *where;   /* "file.c:12", where that differs from the line above; or NULL */
	double weight; /* of its samples */
};

struct annotation {
	struct annotation_line *line;
	size_t lines;
	double weight;	/* of all samples of the function */
	size_t hottest; /* the line with most of it */
	uint32_t function, event;
};

/**
 * annotation_make - disassemble a function of the model
 * @annotation: filled in; annotation_free() frees what it holds, also on error
 *
 * Return: 0, or -1 with @error set: there is no code of it to be shown.
 */
int annotation_make(struct annotation *annotation, struct symbols *symbols,
		    const struct model *model, uint32_t function, uint32_t event,
		    struct op_error *error);

/* Counts the samples of the model anew.  @model has the epoch that the annotation was made in. */
void annotation_count(struct annotation *annotation, const struct model *model,
		      enum model_period period);
void annotation_free(struct annotation *annotation);

#endif
