// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of optop: their width, and that no name reaches a terminal as it is. */
#include <locale.h>
#include <wchar.h>

#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "utils/optop/table.h"

static const char *fitted(const char *text, int width)
{
	static struct op_buffer line;

	op_buffer_free(&line);
	table_fit(&line, text, strlen(text), width);
	op_buffer_u8(&line, '\0');
	return (const char *)line.bytes;
}

static bool has_utf8(void)
{
	return setlocale(LC_CTYPE, "C.UTF-8") != NULL;
}

TEST(what_is_too_long_is_left_out_in_the_middle)
{
	if (!has_utf8())
		skip();
	assert_string_equal(fitted("abcdefghij", 10), "abcdefghij");
	assert_string_equal(fitted("abcdefghij", 9), "abcd…ghij");
	assert_string_equal(fitted("abcdefghij", 2), "a…");
	assert_string_equal(fitted("abcdefghij", 1), "a");
	assert_string_equal(fitted("abcdefghij", TABLE_ANY_WIDTH), "abcdefghij");
	assert_string_equal(fitted("äöüß", 4), "äöüß");
	assert_string_equal(fitted("äöüß", 3), "ä…ß");
}

TEST(wide_characters_take_two_columns)
{
	if (!has_utf8())
		skip();
	assert_string_equal(fitted("日本語", 6), "日本語");
	assert_string_equal(fitted("日本語", 5), "日…語");
	/* half of one is not shown */
	assert_string_equal(fitted("日本語", 4), "日…");
}

TEST(where_the_locale_has_no_utf8_only_ascii_is_written)
{
	assert_non_null(setlocale(LC_CTYPE, "C"));
	assert_string_equal(fitted("ä", TABLE_ANY_WIDTH), "\\xc3\\xa4");
	assert_string_equal(fitted("abcdefghij", 8), "abc..hij");
}

/* No control character, and UTF-8 only. */
static bool is_safe(const struct op_buffer *line)
{
	mbstate_t state = {0};
	size_t at = 0;

	while (at < line->used) {
		wchar_t wide;
		size_t n = mbrtowc(&wide, (const char *)line->bytes + at, line->used - at, &state);

		if (n == 0 || n > line->used - at || wide < ' ' || (wide >= 0x7f && wide < 0xa0))
			return false;
		at += n;
	}
	return true;
}

/* A model in which each name has @text. */
static void make_model(struct model *model, const char *text)
{
	uint32_t app, function, thread;

	assert_int_equal(model_init(model), 0);
	model_set_event(model, 0, text, false, 1);
	app = model_image(model, text);
	function = model_function(model, app, text);
	thread = model_thread(model, 7, 7, app);
	model_describe(model, thread, text, text);
	model_add(model, &(struct model_sample){.thread = thread,
						.app = app,
						.weight = 1,
						.frames = 1,
						.function = &function});
	model_tick(model, 1);
}

static void check_lines(const struct model *model, enum dimension by, const char *filter)
{
	struct view_request request;
	struct view view = {0};

	view_request_init(&request);
	request.by = by;
	if (view_can_restrict(BY_APP))
		request.only[BY_APP] = model_image((struct model *)model, model->images.item[1]);
	request.filter = filter;
	assert_int_equal(view_make(&view, model, &request), 0);
	assert_int_equal(view.rows, 1);
	for (int width = 0; width < 130; width++) {
		struct op_buffer line[3] = {{0}};

		table_put_title(&line[0], model, &view, &request, width);
		table_put_heading(&line[1], &view, &request, width);
		table_put_row(&line[2], model, &view, &request, view.row, width);
		for (int i = 0; i < 3; i++) {
			wchar_t wide[4096];
			size_t n;

			assert_true(is_safe(&line[i]));
			op_buffer_u8(&line[i], '\0');
			n = mbstowcs(wide, (const char *)line[i].bytes, 4096);
			assert_true(n < 4096);
			if (width)
				assert_uint_in_range(wcswidth(wide, n), 0, width);
			op_buffer_free(&line[i]);
		}
	}
	view_free(&view);
}

TEST(names_of_any_bytes_make_lines_that_fit_and_command_no_terminal)
{
	static const char *const names[] = {"/bin/\x1b[2J\x1b]0;x\x07",
					    "\x80\x9b\x33\x31m\xff",
					    "a\nb\tc\rd",
					    "/日本語/\xe6\x97",
					    "\xc2\x9b\x33\x31m",
					    "\xed\xa0\x80",
					    "/",
					    "x"};

	if (!has_utf8())
		skip();
	for (size_t i = 0; i < OP_ARRAY_SIZE(names); i++) {
		struct model model;

		make_model(&model, names[i]);
		for (int by = 0; by < DIMENSIONS; by++)
			check_lines(&model, (enum dimension)by, NULL);
		model_free(&model);
	}
}
