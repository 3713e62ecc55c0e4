// SPDX-License-Identifier: GPL-2.0-or-later
/* The file "origin" of a session: see session.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/closed/times.h"
#include "libop/base/file.h"
#include "session.h"
#include "names.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/text_stream.h"
#include "libop/foreign/door.h"

#define ORIGIN_MOST (64u << 20)

/* ---- writing ---- */

/* @text without line ends. */
static void origin_put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
}

/* @text as one word. */
static void put_word(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text <= ' ' ? '_' : *text, out);
}

static void origin_put_line(FILE *out, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, "%s ", key);
	origin_put_text(out, text);
	fputc('\n', out);
}

static void origin_put_number(FILE *out, const char *key, uint64_t number)
{
	if (number)
		fprintf(out, "%s %" PRIu64 "\n", key, number);
}

static void put_host(FILE *out, const struct prof_host *host)
{
	origin_put_line(out, "hostname", host->hostname);
	origin_put_line(out, "os-release", host->os_release);
	origin_put_line(out, "arch", host->arch);
	origin_put_line(out, "cpu", host->cpu_description);
	origin_put_line(out, "cpu-id", host->cpu_id);
	origin_put_line(out, "tool", host->tool);
	origin_put_line(out, "command-line", host->command_line);
	origin_put_number(out, "cpus-online", host->cpus_online);
	origin_put_number(out, "cpus-available", host->cpus_available);
	origin_put_number(out, "memory", host->memory);
	origin_put_number(out, "start-time", host->start_time);
	origin_put_number(out, "duration", host->duration);
}

static void put_event(FILE *out, const struct prof_event *event, const struct session_event *named)
{
	fprintf(out, "event %s %" PRIu64 " %" PRIu64 " ", named->name, named->count,
		event->unit_mask);
	put_word(out, event->unit && *event->unit ? event->unit : "-");
	fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 " ", event->period,
		event->frequency, event->code, event->type);
	origin_put_text(out, event->name);
	fputc('\n', out);
}

static void origin_put_image(FILE *out, const struct prof_image *image, const char *name)
{
	if (!image->build_id_length && !image->end)
		return;
	fputs("image ", out);
	for (unsigned int i = 0; i < image->build_id_length; i++)
		fprintf(out, "%02x", image->build_id[i]);
	fprintf(out, "%s %" PRIx64 " %" PRIx64 " %" PRIx64 " ", image->build_id_length ? "" : "-",
		image->start, image->end, image->offset);
	origin_put_text(out, name);
	fputc('\n', out);
}

int session_origin_write(const struct prof *prof, const struct session_names *names,
			 const char *dir, struct op_error *error)
{
	char *path = op_format("%s/" SESSION_ORIGIN, dir);
	struct op_text_stream stream;
	FILE *out;
	int result;

	op_text_stream_open(&stream);
	out = stream.out;
	put_host(out, &prof->host);
	for (uint32_t i = 0; i < prof->n_events; i++)
		put_event(out, &prof->events[i], &names->events[i]);
	for (size_t i = 0; i < prof->n_losses; i++) {
		fprintf(out, "lost %" PRIu64 " ", prof->losses[i].count);
		origin_put_text(out, prof->losses[i].cause);
		fputc('\n', out);
	}
	for (size_t i = 0; i < prof->n_facts; i++) {
		fprintf(out, "fact %s ", prof->facts[i].key);
		origin_put_text(out, prof->facts[i].value);
		fputc('\n', out);
	}
	for (size_t i = PROF_NO_KERNEL_IMAGE + 1; i < prof->n_images; i++)
		origin_put_image(out, &prof->images[i], names->texts[i]);
	op_text_stream_close(&stream);
	result = op_file_replace(path, stream.text, stream.length, 0640, error);
	free(stream.text);
	free(path);
	return result;
}

/* ---- reading ---- */

static bool parse_host(struct prof_host *host, const char *key, char *value)
{
	const struct {
		const char *key, **text;
	} texts[] = {
		{"hostname", &host->hostname},
		{"os-release", &host->os_release},
		{"arch", &host->arch},
		{"cpu", &host->cpu_description},
		{"cpu-id", &host->cpu_id},
		{"tool", &host->tool},
		{"command-line", &host->command_line},
	};
	const struct {
		const char *key;
		uint64_t *number;
	} numbers[] = {
		{"cpus-online", &host->cpus_online}, {"cpus-available", &host->cpus_available},
		{"memory", &host->memory},	     {"start-time", &host->start_time},
		{"duration", &host->duration},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(key, texts[i].key)) {
			*texts[i].text = value;
			return true;
		}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(key, numbers[i].key)) {
			return op_number_all(value, 10, UINT64_MAX, numbers[i].number);
		}
	return false;
}

