/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The column of events in text reports: how many events the samples of a line stand for, beside
 * their number, where this is not the same number for each of them.
 */
#ifndef PP_REPORT_EVENT_COLUMN_H
#define PP_REPORT_EVENT_COLUMN_H

#include "report.h"
#include "libop/base/option.h"
#include "libop/text/cells.h"

/* In the order of enum pp_events_shown. */
extern const char *const pp_events_shown_words[];

#define PP_OPTION_SHOW_EVENTS(type, field)                                                         \
	{                                                                                          \
		"show-events", 0, "WHEN",                                                          \
			"show how many events samples stand for: always, never or auto (the "      \
			"default: if they stand for different numbers of them)",                   \
			OP_WORD(type, field, enum pp_events_shown, pp_events_shown_words)          \
	}

/* Of one class.  All of its numbers have one unit, so that they can be compared. */
struct pp_event_column {
	bool is_shown;
	char head[40];	/* "cycles (M)", "cpu-clock (ms)" */
	uint64_t unit;	/* events that are 1; below 1000 there are no decimals */
	unsigned width; /* of the head, or of numbers */
};

/**
 * pp_event_columns_make - choose which classes have a column, and its unit
 *
 * Return: one a class; the caller frees it.
 */
struct pp_event_column *pp_event_columns_make(const struct pp_profile *profile,
					      const struct pp_report_style *style);

/* What tells a class apart, in as many columns, at the right, or whole if they are 0: an event
 * without its count, "tid:17".  The caller frees it. */
char *pp_class_head(const struct pp_classes *classes, size_t class, size_t columns);

/* Adds the events of @counts, with blanks before them up to @width. */
void pp_event_column_put(const struct pp_event_column *column, const struct pp_classes *classes,
			 const uint64_t *counts, size_t class, unsigned int width,
			 struct op_line *line);

#endif
