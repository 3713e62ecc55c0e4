// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Catalogues of events: see catalogue.h.
 */
#include "catalogue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue_parse.h"
#include "libop/cpu/pmu.h"
#include "libop/cpu/type_names.h"
#include "libop/base/file.h"
#include "pfm.h"

#define FILE_LIMIT (4u << 20) /* bytes; the largest of OProfile's has 40 thousand */

int op_catalogue_add_event(struct op_catalogue *catalogue, const struct op_catalogue_event *event)
{
	struct op_catalogue_event *larger;

	/* doubles the room at each power of two */
	if (!(catalogue->count & (catalogue->count - 1))) {
		size_t room = catalogue->count ? 2 * catalogue->count : 1;

		larger = reallocarray(catalogue->event, room, sizeof(*larger));
		if (!larger)
			return -1;
		catalogue->event = larger;
	}
	catalogue->event[catalogue->count++] = *event;
	return 0;
}

int op_catalogue_add_mask(struct op_catalogue *catalogue, struct op_unit_mask *mask)
{
	struct op_unit_mask **larger;

	larger = reallocarray(catalogue->unit_mask, catalogue->unit_mask_count + 1,
			      sizeof(struct op_unit_mask *));
	if (!larger)
		return -1;
	catalogue->unit_mask = larger;
	larger[catalogue->unit_mask_count++] = mask;
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

/* Names of CPU types become paths: they must stay below the directory. */
static bool is_cpu_name(const char *name)
{
	return *name && *name != '/' && !strstr(name, "..") && !strstr(name, "//");
}

static char *read_file(void *context, const char *cpu_name, const char *file, char **path,
		       size_t *length, struct op_error *error)
{
	if (!is_cpu_name(cpu_name)) {
		*path = NULL;
		op_error_set(error, ENOENT, "\"%s\" is no name of a CPU type", cpu_name);
		return NULL;
	}
	*path = op_path("%s/%s/%s", (const char *)context, cpu_name, file);
	if (!*path) {
		op_error_set(error, ENOMEM, "out of memory");
		return NULL;
	}
	return op_file_read(*path, FILE_LIMIT, length, error);
}

/* The timer's only event; nothing about it can be chosen. */
static int load_timer(struct op_catalogue *catalogue, struct op_error *error)
{
	struct op_unit_mask *mask = calloc(1, sizeof(*mask));
	struct op_catalogue_event event = {.filter = -1, .unit_mask = mask};

	if (mask && op_catalogue_add_mask(catalogue, mask)) {
		free(mask);
		mask = NULL;
	}
	event.name = strdup("TIMER");
	event.description = strdup("timer interrupts");
	event.ext = strdup("timer");
	if (mask) {
		mask->name = strdup("zero");
		mask->has_default = true;
	}
	if (!mask || !mask->name || op_unit_mask_add(mask, 0, 0, NULL, "no unit mask") ||
	    !event.name || !event.description || !event.ext ||
	    op_catalogue_add_event(catalogue, &event)) {
		free(event.name);
		free(event.description);
		free(event.ext);
		return op_error_set(error, ENOMEM, "out of memory");
	}
	return 0;
}

static int load(const char *cpu_name, const struct op_counters *counters, bool with_pfm,
		struct op_catalogue *catalogue, struct op_error *error)
{
	const struct op_cpu_pmu *pmu = op_cpu_pmu(cpu_name);
	struct op_error cause;

	if (op_catalogue_parse(cpu_name, counters, read_file, (void *)op_catalogue_dir(), catalogue,
			       &cause))
		return op_error_set(error, cause.code, "%s", cause.text);
	if (!with_pfm || !pmu || pmu->text_only)
		return 0;
	return op_pfm_add_of_type(catalogue, pmu, error);
}

static int load_plain(const char *cpu_name, const struct op_counters *counters,
		      struct op_catalogue *catalogue, struct op_error *error)
{
	*catalogue = (struct op_catalogue){.counters = *counters, .cpu_type = OP_CPU_NONE};
	catalogue->cpu_name = strdup(cpu_name);
	if (!catalogue->cpu_name)
		return op_error_set(error, ENOMEM, "out of memory");
	if (!strncmp(cpu_name, OP_CATALOGUE_PFM, strlen(OP_CATALOGUE_PFM)))
		return op_pfm_add(catalogue, cpu_name + strlen(OP_CATALOGUE_PFM), error);
	return load_timer(catalogue, error);
}

int op_catalogue_load(const char *cpu_name, const struct op_counters *counters, bool with_pfm,
		      struct op_catalogue *catalogue, struct op_error *error)
{
	int type = op_cpu_type_number(cpu_name), result;

	*catalogue = (struct op_catalogue){0};
	if (type == OP_CPU_NONE && strncmp(cpu_name, OP_CATALOGUE_PFM, strlen(OP_CATALOGUE_PFM)))
		return op_error_set(error, ENOENT, "unknown CPU type \"%s\"", cpu_name);
	if (type == OP_CPU_NONE || type == OP_CPU_TIMER)
		result = load_plain(cpu_name, counters, catalogue, error);
	else
		result = load(cpu_name, counters, with_pfm, catalogue, error);
	if (result)
		op_catalogue_free(catalogue);
	else
		catalogue->cpu_type = type;
	return result;
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
