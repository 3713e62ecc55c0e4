// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes profiles of other profilers, damaged ones too, from text.
 *
 *	make_profile <DESCRIPTION >PROFILE
 *
 * A line of a description is one of these; '#' begins a comment:
 *
 *	order le|be			byte order of all that follows; le at first
 *	u8|u16|u32|u64 NUMBER...
 *	text TEXT			a line of text; raw TEXT: without the newline
 *	cut N				removes N bytes from the end
 *	at POSITION NUMBER		writes over 8 bytes
 *	chunks NUMBER...		chunks of DCPI (OFFSET, N, N counts) and their sums
 *	pprof FIELD=VALUE...		fields of a message; VALUE: NUMBER, 'TEXT', (FIELD=VALUE...)
 *					or [NUMBER...], packed
 *
 * and of perf.data:
 *
 *	event NAME=NUMBER...		an event of the following head: type, config, period,
 *					sample_type (besides what "sample" has), read_format,
 *					branch, flags, id
 *	file N, pipe N			a head, with attributes of N bytes
 *	finish				writes into the head of a file how long the data are
 *	record TYPE MISC FIELD...	fields: q, d, w or b and a number of 8, 4, 2 or 1 bytes; z
 *					and a number of zeros; 'TEXT padded to 8 bytes; "TEXT the
 *					same behind its length
 *	attr N				the attributes of the event
 *	comm|mmap TIME ID		process 42 is prog, and maps /bin/prog at 0x400000
 *	sample IP TIME ID PERIOD
 *	round
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/perf/attr.h"
#include "pp/formats/input/wire.h"
#include "tests/unit/formats/perf_recording.h"

static struct recording rec;
static struct rec_event events[8];
static size_t n_events;

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "make_profile: error: %s\n", what);
	exit(1);
}

/* The next number of a line; @is_last is set if there is none. */
static uint64_t number(char **text, bool *is_last)
{
	char *end;
	uint64_t value = strtoull(*text, &end, 0);

	if (is_last)
		*is_last = end == *text;
	else
		check(end != *text, *text);
	*text = end;
	return value;
}

static void put_number(uint64_t value, unsigned int size)
{
	if (size == 8)
		rec_u64(&rec, value);
	else if (size == 4)
		rec_u32(&rec, (uint32_t)value);
	else if (size == 2)
		rec_u16(&rec, (uint16_t)value);
	else
		rec_u8(&rec, (uint8_t)value);
}

static void put_numbers(char *text, unsigned int size)
{
	bool is_last;

	for (uint64_t value; value = number(&text, &is_last), !is_last;)
		put_number(value, size);
}

static void put_chunks(char *text)
{
	uint64_t total = 0, used = 0, offset, count;
	bool is_last;

	while (offset = number(&text, &is_last), !is_last) {
		uint64_t n = number(&text, NULL);

		rec_u32(&rec, (uint32_t)offset);
		rec_u32(&rec, (uint32_t)n);
		for (; n; n--) {
			count = number(&text, NULL);
			rec_u32(&rec, (uint32_t)count);
			total += count;
			used += count != 0;
		}
	}
	rec_u32(&rec, (uint32_t)used);
	rec_u32(&rec, (uint32_t)total);
}

/* ---- pprof ---- */

static bool accept(char **text, char c)
{
	*text += strspn(*text, " ");
	if (**text != c)
		return false;
	++*text;
	return true;
}

static void put_fields(struct op_buffer *to, char **text, char end);

static void put_value(struct op_buffer *to, unsigned int field, char **text)
{
	struct op_buffer inner = {0};

	if (accept(text, '(')) {
		put_fields(&inner, text, ')');
		wire_put_message(to, field, &inner);
	} else if (accept(text, '\'')) {
		size_t n = strcspn(*text, "'");

		wire_put_bytes(to, field, *text, n);
		*text += n + 1;
	} else if (accept(text, '[')) {
		while (!accept(text, ']'))
			op_buffer_leb128(&inner, number(text, NULL));
		wire_put_message(to, field, &inner);
	} else {
		/* wire_put_number() leaves out 0 */
		op_buffer_leb128(to, field << 3);
		op_buffer_leb128(to, number(text, NULL));
	}
	op_buffer_free(&inner);
}

