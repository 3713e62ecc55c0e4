// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees of functions: see stack_tree.h. */
#include "stack_tree.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "libop/base/memory.h"
#include "pp/formats/model/tree.h"
#include "pp/formats/session/image.h"

#define PARTS 1e9

/* ---- adding up ---- */

static uint32_t add_thread(struct stack_tree *tree, uint32_t program,
			   const struct prof_sample *sample)
{
	uint64_t key = op_hash_mix(op_hash_mix(program, (uint64_t)sample->pid),
				   op_hash_mix((uint64_t)sample->tid, (uint64_t)sample->cpu));
	/* a profile has each set of labels once */
	const struct prof_label *labels = sample->n_labels ? sample->labels : NULL;
	uint32_t i;

	op_hash_for_each_possible (&tree->by_thread, key, i) {
		const struct stack_tree_thread *thread = &tree->threads[i];

		if (thread->program == program && thread->pid == sample->pid &&
		    thread->tid == sample->tid && thread->cpu == sample->cpu &&
		    thread->labels == labels)
			return i;
	}
	i = (uint32_t)tree->n_threads++;
	tree->threads = op_grow(tree->threads, &tree->threads_capacity, tree->n_threads,
				sizeof(*tree->threads));
	tree->threads[i] = (struct stack_tree_thread){.program = program,
						      .pid = sample->pid,
						      .tid = sample->tid,
						      .cpu = sample->cpu,
						      .prof = tree->sides[tree->side].prof,
						      .labels = labels,
						      .n_labels = sample->n_labels};
	op_hash_add_or_exit(&tree->by_thread, key, i);
	return i;
}

/* The chain of the places of a sample, plus 1, or 0. */
static uint32_t add_chain(struct stack_tree *tree, const struct prof_sample *sample)
{
	struct prof_names *names = tree->sides[tree->side].names;
	uint32_t chain = 0;
	size_t depth = 0;

	for (size_t i = sample->depth; i--;) {
		const struct prof_frame frame = names_place(names, sample, i);
		uint32_t place = tree->place_of(tree->place_context, tree->side, &frame);

		if (place || (!i && depth))
			chain = 1 + function_tree_step(&tree->places, depth++, place);
	}
	return chain;
}

static uint32_t add_entry(struct stack_tree *tree, uint32_t node, uint32_t thread, uint32_t chain)
{
	uint64_t key = op_hash_mix(op_hash_mix(node, thread), chain);
	size_t n_events = tree->n_events;
	uint32_t i;

	op_hash_for_each_possible (&tree->by_entry, key, i)
		if (tree->entries[i].node == node && tree->entries[i].thread == thread &&
		    tree->entries[i].chain == chain)
			return i;
	i = (uint32_t)tree->n_entries++;
	tree->entries = op_grow(tree->entries, &tree->entries_capacity, tree->n_entries,
				sizeof(*tree->entries));
	tree->entries[i] = (struct stack_tree_entry){node, thread, chain, tree->n_values};
	tree->n_values += n_events;
	tree->values = op_grow(tree->values, &tree->values_capacity, tree->n_values,
			       sizeof(*tree->values));
	memset(tree->values + tree->entries[i].values, 0, n_events * sizeof(*tree->values));
	op_hash_add_or_exit(&tree->by_entry, key, i);
	return i;
}

static void add_values(struct stack_tree *tree, uint32_t entry, const struct prof_sample *sample)
{
	struct prof_value *values =
		tree->values + tree->entries[entry].values + tree->sides[tree->side].first_event;

	tree->entry_of_value =
		op_grow(tree->entry_of_value, &tree->entry_of_value_capacity,
			tree->n_sample_values + sample->n_values, sizeof(*tree->entry_of_value));
	for (size_t i = 0; i < sample->n_values; i++) {
		struct prof_value *value = &values[sample->values[i].event];

		value->count = tree_add_up(value->count, sample->values[i].count);
		value->events = tree_add_up(value->events, sample->values[i].events);
		tree->entry_of_value[tree->n_sample_values++] = entry;
	}
}

