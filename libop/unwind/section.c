// SPDX-License-Identifier: GPL-2.0-or-later
/* Sections of call frame information: see section.h. */
#include "section.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"

/* Encodings of addresses in .eh_frame, as the Linux Standard Base has them. */
#define ENCODING_FORMAT	  0x0f
#define ENCODING_RELATIVE 0x70
#define ENCODING_INDIRECT 0x80

/* DWARF 4 and 5 describe addresses of segments, too; no compiler for x86-64 uses them. */
#define VERSION_WITH_SIZES 4

#define RETURN_ADDRESS 16

/* struct cfi_commons - those of one section, in the order of their places */
struct cfi_commons {
	struct cfi_commons *next;
	size_t n, capacity;
	struct placed {
		size_t at; /* in the section */
		bool is_valid;
		struct cfi_common common;
	} * items;
};

/* struct entry - an entry of a section */
struct entry {
	size_t at;	/* in the section */
	size_t id_at;	/* where @id is */
	uint64_t id;	/* of the CIE that it belongs to */
	bool is_common; /* it is a CIE */
	struct op_reader body;
};

/* Return: false at the end of the section. */
static bool next_entry(const struct cfi_section *section, struct op_reader *reader,
		       struct entry *entry)
{
	uint64_t length = op_reader_u32(reader), nothing = section->is_eh ? 0 : UINT32_MAX;
	bool is_long = length == UINT32_MAX;
	const uint8_t *body;

	entry->at = (size_t)(reader->at - section->bytes) - sizeof(uint32_t);
	if (is_long)
		length = op_reader_u64(reader);
	body = op_reader_take(reader, length);
	if (!body || !length)
		return false;
	entry->body = op_reader_of(body, length, false);
	entry->id_at = (size_t)(body - section->bytes);
	/* in .eh_frame the identity has four bytes, however long the entry is */
	if (is_long && !section->is_eh) {
		entry->id = op_reader_u64(&entry->body);
		nothing = UINT64_MAX;
	} else {
		entry->id = op_reader_u32(&entry->body);
	}
	entry->is_common = entry->id == nothing;
	return true;
}

/* Reads an address or, with DW_EH_PE_absptr for @relative, the length of a range. */
static uint64_t take_address(const struct cfi_section *section, struct op_reader *reader,
			     uint8_t encoding)
{
	uint64_t base = section->address + (uint64_t)(reader->at - section->bytes);

	if (encoding & ENCODING_INDIRECT)
		op_reader_fail(reader);
	if ((encoding & ENCODING_RELATIVE) == DW_EH_PE_absptr)
		base = 0;
	else if ((encoding & ENCODING_RELATIVE) != DW_EH_PE_pcrel)
		op_reader_fail(reader);
	switch (encoding & ENCODING_FORMAT) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return base + op_reader_u64(reader);
	case DW_EH_PE_udata4:
		return base + op_reader_u32(reader);
	case DW_EH_PE_sdata4:
		return base + (uint64_t)(int32_t)op_reader_u32(reader);
	case DW_EH_PE_udata2:
		return base + op_reader_u16(reader);
	case DW_EH_PE_sdata2:
		return base + (uint64_t)(int16_t)op_reader_u16(reader);
	case DW_EH_PE_uleb128:
		return base + op_reader_leb128(reader);
	case DW_EH_PE_sleb128:
		return base + (uint64_t)op_reader_leb128_signed(reader);
	default:
		op_reader_fail(reader);
		return 0;
	}
}

/* ---- what ranges share ---- */

/* Takes what each letter says, as far as the letters are known. */
static void take_augmentation(const struct cfi_section *section, const char *letters,
			      struct op_reader *data, struct cfi_common *common)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			common->encoding = op_reader_u8(data);
			break;
		case 'P': /* a function for exceptions: its address, whatever it is relative to */
			take_address(section, data, op_reader_u8(data) & ENCODING_FORMAT);
			break;
		case 'L':
			op_reader_u8(data);
			break;
		case 'S':
			common->is_signal = true;
			break;
		default:
			return;
		}
	}
}

/* Takes the augmentation.  Return: false if there may be anything where the program is. */
static bool take_letters(const struct cfi_section *section, const char *letters,
			 struct op_reader *reader, struct cfi_common *common)
{
	struct op_reader data;
	uint64_t length;
	const uint8_t *bytes;

	if (*letters != 'z')
		return !*letters;
	length = op_reader_leb128(reader);
	bytes = op_reader_take(reader, length);
	if (!bytes && length)
		return false;
	data = op_reader_of(bytes, length, false);
	common->has_size = true;
	take_augmentation(section, letters + 1, &data, common);
	return !data.failed;
}

static const char *take_text(struct op_reader *reader)
{
	const void *end = memchr(reader->at, '\0', op_reader_left(reader));

	return op_reader_text(reader, end ? (size_t)((const uint8_t *)end - reader->at) + 1 : 0);
}

