// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --status.
 */
#include "status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "driver.h"
#include "events.h"
#include "libop/base/array.h"
#include "libop/base/number.h"
#include "libop/base/safe_text.h"
#include "libop/closed/retention.h"
#include "libop/session/paths.h"
#include "perf.h"
#include "stats.h"

static void print_separation(const struct settings *settings)
{
	const struct {
		bool is;
		const char *name;
	} kinds[] = {
		{settings->separate_lib, "library"},
		{settings->separate_kernel, "kernel"},
		{settings->separate_thread, "thread"},
		{settings->separate_cpu, "cpu"},
	};
	const char *gap = " ";

	printf("Separate options:");
	for (size_t i = 0; i < OP_ARRAY_SIZE(kinds); i++) {
		if (kinds[i].is) {
			printf("%s%s", gap, kinds[i].name);
			gap = ", ";
		}
	}
	printf("%s\n", *gap == ',' ? "" : " none");
}

/* The description of the unit mask; that of an entry with the same modifiers, if there is one. */
static const char *mask_text(const struct op_resolved_event *choice)
{
	const struct op_unit_mask *mask = choice->event->unit_mask;
	const char *meaning = op_unit_mask_meaning(mask, choice->unit_mask);

	for (size_t i = 0; i < mask->count; i++) {
		const struct op_unit_mask_entry *entry = &mask->entry[i];

		if (entry->value == choice->unit_mask &&
		    (entry->extra & OP_EXTRA_REGISTER) == choice->extra)
			return entry->description;
	}
	return meaning ? meaning : "several";
}

static void print_event(const struct events *events, size_t i)
{
	const struct op_counters *counters = &events->catalogue.counters;
	const struct op_resolved_event *choice = &events->choices[i];
	uint64_t enabled_ns, running_ns;

	op_safe_line(stdout, "Event %zu: %s%s", i, events->specs.item[i],
		     events->is_default ? " (the default)" : "");
	op_safe_printf(stdout, "  period %" PRIu64 ", unit mask 0x%02" PRIx32 " (%s)",
		       choice->count, choice->unit_mask, mask_text(choice));
	if (choice->extra)
		printf(" with modifiers 0x%" PRIx32, choice->extra);
	printf(", %s code", choice->kernel && choice->user ? "kernel and user"
			    : choice->kernel		   ? "kernel"
							   : "user");
	if (events->placed)
		printf(", counter %u", choice->counter);
	if (events->placed && op_counters_group(counters, choice->counter))
		printf(" (multiplexed: group %u, hardware counter %u)",
		       op_counters_group(counters, choice->counter) + 1,
		       op_counters_hardware(counters, choice->counter));
	if (events->placed && !stats_read_times(choice->counter, &enabled_ns, &running_ns, NULL) &&
	    running_ns < enabled_ns)
		printf(", counted %.1f %% of the time", 100.0 * running_ns / enabled_ns);
	printf("\n");
}

/* Prints chosen events that can't be looked up as they are, with the reason. */
static void print_unknown_events(const struct settings *settings, const char *why)
{
	for (size_t i = 0; i < settings->events.count; i++)
		op_safe_line(stdout, "Event %zu: %s", i, settings->events.item[i]);
	if (why)
		op_safe_line(stdout, "  cannot be counted: %s", why);
}

/* Prints the time slice, which only the driver's own multiplexing has. */
static void print_multiplexed(const struct settings *settings, unsigned int groups)
{
	uint64_t slice;

	printf("Multiplexed: %u groups of events", groups);
	if (!driver_has("time_slice") || driver_read("time_slice", &slice, NULL))
		printf(", scheduled by perf");
	else if (slice == settings_time_slice(settings))
		printf(", %" PRIu64 " ms each", slice);
	else
		printf(", %" PRIu64 " ms each (from the next start of the daemon: %" PRIu64 " ms)",
		       slice, settings_time_slice(settings));
	printf("; reports scale their counts\n");
}

