// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump_stacks.h"
#include "pack.h"
#include "libdb/odb/odb.h"
#include "libdb/stacks/stacks.h"
#include "libop/base/error.h"
#include "libop/pack/pack.h"

/* The length of the UTF-8 character at @text, 0 if there is none. */
static size_t utf8_length(const unsigned char *text)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = {
		{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

	for (size_t more = 0; more < sizeof(forms) / sizeof(forms[0]); more++) {
		uint32_t code = (uint32_t)(text[0] & ~forms[more].mask);

		if ((text[0] & forms[more].mask) != forms[more].lead)
			continue;
		for (size_t i = 1; i <= more; i++) {
			if ((text[i] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (text[i] & 0x3f);
		}
		if (code < forms[more].least || code > 0x10ffff ||
		    (code >= 0xd800 && code < 0xe000))
			return 0;
		return more + 1;
	}
	return 0;
}

/* A byte that is no UTF-8 becomes U+FFFD. */
void print_json_string(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	putchar('"');
	while (*at) {
		size_t length = utf8_length(at);

		if (!length)
			fputs("\\ufffd", stdout);
		else if (*at == '"' || *at == '\\')
			printf("\\%c", *at);
		else if (*at < 0x20)
			printf("\\u%04x", *at);
		else
			fwrite(at, length, 1, stdout);
		at += length ? length : 1;
	}
	putchar('"');
}

/* @format: NULL for a packed file, which has none. */
static void print_json(const char *path, const struct odb_header *header,
		       const struct odb_format *format, const struct odb_entry *entries,
		       ptrdiff_t count)
{
	printf("{\"file\":");
	print_json_string(path);
	printf(",\"version\":%" PRIu32, header->version);
	if (format)
		printf(",\"abi\":\"%s\",\"byte_order\":\"%s\",\"length\":%" PRIu64
		       ",\"size\":%" PRIu32 ",\"current_size\":%" PRIu32,
		       format->abi, format->big_endian ? "big" : "little", format->length,
		       format->size, format->current_size);
	printf(",\"cpu_type\":%" PRIu32 ",\"ctr_event\":%" PRIu32 ",\"ctr_um\":%" PRIu32
	       ",\"ctr_count\":%" PRIu32,
	       header->cpu_type, header->ctr_event, header->ctr_um, header->ctr_count);
	printf(",\"is_kernel\":%" PRIu32 ",\"cg_to_is_kernel\":%" PRIu32 ",\"cpu_speed\":%.17g",
	       header->is_kernel, header->cg_to_is_kernel, header->cpu_speed);
	printf(",\"mtime\":%" PRIu64 ",\"anon_start\":\"0x%" PRIx64
	       "\",\"cg_to_anon_start\":\"0x%" PRIx64 "\",\"entries\":[",
	       header->mtime, header->anon_start, header->cg_to_anon_start);
	for (ptrdiff_t i = 0; i < count; i++)
		printf("%s[\"0x%" PRIx64 "\",%" PRIu64 "]", i ? "," : "", entries[i].key,
		       entries[i].count);
	puts("]}");
}

static void print_text(const char *path, const struct odb_header *header,
		       const struct odb_format *format, const struct odb_entry *entries,
		       ptrdiff_t count)
{
	uint64_t sum = 0;

	for (ptrdiff_t i = 0; i < count; i++)
		sum += entries[i].count;
	printf("file: %s\n", path);
	printf("version: 0x%" PRIx32 "\n", header->version);
	if (format) {
		printf("abi: %s\n", format->abi);
		printf("byte order: %s endian\n", format->big_endian ? "big" : "little");
		printf("length: %" PRIu64 "\n", format->length);
		printf("size: %" PRIu32 "\n", format->size);
		printf("current_size: %" PRIu32 "\n", format->current_size);
	}
	printf("cpu_type: %" PRIu32 "\n", header->cpu_type);
	printf("ctr_event: 0x%" PRIx32 "\n", header->ctr_event);
	printf("ctr_um: 0x%" PRIx32 "\n", header->ctr_um);
	printf("ctr_count: %" PRIu32 "\n", header->ctr_count);
	printf("is_kernel: %" PRIu32 "\n", header->is_kernel);
	printf("cpu_speed: %g MHz\n", header->cpu_speed);
	printf("mtime: %" PRIu64 "\n", header->mtime);
	printf("cg_to_is_kernel: %" PRIu32 "\n", header->cg_to_is_kernel);
	printf("anon_start: 0x%" PRIx64 "\n", header->anon_start);
	printf("cg_to_anon_start: 0x%" PRIx64 "\n", header->cg_to_anon_start);
	printf("samples: %" PRIu64 " in %td entries\n", sum, count);
	for (ptrdiff_t i = 0; i < count; i++)
		printf("  0x%016" PRIx64 " %" PRIu64 "\n", entries[i].key, entries[i].count);
}

void dump_samples(const struct dump_style *style, const char *path, const struct odb_header *header,
		  const struct odb_format *format, const struct odb_entry *entries, ptrdiff_t count)
{
	if (style->json)
		print_json(path, header, format, entries, count);
	else
		print_text(path, header, format, entries, count);
}

int dump(const struct dump_style *style, const char *path)
{
	struct odb_format format;
	struct odb_entry *entries;
	struct odb_error error;
	ptrdiff_t count;
	struct odb *db;

	if (op_pack_is_file(path))
		return dump_pack(style, path);
	if (stacks_is_file(path))
		return dump_stacks(path, style->json);
	if (odb_open(&db, path, ODB_READ, NULL, &error)) {
		op_complain("%s", error.text);
		return -1;
	}
	count = style->merged ? odb_entries_by_key(db, &entries, &error)
			      : odb_entries(db, &entries, &error);
	if (count < 0) {
		op_complain("%s", error.text);
		odb_close(db);
		return -1;
	}
	format = odb_format(db);
	dump_samples(style, path, odb_header(db), &format, entries, count);
	free(entries);
	odb_close(db);
	return 0;
}