static bool read_common(const struct cfi_section *section, struct op_reader *reader,
			struct cfi_common *common)
{
	uint8_t version = op_reader_u8(reader);
	const char *letters = take_text(reader);
	uint64_t number;

	if (version >= VERSION_WITH_SIZES &&
	    (op_reader_u8(reader) != sizeof(uint64_t) || op_reader_u8(reader) != 0))
		return false;
	common->code_factor = op_reader_leb128(reader);
	common->data_factor = op_reader_leb128_signed(reader);
	number = version == 1 ? op_reader_u8(reader) : op_reader_leb128(reader);
	return number == RETURN_ADDRESS && take_letters(section, letters, reader, common) &&
	       !reader->failed && cfi_run_common(*reader, common);
}

static int read_commons(const struct cfi_section *section, struct cfi_commons *commons)
{
	struct op_reader reader = op_reader_of(section->bytes, section->size, false);
	struct entry entry;

	while (next_entry(section, &reader, &entry)) {
		struct placed placed = {.at = entry.at, .common.is_eh = section->is_eh};

		if (!entry.is_common)
			continue;
		placed.is_valid = read_common(section, &entry.body, &placed.common);
		if (op_array_fit(commons->items, commons->capacity, commons->n + 1))
			return -1;
		commons->items[commons->n++] = placed;
	}
	return 0;
}

static const struct cfi_common *find_common(const struct cfi_commons *commons, uint64_t at)
{
	size_t low = 0, high = commons->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct placed *placed = &commons->items[middle];

		if (placed->at == at)
			return placed->is_valid ? &placed->common : NULL;
		if (placed->at > at)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* ---- ranges ---- */

static bool read_range(const struct cfi_section *section, const struct cfi_commons *commons,
		       struct entry *entry, struct cfi_range *range)
{
	const uint64_t at = section->is_eh ? entry->id_at - entry->id : entry->id;
	struct op_reader *reader = &entry->body;
	uint64_t length;

	range->common = find_common(commons, at);
	if (!range->common)
		return false;
	range->start = take_address(section, reader, range->common->encoding);
	length = take_address(section, reader, range->common->encoding & ENCODING_FORMAT);
	if (range->common->has_size)
		op_reader_take(reader, op_reader_leb128(reader));
	range->program = *reader;
	return !reader->failed && !__builtin_add_overflow(range->start, length, &range->end);
}

static int read_ranges(const struct cfi_section *section, const struct cfi_commons *commons,
		       struct cfi_ranges *ranges)
{
	struct op_reader reader = op_reader_of(section->bytes, section->size, false);
	struct entry entry;

	while (next_entry(section, &reader, &entry)) {
		struct cfi_range range;

		if (entry.is_common)
			continue;
		if (!read_range(section, commons, &entry, &range)) {
			ranges->refused++;
			continue;
		}
		/* linkers leave empty ranges of what they have discarded */
		if (range.start == range.end)
			continue;
		if (op_array_fit(ranges->items, ranges->capacity, ranges->n + 1))
			return -1;
		ranges->items[ranges->n++] = range;
	}
	return 0;
}

int cfi_read(const struct cfi_section *section, struct cfi_ranges *ranges)
{
	struct cfi_commons *commons = calloc(1, sizeof(*commons));

	if (!commons)
		return -1;
	commons->next = ranges->commons;
	ranges->commons = commons;
	return read_commons(section, commons) || read_ranges(section, commons, ranges) ? -1 : 0;
}

uint64_t cfi_header_address(const struct cfi_section *header)
{
	struct op_reader reader = op_reader_of(header->bytes, header->size, false);
	uint8_t version = op_reader_u8(&reader), encoding = op_reader_u8(&reader);
	uint64_t address;

	op_reader_u16(&reader); /* encodings of what follows */
	address = take_address(header, &reader, encoding);
	return version == 1 && !reader.failed ? address : 0;
}

static int section_compare(const void *a, const void *b)
{
	const struct cfi_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->common->is_eh != y->common->is_eh)
		return x->common->is_eh ? -1 : 1;
	return x->program.at < y->program.at ? -1 : x->program.at > y->program.at;
}

void cfi_sort(struct cfi_ranges *ranges)
{
	for (size_t i = 1; i < ranges->n; i++) {
		if (section_compare(&ranges->items[i - 1], &ranges->items[i]) > 0) {
			qsort(ranges->items, ranges->n, sizeof(*ranges->items), section_compare);
			return;
		}
	}
}

void cfi_ranges_free(struct cfi_ranges *ranges)
{
	while (ranges->commons) {
		struct cfi_commons *next = ranges->commons->next;

		free(ranges->commons->items);
		free(ranges->commons);
		ranges->commons = next;
	}
	free(ranges->items);
	*ranges = (struct cfi_ranges){0};
}
