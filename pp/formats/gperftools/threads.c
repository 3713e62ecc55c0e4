// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of lists of threads and of counts of stacks:
 *
 *	--- Thread 7ff86e5da700 (name: sandbox/4) stack: ---	5 @ 0x43a236 0x4065f5
 *	  PC: 0x55d4c0de1179: work(int)				#	0x43a235 main.work+0x15 ...
 *	  0x55d4c0de1279 0x55d4c0de1379
 */
#include "text_reader.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"

int text_end_thread(struct text_reader *reader)
{
	const struct prof_value value = {reader->events[0], 1, 1};

	if (!reader->has_thread)
		return 0;
	reader->has_thread = false;
	return text_push(reader, &value, 1);
}

static void begin_thread(struct text_reader *reader, const char *line)
{
	const char *name = strstr(line, "(name: "), *slash = NULL, *end;
	char *text;
	uint64_t tid;

	reader->has_thread = true;
	reader->comm = 0;
	reader->tid = PROF_ANY;
	/* names have slashes */
	end = name ? strstr(name, ") stack:") : NULL;
	for (const char *at = name; end && at < end; at++)
		if (*at == '/')
			slash = at;
	if (!slash)
		return;
	name += strlen("(name: ");
	text = op_format("%.*s", (int)(slash - name), name);
	reader->comm = reader->sink->string(reader->sink, text);
	free(text);
	slash++;
	if (op_number_take(&slash, 10, INT32_MAX, &tid))
		reader->tid = (int64_t)tid;
}

/* "PC: 0x1 0x2", "0x1: main", "creator: 0x1 0x2", which pprof takes for callers. */
static bool take_frames(struct text_reader *reader, const char *at)
{
	uint64_t address;

	text_skip_blanks(&at);
	if (!strncmp(at, "PC:", 3))
		at += 3;
	else if (!strncmp(at, "creator:", 8))
		at += 8;
	while (text_skip_blanks(&at), *at) {
		struct prof_line line = {0};

		if (!text_take_address(&at, &address))
			return false;
		text_add_frame(reader, address, TEXT_EXACT);
		if (*at != ':')
			continue;
		at++;
		text_skip_blanks(&at);
		line.function = at;
		if (*at && reader->depth)
			text_name_frame(reader, reader->depth - 1, &line, 1);
		return true;
	}
	return true;
}

int text_take_thread(struct text_reader *reader, const char *line)
{
	static const char head[] = "--- Thread ";

	if (!strncmp(line, "---", 3)) {
		if (text_end_thread(reader))
			return -1;
		if (!strncmp(line, head, sizeof(head) - 1)) {
			begin_thread(reader, line);
			reader->before = reader->depth;
			reader->depth = 0;
		}
		return 1;
	}
	if (!reader->has_thread)
		return 0;
	/* the frames of the thread before are still there */
	if (strstr(line, "same as previous thread")) {
		reader->depth = reader->before;
		return 1;
	}
	return take_frames(reader, line);
}

int text_take_count(struct text_reader *reader, const char *at)
{
	struct prof_value value = {.event = reader->events[0]};

	if (!text_take_number(&at, &value.count) || !text_take_mark(&at, '@'))
		return 0;
	reader->depth = 0;
	if (!text_take_stack(reader, at, TEXT_RETURNS))
		return 0;
	value.events = value.count;
	return value.count && text_push(reader, &value, 1) ? -1 : 1;
}
