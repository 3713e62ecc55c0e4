// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callgrind's format, for KCachegrind and callgrind_annotate: cost of each line of each function
 * itself, and of its calls.
 *
 * Costs are samples, or events where they weigh differently (weights.h).
 *
 * Samples tell how much was spent in calls, not how often there were any: "calls=" has the number
 * of stacks with the call that were seen in samples.  A function that is in a stack more than
 * once (recursion) has the cost of its call counted once.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "callgrind.h"
#include "libop/base/hash.h"
#include "libop/base/safe_text.h"
#include "pp/formats/model/weights.h"
#include "pp/formats/session/named_stack.h"
#include "libop/base/memory.h"
#include "pp/symbols/image_name.h"

#define NOBODY	 UINT32_MAX
#define OWN_FILE UINT32_MAX

/* Cost at a line of a function: its own, or of calls from there. */
struct cost {
	uint32_t function, callee; /* callee: NOBODY: its own */
	uint32_t file;		   /* of the line: OWN_FILE: that of the function */
	int64_t line, begin;	   /* begin: a line of the callee; 0: not known */
	uint64_t calls;
	size_t values; /* index of the first of n_events */
	size_t last;   /* number of the stack that was added last */
};

struct callgrind {
	const struct prof *prof;
	bool *weights;
	struct named_functions functions;
	struct cost *costs;
	size_t n_costs, costs_capacity;
	struct op_hash by_cost;
	uint64_t *values;
	size_t n_values, values_capacity;
	size_t stacks;
	FILE *out;
	bool *named; /* by function: its name was written, so that its number will do */
	bool *image_named;
	struct op_hash by_file;
	struct file {
		const char *name;
		bool is_named; /* likewise */
	} * files;
	size_t n_files, files_capacity;
};

/* ---- files ---- */

static uint32_t find_file(struct callgrind *callgrind, const char *file)
{
	uint64_t hash = op_hash_text(0, file);
	uint32_t id;

	op_hash_for_each_possible (&callgrind->by_file, hash, id)
		if (!strcmp(callgrind->files[id].name, file))
			return id;
	id = (uint32_t)callgrind->n_files++;
	callgrind->files = op_grow(callgrind->files, &callgrind->files_capacity, callgrind->n_files,
				   sizeof(*callgrind->files));
	callgrind->files[id] = (struct file){.name = file};
	op_hash_add_or_exit(&callgrind->by_file, hash, id);
	return id;
}

/* The file of a line of a function, which may be a header's. */
static uint32_t file_of_line(struct callgrind *callgrind, uint32_t function,
			     const struct prof_line *line)
{
	const char *own = callgrind->functions.items[function].file;

	if (!line->line || !line->file || !own || !strcmp(line->file, own))
		return OWN_FILE;
	return find_file(callgrind, line->file);
}

/* ---- adding up ---- */

static uint64_t hash_cost(const struct cost *cost)
{
	uint64_t functions = (uint64_t)cost->function << 32 | cost->callee;

	return op_hash_mix(op_hash_mix(functions, cost->file), (uint64_t)cost->line);
}

/* @line: of the function itself. */
static struct cost *find_cost(struct callgrind *callgrind, uint32_t function, uint32_t callee,
			      const struct prof_line *line)
{
	const struct cost wanted = {.function = function,
				    .callee = callee,
				    .file = file_of_line(callgrind, function, line),
				    .line = line->line};
	size_t n_events = callgrind->prof->n_events;
	struct cost *cost;
	uint32_t id;

	op_hash_for_each_possible (&callgrind->by_cost, hash_cost(&wanted), id) {
		cost = &callgrind->costs[id];
		if (cost->function == function && cost->callee == callee &&
		    cost->file == wanted.file && cost->line == wanted.line)
			return cost;
	}
	id = (uint32_t)callgrind->n_costs++;
	callgrind->costs = op_grow(callgrind->costs, &callgrind->costs_capacity, callgrind->n_costs,
				   sizeof(*callgrind->costs));
	cost = &callgrind->costs[id];
	*cost = wanted;
	cost->values = callgrind->n_values;
	callgrind->values = op_grow(callgrind->values, &callgrind->values_capacity,
				    callgrind->n_values + n_events, sizeof(uint64_t));
	memset(callgrind->values + callgrind->n_values, 0, n_events * sizeof(uint64_t));
	callgrind->n_values += n_events;
	op_hash_add_or_exit(&callgrind->by_cost, hash_cost(cost), id);
	return cost;
}

