// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header of a report.  Events and unit masks are described by the catalogue of the profiled CPU
 * type, which need not be this machine's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/events/catalogue.h"
#include "libop/cpu/pmu.h"
#include "libop/cpu/type_names.h"
#include "libop/base/error.h"
#include "libop/base/safe_text.h"
#include "libop/perf/event.h"
#include "libop/text/shorten.h"
#include "libop/events/pfm.h"
#include "report.h"
#include "pp/select/multiplexing.h"
#include "pp/select/weights.h"

/* Without a catalogue, events are unknown; warns of an invalid one. */
static void load_catalogue(int cpu_type, struct op_catalogue *catalogue)
{
	const struct op_counters counters = op_counters_plain(0, 0);
	const char *name = op_cpu_type_name(cpu_type);
	struct op_error error;

	*catalogue = (struct op_catalogue){0};
	if (name && op_catalogue_load(name, &counters, false, catalogue, &error) &&
	    error.code != ENOENT)
		op_warn("%s", error.text);
}

/*
 * The event that was counted, or at least one of its name, or NULL.  libpfm4 is slow, so it is used
 * only for events that the text catalogue lacks.
 */
static const struct op_catalogue_event *report_header_find(struct op_catalogue *catalogue,
							   const struct pp_class *class)
{
	const struct op_cpu_pmu *pmu = catalogue->cpu_name ? op_cpu_pmu(catalogue->cpu_name) : NULL;
	const uint32_t unit_mask = (uint32_t) class->unit_mask;
	const struct op_catalogue_event *event =
		op_catalogue_by_name(catalogue, class->event, unit_mask);

	if (!event && pmu && !catalogue->pfm_pmu && !op_pfm_add_of_type(catalogue, pmu, NULL))
		event = op_catalogue_by_name(catalogue, class->event, unit_mask);
	return event ? event : op_catalogue_by_name(catalogue, class->event, 0);
}

static const char *mask_text(const struct op_catalogue_event *event, uint64_t value)
{
	const char *meaning =
		event ? op_unit_mask_meaning(event->unit_mask, (uint32_t)value) : NULL;

	if (meaning)
		return meaning;
	if (!event)
		return value ? "Unknown unit mask" : "No unit mask";
	for (size_t i = 0; i < event->unit_mask->count; i++) {
		/* The sample file has no modifiers. */
		if (event->unit_mask->entry[i].value == value)
			return "one of several with this number";
	}
	if (op_unit_mask_takes(event->unit_mask, (uint32_t)value) ||
	    (event->from_pfm && op_unit_mask_joins(event->unit_mask, (uint32_t)value)))
		return "multiple flags";
	return "Unknown unit mask";
}

/* An event of perf, without the modifiers that perf appends: "cycles:ppp". */
static const struct op_perf_name *perf_name_of(const char *event)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(event, ":"), event);
	return op_perf_name(name);
}

/* The period of the samples, or how often they were taken. */
static void put_period(const struct pp_head *head, const struct pp_class *class, FILE *out)
{
	uint64_t rate = pp_head_rate(head, class);

	if (rate)
		fprintf(out, " at %" PRIu64 " Hz", rate);
	else if (class->count)
		fprintf(out, " count %" PRIu64, class->count);
	else
		fputs(" at a rate that is not recorded", out);
}

/* Without a CPU type there is no catalogue: names of events are those of an import. */
static void report_header_put_event(struct op_catalogue *catalogue,
				    const struct pp_profile *profile, const struct pp_class *class,
				    FILE *out)
{
	const struct op_perf_name *own = perf_name_of(class->event);
	const struct op_catalogue_event *event = own ? NULL : report_header_find(catalogue, class);

	op_safe_printf(out, "Counted %s events (%s) with ", class->event,
		       event				   ? event->description
		       : own				   ? own->description
		       : profile->cpu_type == OP_CPU_TIMER ? "as the recorder calls them"
							   : "Unknown event");
	if (class->many_unit_masks)
		fprintf(out, "multiple unit masks");
	else
		op_safe_printf(out, "a unit mask of 0x%02" PRIx64 " (%s)", class->unit_mask,
			       mask_text(event, class->unit_mask));
	put_period(&profile->head, class, out);
	pp_scale_put(class, out);
	fputc('\n', out);
}

/* Samples of @n classes stand for different numbers of events. */
static void put_weights(const struct pp_profile *profile, size_t first, size_t n, FILE *out)
{
	uint64_t events = 0;
	bool differ = false;

	for (size_t i = first; i < first + n; i++)
		differ |= pp_weights_differ(profile->classes, profile->totals, i);
	if (!differ)
		return;
	for (size_t i = first; i < first + n; i++)
		if (__builtin_add_overflow(events, pp_events(profile->classes, profile->totals, i),
					   &events))
			events = UINT64_MAX;
	fprintf(out,
		"Percentages are of %" PRIu64
		" events: samples stand for different numbers of them\n",
		events);
}

/* ---- sessions ---- */

#define SESSIONS_SHOWN 3

