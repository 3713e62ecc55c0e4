// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any text as a catalogue of events: it is refused with a place, or what is read is sound and
 * can be chosen from.  A form feed stands between the unit masks and the events.  See driver.h.
 */
#include "driver.h"
#include "libop/events/catalogue.h"
#include "libop/events/resolved_event.h"

const unsigned int fuzz_iterations = 60000;

const struct fuzz_seed fuzz_seeds[] = {
	SEED("name:zero type:mandatory default:0x0\n\t0x0 No unit mask\n\f"
	     "event:0x3c counters:cpuid um:zero minimum:6000 filter:0 name:CYCLES : Cycles\n"
	     "event:0xc0 counters:0,1 um:zero minimum:6000 name:INSTRUCTIONS : Instructions\n"),
	SEED("# masks\nname:a type:bitmask default:0x3\n\t0x1 One\n\t0x2 Two\n"
	     "name:b type:bitmask default:four\n\t0x4 extra:edge,inv,cmask=1f,any four Four\n"
	     "\t0x8 extra:pebs eight Eight\n\f# events\n\n"
	     "event:0x4e1 ext:ibs_op um:a,b minimum:50000 name:TAGGED : Merged unit masks\n"
	     "event:0x10 counters:1 um:a minimum:1 name:SAME : One mask\n"
	     "event:0x11 counters:0 um:b minimum:1 name:SAME : Another\n"),
	SEED("include:i386/more\nname:c type:exclusive default:0x1\n\t0x1 extra: x X\n"
	     "\t0x1 extra:none y Y\n\finclude:i386/more\n"
	     "event:0x1 counters:0,1,2,63 um:c minimum:4294967295 name:C :c\n"),
	SEED("include:i386/core_2\n\finclude:i386/core_2\n"),
	{NULL, 0},
};

struct texts {
	const char *masks, *events;
	size_t masks_length, events_length;
};

static char *copy(const char *text, size_t length)
{
	char *text_copy = malloc(length + 1);

	memcpy(text_copy, text, length);
	text_copy[length] = '\0';
	return text_copy;
}

static char *read_text(void *context, const char *cpu_name, const char *file, char **path,
		       size_t *length, struct op_error *error)
{
	static const char more_masks[] = "name:m type:mandatory default:0x0\n\t0x0 None\n";
	static const char more_events[] = "event:0x7 counters:0 um:m minimum:7 name:MORE : More\n";
	const struct texts *texts = context;
	int events = !strcmp(file, "events");

	*path = copy(file, strlen(file));
	if (!strcmp(cpu_name, "i386/core_2")) {
		*length = events ? texts->events_length : texts->masks_length;
		return copy(events ? texts->events : texts->masks, *length);
	}
	if (!strcmp(cpu_name, "i386/more")) {
		*length = strlen(events ? more_events : more_masks);
		return copy(events ? more_events : more_masks, *length);
	}
	op_error_set(error, 2, "no file");
	return NULL;
}

/* Each unit mask of an event can be chosen, or is refused with a reason. */
static void choose(struct op_catalogue *catalogue, const struct op_catalogue_event *event)
{
	const struct op_resolve_options how = {.ignore_count = true};
	struct op_error error = {0};
	struct op_resolved_event choice;
	char *spec;

	fuzz_must(!op_unit_mask_check(event->unit_mask, &error), "unit masks are sound");
	fuzz_must(*event->description && *event->name, "an event has a name and a text");
	for (size_t i = 0; i < event->unit_mask->count; i++) {
		uint32_t value = event->unit_mask->entry[i].value;

		fuzz_must(op_unit_mask_takes(event->unit_mask, value), "an entry is taken");
		fuzz_must(op_catalogue_by_name(catalogue, event->name, value) != NULL, "is found");
		if (asprintf(&spec, "%s:1:0x%x", event->name, value) < 0)
			abort();
		if (!op_events_resolve(catalogue, &spec, 1, &how, &choice, &error))
			fuzz_must(choice.unit_mask == value &&
					  (choice.event->ext ||
					   catalogue->counters.usable >> choice.counter & 1),
				  "what was chosen is what was asked for");
		else
			fuzz_must(*error.text, "a refusal has a reason");
		free(spec);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct op_counters counters = op_counters_plain(2, 1);
	const char *text = (const char *)data, *cut = memchr(text, '\f', size);
	struct texts texts = {.masks = text, .masks_length = cut ? (size_t)(cut - text) : size};
	struct op_catalogue catalogue;
	struct op_error error = {0};

	texts.events = cut ? cut + 1 : text;
	texts.events_length = cut ? size - texts.masks_length - 1 : size;
	if (op_catalogue_parse("i386/core_2", &counters, read_text, &texts, &catalogue, &error)) {
		fuzz_must(!strncmp(error.text, "events:", 7) ||
				  !strncmp(error.text, "unit_masks:", 11),
			  "an error says where");
		return 0;
	}
	catalogue.pfm_pmu = "none"; /* libpfm4 is not meant */
	for (size_t i = 0; i < catalogue.count; i++)
		choose(&catalogue, &catalogue.event[i]);
	op_catalogue_free(&catalogue);
	return 0;
}
