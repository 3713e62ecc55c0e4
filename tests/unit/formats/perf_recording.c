// SPDX-License-Identifier: GPL-2.0-or-later
/* See perf_recording.h. */
#include "perf_recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PID 42

static void put(struct recording *rec, size_t at, uint64_t value, size_t size)
{
	if (at + size > sizeof(rec->bytes))
		abort();
	for (size_t i = 0; i < size; i++)
		rec->bytes[at + (rec->is_big_endian ? size - 1 - i : i)] =
			(uint8_t)(value >> 8 * i);
}

static void append(struct recording *rec, uint64_t value, size_t size)
{
	put(rec, rec->n, value, size);
	rec->n += size;
}

void rec_u64(struct recording *rec, uint64_t value)
{
	append(rec, value, 8);
}

void rec_u32(struct recording *rec, uint32_t value)
{
	append(rec, value, 4);
}

void rec_u16(struct recording *rec, uint16_t value)
{
	append(rec, value, 2);
}

void rec_u8(struct recording *rec, uint8_t value)
{
	append(rec, value, 1);
}

void rec_bytes(struct recording *rec, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rec_u8(rec, ((const uint8_t *)bytes)[i]);
}

void rec_zeros(struct recording *rec, size_t n)
{
	while (n--)
		rec_u8(rec, 0);
}

static void text_word(struct recording *rec, const char *text, size_t n, bool has_length)
{
	if (has_length)
		rec_u32(rec, (uint32_t)(n / 8 * 8 + 8));
	rec_bytes(rec, text, n);
	rec_zeros(rec, 8 - n % 8);
}

void rec_text(struct recording *rec, const char *text)
{
	text_word(rec, text, strlen(text), false);
}

static void number_word(struct recording *rec, const char *word, size_t n)
{
	static const char sizes[] = "bw.d...q";
	const char *size = strchr(sizes, *word);
	char *end;
	uint64_t value = strtoull(word + 1, &end, 0);

	if ((!size && *word != 'z') || *word == '.' || n < 2 || end != word + n) {
		fprintf(stderr, "error: not a word of a record: %s\n", word);
		exit(1);
	}
	if (size)
		append(rec, value, (size_t)(size - sizes + 1));
	else
		rec_zeros(rec, value);
}

void rec_words(struct recording *rec, const char *words)
{
	for (size_t n; *(words += strspn(words, " ")); words += n) {
		n = strcspn(words, " ");
		if (*words == '"' || *words == '\'')
			text_word(rec, words + 1, n - 1, *words == '"');
		else
			number_word(rec, words, n);
	}
}

void rec_u64_at(struct recording *rec, size_t at, uint64_t value)
{
	put(rec, at, value, 8);
}

size_t rec_begin(struct recording *rec, uint32_t type, uint16_t misc)
{
	size_t begin = rec->n;

	rec_u32(rec, type);
	rec_u16(rec, misc);
	rec_u16(rec, 0);
	return begin;
}

void rec_end(struct recording *rec, size_t begin)
{
	put(rec, begin + 6, rec->n - begin, 2);
}

/* Bit-fields fill a word from the other end on big-endian machines. */
static uint64_t bit_fields(const struct recording *rec, uint64_t word)
{
	uint64_t reversed = 0;

	if (!rec->is_big_endian)
		return word;
	for (unsigned int i = 0; i < 64; i++)
		reversed |= (word >> i & 1) << (63 - i);
	return reversed;
}

void rec_attr(struct recording *rec, const struct rec_event *event, uint32_t size)
{
	size_t begin = rec->n;

	rec_u32(rec, event->type);
	rec_u32(rec, size);
	rec_u64(rec, event->config);
	rec_u64(rec, event->period);
	rec_u64(rec, event->sample_type);
	rec_u64(rec, event->read_format);
	rec_u64(rec, bit_fields(rec, event->flags));
	rec_zeros(rec, 24);
	rec_u64(rec, event->branch_sample_type);
	rec_u64(rec, event->regs_user);
	rec->n = begin + (size ? size : 64);
	for (size_t at = begin + 88; at < rec->n; at++)
		rec->bytes[at] = 0xee; /* what comes later must not matter */
}

static void magic(struct recording *rec)
{
	rec_u64(rec, UINT64_C(0x32454c4946524550));
}

void rec_file(struct recording *rec, const struct rec_event *events, size_t n, uint32_t attr_size)
{
	size_t entry = (attr_size ? attr_size : 64) + 16;

	magic(rec);
	rec_u64(rec, 104);
	rec_u64(rec, entry);
	rec_u64(rec, 104);
	rec_u64(rec, entry * n);
	rec_u64(rec, 104 + (entry + 8) * n);
	rec_zeros(rec, 104 - 48);
	for (size_t i = 0; i < n; i++) {
		rec_attr(rec, &events[i], attr_size);
		rec_u64(rec, 104 + entry * n + 8 * i);
		rec_u64(rec, events[i].id ? 8 : 0);
	}
	for (size_t i = 0; i < n; i++)
		rec_u64(rec, events[i].id);
}

void rec_finish(struct recording *rec)
{
	uint64_t data = 0;

	for (size_t i = 0; i < 8; i++)
		data |= (uint64_t)rec->bytes[40 + (rec->is_big_endian ? 7 - i : i)] << 8 * i;
	rec_u64_at(rec, 48, rec->n - data);
}

void rec_pipe(struct recording *rec, const struct rec_event *events, size_t n, uint32_t attr_size)
{
	magic(rec);
	rec_u64(rec, 16);
	for (size_t i = 0; i < n; i++) {
		size_t begin = rec_begin(rec, PERF_TYPE_ATTR, 0);

		rec_attr(rec, &events[i], attr_size);
		if (events[i].id)
			rec_u64(rec, events[i].id);
		rec_end(rec, begin);
	}
}

static void trailer(struct recording *rec, uint64_t time, uint64_t id)
{
	rec_u32(rec, PID);
	rec_u32(rec, PID);
	rec_u64(rec, time);
	rec_u64(rec, id);
}

void rec_comm(struct recording *rec, uint64_t time, uint64_t id)
{
	size_t begin = rec_begin(rec, PERF_RECORD_COMM, 2 | 1 << 13);

	rec_u32(rec, PID);
	rec_u32(rec, PID);
	rec_text(rec, "prog");
	trailer(rec, time, id);
	rec_end(rec, begin);
}

void rec_mmap(struct recording *rec, uint64_t time, uint64_t id)
{
	size_t begin = rec_begin(rec, PERF_RECORD_MMAP, 2);

	rec_u32(rec, PID);
	rec_u32(rec, PID);
	rec_u64(rec, 0x400000);
	rec_u64(rec, 0x10000);
	rec_u64(rec, 0x1000);
	rec_text(rec, "/bin/prog");
	trailer(rec, time, id);
	rec_end(rec, begin);
}

void rec_sample(struct recording *rec, uint64_t ip, uint64_t time, uint64_t id, uint64_t period)
{
	size_t begin = rec_begin(rec, PERF_RECORD_SAMPLE, 2);

	rec_u64(rec, id);
	rec_u64(rec, ip);
	rec_u32(rec, PID);
	rec_u32(rec, PID);
	rec_u64(rec, time);
	rec_u64(rec, period);
	rec_end(rec, begin);
}

void rec_round(struct recording *rec)
{
	rec_end(rec, rec_begin(rec, PERF_TYPE_FINISHED_ROUND, 0));
}
