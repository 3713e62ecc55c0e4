/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Views of the model: rows by one dimension, sorted, of what a filter leaves.
 */
#ifndef UTILS_OPTOP_VIEW_H
#define UTILS_OPTOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/buffer.h"
#include "model.h"

enum dimension {
	BY_APP,
	BY_FUNCTION,
	BY_IMAGE,
	BY_PROCESS,
	BY_THREAD,
	BY_CGROUP,
	BY_CPU,
	BY_EVENT,
	DIMENSIONS
};

/* Their names, for --by and the screen; NULL after the last. */
extern const char *const dimension_names[];

enum view_sort { SORT_SELF, SORT_TOTAL, SORT_RATE, SORT_NAME, VIEW_SORTS };
extern const char *const view_sort_names[];
extern const char *const model_period_names[];

#define VIEW_NO_KEY UINT32_MAX

/* struct view_row - one application, function, ... */
struct view_row {
	uint32_t key;	    /* as the model numbers them; of a process, a thread of it */
	double self, total; /* weights; total: with what it called */
	double rate;	    /* samples a second in the last interval */
};

struct view_request {
	enum dimension by;
	enum view_sort sort;
	bool reversed;
	enum model_period period;
	uint32_t event;	    /* whose samples; the view by event has all */
	const char *filter; /* only rows with this in their names, in any case; NULL: all */
	/* only samples with these; VIEW_NO_KEY: any; but not by function */
	uint32_t only[DIMENSIONS];
};

struct view {
	struct view_row *row;
	size_t rows, hidden; /* @hidden: rows without the filter's text */
	double weight, rate; /* of all samples, whatever is filtered */
	bool has_total;	     /* rows differ in self and total */
	uint64_t epoch;	     /* model::epoch */
	/* owned: by key, made for view_make() */
	struct view_row *by_key;
	uint32_t *mark;
	uint32_t keys, marks;
};

/* A request without restrictions. */
void view_request_init(struct view_request *request);

/**
 * view_make - make the rows
 * @view: zeroed, or of an earlier call; view_free() frees what it holds
 *
 * Return: 0, or -1 when out of memory; then there are no rows.
 */
int view_make(struct view *view, const struct model *model, const struct view_request *request);
void view_free(struct view *view);

/* Puts what a row is called, as it is: names are any bytes. */
void view_put_name(struct op_buffer *out, const struct model *model, enum dimension by,
		   uint32_t key);
/* The same for what is beside it: the image of a function, the program of a thread; or nothing. */
void view_put_place(struct op_buffer *out, const struct model *model, enum dimension by,
		    uint32_t key);

/* Whether @text is in the name or place of a row; the case of ASCII letters does not matter. */
bool view_name_has(const struct model *model, enum dimension by, uint32_t key, const char *text);

/* Whether the key of a row of this dimension restricts: samples tell it. */
static inline bool view_can_restrict(enum dimension by)
{
	return by != BY_FUNCTION && by != BY_EVENT;
}

#endif
