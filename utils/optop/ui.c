// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the user does: see ui.h.  draw.c shows it.
 */
#include "ui.h"

#include <ctype.h>
#include <curses.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "save.h"
#include "screen.h"

#define ESCAPE		 27
#define CONTROL(key)	 ((key)&31)
#define DELAY_MOST	 60
#define MESSAGE_PICTURES 3

void ui_init(struct ui *ui, struct model *model, struct source *source)
{
	*ui = (struct ui){.model = model, .source = source, .followed = VIEW_NO_KEY, .delay = 2};
	view_request_init(&ui->request);
}

void ui_free(struct ui *ui)
{
	view_free(&ui->view);
	annotation_free(&ui->annotation);
}

void ui_tell(struct ui *ui, bool is_alert, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(ui->message, sizeof(ui->message), format, args);
	va_end(args);
	ui->is_alert = is_alert;
	ui->shown = 0;
}

/* ---- rows ---- */

static size_t rows_of(const struct ui *ui)
{
	return ui->mode == UI_ANNOTATION ? ui->annotation.lines : ui->view.rows;
}

/* The cursor stays with its row, unless that is the first one. */
static void follow(struct ui *ui)
{
	if (ui->followed == VIEW_NO_KEY || ui->mode != UI_TABLE)
		return;
	for (size_t i = 0; i < ui->view.rows; i++) {
		if (ui->view.row[i].key == ui->followed) {
			ui->cursor = i;
			return;
		}
	}
}

static void scroll_to_cursor(struct ui *ui)
{
	size_t rows = rows_of(ui), page = (size_t)(ui_page() > 0 ? ui_page() : 1);

	if (ui->cursor >= rows)
		ui->cursor = rows ? rows - 1 : 0;
	if (ui->top > ui->cursor)
		ui->top = ui->cursor;
	if (ui->cursor >= ui->top + page)
		ui->top = ui->cursor - page + 1;
	if (ui->top + page > rows)
		ui->top = rows > page ? rows - page : 0;
}

static void move_by(struct ui *ui, long by)
{
	size_t rows = rows_of(ui);

	if (by < 0 && (size_t)-by > ui->cursor)
		ui->cursor = 0;
	else
		ui->cursor += (size_t)by;
	if (ui->cursor >= rows)
		ui->cursor = rows ? rows - 1 : 0;
	if (ui->mode == UI_TABLE)
		ui->followed = ui->cursor && ui->cursor < ui->view.rows
				       ? ui->view.row[ui->cursor].key
				       : VIEW_NO_KEY;
	scroll_to_cursor(ui);
}

static void leave_annotation(struct ui *ui)
{
	if (ui->mode != UI_ANNOTATION)
		return;
	annotation_free(&ui->annotation);
	ui->mode = UI_TABLE;
	ui->cursor = ui->table_cursor;
}

/* Numbers of the model that are kept here are void. */
static void follow_epoch(struct ui *ui)
{
	bool had = false;

	if (ui->view.epoch == ui->model->epoch)
		return;
	leave_annotation(ui);
	for (int i = 0; i < DIMENSIONS; i++) {
		had |= ui->request.only[i] != VIEW_NO_KEY;
		ui->request.only[i] = VIEW_NO_KEY;
	}
	ui->followed = VIEW_NO_KEY;
	if (had)
		ui_tell(ui, true, "the tables were made anew: all samples are shown again");
}

void ui_update(struct ui *ui)
{
	follow_epoch(ui);
	ui->request.filter = ui->filter;
	if (!ui->is_alert && ui->shown++ >= MESSAGE_PICTURES)
		ui->message[0] = '\0';
	if (view_make(&ui->view, ui->model, &ui->request))
		ui_tell(ui, true, "out of memory");
	if (ui->mode == UI_ANNOTATION)
		annotation_count(&ui->annotation, ui->model, ui->request.period);
	follow(ui);
	scroll_to_cursor(ui);
}

static void go_home(struct ui *ui)
{
	ui->cursor = ui->top = 0;
	ui->followed = VIEW_NO_KEY;
}

/* ---- views ---- */

static void select_view(struct ui *ui, enum dimension by)
{
	leave_annotation(ui);
	ui->request.by = by;
	ui->filter[0] = '\0';
	go_home(ui);
	ui_update(ui);
}

