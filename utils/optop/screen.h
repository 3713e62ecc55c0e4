/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal, through ncurses: opened, left and entered again, and given back whatever ends us.
 */
#ifndef UTILS_OPTOP_SCREEN_H
#define UTILS_OPTOP_SCREEN_H

#include <stdbool.h>

#include "libop/base/buffer.h"
#include "libop/base/error.h"

enum tone { TONE_PLAIN, TONE_TITLE, TONE_HEADING, TONE_CURSOR, TONE_HOT, TONE_WARM, TONE_ALERT };

/* Return: 0, or -1 with @error set: there is no terminal, or TERM is not set. */
int screen_check(struct op_error *error);

/**
 * screen_open - take the terminal
 * @colors: use colours, if the terminal has them
 *
 * Messages on stderr are kept until screen_close().  A fatal signal gives the terminal back first.
 *
 * Return: 0, or -1 with @error set: there is no terminal, or TERM is unknown.
 */
int screen_open(bool colors, struct op_error *error);

/* Gives the terminal back, and writes the messages that were kept.  May be called twice. */
void screen_close(void);

/* Gives the terminal back and stops this process, as the terminal's stop key asks. */
void screen_stop(void);
/* After a stop by any means: the terminal is ours again, whatever was written to it. */
void screen_resume(void);
/* The terminal has another size. */
void screen_resize(void);

int screen_rows(void);
int screen_columns(void);

/* Puts a line of text without control characters, which replaces the whole row. */
void screen_line(int row, const struct op_buffer *text, enum tone tone);

/* What was put is shown; the cursor is at @row, @column, or hidden if @row is below 0. */
void screen_show(int row, int column);

/* The next key, as curses has it, without waiting; ERR (-1) if there is none. */
int screen_key(void);

/* The last message on stderr since the last call, in @text; false if there is none. */
bool screen_message(char *text, unsigned int size);

#endif
