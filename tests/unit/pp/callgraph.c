// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call graphs from stack files, compared with what each stack says.
 *
 * Functions are images without symbols, which have one row each.
 */
#include "libop/base/file.h"
#include "libdb/stacks/stacks.h"
#include "pp/profile/call_tree.h"
#include "pp/profile/profile.h"
#include "pp/select/selection.h"
#include "tests/unit/pp/session.h"
#include "tests/unit/test.h"

#define FUNCTIONS 6 /* the last two are the kernel's */
#define DEPTH	  9
#define STACKS	  300
#define EVENTS	  2

struct stack {
	int event, depth, functions[DEPTH]; /* leaf first */
	uint64_t count, weight;
};

/* What is true of all stacks. */
struct truth {
	uint64_t self[EVENTS][FUNCTIONS], inclusive[EVENTS][FUNCTIONS];
	uint64_t arcs[EVENTS][FUNCTIONS][FUNCTIONS], total[EVENTS];
};

static uint32_t seed;

static uint32_t up_to(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static const char *name_of(int function)
{
	static const char *const names[FUNCTIONS] = {"{root}/f0", "{root}/f1", "{root}/f2",
						     "{root}/f3", "{kern}/k0", "{kern}/k1"};

	return names[function];
}

/* ---- truth ---- */

static void add_truth(struct truth *truth, const struct stack *stack, uint64_t count)
{
	bool in[FUNCTIONS] = {false}, pair[FUNCTIONS][FUNCTIONS] = {{false}};

	for (int i = 0; i < stack->depth; i++) {
		in[stack->functions[i]] = true;
		if (i)
			pair[stack->functions[i]][stack->functions[i - 1]] = true;
	}
	truth->self[stack->event][stack->functions[0]] += count;
	truth->total[stack->event] += count;
	for (int i = 0; i < FUNCTIONS; i++) {
		truth->inclusive[stack->event][i] += in[i] ? count : 0;
		for (int k = 0; k < FUNCTIONS; k++)
			truth->arcs[stack->event][i][k] += pair[i][k] ? count : 0;
	}
}

/* ---- sessions ---- */

static void open_parent(const char *path)
{
	assert_int_equal(op_mkdir_parents(path, 0755, NULL), 0);
}

static void add_sample(const struct test_session *session, const char *tree,
		       const struct stack *stack, uint64_t key, uint64_t count)
{
	const struct odb_header header = {.ctr_count = *tree ? 1 : 0};
	char *path = test_session_path(session,
				       "samples/current/%s{root}/app/{dep}/%s/E%d.%d.0.all.all.all",
				       tree, name_of(stack->functions[0]), stack->event, 1000);
	struct odb_error error;
	struct odb *db;

	open_parent(path);
	assert_int_equal(odb_open(&db, path, ODB_CREATE, &header, &error), 0);
	assert_int_equal(odb_add(db, key, count, &error), 0);
	odb_close(db);
	free(path);
}

/* Offsets differ, so that a function is in many nodes. */
static void add_stack(const struct test_session *session, const char *tree,
		      const struct stack *stack, const uint64_t *offsets, uint64_t count)
{
	char *path = test_session_path(session,
				       "samples/current/%sstacks/{root}/app/E%d.%d.0.all.all.all",
				       tree, stack->event, 1000);
	struct stacks_frame frames[DEPTH];
	struct odb_error error;
	struct stacks *stacks;

	open_parent(path);
	assert_int_equal(stacks_open(&stacks, path, 0, &error), 0);
	for (int i = 0; i < stack->depth; i++) {
		const char *name = name_of(stack->functions[i]);

		frames[i].image = stacks_image(stacks, name, name[1] == 'k', 0, &error);
		frames[i].offset = offsets[i];
	}
	assert_int_equal(stacks_add(stacks, frames, (size_t)stack->depth, count, &error), 0);
	stacks_close(stacks);
	free(path);
}

/* A stack of one frame has no callers, and so is in no stack file. */
static void write_stack(const struct test_session *session, const struct stack *stack)
{
	uint64_t offsets[DEPTH];

	for (int i = 0; i < stack->depth; i++)
		offsets[i] = 16 + up_to(3);
	add_sample(session, "", stack, offsets[0], stack->count);
	if (stack->weight)
		add_sample(session, "weights/", stack, offsets[0], stack->weight);
	if (stack->depth < 2)
		return;
	add_stack(session, "", stack, offsets, stack->count);
	if (stack->weight)
		add_stack(session, "weights/", stack, offsets, stack->weight);
}

/* Kernel frames come first, as in chains that the kernel sends. */
static struct stack random_stack(void)
{
	struct stack stack = {
		.event = (int)up_to(EVENTS), .depth = 1 + (int)up_to(DEPTH), .count = 1 + up_to(4)};
	int kernel = up_to(2) ? (int)up_to(DEPTH) : 0;

	for (int i = 0; i < stack.depth; i++)
		stack.functions[i] =
			(int)(i < kernel ? FUNCTIONS - 2 + up_to(2) : up_to(FUNCTIONS - 2));
	stack.weight = up_to(3);
	return stack;
}

/* ---- reports ---- */

struct report {
	struct pp_sample_list list;
	struct pp_classes classes;
	struct pp_image_search search;
	struct op_warnings warnings;
	struct pp_profile profile;
};

static void make_report(struct report *report, const struct test_session *session,
			enum pp_call_order calls)
{
	const struct pp_spec spec = {0};
	const struct pp_merge merge = {0};
	const struct pp_profile_request request = {
		.symbols = true, .arcs = true, .calls = calls, .search = &report->search};
	struct op_error error;

	memset(report, 0, sizeof(*report));
	report->list.want_arcs = report->list.want_stacks = true;
	assert_int_equal(pp_select(&report->list, &report->classes, session->dir, &spec, &merge,
				   false, &report->warnings, &error),
			 0);
	pp_profile_make(&report->profile, &report->list, &report->classes, &request,
			&report->warnings);
}

static void free_report(struct report *report)
{
	pp_profile_free(&report->profile);
	pp_classes_free(&report->classes);
	pp_sample_list_free(&report->list);
	pp_image_search_free(&report->search);
}

/* The function of a row: the last character of its image is a number. */
static int function_of(const struct pp_row *row)
{
	const char *name = row->image->id->name;
	size_t n = strlen(name);

	return name[n - 2] == 'k' ? FUNCTIONS - 2 + name[n - 1] - '0' : name[n - 1] - '0';
}

static void compare(const struct pp_profile *profile, const struct truth *samples,
		    const struct truth *weights)
{
	const struct truth *truths[2] = {samples, weights};
	struct truth found[2] = {0};

	for (size_t i = 0; i < profile->n_rows; i++)
		for (size_t c = 0; c < profile->classes->columns; c++) {
			const struct pp_row *row = profile->rows[i];
			struct truth *of = &found[c / EVENTS];

			of->self[c % EVENTS][function_of(row)] += row->counts[c];
			of->inclusive[c % EVENTS][function_of(row)] += row->inclusive[c];
			of->total[c % EVENTS] += row->counts[c];
		}
	for (size_t i = 0; i < profile->n_arcs; i++)
		for (size_t c = 0; c < profile->classes->columns; c++) {
			const struct pp_arc *arc = &profile->arcs[i];

			assert_true(arc->counts[c] <= arc->caller->inclusive[c]);
			assert_true(arc->counts[c] <= arc->callee->inclusive[c]);
			found[c / EVENTS].arcs[c % EVENTS][function_of(arc->caller)]
					      [function_of(arc->callee)] += arc->counts[c];
		}
	assert_memory_equal(&found[0], truths[0], sizeof(found[0]));
	assert_memory_equal(&found[1], truths[1], sizeof(found[1]));
}

TEST(each_sample_counts_once_for_each_function_and_call_of_its_stack)
{
	for (uint32_t run = 1; run <= 4; run++) {
		struct truth samples = {0}, weights = {0};
		struct test_session session;
		struct report report;

		seed = run;
		test_session_make(&session);
		for (int i = 0; i < STACKS; i++) {
			const struct stack stack = random_stack();

			add_truth(&samples, &stack, stack.count);
			add_truth(&weights, &stack, stack.weight);
			write_stack(&session, &stack);
		}
		make_report(&report, &session, PP_CALLS_NONE);
		assert_int_equal(report.classes.n, EVENTS);
		compare(&report.profile, &samples, &weights);
		free_report(&report);
		test_session_remove(&session);
	}
}

/* ---- trees ---- */

/* The functions from the root of the tree to a node; Return: their number. */
static int path_to(const struct pp_call_tree *tree, size_t node, int *path)
{
	int depth = 0;

	for (size_t i = node; i; i = tree->nodes[i].above)
		depth++;
	assert_true(depth <= DEPTH);
	for (size_t i = node, k = (size_t)depth; i; i = tree->nodes[i].above)
		path[--k] = function_of(tree->nodes[i].row);
	return depth;
}

/* Whether a stack, seen from the end where the tree begins, begins with @path. */
static bool begins_with(const struct stack *stack, enum pp_call_order order, const int *path,
			int depth)
{
	for (int i = 0; i < depth; i++) {
		int frame = order == PP_CALLS_FROM_CALLEES ? i : stack->depth - 1 - i;

		if (i >= stack->depth || stack->functions[frame] != path[i])
			return false;
	}
	return true;
}

static void check_node(const struct pp_call_tree *tree, size_t node, enum pp_call_order order,
		       const struct stack *stacks)
{
	uint64_t counts[2 * EVENTS] = {0}, ends[2 * EVENTS] = {0};
	int path[DEPTH], depth = path_to(tree, node, path);

	for (int i = 0; i < STACKS; i++) {
		const struct stack *stack = &stacks[i];
		uint64_t is_end = stack->depth == depth;

		if (!begins_with(stack, order, path, depth))
			continue;
		counts[stack->event] += stack->count;
		counts[EVENTS + stack->event] += stack->weight;
		ends[stack->event] += is_end * stack->count;
		ends[EVENTS + stack->event] += is_end * stack->weight;
	}
	assert_memory_equal(tree->nodes[node].counts, counts, sizeof(counts));
	assert_memory_equal(tree->nodes[node].ends, ends, sizeof(ends));
}

static void check_tree(const struct test_session *session, const struct stack *stacks,
		       enum pp_call_order order)
{
	const struct pp_call_tree *tree;
	struct report report;

	make_report(&report, session, order);
	tree = report.profile.call_tree;
	assert_int_equal(report.profile.classes->columns, 2 * EVENTS);
	for (size_t i = 0; i < tree->n; i++)
		check_node(tree, i, order, stacks);
	for (size_t i = 1; i < tree->n; i++)
		for (size_t k = 1; k < i; k++)
			assert_true(tree->nodes[i].above != tree->nodes[k].above ||
				    tree->nodes[i].row != tree->nodes[k].row);
	assert_memory_equal(tree->nodes[0].counts, report.profile.totals,
			    2 * EVENTS * sizeof(uint64_t));
	free_report(&report);
}

TEST(trees_of_calls_have_what_stacks_that_begin_alike_have)
{
	for (uint32_t run = 1; run <= 4; run++) {
		struct test_session session;
		struct stack stacks[STACKS];

		seed = run;
		test_session_make(&session);
		for (int i = 0; i < STACKS; i++) {
			stacks[i] = random_stack();
			write_stack(&session, &stacks[i]);
		}
		check_tree(&session, stacks, PP_CALLS_FROM_CALLERS);
		check_tree(&session, stacks, PP_CALLS_FROM_CALLEES);
		test_session_remove(&session);
	}
}