static void callgrind_add(struct callgrind *callgrind, struct cost *cost,
			  const struct prof_sample *sample)
{
	if (cost->last == callgrind->stacks)
		return; /* this stack has it already */
	cost->last = callgrind->stacks;
	cost->calls++;
	for (size_t i = 0; i < sample->n_values; i++)
		callgrind->values[cost->values + sample->values[i].event] +=
			prof_number(callgrind->weights, &sample->values[i]);
}

static void add_stack(void *context, const struct prof_sample *sample,
		      const struct named_stack *stack)
{
	struct callgrind *callgrind = context;
	const struct prof_line program = {.function = named_program(callgrind->prof, sample)};
	const struct named_frame root = {.line = &program, .image = sample->app};
	uint32_t caller = NOBODY;

	callgrind->stacks++;
	for (size_t i = 0; i < stack->n; i++) {
		const struct named_frame *frame = &stack->frames[i];
		uint32_t function = named_function(&callgrind->functions, frame);

		if (i)
			callgrind_add(
				callgrind,
				find_cost(callgrind, caller, function, stack->frames[i - 1].line),
				sample);
		caller = function;
	}
	/* a sample without frames is the program's */
	if (!stack->n)
		caller = named_function(&callgrind->functions, &root);
	callgrind_add(callgrind,
		      find_cost(callgrind, caller, NOBODY,
				stack->n ? stack->frames[stack->n - 1].line : &program),
		      sample);
}

static struct named_frame frame_at(struct prof_names *names, const struct prof_frame *place)
{
	return (struct named_frame){.line = names_at(names, place)->lines, .image = place->image};
}

/* Those of a profile that has no stacks: each is there once for each event. */
static void add_calls(struct callgrind *callgrind, struct prof_names *names)
{
	const struct prof *prof = callgrind->prof;

	for (size_t i = 0; i < prof->n_calls; i++) {
		const struct prof_call *call = &prof->calls[i];
		bool is_same = i && call->app == call[-1].app &&
			       !memcmp(&call->caller, &call[-1].caller, sizeof(call->caller)) &&
			       !memcmp(&call->callee, &call[-1].callee, sizeof(call->callee));
		const struct named_frame caller = frame_at(names, &call->caller);
		const struct named_frame callee = frame_at(names, &call->callee);
		struct cost *cost =
			find_cost(callgrind, named_function(&callgrind->functions, &caller),
				  named_function(&callgrind->functions, &callee), caller.line);

		/* a session does not say how often */
		cost->calls += is_same ? 0 : call->calls ? call->calls : 1;
		cost->begin = callee.line->line;
		callgrind->values[cost->values + call->value.event] +=
			prof_number(callgrind->weights, &call->value);
	}
}

/* ---- writing ---- */

/* KEY=(NUMBER) NAME, the name only the first time. */
static void callgrind_put_name(struct callgrind *callgrind, const char *key, uint32_t number,
			       const char *name)
{
	fprintf(callgrind->out, "%s=(%" PRIu32 ")", key, number + 1);
	if (name)
		op_safe_printf(callgrind->out, " %s", name);
	fputc('\n', callgrind->out);
}

static void put_file(struct callgrind *callgrind, const char *key, uint32_t id)
{
	struct file *file = &callgrind->files[id];

	callgrind_put_name(callgrind, key, id, file->is_named ? NULL : file->name);
	file->is_named = true;
}

/* Its image, file and name; @prefix is "" or, for callees, "c". */
static void put_function(struct callgrind *callgrind, uint32_t number, const char *prefix)
{
	const struct named_function *function = &callgrind->functions.items[number];
	const char *path = pp_image_without_named(callgrind->prof->images[function->image].path);
	const char *file = function->file ? function->file : "???";
	char key[8];

	snprintf(key, sizeof(key), "%sob", prefix);
	callgrind_put_name(callgrind, key, function->image,
			   callgrind->image_named[function->image] ? NULL : path);
	callgrind->image_named[function->image] = true;
	put_file(callgrind, *prefix ? "cfi" : "fl", find_file(callgrind, file));
	snprintf(key, sizeof(key), "%sfn", prefix);
	callgrind_put_name(callgrind, key, number,
			   callgrind->named[number] ? NULL : function->name);
	callgrind->named[number] = true;
}

