// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Choices of events: see choice.h.
 */
#include "resolved_event.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/cpu/pmu.h"
#include "libop/cpu/type_names.h"
#include "pfm.h"

/* oprofilefs takes the number of the event in 12 bits; a code may hold modifiers above them. */
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

static int no_memory(struct op_error *error)
{
	return op_error_set(error, ENOMEM, "out of memory");
}

static unsigned int distance(const char *a, const char *b)
{
	size_t i = 0, j = 0, n = strlen(a), m = strlen(b);

	while (a[i] && toupper((unsigned char)a[i]) == toupper((unsigned char)b[i]))
		i++;
	while (n - j > i && m - j > i &&
	       toupper((unsigned char)a[n - j - 1]) == toupper((unsigned char)b[m - j - 1]))
		j++;
	/* the length of what differs between the common beginning and the common end */
	return (unsigned int)((n > m ? n : m) - i - j);
}

static int no_event(const struct op_catalogue *catalogue, const char *name, struct op_error *error)
{
	const struct op_catalogue_event *nearest = NULL;
	unsigned int least = 4;

	for (size_t i = 0; i < catalogue->count; i++) {
		unsigned int d = distance(name, catalogue->event[i].name);

		if (d < least && d < strlen(name)) {
			least = d;
			nearest = &catalogue->event[i];
		}
	}
	return op_error_set(error, ENOENT, "%s has no event %s%s%s%s", catalogue->cpu_name, name,
			    nearest ? " (it has " : "", nearest ? nearest->name : "",
			    nearest ? ")" : "");
}

/* What the text files do not have, libpfm4 may: returns whether there is more now. */
static bool ask_pfm(struct op_catalogue *catalogue)
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
	/* only libpfm4 knows which of its unit masks may be joined */
	if (!event->from_pfm || !spec->unit_mask_name || !strchr(spec->unit_mask_name, '+'))
		return -1;
	return op_pfm_join(catalogue, event, spec->unit_mask_name, value, extra, error);
}

/* Of the events of this name, the first that takes the unit mask. */
static int find(const struct op_catalogue *catalogue, const struct op_event_spec *spec,
		struct op_choice *choice, uint32_t *extra, struct op_error *error)
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
		choice->event = event;
		if (!resolve_mask(catalogue, event, spec, &choice->unit_mask, extra, error))
			return 0;
	}
	if (found)
		return -1;
	if (absent)
		return op_error_set(error, ENOENT, "this CPU does not have the event (CPUID says)");
	return no_event(catalogue, spec->name, error);
}

static int check_count(const struct op_choice *choice, const struct op_event_spec *spec,
		       const struct op_choose_how *how, struct op_error *error)
{
	uint64_t minimum = choice->event->minimum;

	if (how->callgraph_depth)
		minimum *= OP_CALLGRAPH_MINIMUM_FACTOR;
	if (how->ignore_count)
		return 0;
	if (!spec->has_count)
		return op_error_set(error, EINVAL, "it has no count: %s:COUNT", spec->name);
	if (spec->count < minimum)
		return op_error_set(error, ERANGE,
				    "the count %" PRIu64 " is below the least one, %" PRIu64 "%s",
				    spec->count, minimum,
				    how->callgraph_depth ? " with call graphs" : "");
	return 0;
}

static int choose_one(const struct op_catalogue *catalogue, const char *text,
		      const struct op_choose_how *how, struct op_choice *choice,
		      struct op_error *error)
{
	struct op_event_spec spec;
	struct op_error cause;
	uint32_t extra = 0;
	int result;

	*choice = (struct op_choice){0};
	if (op_event_spec_parse(text, &spec, error))
		return -1;
	result = find(catalogue, &spec, choice, &extra, &cause);
	if (!result)
		result = check_count(choice, &spec, how, &cause);
	if (result) {
		op_error_set(error, cause.code, "event \"%s\": %s", text, cause.text);
	} else {
		choice->count = spec.count;
		choice->kernel = spec.kernel;
		choice->user = spec.user;
		choice->has_named_mask = spec.unit_mask_name;
		choice->event_code = choice->event->code & EVENT_BITS;
		choice->extra = (extra | (choice->event->code & ~EVENT_BITS)) & OP_EXTRA_REGISTER;
	}
	op_event_spec_free(&spec);
	return result;
}

