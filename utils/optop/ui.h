/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the user sees and does: the state of the screen, apart from the terminal (screen.h) and from
 * what is counted (model.h).
 */
#ifndef UTILS_OPTOP_UI_H
#define UTILS_OPTOP_UI_H

#include <stdbool.h>
#include <stdint.h>

#include "annotation.h"
#include "model.h"
#include "source.h"
#include "view.h"

enum ui_mode { UI_TABLE, UI_ANNOTATION, UI_HELP };
enum ui_prompt { PROMPT_NONE, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_SAVE };

#define UI_TEXT_MOST 256

struct ui {
	struct model *model;
	struct source *source;
	struct view_request request;
	struct view view;
	enum ui_mode mode;
	struct annotation annotation;
	enum ui_prompt prompt;
	char text[UI_TEXT_MOST]; /* that is typed at a prompt */
	char search[UI_TEXT_MOST], filter[UI_TEXT_MOST];
	char message[512];  /* at the bottom, until the next key; "": none */
	bool is_alert;	    /* it stays until then; others for some pictures */
	unsigned int shown; /* pictures that it was in */
	size_t cursor, top; /* of the rows of the mode */
	uint32_t followed;  /* the key of the row under the cursor; VIEW_NO_KEY: the first row */
	size_t table_cursor;
	uint64_t delay; /* seconds between two pictures */
	bool quit;
};

void ui_init(struct ui *ui, struct model *model, struct source *source);
void ui_free(struct ui *ui);

/* The model has changed: the rows are made anew. */
void ui_update(struct ui *ui);

/* A key, as curses has it. */
void ui_key(struct ui *ui, int key);

/* Draws all of it. */
void ui_draw(struct ui *ui);

/* Shows a text at the bottom. */
void ui_tell(struct ui *ui, bool is_alert, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Rows below the heading that a screen has. */
int ui_page(void);

#endif