static void print_events(const struct settings *settings)
{
	struct events events;
	struct op_error why;
	char missing[512];
	bool placed;

	if (events_open(settings, &events, &why)) {
		print_unknown_events(settings, why.text);
		return;
	}
	placed = !events_place(&events, &why);
	for (size_t i = 0; i < events.specs.count; i++)
		print_event(&events, i);
	if (!placed) {
		op_safe_line(stdout, "  cannot be counted: %s", why.text);
	} else if (events.missing) {
		events_print_missing(&events, missing, sizeof(missing));
		op_safe_line(stdout, "Counters in use: %s", missing);
	}
	if (placed && events_groups(&events) > 1)
		print_multiplexed(settings, events_groups(&events));
	events_close(&events);
}

static void print_settings(const struct settings *settings)
{
	const char *vmlinux = settings->vmlinux;

	print_separation(settings);
	op_safe_line(stdout, "vmlinux file: %s",
		     !vmlinux		       ? "that of the running kernel (kallsyms)"
		     : strcmp(vmlinux, "none") ? vmlinux
					       : "none (--no-vmlinux)");
	if (settings->kernel_range[1])
		printf("Kernel range: 0x%" PRIx64 "-0x%" PRIx64 "\n", settings->kernel_range[0],
		       settings->kernel_range[1]);
	op_safe_line(stdout, "Image filter: %s",
		     settings->image_filter ? settings->image_filter : "none");
	printf("Call-graph depth: %" PRIu64 "\n", settings->callgraph);
	if (settings->buffer_size)
		printf("Buffer size: %" PRIu64 " words\n", settings->buffer_size);
	if (settings->buffer_watershed)
		printf("Buffer watershed: %" PRIu64 " words\n", settings->buffer_watershed);
	if (settings->cpu_buffer_size)
		printf("CPU buffer size: %" PRIu64 " entries\n", settings->cpu_buffer_size);
}

static void print_limits(const struct settings *settings)
{
	if (settings->saved_days)
		printf(", kept for %" PRIu64 " days", settings->saved_days);
	if (settings->saved_size)
		printf("%s %" PRIu64 " MiB", settings->saved_days ? " and up to" : ", kept up to",
		       settings->saved_size);
}

/* How sessions are closed and kept, if there is something to say. */
static void print_saved(const struct settings *settings)
{
	char text[OP_DURATION_TEXT], oldest[32] = "";
	struct retention_usage usage;
	struct op_error error;
	struct tm tm;

	if (settings->close_every) {
		op_duration_text(settings->close_every, text);
		printf("Sessions are closed every %s", text);
		print_limits(settings);
		printf("\n");
	}
	if (settings->metrics)
		op_safe_line(stdout, "Metrics: %s", settings->metrics);
	if (retention_measure(settings->session_dir, &usage, &error)) {
		op_safe_line(stdout, "Saved sessions: %s", error.text);
		return;
	}
	if (!usage.sessions)
		return;
	if (localtime_r(&(time_t){usage.oldest}, &tm))
		strftime(oldest, sizeof(oldest), "%F %T", &tm);
	printf("Saved sessions: %zu, %.1f MiB, the oldest of %s", usage.sessions,
	       (double)usage.bytes / (1 << 20), oldest);
	if (!settings->close_every)
		print_limits(settings);
	printf("\n");
}

static int print_backend(const struct settings *settings, struct op_error *error)
{
	char type[DRIVER_CPU_TYPE_MAX], backend[DRIVER_BACKEND_MAX];
	uint64_t frequency;

	if (driver_cpu_type(type, error))
		return -1;
	printf("CPU type: %s\n", type);
	op_safe_line(stdout, "Backend: %s",
		     driver_has("backend") && !driver_backend(backend, NULL) ? backend : type);
	if (!driver_is_timer(type))
		return 0;
	if (driver_read("frequency", &frequency, error))
		return -1;
	printf("Event 0: TIMER at %" PRIu64 " Hz", frequency);
	if (settings_frequency(settings) != frequency)
		printf(" (from the next start of the daemon: %" PRIu64 " Hz)",
		       settings_frequency(settings));
	printf("\n");
	return 0;
}

