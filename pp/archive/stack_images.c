// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the images of call chains: see stack_images.h. */
#include "stack_images.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/tables/name_index.h"
#include "pp/select/sample_read.h"

/* Images are compared by their names as paths: op_image_name_make(). */
struct finding {
	char **leaves; /* sorted: "APP DEP" of the sample files */
	size_t n_leaves;
	struct op_names found;
};

static char *image_name_name_of(const struct op_image_name *image)
{
	char *name = op_image_name_make(image);

	if (!name)
		op_out_of_memory();
	return name;
}

static char *leaf_of(const char *app, const char *dep)
{
	return op_format("%s %s", app, dep);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_leaves(struct finding *finding, const struct pp_sample_list *list)
{
	finding->leaves = op_alloc(list->n, sizeof(*finding->leaves));
	for (size_t i = 0; i < list->n; i++) {
		char *app = image_name_name_of(&list->files[i].name.app);
		char *dep = image_name_name_of(&list->files[i].name.dep);

		finding->leaves[finding->n_leaves++] = leaf_of(app, dep);
		free(app);
		free(dep);
	}
	if (list->n)
		qsort(finding->leaves, list->n, sizeof(*finding->leaves), compare_texts);
}

static bool is_leaf(const struct finding *finding, const char *app, const char *image)
{
	char *leaf = leaf_of(app, image);
	bool found = bsearch(&leaf, finding->leaves, finding->n_leaves, sizeof(leaf),
			     compare_texts);

	free(leaf);
	return found;
}

/* Where libraries are not separated, each image is its own application. */
static bool *selected_leaves(const struct finding *finding, const struct stacks_content *content,
			     const char *app)
{
	bool *selected = op_alloc(content->n_images, sizeof(*selected));

	for (size_t i = 1; i < content->n_images; i++) {
		const char *name = content->images[i].name;

		selected[i] = is_leaf(finding, app, name) || is_leaf(finding, name, name);
	}
	return selected;
}

/* Callers are before their callees. */
static void add_chains(struct finding *finding, const struct stacks_content *content,
		       const bool *selected)
{
	bool *has_samples = op_alloc(content->n_nodes, sizeof(*has_samples));

	for (size_t i = content->n_nodes; i-- > 1;) {
		const struct stacks_node *node = &content->nodes[i];

		if (!has_samples[i] && (!node->count || !selected[node->image]))
			continue;
		has_samples[node->parent] = true;
		if (node->image)
			op_names_keep(&finding->found, content->images[node->image].name);
	}
	free(has_samples);
}

static void finding_read_file(struct finding *finding, const struct pp_sample_file *file,
			      struct op_warnings *warnings)
{
	struct stacks_content content;
	struct op_error error;
	bool *selected;
	char *app;

	if (pp_stacks_read(file, &content, &error)) {
		op_warnings_add(warnings, OP_BAD_FILE, "%s", error.text);
		return;
	}
	app = image_name_name_of(&file->name.app);
	selected = selected_leaves(finding, &content, app);
	add_chains(finding, &content, selected);
	free(selected);
	free(app);
	stacks_content_free(&content);
}

void pp_stack_images_find(struct pp_stack_images *images, const struct pp_sample_list *list,
			  struct op_warnings *warnings)
{
	struct finding finding = {0};

	find_leaves(&finding, list);
	for (size_t i = 0; i < list->n_stacks; i++)
		finding_read_file(&finding, &list->stacks[i], warnings);
	images->n = 0;
	images->items = op_alloc(finding.found.n, sizeof(*images->items));
	for (size_t i = 0; i < finding.found.n; i++)
		images->n += !op_image_name_parse(finding.found.names[i], &images->items[images->n],
						  NULL);
	for (size_t i = 0; i < finding.n_leaves; i++)
		free(finding.leaves[i]);
	free(finding.leaves);
	op_names_free_kept(&finding.found);
}

void pp_stack_images_free(struct pp_stack_images *images)
{
	for (size_t i = 0; i < images->n; i++)
		free(images->items[i].name);
	free(images->items);
}