static void annotate(struct ui *ui, uint32_t function)
{
	struct op_error error;

	if (annotation_make(&ui->annotation, &ui->source->symbols, ui->model, function,
			    ui->request.event, &error)) {
		annotation_free(&ui->annotation);
		ui_tell(ui, true, "%s", error.text);
		return;
	}
	ui->table_cursor = ui->cursor;
	ui->mode = UI_ANNOTATION;
	annotation_count(&ui->annotation, ui->model, ui->request.period);
	ui->cursor = ui->annotation.hottest;
	ui->top = ui->cursor > 5 ? ui->cursor - 5 : 0;
	scroll_to_cursor(ui);
}

static void ui_enter(struct ui *ui)
{
	uint32_t key;

	if (ui->mode != UI_TABLE || ui->cursor >= ui->view.rows)
		return;
	key = ui->view.row[ui->cursor].key;
	if (ui->request.by == BY_FUNCTION) {
		annotate(ui, key);
		return;
	}
	if (ui->request.by == BY_EVENT)
		ui->request.event = key;
	else
		ui->request.only[ui->request.by] = key;
	select_view(ui, BY_FUNCTION);
}

/* One step back: from the instructions, a filter, or what was entered. */
static void go_back(struct ui *ui)
{
	if (ui->mode != UI_TABLE) {
		leave_annotation(ui);
		ui->mode = UI_TABLE;
	} else if (ui->filter[0]) {
		ui->filter[0] = '\0';
	} else {
		for (int i = 0; i < DIMENSIONS; i++)
			ui->request.only[i] = VIEW_NO_KEY;
		go_home(ui);
	}
	ui_update(ui);
}

static void next_event(struct ui *ui)
{
	if (ui->model->events < 2)
		ui_tell(ui, false, "there is one event");
	else
		ui->request.event = (ui->request.event + 1) % ui->model->events;
	ui_update(ui);
}

static void freeze(struct ui *ui)
{
	if (ui->source->has_ended) {
		ui_tell(ui, true, "no more samples come: %s", ui->source->why);
		return;
	}
	ui->model->frozen = !ui->model->frozen;
	ui_tell(ui, false, ui->model->frozen ? "frozen: Space goes on" : "going on");
}

/* ---- text ---- */

static void find_next(struct ui *ui)
{
	for (size_t i = 1; ui->search[0] && i <= ui->view.rows; i++) {
		size_t at = (ui->cursor + i) % ui->view.rows;

		if (view_name_has(ui->model, ui->request.by, ui->view.row[at].key, ui->search)) {
			move_by(ui, (long)at - (long)ui->cursor);
			return;
		}
	}
	ui_tell(ui, false, ui->search[0] ? "not found: %s" : "search with /%s", ui->search);
}

static void save(struct ui *ui)
{
	struct op_error error;

	if (save_file(ui->text, ui->model, &ui->view, &ui->request, &error))
		ui_tell(ui, true, "%s", error.text);
	else
		ui_tell(ui, false, "saved as %s", ui->text);
}

static void begin_prompt(struct ui *ui, enum ui_prompt prompt)
{
	ui->prompt = prompt;
	snprintf(ui->text, sizeof(ui->text), "%s",
		 prompt == PROMPT_SAVE	   ? "optop.txt"
		 : prompt == PROMPT_FILTER ? ui->filter
					   : "");
}

static void end_prompt(struct ui *ui)
{
	enum ui_prompt prompt = ui->prompt;

	ui->prompt = PROMPT_NONE;
	switch (prompt) {
	case PROMPT_SEARCH:
		snprintf(ui->search, sizeof(ui->search), "%s", ui->text);
		find_next(ui);
		break;
	case PROMPT_FILTER:
		snprintf(ui->filter, sizeof(ui->filter), "%s", ui->text);
		go_home(ui);
		ui_update(ui);
		break;
	default:
		if (ui->text[0])
			save(ui);
	}
}

/* Bytes of UTF-8 come one by one. */
static void remove_character(char *text)
{
	size_t length = strlen(text);

	while (length && ((unsigned char)text[length - 1] & 0xc0) == 0x80)
		length--;
	text[length ? length - 1 : 0] = '\0';
}

static void key_of_prompt(struct ui *ui, int key)
{
	size_t length = strlen(ui->text);

	switch (key) {
	case '\r':
	case '\n':
	case KEY_ENTER:
		end_prompt(ui);
		break;
	case ESCAPE:
	case CONTROL('g'):
		ui->prompt = PROMPT_NONE;
		break;
	case KEY_BACKSPACE:
	case '\b':
	case 127:
		remove_character(ui->text);
		break;
	case CONTROL('u'):
		ui->text[0] = '\0';
		break;
	default:
		if (key >= ' ' && key < 256 && length + 1 < sizeof(ui->text)) {
			ui->text[length] = (char)key;
			ui->text[length + 1] = '\0';
		}
	}
	/* rows follow what is typed */
	if (ui->prompt == PROMPT_FILTER) {
		snprintf(ui->filter, sizeof(ui->filter), "%s", ui->text);
		ui_update(ui);
	}
}