uint32_t stack_tree_function(struct stack_tree *tree, uint32_t side, const struct prof_line *line,
			     uint32_t image)
{
	const struct named_frame frame = {.line = line, .image = tree->sides[side].images[image]};

	return named_function(&tree->functions, &frame);
}

uint32_t stack_tree_program(struct stack_tree *tree, uint32_t side, const struct prof *prof,
			    const struct prof_sample *sample, uint32_t image)
{
	const char *name = named_program(prof, sample);
	struct prof_line program = {.function = name};

	/* by the name of its pair, if by that of its file */
	if (!strcmp(name, names_image(prof, sample->app)))
		program.function = tree->images[tree->sides[side].images[image]].base;
	return stack_tree_function(tree, side, &program, image);
}

/* What a step of function_tree_step() is: a function, called or inlined. */
static uint32_t key_of(uint32_t function, bool is_inlined)
{
	return function << 1 | is_inlined;
}

static void add_stack(void *context, const struct prof_sample *sample,
		      const struct named_stack *stack)
{
	struct stack_tree *tree = context;
	uint32_t function = stack_tree_program(tree, tree->side, tree->sides[tree->side].prof,
					       sample, sample->app);
	uint32_t thread = add_thread(tree, function, sample);
	uint32_t node = function_tree_step(&tree->stacks, 0, key_of(function, false));

	for (size_t i = 0; i < stack->n; i++) {
		const struct named_frame *frame = &stack->frames[i];

		function = stack_tree_function(tree, tree->side, frame->line, frame->image);
		node = function_tree_step(&tree->stacks, i + 1,
					  key_of(function, frame->is_inlined));
	}
	add_values(tree, add_entry(tree, node, thread, add_chain(tree, sample)), sample);
}

/* Files are one by the name of their pair, which have one base name; others of two sides by that.
 */
static bool is_one_image(const struct stack_tree_image *a, const struct stack_tree_image *b,
			 bool is_of_one_side)
{
	if (a->name && b->name)
		return !strcmp(a->name, b->name);
	return !is_of_one_side && a->is_kernel == b->is_kernel && !strcmp(a->base, b->base);
}

/* An image that is there, or a new one; @n_before: how many are of sides before. */
static uint32_t add_image(struct stack_tree *tree, size_t n_before,
			  const struct stack_tree_image *image)
{
	uint64_t key = op_hash_text(0, image->base);
	uint32_t i;

	op_hash_for_each_possible (&tree->by_image, key, i)
		if (is_one_image(&tree->images[i], image, i >= n_before))
			return i;
	i = (uint32_t)tree->n_images++;
	tree->images =
		op_grow(tree->images, &tree->images_capacity, tree->n_images, sizeof(*image));
	tree->images[i] = *image;
	op_hash_add_or_exit(&tree->by_image, key, i);
	return i;
}

/* What the pairs say of an image; NULL: it is no file of theirs. */
static const struct pp_paired_file *paired_file(const struct stack_tree *tree, size_t side,
						const struct prof_image *image)
{
	const struct pp_paired_file *file = NULL;
	struct op_image_name name;

	if (!tree->pairs)
		return NULL;
	name = session_image_name(image);
	if (name.kind == OP_IMAGE_FILE)
		file = pp_image_pairs_file(tree->pairs, (int)side, name.name);
	free(name.name);
	return file;
}

static void add_images(struct stack_tree *tree, struct stack_tree_side *side)
{
	const struct prof *prof = side->prof;
	size_t n_before = tree->n_images;

	side->images = op_alloc(prof->n_images, sizeof(*side->images));
	for (uint32_t i = 0; i < prof->n_images; i++) {
		const struct pp_paired_file *file =
			paired_file(tree, tree->n_sides, &prof->images[i]);
		const struct stack_tree_image image = {.base = file ? file->base
								    : names_image(prof, i),
						       .path = prof->images[i].path,
						       .name = file ? file->name : NULL,
						       .is_kernel = prof->images[i].is_kernel};

		side->images[i] = add_image(tree, n_before, &image);
	}
}

