// SPDX-License-Identifier: GPL-2.0-or-later
/* What optop counts: sums, time, room. */
#include <math.h>

#include "tests/unit/test.h"

#include "utils/optop/model.h"

static struct model model;

TEST_HOOK(set_up)
{
	return model_init(&model);
}

TEST_HOOK(tear_down)
{
	model_free(&model);
	return 0;
}

#define CASE(name) TEST_WITH(name, set_up, tear_down)

/* A sample in function @name of /bin/app, called by main, in thread @tid. */
static void add(const char *name, int tid, uint64_t weight)
{
	uint32_t app = model_image(&model, "/bin/app");
	uint32_t function[] = {model_function(&model, app, name),
			       model_function(&model, app, "main")};

	model_add(&model, &(struct model_sample){.thread = model_thread(&model, tid, tid, app),
						 .app = app,
						 .weight = weight,
						 .offset = (uint64_t)tid,
						 .frames = 2,
						 .function = function});
}

static double sum(enum model_period period)
{
	double all = 0;

	for (uint32_t i = 0; i < model.entries; i++)
		all += model.entry[i].amount[period].samples;
	return all;
}

CASE(equal_names_have_one_number)
{
	uint32_t a = model_image(&model, "/a"), b = model_image(&model, "/b");

	assert_int_not_equal(a, b);
	assert_int_not_equal(a, MODEL_OTHER);
	assert_int_equal(model_image(&model, "/a"), a);
	assert_int_equal(model_function(&model, a, "f"), model_function(&model, a, "f"));
	assert_int_not_equal(model_function(&model, a, "f"), model_function(&model, b, "f"));
	assert_int_not_equal(model_function(&model, a, "f"), model_function(&model, a, "fo"));
}

CASE(long_names_are_cut_and_still_found)
{
	char name[2000];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(model_image(&model, name), model_image(&model, name));
	assert_int_equal(strlen(model.images.item[model_image(&model, name)]), MODEL_NAME_MOST);
}

CASE(an_interval_ends_with_the_tick)
{
	add("f", 1, 10);
	assert_true(sum(MODEL_LAST) == 0);
	model_tick(&model, 2);
	assert_true(sum(MODEL_LAST) == 1 && sum(MODEL_ALL) == 1);
	model_tick(&model, 2);
	assert_true(sum(MODEL_LAST) == 0 && sum(MODEL_ALL) == 1);
}

CASE(a_sample_counts_half_after_the_half_life)
{
	for (int i = 0; i < 1000; i++)
		add("f", 1, 10);
	model_tick(&model, 1);
	for (int i = 0; i < MODEL_HALF_LIFE; i++)
		model_tick(&model, 1);
	assert_true(fabs(sum(MODEL_RECENT) - 500) < 1e-6);
	/* whatever the length of the intervals */
	model_tick(&model, MODEL_HALF_LIFE);
	assert_true(fabs(sum(MODEL_RECENT) - 250) < 1e-6);
}

CASE(a_frozen_model_passes_samples_over_and_stays_as_it_is)
{
	add("f", 1, 10);
	model_tick(&model, 1);
	model.frozen = true;
	add("f", 1, 10);
	model_tick(&model, 100);
	assert_true(sum(MODEL_RECENT) == 1 && sum(MODEL_LAST) == 1);
	assert_int_equal(model.passed, 1);
	assert_int_equal(model.taken, 1);
}

CASE(no_sample_is_lost_when_tables_are_full)
{
	enum { SAMPLES = 3 * MODEL_ENTRIES_MOST };
	char name[32];

	for (int i = 0; i < SAMPLES; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		add(name, i % 5000, 10);
		add("hot", 1, 10);
		if (i % 20000 == 19999)
			model_tick(&model, 1);
	}
	model_tick(&model, 1);
	assert_true(sum(MODEL_ALL) == 2.0 * SAMPLES);
	assert_int_equal(model.taken, 2 * SAMPLES);
	assert_true(model.entries <= MODEL_ENTRIES_MOST + MODEL_EVENTS_MOST);
	assert_true(model.nodes <= MODEL_NODES_MOST);
	assert_true(model.functions <= MODEL_FUNCTIONS_MOST);
	assert_true(model.epoch > 0);
	assert_false(model.failed);
}

CASE(what_is_hot_keeps_its_entry_when_room_is_made)
{
	char name[32];

	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		add(name, 1, 10);
	}
	for (int i = 0; i < 500; i++)
		add("hot", 7, 10);
	model_tick(&model, 1);
	model_describe(&model, model_thread(&model, 7, 7, model_image(&model, "/bin/app")),
		       "worker", "/a.slice");
	model_compact(&model);
	assert_true(sum(MODEL_ALL) == 1500);
	for (uint32_t i = 0; i < model.entries; i++) {
		const struct model_entry *entry = &model.entry[i];
		const struct model_thread *thread = &model.thread[entry->thread];

		if (entry->amount[MODEL_ALL].samples < 500 || !entry->node)
			continue;
		assert_string_equal(model.function[model.node[entry->node].function].name, "hot");
		assert_int_equal(thread->tid, 7);
		assert_string_equal(model.comms.item[thread->comm], "worker");
		assert_string_equal(model.cgroups.item[thread->cgroup], "/a.slice");
		return;
	}
	fail_msg("the entry is gone");
}

CASE(a_reset_forgets_samples_and_keeps_counting)
{
	model_set_event(&model, 0, "cycles", false, 1000);
	add("f", 1, 10);
	model_tick(&model, 1);
	add("f", 1, 10);
	model_reset(&model);
	assert_true(sum(MODEL_ALL) == 0);
	assert_int_equal(model.taken, 0);
	assert_string_equal(model.event[0].name, "cycles");
	add("f", 1, 10);
	model_tick(&model, 1);
	assert_true(sum(MODEL_ALL) == 1);
}

CASE(chains_deeper_than_any_and_events_beyond_the_table_are_counted)
{
	uint32_t function[MODEL_FRAMES_MOST], app = model_image(&model, "/bin/app");
	char name[32];

	for (int i = 0; i < MODEL_FRAMES_MOST; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		function[i] = model_function(&model, app, name);
	}
	model_add(&model, &(struct model_sample){.event = 1000,
						 .app = app,
						 .weight = 1,
						 .frames = MODEL_FRAMES_MOST,
						 .function = function});
	model_tick(&model, 1);
	model_compact(&model);
	assert_true(sum(MODEL_ALL) == 1);
}
