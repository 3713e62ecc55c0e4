// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples within a number of bytes: see bounded.h. */
#include "bounded.h"

#include <stdlib.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"

#define SHARES 4 /* one of a program at most, and one of what is left out */

struct bounded {
	const struct prof *prof;
	uint64_t most;
	const struct bounded_writer *writer;
	void *context;
	uint64_t *used;		     /* bytes by program: numbers of images, as those below */
	struct prof_value *left_out; /* by program and event */
	bool *has_left_out;	     /* by program */
};

/* ---- what is left out ---- */

static struct prof_value *left_out_of(const struct bounded *bounded, uint32_t program)
{
	return bounded->left_out + (size_t)program * bounded->prof->n_events;
}

static void leave_out(struct bounded *bounded, uint32_t program, const struct prof_value *values,
		      size_t n)
{
	struct prof_value *sums = left_out_of(bounded, program);

	bounded->has_left_out[program] = true;
	for (size_t i = 0; i < n; i++) {
		sums[values[i].event].count += values[i].count;
		sums[values[i].event].events += values[i].events;
	}
}

/* @values: room for one of each event, which the sample points to. */
static struct prof_sample sample_left_out(const struct bounded *bounded, uint32_t program,
					  struct prof_value *values)
{
	struct prof_sample sample = {.app = program,
				     .pid = PROF_ANY,
				     .tid = PROF_ANY,
				     .cpu = PROF_ANY,
				     .values = values};
	const struct prof_value *sums = left_out_of(bounded, program);

	for (uint32_t i = 0; i < bounded->prof->n_events; i++) {
		if (!sums[i].count && !sums[i].events)
			continue;
		values[sample.n_values] = sums[i];
		values[sample.n_values++].event = i;
	}
	return sample;
}

/* A program, and how many of its samples are left out. */
struct program {
	uint32_t number;
	uint64_t samples;
};

static int compare_programs(const void *a, const void *b)
{
	const struct program *left = a, *right = b;
	int order = op_compare_u64(right->samples, left->samples);

	return order ? order : op_compare_u64(left->number, right->number);
}

/* Those that have a name, the greatest first. */
static size_t programs_left_out(const struct bounded *bounded, struct program *programs)
{
	size_t n = 0;

	for (uint32_t i = PROF_NO_IMAGE + 1; i < bounded->prof->n_images; i++) {
		const struct prof_value *sums = left_out_of(bounded, i);

		if (!bounded->has_left_out[i])
			continue;
		programs[n] = (struct program){.number = i};
		for (size_t k = 0; k < bounded->prof->n_events; k++)
			programs[n].samples += sums[k].count;
		n++;
	}
	if (n)
		qsort(programs, n, sizeof(*programs), compare_programs);
	return n;
}

/* The programs as long as there is room, and then all that are left as none. */
static void add_left_out(struct bounded *bounded)
{
	const struct bounded_writer *writer = bounded->writer;
	struct program *programs = op_alloc(bounded->prof->n_images, sizeof(*programs));
	struct prof_value *values = op_alloc(bounded->prof->n_events, sizeof(*values));
	size_t n = programs_left_out(bounded, programs);
	struct prof_sample sample;

	for (size_t i = 0; i < n; i++) {
		sample = sample_left_out(bounded, programs[i].number, values);
		if (writer->used(bounded->context) +
			    writer->left_out_cost(bounded->context, &sample) >
		    bounded->most)
			leave_out(bounded, PROF_NO_IMAGE, sample.values, sample.n_values);
		else
			writer->add_left_out(bounded->context, &sample);
	}
	if (bounded->has_left_out[PROF_NO_IMAGE]) {
		sample = sample_left_out(bounded, PROF_NO_IMAGE, values);
		writer->add_left_out(bounded->context, &sample);
	}
	free(programs);
	free(values);
}

/* ---- what fits ---- */

static void add_if_fits(struct bounded *bounded, const struct prof_sample *sample)
{
	const struct bounded_writer *writer = bounded->writer;
	uint64_t cost = writer->cost(bounded->context, sample);
	uint64_t before = writer->used(bounded->context), share = bounded->most / SHARES;

	if (before + cost > bounded->most - share || bounded->used[sample->app] + cost > share) {
		leave_out(bounded, sample->app, sample->values, sample->n_values);
		return;
	}
	writer->add(bounded->context, sample);
	bounded->used[sample->app] += writer->used(bounded->context) - before;
}

/* Samples of a class have counts that are alike: that is their number of binary digits. */
static unsigned int class_of(const struct prof_sample *sample)
{
	uint64_t most = 1;

	for (size_t i = 0; i < sample->n_values; i++)
		if (sample->values[i].count > most)
			most = sample->values[i].count;
	return 63 - (unsigned int)__builtin_clzll(most);
}

static uint64_t classes_of_samples(const struct prof *prof)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	uint64_t classes = 0;

	while (prof_next_values(prof, &cursor, &sample))
		classes |= UINT64_C(1) << class_of(&sample);
	prof_cursor_free(&cursor);
	return classes;
}

static void add_class(struct bounded *bounded, unsigned int class)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	while (prof_next(bounded->prof, &cursor, &sample))
		if (class_of(&sample) == class)
			add_if_fits(bounded, &sample);
	prof_cursor_free(&cursor);
}

static void add_what_fits(struct bounded *bounded)
{
	uint64_t classes = classes_of_samples(bounded->prof);

	for (unsigned int class = 64; class -- > 0;)
		if (classes >> class & 1)
			add_class(bounded, class);
}

static void add_all(const struct prof *prof, const struct bounded_writer *writer, void *context)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	while (prof_next(prof, &cursor, &sample))
		writer->add(context, &sample);
	prof_cursor_free(&cursor);
}

uint64_t bounded_labels_bytes(const struct prof *prof, const struct prof_sample *sample,
			      uint64_t each)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < sample->n_labels; i++) {
		const struct prof_label *label = &sample->labels[i];

		bytes += each + strlen(prof->strings[label->name]) +
			 strlen(prof->strings[label->value]) + strlen(prof->strings[label->unit]);
	}
	return bytes;
}

void bounded_add_samples(const struct prof *prof, uint64_t most,
			 const struct bounded_writer *writer, void *context)
{
	struct bounded bounded = {.prof = prof, .most = most, .writer = writer, .context = context};

	if (!most) {
		add_all(prof, writer, context);
		return;
	}
	bounded.used = op_alloc(prof->n_images, sizeof(*bounded.used));
	bounded.left_out =
		op_alloc((size_t)prof->n_images * prof->n_events, sizeof(*bounded.left_out));
	bounded.has_left_out = op_alloc(prof->n_images, sizeof(*bounded.has_left_out));
	add_what_fits(&bounded);
	add_left_out(&bounded);
	free(bounded.used);
	free(bounded.left_out);
	free(bounded.has_left_out);
}