static void add_events(struct stack_tree *tree, const struct prof *prof)
{
	for (size_t i = 0; i < prof->n_events; i++) {
		tree->events = op_grow(tree->events, &tree->events_capacity, tree->n_events + 1,
				       sizeof(*tree->events));
		tree->events[tree->n_events++] =
			(struct stack_tree_event){&prof->events[i], (uint32_t)tree->n_sides};
	}
}

static void add_side(struct stack_tree *tree, const struct prof *prof, struct prof_names *names)
{
	struct stack_tree_side *side = &tree->sides[tree->n_sides];

	*side = (struct stack_tree_side){
		.prof = prof, .names = names, .first_event = tree->n_events};
	add_events(tree, prof);
	add_images(tree, side);
	tree->n_sides++;
}

static void add_stacks(struct stack_tree *tree, uint32_t side)
{
	tree->side = side;
	tree->sides[side].first_value = tree->n_sample_values;
	named_stack_each(tree->sides[side].prof, tree->sides[side].names, add_stack, tree);
}

static void make_nodes(struct stack_tree *tree)
{
	tree->n_nodes = tree->stacks.n;
	tree->nodes = op_alloc(tree->n_nodes, sizeof(*tree->nodes));
	for (size_t i = 0; i < tree->n_nodes; i++) {
		const struct function_tree_node *node = &tree->stacks.nodes[i];
		tree->nodes[i] = (struct stack_tree_node){
			.parent = node->parent,
			.function = node->function >> 1,
			.is_inlined = node->function & 1,
		};
	}
	function_tree_free(&tree->stacks);
}

/* ---- putting in order ---- */

uint64_t stack_tree_weight(const struct stack_tree *tree, size_t side, uint64_t events)
{
	const struct prof *prof = tree->sides[side].prof;

	if (tree->n_sides == 1 || !prof->n_events || !prof->totals[0].events)
		return events;
	return (uint64_t)((double)events / (double)prof->totals[0].events * PARTS);
}

uint64_t stack_tree_whole(const struct stack_tree *tree)
{
	uint64_t whole = 0;

	for (size_t i = 0; i < tree->n_sides; i++)
		if (tree->sides[i].prof->n_events)
			whole += stack_tree_weight(tree, i, tree->sides[i].prof->totals[0].events);
	return whole;
}

static uint64_t weight_of(const struct stack_tree *tree, const struct stack_tree_entry *entry)
{
	const struct prof_value *values = tree->values + entry->values;
	uint64_t weight = 0;

	for (size_t i = 0; i < tree->n_sides; i++)
		if (tree->sides[i].prof->n_events)
			weight += stack_tree_weight(tree, i,
						    values[tree->sides[i].first_event].events);
	return weight;
}

/* Children follow their parents: from the last node to the first, each has the sum of its own. */
static void sum_weights(struct stack_tree *tree)
{
	for (size_t i = 0; i < tree->n_entries; i++) {
		struct stack_tree_node *node = &tree->nodes[tree->entries[i].node];

		node->weight = tree_add_up(node->weight, weight_of(tree, &tree->entries[i]));
	}
	for (size_t i = tree->n_nodes; i--;) {
		const struct stack_tree_node *node = &tree->nodes[i];

		if (node->parent != FUNCTION_TREE_ROOT)
			tree->nodes[node->parent].weight =
				tree_add_up(tree->nodes[node->parent].weight, node->weight);
	}
}

struct ranked {
	uint64_t weight;
	uint32_t parent, number;
	const char *name;
};

/* Programs first, then by parent; the heaviest child first. */
static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	uint32_t x_parent = x->parent + 1, y_parent = y->parent + 1;

	if (x_parent != y_parent)
		return x_parent < y_parent ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The nodes by their parents: those of one are next to each other. */
static struct ranked *rank_nodes(const struct stack_tree *tree)
{
	struct ranked *ranked = op_alloc(tree->n_nodes, sizeof(*ranked));

