// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading the binary part of CPU profiles, and what may stand before it. */
#include "records.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "libop/base/reader.h"

/* Slots of the header. */
enum { HEADER_COUNT, HEADER_WORDS, HEADER_VERSION, HEADER_PERIOD, HEADER_PADDING };
#define HEADER_WORDS_MIN 3
#define HEADER_WORDS_MAX UINT16_MAX /* so that words in the other byte order are none */

enum { VERSION_NATIVE, VERSION_JAVA };

/* pprof allows one stack in so many to lack the frame of the signal handler. */
#define HANDLER_MARGIN 32

static uint64_t slot_at(const struct cpuprofile_records *records, size_t at)
{
	const unsigned char *slot = records->bytes + at;
	bool swap = op_swap_for(records->big_endian);

	return records->slot == 4 ? op_load_u32(slot, swap) : op_load_u64(slot, swap);
}

static size_t slots_left(const struct cpuprofile_records *records, size_t at)
{
	return (records->size - at) / records->slot;
}

/* The line at *@at, without its end; moves *@at to the next one. */
static struct cpuprofile_text next_line(const struct cpuprofile_records *records, size_t *at)
{
	struct cpuprofile_text line = {(const char *)records->bytes + *at, 0};
	const char *end = memchr(line.bytes, '\n', records->size - *at);

	line.length = end ? (size_t)(end - line.bytes) : records->size - *at;
	*at += line.length + (end != NULL);
	while (line.length && line.bytes[line.length - 1] == '\r')
		line.length--;
	return line;
}

static bool begins(const struct cpuprofile_text *line, const char *text)
{
	size_t length = strlen(text);

	return line->length >= length && !memcmp(line->bytes, text, length);
}

/* Lines "0xADDRESS NAME" up to one of dashes. */
static void skip_symbols(struct cpuprofile_records *records, size_t *at)
{
	size_t end = *at;

	records->is_resolved = true;
	records->symbols.bytes = (const char *)records->bytes + *at;
	while (*at < records->size) {
		struct cpuprofile_text line;

		end = *at;
		line = next_line(records, at);
		if (begins(&line, "---"))
			break;
		end = *at;
	}
	records->symbols.length =
		(size_t)((const char *)records->bytes + end - records->symbols.bytes);
}

/*
 * What google-pprof --raw and servers write before the header: "%warn TEXT", "--- symbol" with a
 * list of symbols, "--- profile".
 */
static int skip_preamble(struct cpuprofile_records *records, size_t *at, struct op_error *error)
{
	while (*at < records->size && isprint(records->bytes[*at])) {
		struct cpuprofile_text line = next_line(records, at);

		if (begins(&line, "%"))
			continue;
		if (begins(&line, "--- profile"))
			return 0;
		if (!begins(&line, "--- symbol"))
			return op_error_set(error, EINVAL,
					    "not a CPU profile: it begins with text");
		skip_symbols(records, at);
	}
	return 0;
}

/* Finds out how slots are stored: of all ways only one makes sense of the header. */
static bool find_layout(struct cpuprofile_records *records, size_t at)
{
	for (records->slot = 4; records->slot <= 8; records->slot += 4) {
		for (int big = 0; big < 2; big++) {
			uint64_t words;

			records->big_endian = big;
			if (slots_left(records, at) <= HEADER_PADDING)
				continue;
			words = slot_at(records, at + HEADER_WORDS * records->slot);
			if (!slot_at(records, at) && words >= HEADER_WORDS_MIN &&
			    words <= HEADER_WORDS_MAX)
				return true;
		}
	}
	return false;
}

static int read_header(struct cpuprofile_records *records, size_t at, struct op_error *error)
{
	uint64_t words, version;

	if (!find_layout(records, at))
		return op_error_set(error, EINVAL, "not a CPU profile: no header at byte %zu", at);
	words = 2 + slot_at(records, at + HEADER_WORDS * records->slot);
	version = slot_at(records, at + HEADER_VERSION * records->slot);
	if (version > VERSION_JAVA)
		return op_error_set(error, EINVAL,
				    "the CPU profile has version %llu; only 0 and 1 are supported",
				    (unsigned long long)version);
	if (words > slots_left(records, at))
		return op_error_set(error, EINVAL, "the header of the CPU profile is cut off");
	records->is_java = version == VERSION_JAVA;
	records->period = slot_at(records, at + HEADER_PERIOD * records->slot);
	records->begin = at + (size_t)words * records->slot;
	return 0;
}

/* True if the text begins where a record might: no count and no depth is made of letters. */
static bool is_text(const struct cpuprofile_records *records, size_t at)
{
	size_t end = at + 2 * records->slot;

	if (end > records->size)
		end = records->size;
	for (; at < end; at++)
		if (!isprint(records->bytes[at]) && !isspace(records->bytes[at]))
			return false;
	return true;
}

static bool is_trailer(const struct cpuprofile_records *records,
		       const struct cpuprofile_record *record)
{
	return !record->count && record->depth == 1 && !slot_at(records, record->at);
}

static int fault(struct cpuprofile_records *records, size_t at, const char *what)
{
	return op_error_set(&records->fault, EINVAL, "the record at byte %zu %s", at, what);
}