/* Takes a number and the blanks behind it.  Return: false if there is none. */
static bool take_number(char **value, unsigned int base, uint64_t *number)
{
	const char *at = *value;

	if (!op_number_take(&at, base, UINT64_MAX, number) || (*at && *at != ' '))
		return false;
	*value += at - *value;
	*value += strspn(*value, " ");
	return true;
}

/* event NAME COUNT MASK UNIT PERIOD FREQUENCY CODE TYPE ORIGINAL-NAME */
static void parse_event(struct session_origin *origin, char *value)
{
	struct session_origin_event event = {0};
	char *name = strsep(&value, " "), *unit;
	uint64_t type;

	if (!value || !take_number(&value, 10, &event.count) ||
	    !take_number(&value, 10, &event.unit_mask))
		return;
	unit = strsep(&value, " ");
	if (!value || !take_number(&value, 10, &event.event.period) ||
	    !take_number(&value, 10, &event.event.frequency) ||
	    !take_number(&value, 10, &event.event.code) || !take_number(&value, 10, &type) ||
	    type > UINT32_MAX || !*value)
		return;
	event.name = name;
	event.event.name = value;
	event.event.type = (uint32_t)type;
	event.event.unit = strcmp(unit, "-") ? unit : NULL;
	event.event.unit_mask = event.unit_mask;
	origin->events = op_grow(origin->events, &origin->events_capacity, origin->n_events + 1,
				 sizeof(event));
	origin->events[origin->n_events++] = event;
}

static bool parse_build_id(struct prof_image *image, const char *text)
{
	size_t n = strlen(text);

	if (!strcmp(text, "-"))
		return true;
	if (n % 2 || n / 2 > PROF_BUILD_ID_MOST)
		return false;
	if (!op_bytes_take(text, image->build_id, n / 2))
		return false;
	image->build_id_length = (unsigned int)(n / 2);
	return true;
}

/* image BUILD-ID START END OFFSET NAME */
static void parse_image(struct session_origin *origin, char *value)
{
	struct session_origin_image known = {0};
	char *id = strsep(&value, " ");

	if (!value || !parse_build_id(&known.image, id) ||
	    !take_number(&value, 16, &known.image.start) ||
	    !take_number(&value, 16, &known.image.end) ||
	    !take_number(&value, 16, &known.image.offset) || !*value)
		return;
	known.name = value;
	origin->images = op_grow(origin->images, &origin->images_capacity, origin->n_images + 1,
				 sizeof(known));
	origin->images[origin->n_images++] = known;
}

static void parse_line(struct session_origin *origin, char *line, struct prof_sink *sink,
		       struct prof_host *host)
{
	char *value = line, *key = strsep(&value, " ");
	uint64_t count;

	if (!value || parse_host(host, key, value))
		return;
	if (!strcmp(key, "event")) {
		parse_event(origin, value);
	} else if (!strcmp(key, "image")) {
		parse_image(origin, value);
	} else if (!strcmp(key, "lost")) {
		if (take_number(&value, 10, &count) && *value)
			sink->lost(sink, value, count);
	} else if (!strcmp(key, "fact")) {
		key = strsep(&value, " ");
		if (value)
			sink->fact(sink, key, value);
	}
}

static int compare_images(const void *a, const void *b)
{
	return strcmp(((const struct session_origin_image *)a)->name,
		      ((const struct session_origin_image *)b)->name);
}

void session_origin_read(struct session_origin *origin, const char *dir, struct prof_sink *sink)
{
	char *path = op_format("%s/" SESSION_ORIGIN, dir), *rest, *line;
	struct prof_host host = {0};
	struct session_times times;
	struct op_error error;

	*origin = (struct session_origin){0};
	origin->text = rest = foreign_read(path, ORIGIN_MOST, NULL, &error);
	free(path);
	while ((line = strsep(&rest, "\n")))
		parse_line(origin, line, sink, &host);
	/* one that a daemon has closed says when it ended instead */
	if (!host.duration && session_times_read(dir, &times) && times.end > times.begin)
		host.duration = times.end - times.begin;
	if (origin->text)
		sink->host(sink, &host);
	if (origin->n_images)
		qsort(origin->images, origin->n_images, sizeof(*origin->images), compare_images);
}

void session_origin_free(struct session_origin *origin)
{
	free(origin->events);
	free(origin->images);
	free(origin->text);
	*origin = (struct session_origin){0};
}

const struct session_origin_event *session_origin_event(const struct session_origin *origin,
							const char *name, uint64_t count,
							uint64_t unit_mask)
{
	for (size_t i = 0; i < origin->n_events; i++) {
		const struct session_origin_event *event = &origin->events[i];

		if (event->count == count && event->unit_mask == unit_mask &&
		    !strcmp(event->name, name))
			return event;
	}
	return NULL;
}

const struct session_origin_image *session_origin_image(const struct session_origin *origin,
							const char *name)
{
	const struct session_origin_image wanted = {.name = name};

	return origin->n_images ? bsearch(&wanted, origin->images, origin->n_images, sizeof(wanted),
					  compare_images)
				: NULL;
}
