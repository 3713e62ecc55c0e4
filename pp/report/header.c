// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header of a report.  Events and unit masks are described by the catalogue of the profiled CPU
 * type, which need not be this machine's.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "libop/events/catalogue.h"
#include "libop/cpu/pmu.h"
#include "libop/cpu/type_names.h"
#include "libop/base/error.h"
#include "libop/base/safe_text.h"
#include "libop/perf/event.h"
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
static const struct op_catalogue_event *find(struct op_catalogue *catalogue,
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
	return op_unit_mask_takes(event->unit_mask, (uint32_t)value) ? "multiple flags"
								     : "Unknown unit mask";
}

static void put_event(struct op_catalogue *catalogue, const struct pp_class *class, FILE *out)
{
	const struct op_perf_name *own = op_perf_name(class->event);
	const struct op_catalogue_event *event = own ? NULL : find(catalogue, class);

	op_safe_printf(out, "Counted %s events (%s) with ", class->event,
		       event ? event->description
		       : own ? own->description
			     : "Unknown event");
	if (class->many_unit_masks)
		fprintf(out, "multiple unit masks");
	else
		op_safe_printf(out, "a unit mask of 0x%02" PRIx64 " (%s)", class->unit_mask,
			       mask_text(event, class->unit_mask));
	fprintf(out, " count %" PRIu64, class->count);
	pp_scale_put(class, out);
	fputc('\n', out);
}

/* Samples stand for different numbers of events. */
static void put_weights(const struct pp_profile *profile, size_t class, FILE *out)
{
	if (profile->classes->items[class].is_weighted)
		fprintf(out,
			"Percentages are of %" PRIu64
			" events: samples stand for different numbers of them\n",
			pp_weight(profile->classes, profile->totals, class));
}

void pp_report_head(const struct pp_profile *profile, FILE *out)
{
	const struct pp_classes *classes = profile->classes;
	bool by_event = classes->axis == PP_AXIS_EVENT;
	bool by_timer = profile->cpu_type == OP_CPU_TIMER;
	struct op_catalogue catalogue = {0};

	fprintf(out, "CPU: %s", op_cpu_type_title(profile->cpu_type));
	if (profile->cpu_speed > 0)
		fprintf(out, ", speed %g MHz (estimated)", profile->cpu_speed);
	fputc('\n', out);
	if (by_timer)
		fputs("Profiling through timer interrupt\n", out);
	else
		load_catalogue(profile->cpu_type, &catalogue);
	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];

		if (!by_timer && (by_event || !i))
			put_event(&catalogue, class, out);
		if (class->title)
			op_safe_line(out, "%s", class->title);
		put_weights(profile, i, out);
	}
	op_catalogue_free(&catalogue);
}
