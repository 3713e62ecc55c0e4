// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the user sees: see ui.h.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "screen.h"
#include "table.h"
#include "ui.h"

#define HEAD_ROWS 3 /* title, account, heading */
#define FOOT_ROWS 1

/* As perf top has it: in percent. */
#define SHARE_HOT  5.0
#define SHARE_WARM 0.5

int ui_page(void)
{
	return screen_rows() - HEAD_ROWS - FOOT_ROWS;
}

static void optop_draw_put_line(int row, enum tone tone, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void optop_draw_put_line(int row, enum tone tone, const char *format, ...)
{
	struct op_buffer line = {0};
	char *text;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return;
	table_fit(&line, text, (size_t)n, screen_columns());
	screen_line(row, &line, tone);
	op_buffer_free(&line);
	free(text);
}

static enum tone tone_of(double share, bool is_cursor)
{
	return is_cursor	     ? TONE_CURSOR
	       : share >= SHARE_HOT  ? TONE_HOT
	       : share >= SHARE_WARM ? TONE_WARM
				     : TONE_PLAIN;
}

/* ---- head and foot ---- */

static void draw_title(const struct ui *ui)
{
	struct op_buffer line = {0};

	op_buffer_put(&line, "optop: ", 7);
	table_put_title(&line, ui->model, &ui->view, &ui->request, screen_columns() - 7);
	screen_line(0, &line, TONE_TITLE);
	op_buffer_free(&line);
}

static void draw_account(const struct ui *ui)
{
	const struct op_feed_account *account = &ui->source->account;
	uint64_t lost =
		account->received > account->stored ? account->received - account->stored : 0;
	char more[192] = "";

	if (account->left_out || lost)
		snprintf(more, sizeof(more), ", %" PRIu64 " lost, %" PRIu64 " too many to be shown",
			 lost, account->left_out);
	if (account->cut)
		snprintf(more + strlen(more), sizeof(more) - strlen(more),
			 ", %" PRIu64 " call chains cut to %d frames", account->cut,
			 OP_FEED_FRAMES_MOST);
	if (ui->model->passed)
		snprintf(more + strlen(more), sizeof(more) - strlen(more),
			 ", %" PRIu64 " while frozen", ui->model->passed);
	optop_draw_put_line(
		1, lost || account->left_out ? TONE_ALERT : TONE_PLAIN,
		"%s%s: %" PRIu64 " samples%s%s", ui->source->name ? ui->source->name : "",
		ui->source->operf ? " events" : " of the daemon", ui->model->taken, more,
		ui->source->has_ended ? " [ENDED]"
		: ui->model->frozen   ? " [FROZEN]"
				      : "");
}

static void draw_foot(const struct ui *ui)
{
	static const char *const prompts[] = {"", "Search: ", "Filter: ", "Save as: "};
	int row = screen_rows() - 1;

	if (ui->prompt != PROMPT_NONE)
		optop_draw_put_line(row, TONE_HEADING, "%s%s", prompts[ui->prompt], ui->text);
	else if (ui->message[0])
		optop_draw_put_line(row, ui->is_alert ? TONE_ALERT : TONE_HEADING, "%s",
				    ui->message);
	else if (ui->mode == UI_ANNOTATION)
		optop_draw_put_line(row, TONE_HEADING, "F1 help  Esc back  Space freeze  q back");
	else
		optop_draw_put_line(
			row, TONE_HEADING,
			"F1 help  F2 save  / search  F4 filter  F6 sort  Tab view  Enter %s  "
			"Space freeze  q quit",
			ui->request.by == BY_FUNCTION ? "annotate" : "look into");
}

/* ---- what is between them ---- */

static void clear_rows(int from)
{
	const struct op_buffer empty = {0};

	for (int row = from; row < screen_rows() - FOOT_ROWS; row++)
		screen_line(row, &empty, TONE_PLAIN);
}

static void draw_table(const struct ui *ui)
{
	struct op_buffer line = {0};
	int page = ui_page(), row = 0;

	table_put_heading(&line, &ui->view, &ui->request, screen_columns());
	screen_line(HEAD_ROWS - 1, &line, TONE_HEADING);
	for (; row < page && ui->top + (size_t)row < ui->view.rows; row++) {
		size_t at = ui->top + (size_t)row;
		const struct view_row *shown = &ui->view.row[at];
		double share = ui->view.weight > 0 ? 100 * shown->self / ui->view.weight : 0;

		line.used = 0;
		table_put_row(&line, ui->model, &ui->view, &ui->request, shown, screen_columns());
		screen_line(HEAD_ROWS + row, &line, tone_of(share, at == ui->cursor));
	}
	op_buffer_free(&line);
	clear_rows(HEAD_ROWS + row);
	if (!ui->view.rows && page > 0)
		optop_draw_put_line(
			HEAD_ROWS, TONE_PLAIN, "%s",
			ui->view.hidden
				? "nothing has the filter's text in its name: Esc removes it"
				: "no samples yet");
}

static void draw_annotation(const struct ui *ui)
{
	const struct annotation *annotation = &ui->annotation;
	int page = ui_page(), row = 0;

	optop_draw_put_line(HEAD_ROWS - 1, TONE_HEADING, "%8s  %-24s %s", "SELF", "LINE",
			    ui->model->function[annotation->function].name);
	for (; row < page && ui->top + (size_t)row < annotation->lines; row++) {
		size_t at = ui->top + (size_t)row;
		const struct annotation_line *line = &annotation->line[at];
		double share = annotation->weight > 0 ? 100 * line->weight / annotation->weight : 0;
		char number[16] = "";

		if (share > 0)
			snprintf(number, sizeof(number), "%.2f%%", share);
		optop_draw_put_line(HEAD_ROWS + row, tone_of(share, at == ui->cursor),
				    "%8s  %-24s %s", number, line->where ? line->where : "",
				    line->text);
	}
	clear_rows(HEAD_ROWS + row);
}

static const char *const help[] = {
	"Views      1 application  2 function  3 image  4 process  5 thread  6 cgroup  7 cpu",
	"           8 event        Tab, Right: the next one    Shift-Tab, Left: the one before",
	"Rows       Up Down PgUp PgDn Home End, j k < >",
	"Enter, a   a function: its instructions; any other row: its functions",
	"Esc, Bksp  one step back: from instructions, a filter, what was looked into",
	"/ F3, n    search; the next one",
	"f \\ F4     only rows with a text in their names",
	"s F6, r    sort by the next column; the other way round",
	"c          count the last interval, recent samples, or all since the start",
	"e          the next event",
	"Space, p   freeze: samples are passed over until Space is pressed again",
	"z          count from zero",
	"w F2       save as a file: FILE.folded: call chains; others: this table",
	"+ -        a second more, or less, between pictures",
	"Ctrl-L     draw all anew",
	"q F10      quit (q: from instructions and this help, back)",
	"",
	"SELF       samples in it; TOTAL: and in what it has called; of all that are counted",
	"SAMPLES/S  of the last interval",
	"Threads and cgroups are as /proc has them: those that end at once are not known.",
};

static void draw_help(const struct ui *ui)
{
	int rows = (int)(OP_ARRAY_SIZE(help));

	(void)ui;
	optop_draw_put_line(HEAD_ROWS - 1, TONE_HEADING, "Keys (any key goes back)");
	for (int i = 0; i < rows && i < ui_page(); i++)
		optop_draw_put_line(HEAD_ROWS + i, TONE_PLAIN, "%s", help[i]);
	clear_rows(HEAD_ROWS + rows);
}

void ui_draw(struct ui *ui)
{
	static const char *const prompts[] = {"", "Search: ", "Filter: ", "Save as: "};
	struct op_buffer typed = {0};
	int column;

	draw_title(ui);
	draw_account(ui);
	if (ui->mode == UI_HELP)
		draw_help(ui);
	else if (ui->mode == UI_ANNOTATION)
		draw_annotation(ui);
	else
		draw_table(ui);
	draw_foot(ui);
	column = (int)strlen(prompts[ui->prompt]) +
		 table_fit(&typed, ui->text, strlen(ui->text), TABLE_ANY_WIDTH);
	op_buffer_free(&typed);
	if (column >= screen_columns())
		column = screen_columns() - 1;
	screen_show(ui->prompt == PROMPT_NONE ? -1 : screen_rows() - 1, column);
}
