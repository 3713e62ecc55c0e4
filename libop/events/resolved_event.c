// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Resolving event specifications: see resolved_event.h.
 */
#include "resolved_event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/similar.h"
#include "libop/cpu/pmu.h"
#include "libop/cpu/type_names.h"
#include "pfm.h"

/* The event code of oprofilefs has 12 bits; modifiers are in the bits above them. */
#define EVENT_BITS 0xfffu

/* The default event, where it is not CPU_CLK_UNHALTED:100000:0:1:1. */
static const struct {
	const char *cpu_name, *spec;
} defaults[] = {
	{"i386/p4", "GLOBAL_POWER_EVENTS:100000:1:1:1"},
	{"i386/p4-ht", "GLOBAL_POWER_EVENTS:100000:1:1:1"},
	/* these count core cycles with a name, and have a high minimum */
	{"i386/skylake", "cpu_clk_unhalted:2000003:thread:1:1"},
	{"i386/goldmont", "cpu_clk_unhalted:2000003:core_p:1:1"},
	{"i386/goldmontplus", "cpu_clk_unhalted:2000003:core_p:1:1"},
};

static int no_event(const struct op_catalogue *catalogue, const char *name, struct op_error *error)
{
	struct op_similar similar = {.word = name};

	for (size_t i = 0; i < catalogue->count; i++)
		op_similar_try(&similar, catalogue->event[i].name);
	return op_error_set(error, ENOENT, "%s has no event %s" OP_SIMILAR_FORMAT,
			    catalogue->cpu_name, name, OP_SIMILAR_ARGUMENTS(similar, ""));
}

/* Adds the events of libpfm4 to those of the text files.  Return: whether there were any. */
static bool add_from_pfm(struct op_catalogue *catalogue)
{
	const struct op_cpu_pmu *pmu = op_cpu_pmu(catalogue->cpu_name);
	size_t before = catalogue->count;

	if (!pmu || catalogue->pfm_pmu || op_pfm_add_of_type(catalogue, pmu, NULL))
		return false;
	return catalogue->count > before;
}

static int resolve_mask(const struct op_catalogue *catalogue,
			const struct op_catalogue_event *event, const struct op_event_spec *spec,
			uint32_t *value, uint32_t *extra, struct op_error *error)
{
	if (spec->has_unit_mask && !spec->unit_mask_name) {
		char number[16];

		snprintf(number, sizeof(number), "0x%" PRIx32, (uint32_t)spec->unit_mask);
		return op_unit_mask_resolve(event->unit_mask, number, value, extra, error);
	}
	if (!op_unit_mask_resolve(event->unit_mask,
				  spec->unit_mask_name ? spec->unit_mask_name : "", value, extra,
				  error))
		return 0;
	/* libpfm4 decides which of its unit masks can be combined */
	if (!event->from_pfm || !spec->unit_mask_name || !strchr(spec->unit_mask_name, '+'))
		return -1;
	return op_pfm_join(catalogue, event, spec->unit_mask_name, value, extra, error);
}

/* Finds the first event of this name that has the unit mask. */
static int catalogue_find(const struct op_catalogue *catalogue, const struct op_event_spec *spec,
			  struct op_resolved_event *resolved, uint32_t *extra,
			  struct op_error *error)
{
	bool found = false, absent = false;

	for (size_t i = 0; i < catalogue->count; i++) {
		const struct op_catalogue_event *event = &catalogue->event[i];

		if (strcmp(event->name, spec->name))
			continue;
		if (!op_catalogue_has(catalogue, event)) {
			absent = true;
			continue;
		}
		/* of several, the error of the last one is reported */
		found = true;
		resolved->event = event;
		if (!resolve_mask(catalogue, event, spec, &resolved->unit_mask, extra, error))
			return 0;
	}
	if (found)
		return -1;
	if (absent)
		return op_error_set(error, ENOENT,
				    "this CPU does not have the event, according to CPUID");
	return no_event(catalogue, spec->name, error);
}

static int check_count(const struct op_resolved_event *resolved, const struct op_event_spec *spec,
		       const struct op_resolve_options *how, struct op_error *error)
{
	uint64_t minimum = resolved->event->minimum;

	if (how->callgraph_depth)
		minimum *= OP_CALLGRAPH_MINIMUM_FACTOR;
	if (how->ignore_count)
		return 0;
	if (!spec->has_count)
		return op_error_set(error, EINVAL, "the count is missing: %s:COUNT", spec->name);
	if (spec->count < minimum)
		return op_error_set(
			error, ERANGE, "the count %" PRIu64 " is below the minimum, %" PRIu64 "%s",
			spec->count, minimum, how->callgraph_depth ? " with call graphs" : "");
	return 0;
}

static int resolve_one(const struct op_catalogue *catalogue, const char *text,
		       const struct op_resolve_options *how, struct op_resolved_event *resolved,
		       struct op_error *error)
{
	struct op_event_spec spec;
	struct op_error cause;
	uint32_t extra = 0;
	int result;