static void put_sessions(const char *title, const struct pp_head *head, FILE *out)
{
	size_t n = pp_head_sessions(head);

	for (size_t i = 0; i < n && i < SESSIONS_SHOWN; i++) {
		char *name = pp_head_session_name(head->dirs[i]);

		op_safe_printf(out, "%s%s", i ? ", " : title, name);
		free(name);
	}
	if (n > SESSIONS_SHOWN)
		fprintf(out, " and %zu more", n - SESSIONS_SHOWN);
	if (n)
		fputc('\n', out);
}

static void put_fact(const char *before, const struct pp_fact *fact, FILE *out)
{
	if (fact->text)
		op_safe_printf(out, "%s%s%s", before, fact->text,
			       fact->varies ? " (and others)" : "");
}

static void put_host(const struct pp_head *head, FILE *out)
{
	if (!head->hostname.text && !head->os_release.text)
		return;
	put_fact("Host: ", head->hostname.text ? &head->hostname : &head->os_release, out);
	if (head->hostname.text)
		put_fact(", ", &head->os_release, out);
	put_fact(", ", &head->arch, out);
	fputc('\n', out);
}

bool pp_report_time(const struct pp_head *head, const char *before, const char *format, FILE *out)
{
	time_t start = (time_t)(head->start_ns / 1000000000);
	double seconds = (double)head->duration_ns / 1e9;
	char text[64] = "";
	struct tm local;

	if (head->start_ns && localtime_r(&start, &local))
		strftime(text, sizeof(text), format, &local);
	if (!*text && !head->duration_ns)
		return false;
	fprintf(out, "%s%s%s", before, text, *text && head->duration_ns ? ", " : "");
	if (head->duration_ns)
		fprintf(out, "%.*f s", seconds < 10 ? 3 : seconds < 100 ? 1 : 0, seconds);
	return true;
}

/* The timer of the module and of OProfile; imports may have other events without a CPU type. */
static bool is_by_timer(const struct pp_profile *profile)
{
	const struct pp_classes *classes = profile->classes;

	if (profile->cpu_type != OP_CPU_TIMER)
		return false;
	for (size_t i = 0; i < classes->n; i++)
		if (strcmp(classes->items[i].event, "TIMER"))
			return false;
	return true;
}

/* Events of the kernel's perf interface are those of any CPU: its model says which. */
static void put_cpu(const struct pp_profile *profile, FILE *out)
{
	const struct pp_fact *model = &profile->head.cpu;
	const char *type = op_cpu_type_name(profile->cpu_type);
	bool is_typed = profile->cpu_type != OP_CPU_TIMER || is_by_timer(profile);

	fputs("CPU: ", out);
	if (model->text && type && (!is_typed || !strcmp(type, OP_PERF_CPU_TYPE))) {
		put_fact("", model, out);
	} else {
		fputs(is_typed ? op_cpu_type_title(profile->cpu_type) : "not known", out);
		put_fact(", ", model, out);
	}
	if (profile->cpu_speed > 0)
		fprintf(out, ", speed %g MHz (estimated)", profile->cpu_speed);
	fputc('\n', out);
}

/* On a terminal it has two lines at most. */
static void put_command(const struct pp_fact *command, size_t columns, FILE *out)
{
	struct pp_fact shown = *command;

	if (!command->text)
		return;
	if (columns)
		shown.text = op_text_shorten(command->text, 2 * columns - columns / 3);
	put_fact("Command: ", &shown, out);
	fputc('\n', out);
	if (columns)
		free(shown.text);
}

void pp_report_head(const struct pp_profile *profile, const struct pp_report_style *style,
		    FILE *out)
{
	const struct pp_classes *classes = profile->classes;
	bool by_event = classes->axis == PP_AXIS_EVENT;
	bool by_timer = is_by_timer(profile), is_by_who = style && style->who_lines;
	struct op_catalogue catalogue = {0};

	put_sessions("Session: ", &profile->head, out);
	put_host(&profile->head, out);
	if (pp_report_time(&profile->head, "Time: ", "%F %T %z", out))
		fputc('\n', out);
	put_command(&profile->head.command, style ? style->columns : 0, out);
	put_cpu(profile, out);
	if (profile->head.backend.text) {
		put_fact("Backend: ", &profile->head.backend, out);
		fputc('\n', out);
	}
	if (by_timer)
		fputs("Profiling through timer interrupt\n", out);
	else
		load_catalogue(profile->cpu_type, &catalogue);
	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];

		if (!by_timer && (by_event || !i))
			report_header_put_event(&catalogue, profile, class, out);
		if (is_by_who)
			continue; /* there may be thousands of them */
		if (class->title)
			op_safe_line(out, "%s", class->title);
		put_weights(profile, i, 1, out);
	}
	if (is_by_who)
		put_weights(profile, 0, classes->n, out);
	op_catalogue_free(&catalogue);
}

void pp_report_old_sessions(const struct pp_profile *old, FILE *out)
{
	put_sessions("Compared with: ", &old->head, out);
}
