// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of optop: what they are, their numbers, their order, filters. */
#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "utils/optop/view.h"

static struct model model;
static struct view view;
static struct view_request request;

/* One sample: the program, thread, CPU and weight, and its functions, the innermost first. */
struct row {
	const char *app;
	int tid, tgid, cpu, event;
	uint64_t weight;
	const char *chain[4];
};

static void add(const struct row *row)
{
	uint32_t function[4], frames = 0, app = model_image(&model, row->app);

	while (frames < 4 && row->chain[frames]) {
		const char *name = row->chain[frames];
		uint32_t image = model_image(&model, name[0] == 'k' ? "[kernel]" : row->app);

		function[frames++] = model_function(&model, image, name);
	}
	model_add(&model,
		  &(struct model_sample){.event = (uint32_t)row->event,
					 .cpu = (uint32_t)row->cpu,
					 .thread = model_thread(&model, row->tid, row->tgid, app),
					 .app = app,
					 .weight = row->weight,
					 .frames = frames,
					 .function = function});
}

static const struct row rows[] = {
	{"/bin/a", 10, 10, 0, 0, 100, {"leaf", "mid", "main"}},
	{"/bin/a", 11, 10, 1, 0, 100, {"leaf", "leaf", "main"}}, /* recursion */
	{"/bin/a", 11, 10, 1, 0, 200, {"k_read", "mid", "main"}},
	{"/bin/b", 20, 20, 0, 0, 400, {"other"}},
	{"/bin/b", 20, 20, 0, 1, 999, {"other"}},
};

TEST_HOOK(set_up)
{
	view = (struct view){0};
	view_request_init(&request);
	if (model_init(&model))
		return 1;
	model_set_event(&model, 0, "cycles", false, 100);
	model_set_event(&model, 1, "misses", false, 999);
	for (size_t i = 0; i < OP_ARRAY_SIZE(rows); i++)
		add(&rows[i]);
	model_tick(&model, 2);
	return 0;
}

TEST_HOOK(tear_down)
{
	view_free(&view);
	model_free(&model);
	return 0;
}

#define CASE(name) TEST_WITH(name, set_up, tear_down)

/* The view as text: "name self/total ..." in percent. */
static const char *shown(enum dimension by)
{
	static char text[1024];
	size_t used = 0;

	request.by = by;
	assert_int_equal(view_make(&view, &model, &request), 0);
	text[0] = '\0';
	for (size_t i = 0; i < view.rows; i++) {
		struct op_buffer name = {0};

		view_put_name(&name, &model, by, view.row[i].key);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.*s %.1f/%.1f",
					 i ? ", " : "", (int)name.used, (char *)name.bytes,
					 100 * view.row[i].self / view.weight,
					 100 * view.row[i].total / view.weight);
		op_buffer_free(&name);
	}
	return text;
}

CASE(functions_have_self_and_inclusive_samples_and_recursion_counts_once)
{
	assert_string_equal(shown(BY_FUNCTION),
			    "other 50.0/50.0, leaf 25.0/25.0, k_read 25.0/25.0, "
			    "mid 0.0/37.5, main 0.0/50.0");
	assert_true(view.has_total);
}

CASE(each_dimension_has_its_rows)
{
	static const struct {
		enum dimension by;
		const char *shown;
	} cases[] = {
		{BY_APP, "/bin/a 50.0/50.0, /bin/b 50.0/50.0"},
		{BY_IMAGE, "/bin/b 50.0/50.0, /bin/a 25.0/50.0, [kernel] 25.0/25.0"},
		{BY_PROCESS, "a 10 50.0/50.0, b 20 50.0/50.0"},
		{BY_THREAD, "b 20 50.0/50.0, a 11 of 10 37.5/37.5, a 10 12.5/12.5"},
		{BY_CPU, "CPU 0 62.5/62.5, CPU 1 37.5/37.5"},
		{BY_CGROUP, "(not known: ended too soon) 100.0/100.0"},
		/* of samples, as weights of events do not add up */
		{BY_EVENT, "cycles 80.0/80.0, misses 20.0/20.0"},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++)
		assert_string_equal(shown(cases[i].by), cases[i].shown);
}

CASE(another_event_has_other_rows)
{
	request.event = 1;
	assert_string_equal(shown(BY_FUNCTION), "other 100.0/100.0");
}

CASE(threads_and_cgroups_have_the_names_that_were_read)
{
	uint32_t thread = model_thread(&model, 11, 10, model_image(&model, "/bin/a"));

	model_describe(&model, thread, "worker", "/user.slice");
	assert_string_equal(shown(BY_THREAD),
			    "b 20 50.0/50.0, worker 11 of 10 37.5/37.5, a 10 12.5/12.5");
	assert_string_equal(shown(BY_CGROUP), "(not known: ended too soon) 62.5/62.5, "
					      "/user.slice 37.5/37.5");
	/* it has ended: its name stays */
	model_describe(&model, thread, NULL, NULL);
	assert_string_equal(shown(BY_THREAD),
			    "b 20 50.0/50.0, worker 11 of 10 37.5/37.5, a 10 12.5/12.5");
}

CASE(samples_can_be_restricted_in_several_dimensions)
{
	request.only[BY_APP] = model_image(&model, "/bin/a");
	assert_string_equal(shown(BY_FUNCTION),
			    "leaf 25.0/25.0, k_read 25.0/25.0, mid 0.0/37.5, main 0.0/50.0");
	request.only[BY_CPU] = 0;
	assert_string_equal(shown(BY_FUNCTION), "leaf 12.5/12.5, mid 0.0/12.5, main 0.0/12.5");
	request.only[BY_CPU] = 99;
	assert_string_equal(shown(BY_FUNCTION), "");
}

CASE(a_filter_is_found_in_names_and_places_in_any_case)
{
	request.filter = "LEA";
	assert_string_equal(shown(BY_FUNCTION), "leaf 25.0/25.0");
	assert_int_equal(view.hidden, 4);
	request.filter = "kernel";
	assert_string_equal(shown(BY_FUNCTION), "k_read 25.0/25.0");
	request.filter = "";
	shown(BY_FUNCTION);
	assert_int_equal(view.rows, 5);
}

CASE(rows_can_be_sorted_by_each_column_and_upwards)
{
	request.sort = SORT_TOTAL;
	assert_string_equal(shown(BY_FUNCTION), "main 0.0/50.0, other 50.0/50.0, mid 0.0/37.5, "
						"leaf 25.0/25.0, k_read 25.0/25.0");
	request.sort = SORT_NAME;
	assert_string_equal(shown(BY_APP), "/bin/a 50.0/50.0, /bin/b 50.0/50.0");
	request.reversed = true;
	assert_string_equal(shown(BY_APP), "/bin/b 50.0/50.0, /bin/a 50.0/50.0");
	request.sort = SORT_RATE;
	assert_string_equal(shown(BY_THREAD), "a 10 12.5/12.5, b 20 50.0/50.0, "
					      "a 11 of 10 37.5/37.5");
}

CASE(rates_are_of_the_last_interval)
{
	shown(BY_APP);
	assert_true(view.rate == 2); /* four samples of cycles in two seconds */
	model_tick(&model, 1);
	shown(BY_APP);
	assert_true(view.rate == 0);
	request.period = MODEL_LAST;
	assert_string_equal(shown(BY_APP), "");
	request.period = MODEL_ALL;
	assert_string_equal(shown(BY_APP), "/bin/a 50.0/50.0, /bin/b 50.0/50.0");
}
