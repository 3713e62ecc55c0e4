// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the settings' events to counters.
 */
#include "events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counter.h"
#include "counter_holder.h"
#include "driver.h"
#include "libop/cpu/detect.h"
#include "libop/cpu/type_names.h"
#include "module.h"
#include "libop/events/list.h"

/* All that the CPU has and the driver could offer. */
static struct op_counters limit_counters(const struct op_counters *counters, uint64_t offered)
{
	char backend[MODULE_BACKEND_MAX];
	struct op_counters limited;
	unsigned int general = counters->general, fixed = counters->fixed;

	/* The driver has the CPU type of CPUs that libop does not detect. */
	while (!counters->general && general < OP_COUNTERS_LIMIT && offered >> general)
		general++;
	if (fixed > COUNTER_FIXED_MAX)
		fixed = COUNTER_FIXED_MAX;
	/* perf allocates the counters. */
	if (!driver_is_given() && !module_backend(backend) && !strcmp(backend, "perf"))
		fixed = 0;
	limited = op_counters_plain(general, fixed);
	limited.absent_events = counters->absent_events;
	return limited;
}

/* All counters that the driver offers; without that file events are not multiplexed. */
static int find_counters(struct op_counters *counters, uint64_t offered, struct op_error *error)
{
	uint64_t general, fixed, virtual_counters;
	uint32_t absent_events = counters->absent_events;

	if (!driver_has("virtual_counters")) {
		*counters = limit_counters(counters, offered);
		return 0;
	}
	if (driver_read("general_counters", &general, error) ||
	    driver_read("fixed_counters", &fixed, error) ||
	    driver_read("virtual_counters", &virtual_counters, error))
		return -1;
	if (general > OP_COUNTERS_LIMIT || fixed > COUNTER_FIXED_MAX ||
	    virtual_counters > OP_COUNTERS_LIMIT)
		return op_error_set(error, EPROTO,
				    "%s: more counters than a driver can have: %" PRIu64
				    " general, %" PRIu64 " fixed, %" PRIu64 " virtual ones",
				    driver_dir(), general, fixed, virtual_counters);
	*counters = op_counters_multiplexed((unsigned int)general, (unsigned int)fixed,
					    (unsigned int)virtual_counters);
	counters->absent_events = absent_events;
	return 0;
}

/* The catalogue of the CPU, and the counters that it has and that are free. */
static int load_catalogue(struct events *events, bool with_pfm, struct op_error *error)
{
	struct op_counters counters;
	struct op_cpu_id cpu;
	int type;

	if (counters_offered(&events->offered, error))
		return -1;
	op_cpu_id_read(&cpu);
	type = op_cpu_type_detect(driver_dir(), &cpu, error);
	if (type == OP_CPU_NONE)
		return -1;
	counters = op_counters_of(type, type == op_cpu_id_type(&cpu) ? &cpu : NULL);
	if (find_counters(&counters, events->offered, error))
		return -1;
	events->missing =
		op_counters_plain(counters.general, counters.fixed).usable & ~events->offered;
	return op_catalogue_load(op_cpu_type_name(type), &counters, with_pfm, &events->catalogue,
				 error);
}

static int take_specs(struct events *events, const struct settings *settings,
		      struct op_error *error)
{
	char *spec;
	int ret;

	events->is_default = !settings->events.count;
	if (events->is_default) {
		spec = op_default_event(&events->catalogue, error);
		if (!spec)
			return -1;
		ret = op_strings_add(&events->specs, spec);
		free(spec);
		return ret ? op_error_memory(error) : 0;
	}
	for (size_t i = 0; i < settings->events.count; i++) {
		if (op_strings_add(&events->specs, settings->events.item[i]))
			return op_error_memory(error);
	}
	return 0;
}

static int events_choose(struct events *events, const struct op_resolve_options *how,
			 struct op_error *error)
{
	return op_events_resolve(&events->catalogue, events->specs.item, events->specs.count, how,
				 events->choices, error);
}

static int check_counts(const struct events *events, struct op_error *error)
{
	for (size_t i = 0; i < events->specs.count; i++) {
		if (events->choices[i].count < COUNTER_COUNT_MIN)
			return op_error_set(error, ERANGE,
					    "event \"%s\": the driver accepts no count below %d",
					    events->specs.item[i], COUNTER_COUNT_MIN);
	}
	return 0;
}

/* Events that need something that is no counter, such as AMD's IBS. */
static int check_ext(const struct events *events, struct op_error *error)
{
	for (size_t i = 0; i < events->specs.count; i++) {
		if (events->choices[i].event->ext)
			return op_error_set(error, ENOTSUP,
					    "event \"%s\": it is counted by %s, which this driver "
					    "does not have",
					    events->specs.item[i], events->choices[i].event->ext);
	}
	return 0;
}

static int events_look_up(struct events *events, const struct settings *settings,
			  struct op_error *error)
{
	/* The default event is accepted with call graphs, too. */
	struct op_resolve_options how = {
		.callgraph_depth = settings->callgraph,
		.ignore_count = !settings->events.count,
		.ignore_counters = !events->catalogue.counters.general,
	};