	for (uint32_t i = 0; i < tree->n_nodes; i++)
		ranked[i] = (struct ranked){
			.weight = tree->nodes[i].weight,
			.parent = tree->nodes[i].parent,
			.number = i,
			.name = tree->functions.items[tree->nodes[i].function].name,
		};
	qsort(ranked, tree->n_nodes, sizeof(*ranked), compare_ranked);
	return ranked;
}

/* Nodes below each one, and itself. */
static uint32_t *count_below(const struct stack_tree *tree)
{
	uint32_t *below = op_alloc(tree->n_nodes, sizeof(*below));

	for (size_t i = tree->n_nodes; i--;) {
		below[i]++;
		if (tree->nodes[i].parent != FUNCTION_TREE_ROOT)
			below[tree->nodes[i].parent] += below[i];
	}
	return below;
}

/*
 * The preorder numbers of nodes.  In the order of @ranked a parent may come after its children, but
 * a node's old number is above its parent's: so children are numbered, by the position where their
 * siblings begin, in the order of their parents' old numbers.
 */
static uint32_t *number_nodes(const struct stack_tree *tree, const struct ranked *ranked)
{
	uint32_t *below = count_below(tree);
	uint32_t *numbers = op_alloc(tree->n_nodes, sizeof(*numbers));
	uint32_t next = 0;

	for (size_t i = 0; i < tree->n_nodes; i++) {
		if (i && ranked[i].parent != ranked[i - 1].parent)
			next = numbers[ranked[i].parent] + 1;
		numbers[ranked[i].number] = next;
		next += below[ranked[i].number];
	}
	free(below);
	return numbers;
}

static void renumber_nodes(struct stack_tree *tree, const uint32_t *numbers)
{
	struct stack_tree_node *nodes = op_alloc(tree->n_nodes, sizeof(*nodes));

	for (size_t i = 0; i < tree->n_nodes; i++) {
		struct stack_tree_node *node = &nodes[numbers[i]];

		*node = tree->nodes[i];
		if (node->parent != FUNCTION_TREE_ROOT)
			node->parent = numbers[node->parent];
	}
	free(tree->nodes);
	tree->nodes = nodes;
	for (size_t i = 0; i < tree->n_entries; i++)
		tree->entries[i].node = numbers[tree->entries[i].node];
}

struct placed {
	struct stack_tree_entry entry;
	uint32_t number;
};

static int compare_placed(const void *a, const void *b)
{
	const struct stack_tree_entry *x = &((const struct placed *)a)->entry;
	const struct stack_tree_entry *y = &((const struct placed *)b)->entry;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->chain < y->chain ? -1 : x->chain > y->chain;
}

static void sort_entries(struct stack_tree *tree)
{
	struct placed *placed = op_alloc(tree->n_entries, sizeof(*placed));
	uint32_t *numbers = op_alloc(tree->n_entries, sizeof(*numbers));

	for (uint32_t i = 0; i < tree->n_entries; i++)
		placed[i] = (struct placed){tree->entries[i], i};
	qsort(placed, tree->n_entries, sizeof(*placed), compare_placed);
	for (uint32_t i = 0; i < tree->n_entries; i++) {
		tree->entries[i] = placed[i].entry;
		numbers[placed[i].number] = i;
	}
	for (size_t i = 0; i < tree->n_sample_values; i++)
		tree->entry_of_value[i] = numbers[tree->entry_of_value[i]];
	free(numbers);
	free(placed);
}

static void sort(struct stack_tree *tree)
{
	struct ranked *ranked = rank_nodes(tree);
	uint32_t *numbers = number_nodes(tree, ranked);

	renumber_nodes(tree, numbers);
	sort_entries(tree);
	free(numbers);
	free(ranked);
}

