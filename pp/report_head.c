// SPDX-License-Identifier: GPL-2.0-or-later
/* The head of a report. */
#include <inttypes.h>

#include "libop/cpu_type.h"
#include "pp/report.h"

/* What an event and its unit mask mean is for the catalogue of events to say. */
static void put_event(const struct pp_class *class, FILE *out)
{
	fprintf(out, "Counted %s events (Unknown event) with ", class->event);
	if (class->many_unit_masks)
		fprintf(out, "multiple unit masks");
	else
		fprintf(out, "a unit mask of 0x%02" PRIx64 " (%s)", class->unit_mask,
			class->unit_mask ? "Unknown unit mask" : "No unit mask");
	fprintf(out, " count %" PRIu64 "\n", class->count);
}

void pp_report_head(const struct pp_profile *profile, FILE *out)
{
	const struct pp_classes *classes = profile->classes;
	bool by_event = classes->axis == PP_AXIS_EVENT;

	fprintf(out, "CPU: %s", op_cpu_type_title(profile->cpu_type));
	if (profile->cpu_speed > 0)
		fprintf(out, ", speed %g MHz (estimated)", profile->cpu_speed);
	fputc('\n', out);
	if (profile->cpu_type == OP_CPU_TIMER)
		fputs("Profiling through timer interrupt\n", out);
	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];

		if (profile->cpu_type != OP_CPU_TIMER && (by_event || !i))
			put_event(class, out);
		if (class->title)
			fprintf(out, "%s\n", class->title);
	}
}