static void print_stat(enum stat_id which, uint64_t value)
{
	char text[OP_STAT_TEXT_SIZE];

	if (!value)
		return;
	if (op_stat_is_lost_sample(which))
		printf("  lost: %s: %" PRIu64 "\n", op_stats[which].text, value);
	else
		printf("  also: %s: %" PRIu64 "\n", op_stat_text(which, text), value);
}

/* "Samples received" and the losses always, the rest if it is not zero. */
static int print_stats(struct op_error *error)
{
	struct stats stats;
	uint64_t lost = 0;

	if (stats_read(&stats, error))
		return -1;
	for (enum stat_id i = 0; i < STAT_COUNT; i++)
		lost += op_stat_is_lost_sample(i) ? stats.value[i] : 0;
	printf("Samples received: %" PRIu64 "\n", stats.value[STAT_KERNEL_RECEIVED]);
	printf("Samples lost by the driver: %" PRIu64 "\n", lost);
	stats.value[STAT_KERNEL_RECEIVED] = 0;
	for (int loss = 1; loss >= 0; loss--)
		for (enum stat_id i = 0; i < STAT_COUNT; i++)
			if (op_stat_is_lost_sample(i) == loss)
				print_stat(i, stats.value[i]);
	return 0;
}

static void print_no_daemon(const struct control *control)
{
	printf("Daemon not running\n");
	if (control->killed)
		op_safe_line(stdout,
			     "  the last one (pid %d) was killed or crashed: samples that it had "
			     "not read are lost; see %s/" OP_SESSION_LOG,
			     control->killed, control->settings.session_dir);
}

static void print_source(const struct control *control)
{
	if (!strcmp(control->source, "perf"))
		printf("Source: perf events of the kernel%s\n",
		       control->settings.perf ? " (--no-perf: the module)" : "");
	else
		printf("Source: a %s\n", control->source);
}

/* Without the module: all of the status is from the daemon. */
static int print_perf(const struct control *control, struct op_error *error)
{
	const struct settings *settings = &control->settings;

	if (control->daemon)
		printf("Daemon: pid %d\n", control->daemon);
	else
		print_no_daemon(control);
	op_safe_line(stdout, "Session-dir: %s", settings->session_dir);
	print_source(control);
	if (control->daemon && perf_status_print(settings, error))
		return -1;
	if (!control->daemon)
		print_unknown_events(settings, NULL);
	print_settings(settings);
	print_saved(settings);
	if (control->pending)
		printf("Changed settings apply when the daemon is started again (opcontrol "
		       "--shutdown)\n");
	return 0;
}

int status_print(const struct control *control, struct op_error *error)
{
	const struct settings *settings = &control->settings;
	bool mounted = driver_is_mounted();
	uint64_t enabled = 0;

	if (!control_uses_module(control))
		return print_perf(control, error);
	if (mounted && driver_read("enable", &enabled, error))
		return -1;
	if (control->daemon)
		printf("Daemon %s: pid %d\n", enabled ? "running" : "paused", control->daemon);
	else
		print_no_daemon(control);
	op_safe_line(stdout, "Session-dir: %s", settings->session_dir);
	if (!mounted)
		printf("Driver not loaded (\"opcontrol --init\" loads it, --perf needs none)\n");
	else if (print_backend(settings, error))
		return -1;
	if (mounted)
		print_events(settings);
	else
		print_unknown_events(settings, NULL);
	print_settings(settings);
	print_saved(settings);
	if (control->pending)
		printf("Changed settings apply when the daemon is started again (opcontrol "
		       "--shutdown)\n");
	if (mounted && print_stats(error))
		return -1;
	if (control->daemon)
		perf_status_print_stored(settings);
	return 0;
}