	if (take_specs(events, settings, error))
		return -1;
	events->choices = calloc(events->specs.count, sizeof(*events->choices));
	if (!events->choices)
		return op_error_memory(error);
	if (events_choose(events, &how, error) || check_ext(events, error))
		return -1;
	return check_counts(events, error);
}

int events_open(const struct settings *settings, struct events *events, struct op_error *error)
{
	char type[DRIVER_CPU_TYPE_MAX];

	*events = (struct events){0};
	if (driver_cpu_type(type, error))
		return -1;
	if (driver_is_timer(type) && settings->events.count)
		return op_error_set(error, EINVAL,
				    "event \"%s\": the backend %s samples by a timer and has no "
				    "other events; drop the setting with --event=default, and "
				    "set the rate with --frequency",
				    settings->events.item[0], type);
	if (driver_is_timer(type))
		return 0;
	if (!load_catalogue(events, false, error) && !events_look_up(events, settings, error))
		return 0;
	events_close(events);
	return -1;
}

void events_close(struct events *events)
{
	free(events->choices);
	op_strings_free(&events->specs);
	op_catalogue_free(&events->catalogue);
	*events = (struct events){0};
}

/* Some CPUs' counters hold more than others': the driver knows.  Not while it counts. */
static int try_counts(struct events *events, struct op_error *error)
{
	struct op_error ignored;
	uint64_t enabled;

	if (driver_read("enable", &enabled, &ignored) || enabled || events_place(events, &ignored))
		return 0;
	for (size_t i = 0; i < events->specs.count; i++) {
		const struct op_resolved_event *choice = &events->choices[i];

		if (choice->count > COUNTER_COUNT_SURE &&
		    counter_try_count(choice->counter, choice->count, events->specs.item[i], error))
			return -1;
	}
	return 0;
}

int events_check(const struct settings *settings, struct op_error *error)
{
	struct events events;
	int ret;

	if (events_open(settings, &events, error))
		return -1;
	ret = try_counts(&events, error);
	events_close(&events);
	return ret;
}

void events_print_missing(const struct events *events, char *text, size_t size)
{
	struct counter_holders holders;
	char list[256], holder_text[512];

	counters_list(events->missing, list, sizeof(list));
	counter_holders_find(&holders);
	counter_holders_explain(&holders, holder_text, sizeof(holder_text));
	snprintf(text, size, "%s (%s)", *list ? list : "all", holder_text);
}

int events_place(struct events *events, struct op_error *error)
{
	/* The counts were judged by events_open(). */
	const struct op_resolve_options how = {.ignore_count = true};
	struct op_counters *counters = &events->catalogue.counters;
	struct op_error why = {0};
	char missing[512];

	if (!events->specs.count)
		return 0;
	counters->usable &= events->offered;
	events->placed = counters->usable && !events_choose(events, &how, &why);
	if (events->placed)
		return 0;
	if (counters->usable && !(why.code == EBUSY && events->missing))
		return op_error_set(error, why.code, "%s", why.text);
	events_print_missing(events, missing, sizeof(missing));
	return op_error_set(error, EBUSY, "%.400s; counters in use: %.500s",
			    counters->usable ? why.text : "no counter can be used", missing);
}

unsigned int events_groups(const struct events *events)
{
	uint64_t groups = 0;

	for (size_t i = 0; i < events->specs.count; i++) {
		unsigned int counter = events->choices[i].counter;
		const struct op_counters *counters = &events->catalogue.counters;

		if (op_counters_hardware(counters, counter) < counters->general)
			groups |= UINT64_C(1) << op_counters_group(counters, counter);
	}
	return groups ? (unsigned int)__builtin_popcountll(groups) : 1;
}

int events_program(const struct events *events, struct op_error *error)
{
	if (!events->specs.count)
		return 0;
	return counters_program(&events->catalogue.counters, events->offered, events->choices,
				events->specs.item, events->specs.count, error);
}

int events_argument(const struct events *events, char **argument, struct op_error *error)
{
	struct op_events list = {.count = events->specs.count};

	*argument = NULL;
	if (!list.count)
		return 0;
	list.event = calloc(list.count, sizeof(*list.event));
	if (!list.event)
		return op_error_memory(error);
	for (size_t i = 0; i < list.count; i++)
		op_resolved_event_copy(&events->choices[i], &list.event[i]);
	*argument = op_events_format(&list);
	free(list.event); /* the names are the catalogue's */
	return *argument ? 0 : op_error_memory(error);
}

int events_list(struct op_error *error)
{
	const struct search all = {0};
	char type[DRIVER_CPU_TYPE_MAX];
	struct events events = {0};

	if (driver_cpu_type(type, error))
		return -1;
	if (driver_is_timer(type)) {
		printf("CPU type %s: the only event is TIMER.\n"
		       "Its rate is set with --frequency=HZ.\n",
		       type);
		return 0;
	}
	if (load_catalogue(&events, true, error))
		return -1;
	list_text(&events.catalogue, &all, stdout);
	list_warn(&events.catalogue);
	events_close(&events);
	return 0;
}
