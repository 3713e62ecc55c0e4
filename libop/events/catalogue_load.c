// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads the catalogue of a CPU type from its sources: text files, libpfm4, the timer's one event.
 */
#include "catalogue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/cpu/pmu.h"
#include "libop/cpu/type_names.h"
#include "libop/base/file.h"
#include "pfm.h"

#define FILE_LIMIT (4u << 20) /* bytes; the largest of OProfile's has 40 thousand */

/* Names of CPU types become paths: they must stay below the directory. */
static bool is_cpu_name(const char *name)
{
	return *name && *name != '/' && !strstr(name, "..") && !strstr(name, "//");
}

static char *catalogue_load_read_file(void *context, const char *cpu_name, const char *file,
				      char **path, size_t *length, struct op_error *error)
{
	if (!is_cpu_name(cpu_name)) {
		*path = NULL;
		op_error_set(error, ENOENT, "\"%s\" is not the name of a CPU type", cpu_name);
		return NULL;
	}
	*path = op_path("%s/%s/%s", (const char *)context, cpu_name, file);
	if (!*path) {
		op_error_memory(error);
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
		return op_error_memory(error);
	}
	return 0;
}

static int load(const char *cpu_name, const struct op_counters *counters, bool with_pfm,
		struct op_catalogue *catalogue, struct op_error *error)
{
	const struct op_cpu_pmu *pmu = op_cpu_pmu(cpu_name);
	struct op_error cause;

	if (op_catalogue_parse(cpu_name, counters, catalogue_load_read_file,
			       (void *)op_catalogue_dir(), catalogue, &cause))
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
		return op_error_memory(error);
	if (!strncmp(cpu_name, OP_CATALOGUE_PFM, strlen(OP_CATALOGUE_PFM)))
		return op_pfm_add(catalogue, cpu_name + strlen(OP_CATALOGUE_PFM), error);
	return load_timer(catalogue, error);
}

static int refuse_type(const char *name, struct op_error *error)
{
	struct op_similar similar = op_cpu_type_similar(name);

	return op_error_set(error, ENOENT, "unknown CPU type \"%s\"" OP_SIMILAR_FORMAT, name,
			    OP_SIMILAR_ARGUMENTS(similar, ""));
}

int op_catalogue_load(const char *cpu_name, const struct op_counters *counters, bool with_pfm,
		      struct op_catalogue *catalogue, struct op_error *error)
{
	int type = op_cpu_type_number(cpu_name), result;

	*catalogue = (struct op_catalogue){0};
	if (type == OP_CPU_NONE && strncmp(cpu_name, OP_CATALOGUE_PFM, strlen(OP_CATALOGUE_PFM)))
		return refuse_type(cpu_name, error);
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