/* The chains in the order that entries have them first, each behind the one it is below. */
static uint32_t *order_chains(const struct stack_tree *tree)
{
	const struct function_tree_node *nodes = tree->places.nodes;
	size_t n = tree->places.n, end = 0;
	uint32_t *order = op_alloc(n + 1, sizeof(*order));
	bool *is_there = op_alloc(n + 1, sizeof(*is_there));

	for (size_t i = 0; i < tree->n_entries; i++) {
		uint32_t chain = tree->entries[i].chain - 1;
		size_t first = end;

		for (; chain != FUNCTION_TREE_ROOT && !is_there[chain];
		     chain = nodes[chain].parent) {
			is_there[chain] = true;
			order[end++] = chain;
		}
		for (size_t last = end; first + 1 < last; first++) {
			uint32_t inner = order[first];

			order[first] = order[--last];
			order[last] = inner;
		}
	}
	free(is_there);
	return order;
}

/* The preorder numbers of chains; those below one are numbered in the order that entries have them
 * first, so that most entries have a chain near that of the one before. */
static uint32_t *number_chains(const struct stack_tree *tree)
{
	const struct function_tree_node *nodes = tree->places.nodes;
	size_t n = tree->places.n;
	uint32_t *order = order_chains(tree);
	uint32_t *below = op_alloc(n + 1, sizeof(*below)); /* and the chain itself */
	uint32_t *next = op_alloc(n + 1, sizeof(*next));   /* number below a chain */
	uint32_t *numbers = op_alloc(n + 1, sizeof(*numbers));
	uint32_t next_root = 0;

	for (size_t i = n; i--;) {
		below[i]++;
		if (nodes[i].parent != FUNCTION_TREE_ROOT)
			below[nodes[i].parent] += below[i];
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t chain = order[i], parent = nodes[chain].parent;
		uint32_t *number = parent == FUNCTION_TREE_ROOT ? &next_root : &next[parent];

		numbers[chain] = *number;
		next[chain] = *number + 1;
		*number += below[chain];
	}
	free(order);
	free(below);
	free(next);
	return numbers;
}

static void make_chains(struct stack_tree *tree)
{
	uint32_t *numbers = number_chains(tree);

	tree->n_chains = tree->places.n;
	tree->chains = op_alloc(tree->n_chains + 1, sizeof(*tree->chains));
	for (size_t i = 0; i < tree->n_chains; i++) {
		const struct function_tree_node *node = &tree->places.nodes[i];
		struct stack_tree_chain *chain = &tree->chains[numbers[i]];

		*chain = (struct stack_tree_chain){.parent = FUNCTION_TREE_ROOT,
						   .place = node->function};
		if (node->parent != FUNCTION_TREE_ROOT)
			chain->parent = numbers[node->parent];
	}
	for (size_t i = 0; i < tree->n_entries; i++)
		if (tree->entries[i].chain)
			tree->entries[i].chain = numbers[tree->entries[i].chain - 1] + 1;
	free(numbers);
	function_tree_free(&tree->places);
}

static void free_makings(struct stack_tree *tree)
{
	op_hash_free(&tree->by_entry);
	op_hash_free(&tree->by_thread);
	op_hash_free(&tree->by_image);
}

void stack_tree_begin(struct stack_tree *tree, const struct prof *const *profs,
		      struct prof_names *const *names, size_t n, const struct pp_image_pairs *pairs)
{
	*tree = (struct stack_tree){.pairs = pairs};
	for (size_t i = 0; i < n; i++)
		add_side(tree, profs[i], names[i]);
}

void stack_tree_make(struct stack_tree *tree, stack_tree_place_fn *place_of, const void *context)
{
	tree->place_of = place_of;
	tree->place_context = context;
	for (uint32_t i = 0; i < tree->n_sides; i++)
		add_stacks(tree, i);
	free_makings(tree);
	make_nodes(tree);
	sum_weights(tree);
	sort(tree);
	make_chains(tree);
}

void stack_tree_free(struct stack_tree *tree)
{
	for (size_t i = 0; i < tree->n_sides; i++)
		free(tree->sides[i].images);
	named_functions_free(&tree->functions);
	free(tree->events);
	free(tree->images);
	free(tree->nodes);
	free(tree->entries);
	free(tree->chains);
	free(tree->values);
	free(tree->threads);
	free(tree->entry_of_value);
	*tree = (struct stack_tree){0};
}