	*resolved = (struct op_resolved_event){0};
	if (op_event_spec_parse(text, &spec, error))
		return -1;
	result = catalogue_find(catalogue, &spec, resolved, &extra, &cause);
	if (!result)
		result = check_count(resolved, &spec, how, &cause);
	if (result) {
		op_error_set(error, cause.code, "event \"%s\": %s", text, cause.text);
	} else {
		resolved->count = spec.count;
		resolved->kernel = spec.kernel;
		resolved->user = spec.user;
		resolved->has_named_mask = spec.unit_mask_name;
		resolved->event_code = resolved->event->code & EVENT_BITS;
		resolved->extra =
			(extra | (resolved->event->code & ~EVENT_BITS)) & OP_EXTRA_REGISTER;
	}
	op_event_spec_free(&spec);
	return result;
}

static bool resolved_event_is_same(const struct op_resolved_event *a,
				   const struct op_resolved_event *b)
{
	/* sample files are named by event, count and unit mask */
	return !strcmp(a->event->name, b->event->name) && a->unit_mask == b->unit_mask &&
	       a->count == b->count;
}

static int check_distinct(const struct op_resolved_event *resolved, size_t n, char *const *specs,
			  struct op_error *error)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			if (resolved_event_is_same(&resolved[i], &resolved[j]))
				return op_error_set(
					error, EINVAL,
					"the samples of the events \"%s\" and \"%s\" would be "
					"indistinguishable: use different counts",
					specs[j], specs[i]);
		}
	}
	return 0;
}

static int catalogue_place(const struct op_catalogue *catalogue, struct op_resolved_event *resolved,
			   size_t n, char *const *specs, struct op_error *error)
{
	const struct op_counters *counters = &catalogue->counters;
	uint64_t *allowed = calloc(n + 1, sizeof(*allowed));
	unsigned int *counter = calloc(n + 1, sizeof(*counter));
	int result = allowed && counter ? 0 : op_error_memory(error);
	char multiplexed[64] = "";

	if (counters->virtual_groups)
		snprintf(multiplexed, sizeof(multiplexed),
			 ", up to %u multiplexed events on each general one",
			 counters->virtual_groups + 1);
	for (size_t i = 0; !result && i < n; i++) {
		allowed[i] = op_catalogue_counters(catalogue, resolved[i].event,
						   resolved[i].unit_mask, resolved[i].extra);
		if (!allowed[i] && !resolved[i].event->ext)
			result = op_error_set(error, EBUSY,
					      "event \"%s\": none of the counters that can count "
					      "it exists and is free (%u general, %u fixed ones)",
					      specs[i], counters->general, counters->fixed);
	}
	if (!result && op_counters_allocate_groups(counters, allowed, n, counter))
		result = op_error_set(
			error, EBUSY,
			"there are not enough counters for all %zu events: %s has %u general and "
			"%u fixed ones%s, and some events can be counted by some of them only",
			n, catalogue->cpu_name, counters->general, counters->fixed, multiplexed);
	for (size_t i = 0; !result && i < n; i++)
		resolved[i].counter = counter[i];
	free(allowed);
	free(counter);
	return result;
}

static int resolve_all(const struct op_catalogue *catalogue, char *const *specs, size_t n,
		       const struct op_resolve_options *how, struct op_resolved_event *resolved,
		       struct op_error *error)
{
	for (size_t i = 0; i < n; i++) {
		if (resolve_one(catalogue, specs[i], how, &resolved[i], error))
			return -1;
	}
	return 0;
}

int op_events_resolve(struct op_catalogue *catalogue, char *const *specs, size_t n,
		      const struct op_resolve_options *how, struct op_resolved_event *resolved,
		      struct op_error *error)
{
	struct op_error cause;

	if (resolve_all(catalogue, specs, n, how, resolved, &cause)) {
		if (cause.code == ERANGE || !add_from_pfm(catalogue))
			return op_error_set(error, cause.code, "%s", cause.text);
		/* adding events has moved the others in memory: resolve all again */
		if (resolve_all(catalogue, specs, n, how, resolved, error))
			return -1;
	}
	if (how->ignore_counters)
		return 0;
	if (check_distinct(resolved, n, specs, error))
		return -1;
	return catalogue_place(catalogue, resolved, n, specs, error);
}

void op_resolved_event_copy(const struct op_resolved_event *resolved, struct op_event *event)
{
	*event = (struct op_event){
		.name = resolved->event->name,
		.code = resolved->event->code,
		.counter = resolved->counter,
		.count = (uint32_t)resolved->count,
		.unit_mask = resolved->unit_mask,
		.kernel = resolved->kernel,
		.user = resolved->user,
	};
}

char *op_default_event(const struct op_catalogue *catalogue, struct op_error *error)
{
	const char *spec = "CPU_CLK_UNHALTED:100000:0:1:1";
	char *copy;

	if (catalogue->cpu_type == OP_CPU_NONE || catalogue->cpu_type == OP_CPU_TIMER) {
		op_error_set(error, ENOENT, "%s has no default event", catalogue->cpu_name);
		return NULL;
	}
	for (size_t i = 0; i < OP_ARRAY_SIZE(defaults); i++) {
		if (!strcmp(defaults[i].cpu_name, catalogue->cpu_name))
			spec = defaults[i].spec;
	}
	copy = strdup(spec);
	if (!copy)
		op_error_memory(error);
	return copy;
}
