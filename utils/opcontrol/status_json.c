// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --status --json, as opcontrol(1) describes it.
 */
#include "status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"
#include "events.h"
#include "libop/base/text_stream.h"
#include "libop/closed/retention.h"
#include "libop/text/json.h"
#include "perf.h"
#include "stats.h"

/* The counter and the time of an event that has one. */
static void put_counter(struct op_json *json, const struct op_resolved_event *choice)
{
	uint64_t enabled_ns, running_ns;

	op_json_number(json, "counter", choice->counter);
	if (stats_read_times(choice->counter, &enabled_ns, &running_ns, NULL) || !enabled_ns)
		return;
	op_json_number(json, "enabled_ns", enabled_ns);
	op_json_number(json, "running_ns", running_ns);
}

static void put_event(struct op_json *json, const struct events *events, size_t i)
{
	const struct op_resolved_event *choice = &events->choices[i];

	op_json_object(json, NULL);
	op_json_string(json, "event", events->specs.item[i]);
	op_json_bool(json, "default", events->is_default);
	op_json_number(json, "count", choice->count);
	op_json_number(json, "unit_mask", choice->unit_mask);
	op_json_bool(json, "kernel", choice->kernel);
	op_json_bool(json, "user", choice->user);
	if (events->placed)
		put_counter(json, choice);
	op_json_end(json);
}

/* As they were chosen: without the driver, or if they can't be looked up. */
static void put_specs(struct op_json *json, const struct settings *settings)
{
	op_json_array(json, "events");
	for (size_t i = 0; i < settings->events.count; i++) {
		op_json_object(json, NULL);
		op_json_string(json, "event", settings->events.item[i]);
		op_json_end(json);
	}
	op_json_end(json);
}

static void put_events(struct op_json *json, const struct settings *settings)
{
	struct events events;
	struct op_error why;
	bool placed;

	if (events_open(settings, &events, &why)) {
		put_specs(json, settings);
		op_json_string(json, "events_error", why.text);
		return;
	}
	placed = !events_place(&events, &why);
	op_json_array(json, "events");
	for (size_t i = 0; i < events.specs.count; i++)
		put_event(json, &events, i);
	op_json_end(json);
	if (!placed)
		op_json_string(json, "events_error", why.text);
	events_close(&events);
}

static int put_statistics(struct op_json *json, struct op_error *error)
{
	struct stats stats;

	if (stats_read(&stats, error))
		return -1;
	op_json_object(json, "statistics");
	for (enum stat_id i = 0; i < STAT_COUNT; i++)
		if (stats.value[i])
			op_json_number(json, op_stats[i].key, stats.value[i]);
	op_json_end(json);
	return 0;
}

static int put_driver(struct op_json *json, struct op_error *error)
{
	char type[DRIVER_CPU_TYPE_MAX], backend[DRIVER_BACKEND_MAX];
	uint64_t enabled, frequency;

	if (driver_read("enable", &enabled, error) || driver_cpu_type(type, error))
		return -1;
	op_json_object(json, "driver");
	op_json_bool(json, "enabled", enabled);
	op_json_string(json, "cpu_type", type);
	op_json_string(json, "backend",
		       driver_has("backend") && !driver_backend(backend, NULL) ? backend : type);
	if (driver_is_timer(type) && !driver_read("frequency", &frequency, NULL))
		op_json_number(json, "frequency", frequency);
	if (put_statistics(json, error))
		return -1;
	op_json_end(json);
	return 0;
}

static int put_daemon(struct op_json *json, const struct control *control, struct op_error *error)
{
	if (!control->daemon) {
		op_json_null(json, "daemon");
		if (control->killed)
			op_json_number(json, "killed", (uint64_t)control->killed);
		return 0;
	}
	op_json_object(json, "daemon");
	op_json_number(json, "pid", (uint64_t)control->daemon);
	if (perf_status_json(&control->settings, json, error) && !control_uses_module(control))
		return -1;
	op_json_end(json);
	return 0;
}

static void put_saved(struct op_json *json, const struct settings *settings)
{
	struct retention_usage usage;
	struct op_error error;

	if (retention_measure(settings->session_dir, &usage, &error)) {
		op_json_null(json, "saved");
		op_json_string(json, "saved_error", error.text);
		return;
	}
	op_json_object(json, "saved");
	op_json_number(json, "sessions", usage.sessions);
	op_json_number(json, "bytes", usage.bytes);
	op_json_end(json);
}

static int put_all(struct op_json *json, const struct control *control, struct op_error *error)
{
	const struct settings *settings = &control->settings;
	bool has_driver = control_uses_module(control) && driver_is_mounted();

	op_json_object(json, NULL);
	if (put_daemon(json, control, error))
		return -1;
	op_json_string(json, "source", control->source);
	if (!has_driver)
		op_json_null(json, "driver");
	else if (put_driver(json, error))
		return -1;
	if (has_driver)
		put_events(json, settings);
	else
		put_specs(json, settings);
	op_json_object(json, "settings");
	settings_put_json(settings, json);
	op_json_end(json);
	put_saved(json, settings);
	op_json_bool(json, "settings_wait", control->pending);
	op_json_end(json);
	return 0;
}

int status_print_json(const struct control *control, struct op_error *error)
{
	struct op_text_stream text;
	struct op_json json;
	int result;

	op_text_stream_open(&text);
	json = (struct op_json){.out = text.out, .spaced = true};
	result = put_all(&json, control, error);
	op_text_stream_close(&text);
	if (!result)
		puts(text.text);
	free(text.text);
	return result;
}
