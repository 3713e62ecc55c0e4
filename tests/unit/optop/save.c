// SPDX-License-Identifier: GPL-2.0-or-later
/* What optop saves. */
#include <locale.h>

#include "tests/unit/test.h"

#include "libop/base/file.h"
#include "utils/optop/save.h"

static struct model model;
static struct view view;
static struct view_request request;
static char dir[] = "/tmp/optop-save-XXXXXX";

TEST_HOOK(set_up)
{
	uint32_t app, function[2];

	setlocale(LC_CTYPE, "C");
	if (!mkdtemp(dir) || chdir(dir) || model_init(&model))
		return 1;
	model_set_event(&model, 0, "cycles", false, 1);
	app = model_image(&model, "/bin/a;b");
	function[0] = model_function(&model, app, "leaf\n");
	function[1] = model_function(&model, app, "main");
	for (int i = 0; i < 3; i++)
		model_add(&model,
			  &(struct model_sample){
				  .app = app, .weight = 10, .frames = 2, .function = function});
	model_tick(&model, 1);
	view_request_init(&request);
	request.by = BY_FUNCTION;
	return view_make(&view, &model, &request);
}

TEST_HOOK(tear_down)
{
	view_free(&view);
	model_free(&model);
	return 0;
}

TEST_HOOK(leave)
{
	unlink("x.folded");
	unlink("x.txt");
	unlink("link");
	return rmdir(dir);
}

TEST_PROGRAM(set_up, tear_down)

static void check(const char *path, const char *expected)
{
	struct op_error error;
	char *text;

	if (save_file(path, &model, &view, &request, &error))
		fail_msg("%s", error.text);
	text = op_file_read(path, 4096, NULL, &error);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

TEST(a_folded_file_has_a_line_for_each_call_chain)
{
	check("x.folded", "/bin/a:b;main;leaf\\x0a 3\n");
}

TEST(other_files_have_the_table)
{
	check("x.txt", "3 samples/s of cycles, by function, recent\n"
		       "    SELF    TOTAL SAMPLES/S IMAGE                    FUNCTION\n"
		       " 100.00%  100.00%       3.0 a;b                      leaf\\x0a\n"
		       "   0.00%  100.00%       0.0 a;b                      main\n");
}

TEST_WITH(files_and_links_that_are_there_stay_as_they_are, NULL, leave)
{
	struct op_error error;

	assert_int_equal(save_file("x.txt", &model, &view, &request, &error), -1);
	assert_int_equal(error.code, EEXIST);
	assert_int_equal(symlink("nowhere", "link"), 0);
	assert_int_equal(save_file("link", &model, &view, &request, &error), -1);
	assert_int_equal(access("nowhere", F_OK), -1);
	assert_int_equal(save_file("none/x.txt", &model, &view, &request, &error), -1);
	assert_int_equal(error.code, ENOENT);
}
