// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The events that are counted: see counted_events.h.
 */
#include "counted_events.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "daemon/sources/source.h"
#include "libop/cpu/type_names.h"
#include "libop/perf/event.h"

/* Counters with the same event, period and unit mask share a sample file. */
static size_t first_alike(const struct op_events *events, size_t index)
{
	const struct op_event *event = events->event;
	size_t i = 0;

	while (strcmp(event[i].name, event[index].name) != 0 ||
	       event[i].count != event[index].count || event[i].unit_mask != event[index].unit_mask)
		i++;
	return i;
}

static void map_counters(struct counted_events *events)
{
	const struct op_events *list = &events->list;

	for (size_t i = 0; i < OP_COUNTERS_MAX; i++)
		events->of_counter[i] = -1;
	for (size_t i = 0; i < list->count; i++)
		events->of_counter[list->event[i].counter] = (int16_t)first_alike(list, i);
	for (size_t i = 0; i < list->count && i < OP_COUNTERS_MAX; i++)
		events->unit[i] = weight_unit(&list->event[i]);
}

int counted_events_open(struct counted_events *events, const struct source *source,
			const char *text, struct op_error *error)
{
	int type = op_cpu_type_number(source->cpu_type);

	if (type == OP_CPU_NONE)
		return op_error_set(error, EINVAL,
				    "the CPU type \"%s\" is unknown, and sample files need its "
				    "number",
				    source->cpu_type);
	events->cpu_type = (uint32_t)type;
	if (type == OP_CPU_TIMER) /* it has one event only, whatever was requested */
		text = "TIMER:0:0:0:0:1:1";
	else if (!text)
		text = source->events;
	if (!text || !*text)
		return op_error_set(error, EINVAL,
				    "no events given: --events is needed with CPU "
				    "type %s",
				    source->cpu_type);
	if (op_events_parse(text, &events->list, error))
		return -1;
	map_counters(events);
	return 0;
}

void counted_events_close(struct counted_events *events)
{
	op_events_free(&events->list);
}

#define UNIT_OF_FREQUENT 1024

uint32_t weight_unit(const struct op_event *event)
{
	const struct op_perf_name *name = op_perf_name(event->name);

	if (event->count || !strcmp(event->name, "TIMER"))
		return 1;
	return name && name->type == PERF_TYPE_SOFTWARE ? 1 : UNIT_OF_FREQUENT;
}
