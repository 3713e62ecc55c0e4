// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of a line of perf: see perf_events.h. */
#include "perf_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "perf_add.h"

int perf_take_events(struct perf_line *line, const char *value, struct op_error *error)
{
	char *all = line->events ? op_path("%s,%s", line->events, value) : strdup(value);

	if (!all)
		return op_error_memory(error);
	free(line->events);
	line->events = all;
	return 0;
}

int perf_take_count(struct perf_line *line, const char *value, struct op_error *error)
{
	(void)error;
	line->count = value;
	return 0;
}

int perf_take_user(struct perf_line *line, const char *value, struct op_error *error)
{
	(void)value, (void)error;
	line->side = "u";
	line->side_word = line->of == OF_TOP ? "-K" : "--all-user";
	return 0;
}

int perf_take_kernel(struct perf_line *line, const char *value, struct op_error *error)
{
	(void)value, (void)error;
	line->side = "k";
	line->side_word = line->of == OF_TOP ? "-U" : "--all-kernel";
	return 0;
}

static bool is_modifiers(const char *text, size_t length)
{
	return length && strspn(text, "ukhpPGHSDIWebR") >= length;
}

/* "cpu/event=0x3c,umask=0x1,name=X/", which is raw: r13c.  Return: as op_error_set(). */
static int make_raw(const char *text, char *raw, size_t size, struct op_error *error)
{
	unsigned int code = 0, mask = 0;
	const char *term = strchr(text, '/') + 1;
	bool good = !strncmp(text, "cpu/", 4) && !strncmp(term, "event=", 6);

	for (; good && *term && *term != '/'; term += strcspn(term, ",/")) {
		term += *term == ',';
		if (!strncmp(term, "event=", 6))
			code = (unsigned int)strtoul(term + 6, NULL, 0);
		else if (!strncmp(term, "umask=", 6))
			mask = (unsigned int)strtoul(term + 6, NULL, 0);
		else
			good = !strncmp(term, "name=", 5);
	}
	if (!good || code > 0xff || mask > 0xff)
		return op_error_set(error, EINVAL,
				    "-e %s: events of other devices than the CPU are not counted; "
				    "what the CPU programs is written in hexadecimal, r01c2, and "
				    "ophelp lists names",
				    text);
	snprintf(raw, size, "r%02x%02x%s%s", mask, code, term[0] && term[1] ? ":" : "",
		 *term ? term + 1 : "");
	return 0;
}

/* The period of -c and the side of --all-user belong to the event here: NAME:COUNT:0:KERNEL:USER.
 */
static int complete_event(const struct perf_line *line, const char *event, FILE *out,
			  struct op_error *error)
{
	const char *colon = strchr(event, ':'), *last = colon ? strrchr(event, ':') + 1 : NULL;
	bool has_modifiers = last && is_modifiers(last, strlen(last));
	int name = (int)(has_modifiers ? last - 1 - event : (long)strlen(event));
	const char *modifiers = has_modifiers ? last : line->side ? line->side : "";
	bool user = !*modifiers || strchr(modifiers, 'u');
	bool kernel = !*modifiers || strchr(modifiers, 'k');

	if (!line->count && !*modifiers)
		fputs(event, out);
	else if (!line->count)
		fprintf(out, "%.*s:%s", name, event, modifiers);
	else if (!*modifiers)
		fprintf(out, "%s:%s", event, line->count);
	else if (modifiers[strspn(modifiers, "uk")])
		return op_error_set(error, EINVAL,
				    "-c %s -e %s: an event has a period or other modifiers than u "
				    "and k",
				    line->count, event);
	else
		fprintf(out, "%.*s:%s:0:%d:%d", name, event, line->count, kernel, user);
	return 0;
}

static int write_event(const struct perf_line *line, const char *event, FILE *out,
		       struct op_error *error)
{
	char raw[64];

	if (strchr(event, '*'))
		return op_error_set(
			error, EINVAL,
			"-e %s: events are named one by one; /sys/kernel/tracing/events "
			"has those of the kernel's tracepoints",
			event);
	if (!strncmp(event, "mem:", 4))
		return op_error_set(error, EINVAL, "-e %s: breakpoints are not sampled here",
				    event);
	if (!strchr(event, '/'))
		return complete_event(line, event, out, error);
	if (make_raw(event, raw, sizeof(raw), error))
		return -1;
	return complete_event(line, raw, out, error);
}

/* The end of an event of a list: commas between slashes and in braces are parts of it. */
static const char *event_end(const char *text)
{
	bool between = false;

	for (; *text && (between || *text != ','); text++)
		between ^= *text == '/';
	return text;
}

/* Groups are counted at the same time, which is not promised here. */
static int write_events(const struct perf_line *line, FILE *out, struct op_error *error)
{
	int result = 0;

	if (strpbrk(line->events, "{}"))
		return op_error_set(error, EINVAL,
				    "-e %s: there are no groups: the events are named without "
				    "braces",
				    line->events);
	for (const char *at = line->events; !result && *at;) {
		const char *end = event_end(at);
		char *event = strndup(at, (size_t)(end - at));

		if (at != line->events)
			fputc(',', out);
		result = event ? write_event(line, event, out, error) : op_error_memory(error);
		free(event);
		at = end + (*end == ',');
	}
	return result;
}

static int check_eventless(const struct perf_line *line, struct op_error *error)
{
	if (line->count)
		return op_error_set(error, EINVAL,
				    "-c %s: a period stands behind its event: -e cpu-clock:%s, or "
				    "-e cycles:%s where the CPU counts them",
				    line->count, line->count, line->count);
	if (line->side)
		return op_error_set(error, EINVAL,
				    "%s: it stands behind the event: -e cpu-clock:%s, or "
				    "-e cycles:%s where the CPU counts them",
				    line->side_word, line->side, line->side);
	return 0;
}

int perf_finish_events(struct perf_line *line, struct op_error *error)
{
	char *text = NULL;
	size_t length;
	FILE *out;
	int result;

	if (!line->events)
		return check_eventless(line, error);
	out = open_memstream(&text, &length);
	if (!out)
		return op_error_memory(error);
	result = write_events(line, out, error);
	if (fclose(out) && !result)
		result = op_error_memory(error);
	if (!result)
		result = perf_add(&line->front, "--events=%", text, error);
	free(text);
	return result;
}
