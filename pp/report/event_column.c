// SPDX-License-Identifier: GPL-2.0-or-later
/* The column of events: see event_column.h. */
#include "event_column.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/perf/event.h"
#include "libop/text/shorten.h"
#include "pp/select/weights.h"

/* Events in all that are shown one by one; each unit is used up to a thousand times of it. */
#define PLAIN_MOST 1000000
#define PREFIXES   5
/* A longer name of an event would make the column wider than two others. */
#define NAME_MOST   16
#define WIDTH_LEAST 9
/* Times on a terminal: "99999.9" ms, and from there on s. */
#define WIDTH_TIME   7
#define SECONDS_FROM UINT64_C(100000000000)

const char *const pp_events_shown_words[] = {"auto", "always", "never", NULL};

static bool event_column_is_wanted(const struct pp_profile *profile,
				   const struct pp_report_style *style, size_t class)
{
	switch (style->events) {
	case PP_EVENTS_NEVER:
		return false;
	case PP_EVENTS_ALWAYS:
		return pp_events_are_known(profile->classes, class);
	case PP_EVENTS_AUTO:
		break;
	}
	/* Scripts read the columns of OProfile. */
	if (style->no_header)
		return false;
	return pp_weights_differ(profile->classes, profile->totals, class) ||
	       (style->columns && op_perf_is_clock_name(profile->classes->items[class].event) &&
		pp_events_are_known(profile->classes, class));
}

static const char *unit_name(const char *event, size_t prefix)
{
	static const char *const prefixes[PREFIXES + 1] = {"", "k", "M", "G", "T", "P"};
	static const char *const times[PREFIXES + 1] = {"ns", "us", "ms", "s", "10^3 s", "10^6 s"};

	return op_perf_is_clock_name(event) ? times[prefix] : prefixes[prefix];
}

/* On a terminal, the unit of times says what they are. */
static void make(struct pp_event_column *column, const char *event, uint64_t total, bool on_screen)
{
	size_t length = strcspn(event, ":"), prefix = 0;
	const char *unit;

	column->is_shown = true;
	column->unit = 1;
	if (on_screen && op_perf_is_clock_name(event)) {
		bool is_long = total >= SECONDS_FROM;

		column->unit = is_long ? 1000000000 : 1000000;
		column->width = WIDTH_TIME;
		snprintf(column->head, sizeof(column->head), "%s", is_long ? "s" : "ms");
		return;
	}
	for (; total / column->unit >= PLAIN_MOST && prefix < PREFIXES; prefix++)
		column->unit *= 1000;
	unit = unit_name(event, prefix);
	if (length > NAME_MOST) {
		event = "events";
		length = strlen(event);
	}
	snprintf(column->head, sizeof(column->head), *unit ? "%.*s (%s)" : "%.*s", (int)length,
		 event, unit);
	column->width = (unsigned)strlen(column->head);
	if (column->width < WIDTH_LEAST)
		column->width = WIDTH_LEAST;
}

struct pp_event_column *pp_event_columns_make(const struct pp_profile *profile,
					      const struct pp_report_style *style)
{
	const struct pp_classes *classes = profile->classes;
	struct pp_event_column *columns = op_alloc(classes->n, sizeof(*columns));

	for (size_t i = 0; i < classes->n; i++)
		if (event_column_is_wanted(profile, style, i))
			make(&columns[i], classes->items[i].event,
			     pp_events(classes, profile->totals, i), style->columns);
	return columns;
}

char *pp_class_head(const struct pp_classes *classes, size_t class, size_t columns)
{
	const char *column = classes->items[class].column;
	bool is_event = classes->axis == PP_AXIS_EVENT;
	char *name = op_format("%.*s", is_event ? (int)strcspn(column, ":") : INT_MAX, column);
	char *shown = columns ? op_text_shorten(name, columns) : op_copy(name);
	size_t width = op_text_columns(shown, strlen(shown));
	char *head = op_format("%*s%s", width < columns ? (int)(columns - width) : 0, "", shown);

	free(shown);
	free(name);
	return head;
}

void pp_event_column_put(const struct pp_event_column *column, const struct pp_classes *classes,
			 const uint64_t *counts, size_t class, unsigned int width,
			 struct op_line *line)
{
	uint64_t events = pp_events(classes, counts, class), tenth = column->unit / 10;
	uint64_t tenths = tenth ? events / tenth + (events % tenth >= (tenth + 1) / 2) : 0;

	if (!tenth || !events) {
		op_line_count(line, events, width);
		return;
	}
	op_line_count(line, tenths / 10, width < 2 ? 0 : width - 2);
	op_line_puts(line, ".");
	op_line_count(line, tenths % 10, 0);
}
