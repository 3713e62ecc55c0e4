// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of events as text: see list.h.
 */
#include "list.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "libop/cpu/pmu.h"
#include "libop/cpu/type_names.h"
#include "libop/base/error.h"
#include "libop/base/safe_text.h"
#include "pfm.h"

#define LINE_WIDTH  99
#define TAB_WIDTH   8
#define MASK_INDENT 14

const char *list_cpu_title(const struct op_catalogue *catalogue)
{
	return catalogue->cpu_type == OP_CPU_NONE ? catalogue->cpu_name
						  : op_cpu_type_title(catalogue->cpu_type);
}

const char *list_manual(const struct op_catalogue *catalogue)
{
	const char *name = catalogue->cpu_name;

	if (catalogue->cpu_type == OP_CPU_TIMER)
		return "The timer has no events to choose from.";
	if (!strncmp(name, OP_CATALOGUE_PFM, strlen(OP_CATALOGUE_PFM)))
		return "The events are those of libpfm4.";
	if (!strncmp(name, "x86-64/", 7) || !strcmp(name, "i386/athlon"))
		return "AMD's BIOS and Kernel Developer's Guide or Processor Programming Reference "
		       "of the CPU family explains the events.";
	return "Volume 3B of the Intel 64 and IA-32 Architectures Software Developer's Manual "
	       "explains the events.";
}

uint64_t list_counters(const struct op_catalogue *catalogue, const struct op_catalogue_event *event)
{
	return event->all_counters ? op_counters_plain(catalogue->counters.general, 0).usable
				   : event->counters;
}

void list_warn(const struct op_catalogue *catalogue)
{
	const struct op_cpu_pmu *pmu = op_cpu_pmu(catalogue->cpu_name);

	if (!pmu || pmu->text_only || catalogue->pfm_pmu)
		return;
	op_warn(op_pfm_is_there() ? "the installed libpfm4 does not support %s: only its basic "
				    "events are listed"
				  : "built without libpfm4: only the basic events of %s are listed",
		catalogue->cpu_name);
}

/* Writes words, on further lines from column @indent on, if a line gets too long. */
static void put_wrapped(const char *text, size_t column, size_t indent, FILE *out)
{
	bool first = true;

	while (*(text += strspn(text, " "))) {
		size_t length = strcspn(text, " ");

		if (!first && column + 1 + length > LINE_WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			fputc(' ', out);
			column++;
		}
		op_safe_write(text, length, out);
		column += length;
		text += length;
		first = false;
	}
}

static void put_counters(const struct op_catalogue *catalogue,
			 const struct op_catalogue_event *event, FILE *out)
{
	uint64_t all = op_counters_plain(catalogue->counters.general, 0).usable;
	uint64_t counters = list_counters(catalogue, event);
	const char *separator = "";

	if (event->ext) {
		op_safe_line(out, "(ext: %s)", event->ext);
		return;
	}
	fputs("(counter: ", out);
	if (event->all_counters || (all && !(all & ~counters))) {
		fputs("all", out);
	} else if (!counters) {
		fputs("fixed", out);
	} else {
		for (unsigned int i = 0; i < OP_COUNTERS_LIMIT; i++) {
			if (counters & 1ull << i) {
				fprintf(out, "%s%u", separator, i);
				separator = ", ";
			}
		}
	}
	fputs(")\n", out);
}

static void put_unit_masks(const struct op_unit_mask *mask, FILE *out)
{
	fputc('\t', out);
	if (!mask->has_default)
		op_safe_line(out, "Unit masks (no default: choose one)");
	else if (mask->default_name)
		op_safe_line(out, "Unit masks (default %s)", mask->default_name);
	else
		op_safe_line(out, "Unit masks (default 0x%" PRIx32 ")", mask->default_value);
	fputs("\t----------\n", out);
	for (size_t i = 0; i < mask->count; i++) {
		const struct op_unit_mask_entry *entry = &mask->entry[i];
		int column;

		column = TAB_WIDTH + fprintf(out, "\t0x%02" PRIx32 ": ", entry->value) - 1;
		if (entry->name) {
			op_safe_printf(out, "(name=%s) ", entry->name);
			column += (int)op_safe_width(entry->name) + (int)strlen("(name=) ");
		}
		put_wrapped(entry->description, (size_t)column, MASK_INDENT, out);
		if (entry->extra & OP_EXTRA_MSR)
			fputs(" (can't be counted: needs one more register)", out);
		fputc('\n', out);
	}
}

static void catalogue_put_event(const struct op_catalogue *catalogue,
				const struct op_catalogue_event *event, FILE *out)
{
	op_safe_printf(out, "%s: ", event->name);
	put_counters(catalogue, event, out);
	fputc('\t', out);
	put_wrapped(event->description, TAB_WIDTH, TAB_WIDTH, out);
	fprintf(out, " (min count: %" PRIu32 ")\n", event->minimum);
	if (!op_unit_mask_is_zero(event->unit_mask))
		put_unit_masks(event->unit_mask, out);
}

void list_text(const struct op_catalogue *catalogue, const struct search *search, FILE *out)
{
	fprintf(out, "oprofile: available events for CPU type \"%s\"\n\n%s\n\n",
		list_cpu_title(catalogue), list_manual(catalogue));
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct op_catalogue_event *event = &catalogue->event[i];

		if (op_catalogue_has(catalogue, event) && search_finds(search, event))
			catalogue_put_event(catalogue, event, out);
	}
}
