// SPDX-License-Identifier: GPL-2.0-or-later
/* What a profile holds: see info.h. */
#include "info.h"

#include <inttypes.h>

#include "libop/base/safe_text.h"

static void model_info_put(FILE *out, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	op_safe_line(out, "%s: %s", key, value);
}

static void model_info_put_number(FILE *out, const char *key, uint64_t number)
{
	if (number)
		fprintf(out, "%s: %" PRIu64 "\n", key, number);
}

static void put_seconds(FILE *out, const char *key, uint64_t nanoseconds)
{
	if (nanoseconds)
		fprintf(out, "%s: %" PRIu64 ".%09" PRIu64 "\n", key,
			nanoseconds / UINT64_C(1000000000), nanoseconds % UINT64_C(1000000000));
}

static uint64_t sum_up(const struct prof *prof)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < prof->n_events; i++)
		sum += prof->totals[i].count;
	return sum;
}

/* event: NAME [below 0] samples N events N [unit U] [period P] [frequency F] [unit-mask M] */
static void event_put_event(const struct prof_event *event, const struct prof_value *total,
			    FILE *out)
{
	op_safe_printf(out, "event: %s%s samples %" PRIu64 " events %" PRIu64, event->name,
		       event->is_negative ? " below 0" : "", total->count, total->events);
	if (event->unit)
		op_safe_printf(out, " unit %s", event->unit);
	if (event->period)
		fprintf(out, " period %" PRIu64, event->period);
	if (event->frequency)
		fprintf(out, " frequency %" PRIu64, event->frequency);
	if (event->unit_mask)
		fprintf(out, " unit-mask %" PRIu64, event->unit_mask);
	fputc('\n', out);
}

static void put_host(const struct prof_host *host, FILE *out)
{
	model_info_put(out, "hostname", host->hostname);
	model_info_put(out, "os-release", host->os_release);
	model_info_put(out, "arch", host->arch);
	model_info_put(out, "cpu", host->cpu_description);
	model_info_put(out, "cpu-id", host->cpu_id);
	model_info_put(out, "cpu-type", host->cpu_type);
	if (host->cpu_mhz > 0)
		fprintf(out, "cpu-mhz: %g\n", host->cpu_mhz);
	model_info_put_number(out, "cpus-online", host->cpus_online);
	model_info_put_number(out, "cpus-available", host->cpus_available);
	model_info_put_number(out, "memory", host->memory);
	model_info_put(out, "tool", host->tool);
	model_info_put(out, "command-line", host->command_line);
	put_seconds(out, "start-time", host->start_time);
	put_seconds(out, "duration", host->duration);
}

void info_write(const struct prof *prof, const struct format *format, const char *file, FILE *out)
{
	model_info_put(out, "file", file);
	model_info_put(out, "format", format->name);
	fprintf(out, "samples: %" PRIu64 "\n", sum_up(prof));
	fputs("events:", out);
	for (size_t i = 0; i < prof->n_events; i++)
		op_safe_printf(out, " %s", prof->events[i].name);
	fputc('\n', out);
	for (size_t i = 0; i < prof->n_events; i++)
		event_put_event(&prof->events[i], &prof->totals[i], out);
	put_host(&prof->host, out);
	put_seconds(out, "first-sample", prof->first_time);
	put_seconds(out, "last-sample", prof->last_time);
	model_info_put_number(out, "images", prof->n_images - (PROF_NO_KERNEL_IMAGE + 1));
	for (size_t i = 0; i < prof->n_losses; i++)
		op_safe_line(out, "lost: %" PRIu64 " %s", prof->losses[i].count,
			     prof->losses[i].cause);
	for (size_t i = 0; i < prof->n_facts; i++)
		model_info_put(out, prof->facts[i].key, prof->facts[i].value);
	for (size_t i = 0; i < prof->n_notes; i++)
		model_info_put(out, "note", prof->notes[i]);
}
