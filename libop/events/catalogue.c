// SPDX-License-Identifier: GPL-2.0-or-later
/* What a catalogue of events holds, and looking events up: see catalogue.h. */
#include "catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"

int op_catalogue_add_event(struct op_catalogue *catalogue, const struct op_catalogue_event *event)
{
	if (op_array_extend(catalogue->event, catalogue->count))
		return -1;
	catalogue->event[catalogue->count++] = *event;
	return 0;
}

int op_catalogue_add_mask(struct op_catalogue *catalogue, struct op_unit_mask *mask)
{
	if (op_array_extend(catalogue->unit_mask, catalogue->unit_mask_count))
		return -1;
	catalogue->unit_mask[catalogue->unit_mask_count++] = mask;
	return 0;
}

void op_catalogue_free(struct op_catalogue *catalogue)
{
	for (size_t i = 0; i < catalogue->count; i++) {
		free(catalogue->event[i].name);
		free(catalogue->event[i].description);
		free(catalogue->event[i].ext);
	}
	free(catalogue->event);
	for (size_t i = 0; i < catalogue->unit_mask_count; i++) {
		op_unit_mask_free(catalogue->unit_mask[i]);
		free(catalogue->unit_mask[i]);
	}
	free(catalogue->unit_mask);
	free(catalogue->cpu_name);
	*catalogue = (struct op_catalogue){0};
}

const char *op_catalogue_dir(void)
{
	const char *dir = getenv(OP_EVENTS_ENVIRONMENT);

	return dir && *dir ? dir : OP_EVENTS_DIR;
}

bool op_catalogue_has(const struct op_catalogue *catalogue, const struct op_catalogue_event *event)
{
	return event->filter < 0 || !(catalogue->counters.absent_events & 1u << event->filter);
}

/* Fixed counter of Intel that counts this, or -1. */
static int fixed_counter(const struct op_catalogue_event *event, uint32_t unit_mask, uint32_t extra)
{
	if (extra & OP_EXTRA_REGISTER)
		return -1;
	if (event->code == 0xc0)
		return unit_mask ? -1 : 0;
	if (event->code == 0x3c)
		return unit_mask ? -1 : 1;
	if (!event->code && !event->all_counters && !event->counters && unit_mask)
		return (int)unit_mask - 1;
	return -1;
}

uint64_t op_catalogue_counters(const struct op_catalogue *catalogue,
			       const struct op_catalogue_event *event, uint32_t unit_mask,
			       uint32_t extra)
{
	const struct op_counters *counters = &catalogue->counters;
	struct op_counters general = op_counters_plain(counters->general, 0);
	int fixed = fixed_counter(event, unit_mask, extra);
	uint64_t mask = general.usable;

	if (event->ext)
		return 0;
	if (!event->all_counters)
		mask &= event->counters;
	if (fixed >= 0 && (unsigned int)fixed < counters->fixed)
		mask |= 1ull << (counters->general + (unsigned int)fixed);
	return op_counters_on(counters, mask);
}

const struct op_catalogue_event *op_catalogue_by_name(const struct op_catalogue *catalogue,
						      const char *name, uint32_t unit_mask)
{
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct op_catalogue_event *event = &catalogue->event[i];

		if (!strcmp(event->name, name) &&
		    (!unit_mask || op_unit_mask_takes(event->unit_mask, unit_mask)))
			return event;
	}
	return NULL;
}

const struct op_catalogue_event *op_catalogue_by_code(const struct op_catalogue *catalogue,
						      uint32_t code, uint32_t unit_mask)
{
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct op_catalogue_event *event = &catalogue->event[i];

		if (event->code == code &&
		    (!unit_mask || op_unit_mask_takes(event->unit_mask, unit_mask)))
			return event;
	}
	return NULL;
}
