// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump_samples.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "libop/base/safe_text.h"
#include "libop/text/json.h"

/* @format: NULL for a packed file, which has none. */
static void print_json(const char *path, const struct odb_header *header,
		       const struct odb_format *format, const struct odb_entry *entries,
		       ptrdiff_t count)
{
	printf("{\"file\":");
	op_json_quote(stdout, path);
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
	op_safe_line(stdout, "file: %s", path);
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