static bool is_same(const struct op_choice *a, const struct op_choice *b)
{
	/* sample files are named by event, count and unit mask */
	return !strcmp(a->event->name, b->event->name) && a->unit_mask == b->unit_mask &&
	       a->count == b->count;
}

static int check_distinct(const struct op_choice *choices, size_t n, char *const *specs,
			  struct op_error *error)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			if (is_same(&choices[i], &choices[j]))
				return op_error_set(
					error, EINVAL,
					"the events \"%s\" and \"%s\" are the same, or their "
					"samples would be: give them different counts",
					specs[j], specs[i]);
		}
	}
	return 0;
}

static int place(const struct op_catalogue *catalogue, struct op_choice *choices, size_t n,
		 char *const *specs, struct op_error *error)
{
	const struct op_counters *counters = &catalogue->counters;
	uint64_t *allowed = calloc(n + 1, sizeof(*allowed));
	unsigned int *counter = calloc(n + 1, sizeof(*counter));
	int result = allowed && counter ? 0 : no_memory(error);
	char turns[64] = "";

	if (counters->turns)
		snprintf(turns, sizeof(turns), ", up to %u events on each general one",
			 counters->turns + 1);
	for (size_t i = 0; !result && i < n; i++) {
		allowed[i] = op_catalogue_counters(catalogue, choices[i].event,
						   choices[i].unit_mask, choices[i].extra);
		if (!allowed[i] && !choices[i].event->ext)
			result = op_error_set(error, EBUSY,
					      "event \"%s\": none of the counters that it can be "
					      "on is there and free (%u general, %u fixed ones)",
					      specs[i], counters->general, counters->fixed);
	}
	if (!result && op_counters_allocate_turns(counters, allowed, n, counter))
		result = op_error_set(error, EBUSY,
				      "there are not enough counters for all %zu events: %s has %u "
				      "general and %u fixed ones%s, and some events can only be on "
				      "some of them",
				      n, catalogue->cpu_name, counters->general, counters->fixed,
				      turns);
	for (size_t i = 0; !result && i < n; i++)
		choices[i].counter = counter[i];
	free(allowed);
	free(counter);
	return result;
}

static int choose_all(const struct op_catalogue *catalogue, char *const *specs, size_t n,
		      const struct op_choose_how *how, struct op_choice *choices,
		      struct op_error *error)
{
	for (size_t i = 0; i < n; i++) {
		if (choose_one(catalogue, specs[i], how, &choices[i], error))
			return -1;
	}
	return 0;
}

int op_choose(struct op_catalogue *catalogue, char *const *specs, size_t n,
	      const struct op_choose_how *how, struct op_choice *choices, struct op_error *error)
{
	struct op_error cause;

	if (choose_all(catalogue, specs, n, how, choices, &cause)) {
		if (cause.code == ERANGE || !ask_pfm(catalogue))
			return op_error_set(error, cause.code, "%s", cause.text);
		/* all over again: the events that were added moved those chosen */
		if (choose_all(catalogue, specs, n, how, choices, error))
			return -1;
	}
	if (how->ignore_counters)
		return 0;
	if (check_distinct(choices, n, specs, error))
		return -1;
	return place(catalogue, choices, n, specs, error);
}

void op_choice_event(const struct op_choice *choice, struct op_event *event)
{
	*event = (struct op_event){
		.name = choice->event->name,
		.code = choice->event->code,
		.counter = choice->counter,
		.count = (uint32_t)choice->count,
		.unit_mask = choice->unit_mask,
		.kernel = choice->kernel,
		.user = choice->user,
	};
}

char *op_choice_default(const struct op_catalogue *catalogue, struct op_error *error)
{
	const char *spec = "CPU_CLK_UNHALTED:100000:0:1:1";
	char *copy;

	if (catalogue->cpu_type == OP_CPU_NONE || catalogue->cpu_type == OP_CPU_TIMER) {
		op_error_set(error, ENOENT, "%s has no default event", catalogue->cpu_name);
		return NULL;
	}
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
		if (!strcmp(defaults[i].cpu_name, catalogue->cpu_name))
			spec = defaults[i].spec;
	}
	copy = strdup(spec);
	if (!copy)
		no_memory(error);
	return copy;
}