static void put_values(const struct callgrind *callgrind, const struct cost *cost)
{
	fprintf(callgrind->out, "%" PRId64, cost->line);
	for (size_t i = 0; i < callgrind->prof->n_events; i++)
		fprintf(callgrind->out, " %" PRIu64, callgrind->values[cost->values + i]);
	fputc('\n', callgrind->out);
}

static int compare_costs(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;
	/* NOBODY + 1 is 0: its own cost comes first */
	uint32_t left = x->callee + 1, right = y->callee + 1;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (left != right)
		return left < right ? -1 : 1;
	if (x->file != y->file)
		return x->file + 1 < y->file + 1 ? -1 : 1; /* OWN_FILE + 1 is 0 */
	return (x->line > y->line) - (x->line < y->line);
}

/* The file of the costs that follow: "fe" leads back to that of the function. */
static void put_file_of_line(struct callgrind *callgrind, const struct cost *cost)
{
	const char *own = callgrind->functions.items[cost->function].file;

	if (cost->file == OWN_FILE)
		put_file(callgrind, "fe", find_file(callgrind, own ? own : "???"));
	else
		put_file(callgrind, "fi", cost->file);
}

static void put_costs(struct callgrind *callgrind)
{
	uint32_t file = OWN_FILE;

	if (callgrind->n_costs)
		qsort(callgrind->costs, callgrind->n_costs, sizeof(*callgrind->costs),
		      compare_costs);
	for (size_t i = 0; i < callgrind->n_costs; i++) {
		const struct cost *cost = &callgrind->costs[i];

		if (!i || cost->function != cost[-1].function) {
			fputc('\n', callgrind->out);
			put_function(callgrind, cost->function, "");
			file = OWN_FILE;
		}
		if (cost->file != file)
			put_file_of_line(callgrind, cost);
		file = cost->file;
		if (cost->callee != NOBODY) {
			put_function(callgrind, cost->callee, "c");
			fprintf(callgrind->out, "calls=%" PRIu64 " %" PRId64 "\n", cost->calls,
				cost->begin);
		}
		put_values(callgrind, cost);
	}
}

/* Names of events are words there. */
static void put_word(const char *text, FILE *out)
{
	for (size_t n; n = strcspn(text, " "), text[n]; text += n + 1) {
		op_safe_write(text, n, out);
		fputc('_', out);
	}
	op_safe_write(text, strlen(text), out);
}

static void put_events(const struct prof *prof, FILE *out)
{
	fputs("events:", out);
	for (size_t i = 0; i < prof->n_events; i++) {
		fputc(' ', out);
		put_word(prof->events[i].name, out);
	}
	fputc('\n', out);
}

static void put_totals(const char *key, const struct callgrind *callgrind)
{
	fputs(key, callgrind->out);
	for (size_t i = 0; i < callgrind->prof->n_events; i++)
		fprintf(callgrind->out, " %" PRIu64,
			prof_number(callgrind->weights, &callgrind->prof->totals[i]));
	fputc('\n', callgrind->out);
}

static int write_callgrind(struct prof *prof, struct output *output, struct op_error *error)
{
	struct callgrind callgrind = {.prof = prof, .out = output->file};

	(void)error;
	callgrind.weights = prof_weights(prof, output->want_samples);
	named_stack_each(prof, output->names, add_stack, &callgrind);
	add_calls(&callgrind, output->names);
	callgrind.named = op_alloc(callgrind.functions.n, sizeof(bool));
	callgrind.image_named = op_alloc(prof->n_images, sizeof(bool));
	fputs("# callgrind format\nversion: 1\ncreator: oprofile " OP_VERSION "\n", output->file);
	if (output->command)
		op_safe_line(output->file, "cmd: %s", output->command);
	fputs("positions: line\n", output->file);
	put_events(prof, output->file);
	put_totals("summary:", &callgrind);
	put_costs(&callgrind);
	fputc('\n', output->file);
	put_totals("totals:", &callgrind);
	named_functions_free(&callgrind.functions);
	op_hash_free(&callgrind.by_cost);
	op_hash_free(&callgrind.by_file);
	free(callgrind.costs);
	free(callgrind.values);
	free(callgrind.files);
	free(callgrind.weights);
	free(callgrind.named);
	free(callgrind.image_named);
	return 0;
}

const struct format format_callgrind = {
	.name = "callgrind",
	.description = "callgrind, for KCachegrind and callgrind_annotate",
	.probe = callgrind_probe,
	.read = callgrind_read,
	.write = write_callgrind,
	.has_one_number = true,
};