/* Takes a record; the text begins behind it if it is the trailer, else where it is none. */
static int scan_record(struct cpuprofile_records *records, size_t *at, bool *done)
{
	size_t left = slots_left(records, *at);
	struct cpuprofile_record record = {.at = *at + 2 * records->slot};
	uint64_t depth;

	*done = true;
	if (is_text(records, *at))
		return 0;
	if (left < 2)
		return fault(records, *at, "is cut off");
	record.count = slot_at(records, *at);
	depth = slot_at(records, *at + records->slot);
	if (depth > left - 2)
		return fault(records, *at, "has more frames than the file");
	if (depth > CPUPROFILE_DEPTH_MAX)
		return fault(records, *at, "has more frames than a stack can have");
	record.depth = (size_t)depth;
	records->end = *at;
	*at = record.at + record.depth * records->slot;
	if (record.depth && is_trailer(records, &record))
		return 0;
	if (record.count > INT64_MAX - records->total) {
		*at = records->end;
		return fault(records, *at, "has an invalid count");
	}
	records->total += record.count;
	records->end = *at;
	records->n++;
	if (record.depth > records->deepest)
		records->deepest = record.depth;
	*done = false;
	return 0;
}

static void scan_records(struct cpuprofile_records *records)
{
	size_t at = records->end = records->begin;
	bool done = false;

	while (!done)
		if (scan_record(records, &at, &done))
			return;
	records->text.bytes = (const char *)records->bytes + at;
	records->text.length = records->size - at;
}

static uint64_t frame_at(const struct cpuprofile_records *records,
			 const struct cpuprofile_record *record, size_t i)
{
	return slot_at(records, record->at + i * records->slot);
}

/* Which frame stands next to the leaf but for those that are known to be the handler's. */
static size_t skip_handlers(const struct cpuprofile_records *records,
			    const struct cpuprofile_record *record)
{
	size_t i = 1;

	for (unsigned int handler = 0; handler < records->n_handlers; handler++)
		if (i < record->depth && frame_at(records, record, i) == records->handlers[handler])
			i++;
	return i;
}

/* Its address, or 0 if there is none. */
static uint64_t frame_next_to_leaf(const struct cpuprofile_records *records,
				   const struct cpuprofile_record *record)
{
	size_t i = skip_handlers(records, record);

	return i < record->depth ? frame_at(records, record, i) : 0;
}

/*
 * A frame next to the leaf that (nearly) all stacks share was left there by the signal handler
 * that took the samples.  It has a majority then, which one pass finds without a table.
 */
static bool find_handler(struct cpuprofile_records *records)
{
	struct cpuprofile_record record;
	uint64_t candidate = 0, frame;
	size_t at, votes = 0, found = 0;

	for (at = records->begin; cpuprofile_next(records, &at, &record);) {
		frame = frame_next_to_leaf(records, &record);
		if (!votes)
			candidate = frame;
		if (frame == candidate)
			votes++;
		else
			votes--;
	}
	for (at = records->begin; cpuprofile_next(records, &at, &record);)
		found += frame_next_to_leaf(records, &record) == candidate;
	if (!candidate || found < records->n - records->n / HANDLER_MARGIN)
		return false;
	records->handlers[records->n_handlers++] = candidate;
	return true;
}

bool cpuprofile_recognise(const void *bytes, size_t size)
{
	struct cpuprofile_records records = {.bytes = bytes, .size = size};
	struct cpuprofile_text text = {bytes, size};
	size_t at = 0;

	if (begins(&text, "--- symbol") || begins(&text, "--- profile") || begins(&text, "%warn"))
		return true;
	return !skip_preamble(&records, &at, NULL) && find_layout(&records, at);
}

int cpuprofile_scan(struct cpuprofile_records *records, const void *bytes, size_t size,
		    struct op_error *error)
{
	size_t at = 0;

	*records = (struct cpuprofile_records){.bytes = bytes, .size = size};
	if (skip_preamble(records, &at, error) || read_header(records, at, error))
		return -1;
	scan_records(records);
	if (records->is_java || records->is_resolved)
		return 0;
	while (records->n_handlers < 2 && find_handler(records))
		;
	return 0;
}

bool cpuprofile_next(const struct cpuprofile_records *records, size_t *at,
		     struct cpuprofile_record *record)
{
	if (*at >= records->end)
		return false;
	record->count = slot_at(records, *at);
	record->depth = (size_t)slot_at(records, *at + records->slot);
	record->at = *at + 2 * records->slot;
	*at = record->at + record->depth * records->slot;
	return true;
}

size_t cpuprofile_stack(const struct cpuprofile_records *records,
			const struct cpuprofile_record *record, uint64_t *stack)
{
	bool is_raw = !records->is_java && !records->is_resolved;
	size_t n = 0, i = 1;

	if (!record->depth)
		return 0;
	stack[n++] = frame_at(records, record, 0);
	if (is_raw) {
		i = skip_handlers(records, record);
		/* It came from the signal's context, and once more from the unwinder. */
		if (i < record->depth && frame_at(records, record, i) == stack[0])
			i++;
	}
	for (; i < record->depth; i++) {
		uint64_t address = frame_at(records, record, i);

		stack[n++] = is_raw || address == UINT64_MAX ? address : address + 1;
	}
	return n;
}
