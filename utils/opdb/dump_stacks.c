// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump_stacks.h"

#include <inttypes.h>
#include <stdio.h>

#include "libdb/stacks/stacks.h"
#include "libop/base/error.h"
#include "libop/base/safe_text.h"
#include "libop/text/json.h"

static uint64_t sum_up(const struct stacks_content *content)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < content->n_nodes; i++)
		sum += content->nodes[i].count;
	return sum;
}

static void print_text(const char *path, const struct stacks_content *content)
{
	op_safe_line(stdout, "file: %s", path);
	printf("images: %zu\n", content->n_images - 1);
	for (size_t i = 1; i < content->n_images; i++)
		op_safe_line(stdout, "  %zu %s%s mtime %" PRIu32, i, content->images[i].name,
			     content->images[i].flags & STACKS_IMAGE_KERNEL ? " kernel" : "",
			     content->images[i].mtime);
	printf("merged: %" PRIu64 "\n", content->merged);
	printf("samples: %" PRIu64 " in %zu nodes\n", sum_up(content), content->n_nodes);
	for (size_t i = 0; i < content->n_nodes; i++)
		printf("  %zu %" PRIu32 " %" PRIu32 " 0x%016" PRIx64 " %" PRIu64 "\n", i,
		       content->nodes[i].parent, content->nodes[i].image, content->nodes[i].offset,
		       content->nodes[i].count);
}

static void print_json(const char *path, const struct stacks_content *content)
{
	fputs("{\"file\":", stdout);
	op_json_quote(stdout, path);
	printf(",\"merged\":%" PRIu64 ",\"images\":[", content->merged);
	for (size_t i = 1; i < content->n_images; i++) {
		printf("%s{\"name\":", i > 1 ? "," : "");
		op_json_quote(stdout, content->images[i].name);
		printf(",\"is_kernel\":%s,\"mtime\":%" PRIu32 "}",
		       content->images[i].flags & STACKS_IMAGE_KERNEL ? "true" : "false",
		       content->images[i].mtime);
	}
	fputs("],\"nodes\":[", stdout);
	for (size_t i = 0; i < content->n_nodes; i++)
		printf("%s[%" PRIu32 ",%" PRIu32 ",\"0x%" PRIx64 "\",%" PRIu64 "]", i ? "," : "",
		       content->nodes[i].parent, content->nodes[i].image, content->nodes[i].offset,
		       content->nodes[i].count);
	puts("]}");
}

void dump_stacks_content(const char *path, const struct stacks_content *content, bool json)
{
	if (json)
		print_json(path, content);
	else
		print_text(path, content);
}

int dump_stacks(const char *path, bool json)
{
	struct stacks_content content;
	struct odb_error error;

	if (stacks_read(&content, path, &error)) {
		op_complain("%s", error.text);
		return -1;
	}
	dump_stacks_content(path, &content, json);
	stacks_content_free(&content);
	return 0;
}