static void put_fields(struct op_buffer *to, char **text, char end)
{
	while (!accept(text, end)) {
		unsigned int field = (unsigned int)number(text, NULL);

		check(accept(text, '='), "a field has no value");
		put_value(to, field, text);
	}
}

static void put_pprof(char *text)
{
	struct op_buffer message = {0};

	put_fields(&message, &text, '\0');
	rec_bytes(&rec, message.bytes, message.used);
	op_buffer_free(&message);
}

/* ---- perf.data ---- */

static void add_event(char *text)
{
	struct rec_event *event = &events[n_events++];
	char *word;

	*event =
		(struct rec_event){.sample_type = REC_TYPES, .flags = 1 << PERF_FLAG_SAMPLE_ID_ALL};
	while ((word = strsep(&text, " ")) != NULL) {
		char *value = strchr(word, '=') + 1;
		const struct {
			const char *name;
			uint64_t *field;
		} fields[] = {{"config", &event->config}, {"period", &event->period},
			      {"flags", &event->flags},	  {"read_format", &event->read_format},
			      {"id", &event->id},	  {"branch", &event->branch_sample_type}};

		if (!strncmp(word, "type", 4))
			event->type = (uint32_t)number(&value, NULL);
		else if (!strncmp(word, "sample_type", 11))
			event->sample_type |= number(&value, NULL);
		for (size_t i = 0; i < OP_ARRAY_SIZE(fields); i++)
			if (!strncmp(word, fields[i].name, strlen(fields[i].name)))
				*fields[i].field = number(&value, NULL);
	}
}

static void put_record(char *text)
{
	uint32_t type = (uint32_t)number(&text, NULL);
	size_t begin = rec_begin(&rec, type, (uint16_t)number(&text, NULL));
	char *word;

	while ((word = strsep(&text, " ")) != NULL)
		if (strcmp(word, "attr") != 0)
			rec_words(&rec, word);
		else
			rec_attr(&rec, events, 112);
	rec_end(&rec, begin);
}

/* A head, or a record of the first four numbers. */
static bool put_perf(const char *kind, char *text)
{
	uint64_t n[4] = {0};
	bool is_last = false;

	for (size_t i = 0; i < 4 && !is_last; i++)
		n[i] = number(&text, &is_last);
	if (!strcmp(kind, "file"))
		rec_file(&rec, events, n_events, (uint32_t)n[0]);
	else if (!strcmp(kind, "pipe"))
		rec_pipe(&rec, events, n_events, (uint32_t)n[0]);
	else if (!strcmp(kind, "finish"))
		rec_finish(&rec);
	else if (!strcmp(kind, "comm"))
		rec_comm(&rec, n[0], n[1]);
	else if (!strcmp(kind, "mmap"))
		rec_mmap(&rec, n[0], n[1]);
	else if (!strcmp(kind, "sample"))
		rec_sample(&rec, n[0], n[1], n[2], n[3]);
	else if (!strcmp(kind, "round"))
		rec_round(&rec);
	else if (!strcmp(kind, "at"))
		rec_u64_at(&rec, n[0], n[1]);
	else if (!strcmp(kind, "cut"))
		rec.n -= n[0];
	else
		return false;
	return true;
}

static void put_line(char *text)
{
	const char *kind = strsep(&text, " ");

	text = text ? text : (char *)"";
	if (!strcmp(kind, "order"))
		rec.is_big_endian = *text == 'b';
	else if (*kind == 'u')
		put_numbers(text, (unsigned int)atoi(kind + 1) / 8);
	else if (!strcmp(kind, "text") || !strcmp(kind, "raw"))
		rec_bytes(&rec, text, strlen(text));
	else if (!strcmp(kind, "chunks"))
		put_chunks(text);
	else if (!strcmp(kind, "pprof"))
		put_pprof(text);
	else if (!strcmp(kind, "event"))
		add_event(text);
	else if (!strcmp(kind, "record"))
		put_record(text);
	else
		check(put_perf(kind, text), kind);
	if (!strcmp(kind, "text"))
		rec_u8(&rec, '\n');
}

int main(void)
{
	static char line[1 << 14];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#')
			put_line(line);
	}
	check(fwrite(rec.bytes, 1, rec.n, stdout) == rec.n && !fflush(stdout), "cannot write");
	return 0;
}
