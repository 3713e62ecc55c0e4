// SPDX-License-Identifier: GPL-2.0-or-later
/* Events for OProfile: CPU types and codes that it knows, one weight for all samples. */
#include "original.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libop/base/memory.h"
#include "libop/cpu/type_names.h"
#include "libop/events/catalogue.h"
#include "pp/select/weights.h"

#define SAMPLES_LEAST 10000 /* of an event whose samples weigh differently */
#define ARCHITECTURAL "i386/arch_perfmon"

__extension__ typedef unsigned __int128 wide;

/* ---- CPU types and codes ---- */

/* Events that perf has for any CPU, as architectural ones of Intel. */
static const struct {
	const char *name;
	uint32_t code, unit_mask;
} general_events[] = {
	{"cycles", 0x3c, 0},	   {"cpu-cycles", 0x3c, 0},	     {"ref-cycles", 0x3c, 1},
	{"instructions", 0xc0, 0}, {"cache-references", 0x2e, 0x4f}, {"cache-misses", 0x2e, 0x41},
	{"branches", 0xc4, 0},	   {"branch-instructions", 0xc4, 0}, {"branch-misses", 0xc5, 0},
};

static bool is_clock(const char *name)
{
	return !strcmp(name, "TIMER") || !strcmp(name, "cpu-clock") || !strcmp(name, "task-clock");
}

/* Sessions of perf events do not say which CPU it was. */
static void set_general(struct original_event *event, uint32_t version, const char *name)
{
	op_cpu_type_for_file(version, is_clock(name) ? "timer" : ARCHITECTURAL, &event->cpu_type);
	event->code = 0;
	for (size_t i = 0; i < sizeof(general_events) / sizeof(general_events[0]); i++)
		if (!strcmp(general_events[i].name, name)) {
			event->code = general_events[i].code;
			event->unit_mask = general_events[i].unit_mask;
		}
}

/* Whether another CPU type has the same event.  Else a code would name some other event. */
static bool has_event(const char *cpu_name, const char *name, uint32_t code, uint32_t unit_mask)
{
	const struct op_counters counters = op_counters_plain(0, 0);
	const struct op_catalogue_event *event;
	struct op_catalogue catalogue = {0};
	bool has;

	if (op_catalogue_load(cpu_name, &counters, false, &catalogue, NULL))
		return false;
	event = op_catalogue_by_code(&catalogue, code, unit_mask);
	has = event && !strcasecmp(event->name, name);
	op_catalogue_free(&catalogue);
	return has;
}

static void set_type(struct original_event *event, uint32_t version, const char *name,
		     const struct odb_header *header)
{
	int number = op_cpu_type_of_file(header->version, header->cpu_type);
	const char *cpu_name = number == OP_CPU_NONE ? "timer" : op_cpu_type_name(number), *written;

	event->code = header->ctr_event;
	if (!strcmp(cpu_name, "perf")) {
		set_general(event, version, name);
		return;
	}
	written = op_cpu_type_for_file(version, cpu_name, &event->cpu_type);
	if (strcmp(written, cpu_name) && !has_event(written, name, event->code, event->unit_mask))
		event->code = 0;
}

/* ---- counts ---- */

static uint64_t original_event_add(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

/* The samples of a class, and the events that they stand for. */
static void sum_up(struct original_event *event, const struct pp_sample_list *list,
		   const struct pp_classes *classes, unsigned int class)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->files[i].class == class)
			event->samples = original_event_add(event->samples, list->files[i].sum);
	for (size_t i = 0; i < list->n_weights; i++) {
		const struct pp_sample_file *file = &list->weights[i];

		if (file->class == class + classes->n)
			event->events = original_event_add(
				event->events, multiply(file->sum, pp_weight_unit(file)));
	}
}

/* A sample is of @count events, whatever it was in the session. */
static void divide_by(struct original_event *event, uint64_t count)
{
	event->by_events = true;
	event->count = event->events = count;
	event->samples = 1;
}

/* Frequencies give samples no count: the mean is one, or a part of it, if a sum that is off by one
 * sample would be off by more than 1/SAMPLES_LEAST of all. */
static void divide_by_mean(struct original_event *event)
{
	uint64_t samples = event->samples < SAMPLES_LEAST ? SAMPLES_LEAST : event->samples;
	uint64_t count = original_event_add(event->events, samples / 2) / samples;

	divide_by(event, count ? count : 1);
}

static void set_count(struct original_event *event, const struct pp_sample_list *list,
		      const struct pp_classes *classes, unsigned int class)
{
	event->own = event->count = classes->items[class].count;
	if (classes->items[class].is_weighted && event->own) {
		divide_by(event, event->own);
	} else if (classes->items[class].is_weighted) {
		sum_up(event, list, classes, class);
		divide_by_mean(event);
	}
	/* names of sample files have it as a signed number of 32 bits */
	if (event->count > INT32_MAX)
		divide_by(event, event->count / (event->count / INT32_MAX + 1));
}

/* ---- all together ---- */

static const struct pp_sample_file *file_of(const struct pp_sample_list *list, unsigned int class)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->files[i].class == class)
			return &list->files[i];
	return NULL;
}

struct original_event *original_events_make(uint32_t version, const struct pp_sample_list *list,
					    const struct pp_classes *classes)
{
	struct original_event *events = op_alloc(classes->n, sizeof(*events));

	for (unsigned int i = 0; i < classes->n; i++) {
		const struct pp_sample_file *file = file_of(list, i);

		events[i].unit_mask = (uint32_t)classes->items[i].unit_mask;
		if (file)
			set_type(&events[i], version, classes->items[i].event, &file->header);
		set_count(&events[i], list, classes, i);
	}
	return events;
}

uint64_t original_event_take(struct original_event *event, bool is_arc, uint64_t events)
{
	uint64_t *rest = &event->rest[is_arc];
	wide all;

	if (!event->by_events)
		return events;
	all = (wide)events * event->samples + *rest;
	*rest = (uint64_t)(all % event->events);
	all /= event->events;
	return all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
}