/* ---- keys ---- */

static bool key_of_rows(struct ui *ui, int key)
{
	int page = ui_page() > 1 ? ui_page() - 1 : 1;

	switch (key) {
	case KEY_UP:
	case 'k':
		move_by(ui, -1);
		return true;
	case KEY_DOWN:
	case 'j':
		move_by(ui, 1);
		return true;
	case KEY_PPAGE:
	case CONTROL('b'):
		move_by(ui, -page);
		return true;
	case KEY_NPAGE:
	case CONTROL('f'):
		move_by(ui, page);
		return true;
	case KEY_HOME:
	case '<':
		move_by(ui, -(long)ui->cursor);
		return true;
	case KEY_END:
	case '>':
		move_by(ui, (long)rows_of(ui));
		return true;
	default:
		return false;
	}
}

static bool key_of_view(struct ui *ui, int key)
{
	int by = (int)ui->request.by;

	if (key >= '1' && key < '1' + DIMENSIONS) {
		select_view(ui, (enum dimension)(key - '1'));
		return true;
	}
	switch (key) {
	case '\t':
	case KEY_RIGHT:
		select_view(ui, (enum dimension)((by + 1) % DIMENSIONS));
		return true;
	case KEY_BTAB:
	case KEY_LEFT:
		select_view(ui, (enum dimension)((by + DIMENSIONS - 1) % DIMENSIONS));
		return true;
	case 's':
	case KEY_F(6):
		ui->request.sort = (ui->request.sort + 1) % VIEW_SORTS;
		break;
	case 'r':
	case 'I':
		ui->request.reversed = !ui->request.reversed;
		break;
	case 'c':
		ui->request.period = (ui->request.period + 1) % MODEL_PERIODS;
		break;
	case 'e':
		next_event(ui);
		return true;
	case 'z':
		model_reset(ui->model);
		ui_tell(ui, false, "counting begins anew");
		break;
	default:
		return false;
	}
	ui_update(ui);
	return true;
}

static void key_of_table(struct ui *ui, int key)
{
	switch (key) {
	case '\r':
	case '\n':
	case KEY_ENTER:
	case 'a':
		ui_enter(ui);
		break;
	case ' ':
	case 'p':
		freeze(ui);
		break;
	case '/':
	case KEY_F(3):
		begin_prompt(ui, PROMPT_SEARCH);
		break;
	case 'n':
		find_next(ui);
		break;
	case 'f':
	case '\\':
	case KEY_F(4):
		begin_prompt(ui, PROMPT_FILTER);
		break;
	case 'w':
	case KEY_F(2):
		begin_prompt(ui, PROMPT_SAVE);
		break;
	case '+':
	case '-':
		if (key == '+' ? ui->delay < DELAY_MOST : ui->delay > 1)
			ui->delay += key == '+' ? 1 : -(uint64_t)1;
		ui_tell(ui, false, "a picture every %llu s", (unsigned long long)ui->delay);
		break;
	default:
		break;
	}
}

void ui_key(struct ui *ui, int key)
{
	if (ui->prompt != PROMPT_NONE) {
		key_of_prompt(ui, key);
		return;
	}
	ui->message[0] = '\0';
	ui->is_alert = false;
	switch (key) {
	case 'q':
		/* one step back, as pagers have it */
		if (ui->mode == UI_TABLE)
			ui->quit = true;
		else
			go_back(ui);
		return;
	case 'Q':
	case KEY_F(10):
		ui->quit = true;
		return;
	case ESCAPE:
	case KEY_BACKSPACE:
	case '\b':
	case 127:
		go_back(ui);
		return;
	case CONTROL('l'):
		screen_resize();
		return;
	case 'h':
	case '?':
	case KEY_F(1):
		leave_annotation(ui);
		ui->mode = ui->mode == UI_HELP ? UI_TABLE : UI_HELP;
		return;
	default:
		break;
	}
	if (ui->mode == UI_HELP) {
		ui->mode = UI_TABLE;
		return;
	}
	if (!key_of_rows(ui, key) && !key_of_view(ui, key))
		key_of_table(ui, key);
}
