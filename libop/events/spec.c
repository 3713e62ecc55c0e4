// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event specifications and the daemon's list of events: see event.h.
 */
#include "spec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/number.h"
#include "libop/base/strings.h"

/* A name becomes part of the names of sample files, whose fields are separated by dots. */
static int check_name(const char *name, struct op_error *error)
{
	if (!*name)
		return op_error_set(error, EINVAL, "an event without a name");
	for (const char *c = name; *c; c++) {
		if (*c == '.' || *c == '/' || !isgraph((unsigned char)*c))
			return op_error_set(
				error, EINVAL,
				"event \"%s\": a name must not contain '.', '/' or a blank", name);
	}
	return 0;
}

static int parse_flag(const char *text, const char *what, bool *out, struct op_error *error)
{
	uint64_t value;

	if (op_number_parse(text, what, 0, 1, &value, error))
		return -1;
	*out = value;
	return 0;
}

static int parse_flags(const struct op_strings *field, struct op_event_spec *spec,
		       struct op_error *error)
{
	if (field->count > 3 && parse_flag(field->item[3], "kernel", &spec->kernel, error))
		return -1;
	if (field->count > 4 && parse_flag(field->item[4], "user", &spec->user, error))
		return -1;
	if (field->count > 5)
		return op_error_set(error, EINVAL, "more than NAME:COUNT:UNITMASK:KERNEL:USER");
	if (!spec->kernel && !spec->user)
		return op_error_set(error, EINVAL, "neither kernel nor user code is selected");
	return 0;
}

static int parse_spec(const struct op_strings *field, struct op_event_spec *spec,
		      struct op_error *error)
{
	if (check_name(field->item[0], error))
		return -1;
	spec->name = strdup(field->item[0]);
	if (!spec->name)
		return op_error_memory(error);
	if (field->count > 1 && *field->item[1]) {
		if (op_number_parse(field->item[1], "count", 0, UINT32_MAX, &spec->count, error))
			return -1;
		spec->has_count = true;
	}
	if (field->count > 2 && *field->item[2]) {
		struct op_error cause;

		spec->has_unit_mask = true;
		if (!op_number_parse(field->item[2], "unit mask", 0, UINT32_MAX, &spec->unit_mask,
				     &cause))
			return parse_flags(field, spec, error);
		if (cause.code == ERANGE)
			return op_error_set(error, ERANGE, "%s", cause.text);
		/* names may begin with a digit, too: 128BIT */
		spec->unit_mask_name = strdup(field->item[2]);
		if (!spec->unit_mask_name)
			return op_error_memory(error);
	}
	return parse_flags(field, spec, error);
}

int op_event_spec_parse(const char *text, struct op_event_spec *spec, struct op_error *error)
{
	struct op_strings field = {0};
	struct op_error cause;
	int result;

	*spec = (struct op_event_spec){.kernel = true, .user = true};
	if (op_strings_split(&field, text, ':'))
		result = op_error_memory(&cause);
	else
		result = parse_spec(&field, spec, &cause);
	op_strings_free(&field);
	if (result) {
		op_event_spec_free(spec);
		op_error_set(error, cause.code, "event \"%s\": %s", text, cause.text);
	}
	return result;
}

void op_event_spec_free(struct op_event_spec *spec)
{
	free(spec->name);
	free(spec->unit_mask_name);
	*spec = (struct op_event_spec){0};
}

static int parse_u32(const char *text, const char *what, uint32_t max, uint32_t *out,
		     struct op_error *error)
{
	uint64_t value;

	if (op_number_parse(text, what, 0, max, &value, error))
		return -1;
	*out = (uint32_t)value;
	return 0;
}

static int parse_event(const struct op_strings *field, struct op_event *event,
		       struct op_error *error)
{
	if (field->count != 7)
		return op_error_set(error, EINVAL,
				    "not NAME:code:counter:count:unitmask:kernel:user");
	if (check_name(field->item[0], error) ||
	    parse_u32(field->item[1], "event code", UINT32_MAX, &event->code, error) ||
	    parse_u32(field->item[2], "counter", OP_COUNTERS_MAX - 1, &event->counter, error) ||
	    parse_u32(field->item[3], "count", UINT32_MAX, &event->count, error) ||
	    parse_u32(field->item[4], "unit mask", UINT32_MAX, &event->unit_mask, error) ||
	    parse_flag(field->item[5], "kernel", &event->kernel, error) ||
	    parse_flag(field->item[6], "user", &event->user, error))
		return -1;
	event->name = strdup(field->item[0]);
	return event->name ? 0 : op_error_memory(error);
}

static int add_event(struct op_events *events, const char *text, struct op_error *error)
{
	struct op_event *event;
	struct op_strings field = {0};
	struct op_error cause;
	int result;

	if (op_array_extend(events->event, events->count))
		return op_error_memory(error);
	event = &events->event[events->count];
	*event = (struct op_event){0};

	result = op_strings_split(&field, text, ':') ? op_error_memory(&cause)
						     : parse_event(&field, event, &cause);
	op_strings_free(&field);
	if (result)
		return op_error_set(error, cause.code, "event \"%s\": %s", text, cause.text);
	events->count++;
	for (size_t i = 0; i + 1 < events->count; i++) {
		if (events->event[i].counter == event->counter)
			return op_error_set(error, EINVAL,
					    "event \"%s\": counter %" PRIu32
					    " has the event %s already",
					    text, event->counter, events->event[i].name);
	}
	return 0;
}

int op_events_parse(const char *text, struct op_events *events, struct op_error *error)
{
	struct op_strings list = {0};
	int result = 0;

	*events = (struct op_events){0};
	if (op_strings_split(&list, text, ',')) {
		op_strings_free(&list);
		return op_error_memory(error);
	}
	for (size_t i = 0; !result && i < list.count; i++) {
		if (*list.item[i] || i + 1 < list.count)
			result = add_event(events, list.item[i], error);
	}
	op_strings_free(&list);
	if (!result && !events->count)
		result = op_error_set(error, EINVAL, "no events given");
	if (result)
		op_events_free(events);
	return result;
}

char *op_events_format(const struct op_events *events)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	for (size_t i = 0; i < events->count; i++) {
		const struct op_event *event = &events->event[i];

		fprintf(out, "%s:%" PRIu32 ":%" PRIu32 ":%" PRIu32 ":%" PRIu32 ":%d:%d,",
			event->name, event->code, event->counter, event->count, event->unit_mask,
			event->kernel, event->user);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

void op_events_free(struct op_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		free(events->event[i].name);
	free(events->event);
	*events = (struct op_events){0};
}
