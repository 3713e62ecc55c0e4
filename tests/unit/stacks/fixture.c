// SPDX-License-Identifier: GPL-2.0-or-later
/* Stack files: see fixture.h. */
#include "tests/unit/test.h"

#include "fixture.h"
struct stacks *open_file(const char *path, uint32_t most)
{
	struct odb_error error;
	struct stacks *stacks;

	if (stacks_open(&stacks, path, most, &error))
		fail_msg("%s", error.text);
	return stacks;
}

uint32_t image(struct stacks *stacks, const char *name)
{
	struct odb_error error;
	uint32_t id = stacks_image(stacks, name, 0, 0, &error);

	if (!id)
		fail_msg("%s", error.text);
	return id;
}

void add(struct stacks *stacks, const struct stacks_frame *frames, size_t depth, uint64_t n)
{
	assert_int_equal(stacks_add(stacks, frames, depth, n, NULL), STACKS_ADDED);
}

struct stacks_content read_file(const char *path)
{
	struct stacks_content content;
	struct odb_error error;

	if (stacks_read(&content, path, &error))
		fail_msg("%s", error.text);
	return content;
}

uint64_t sum_of(const char *path)
{
	struct stacks_content content = read_file(path);
	uint64_t sum = 0;

	for (size_t i = 0; i < content.n_nodes; i++)
		sum += content.nodes[i].count;
	stacks_content_free(&content);
	return sum;
}

char *text_of(const char *path)
{
	struct stacks_content content = read_file(path);
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	for (size_t i = 0; i < content.n_nodes; i++) {
		if (!content.nodes[i].count)
			continue;
		for (size_t at = i; at; at = content.nodes[at].parent) {
			const struct stacks_node *node = &content.nodes[at];

			fprintf(out, "%s+%llx%s",
				node->image ? content.images[node->image].name : "",
				(unsigned long long)node->offset, node->parent ? "<" : "");
		}
		fprintf(out, ":%llu ", (unsigned long long)content.nodes[i].count);
	}
	fclose(out);
	stacks_content_free(&content);
	return text;
}

void assert_text(const char *path, const char *want)
{
	char *text = text_of(path);

	assert_string_equal(text, want);
	free(text);
}

void assert_sound(const char *path)
{
	struct odb_error error;

	assert_int_equal(stacks_check(path, NULL, NULL, &error), 0);
}
