/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole calls of opcontrol, with a directory of plain files in the place of oprofilefs and with a
 * daemon that keeps a journal.  Tests are in the directory, and so are the paths they give.
 */
#ifndef TEST_OPCONTROL_FIXTURE_H
#define TEST_OPCONTROL_FIXTURE_H

#include <stdbool.h>

/* Paths of the programs; set by main(). */
extern const char *opcontrol, *fake_daemon;

/* What the last call printed, on stdout and stderr. */
#define OUTPUT_SIZE 8192
extern char output[OUTPUT_SIZE];

/* Runs opcontrol with the words of @line, which are separated by one blank.  Return: its exit
 * status. */
int run(const char *line);
/* Test failure, unless it ends with @status and prints @text, which may be NULL. */
#define RUN(line, status, text) check_run(__LINE__, line, status, text)
void check_run(int line_number, const char *line, int status, const char *text);

/* A small file. */
void put(const char *path, const char *text);
const char *get(const char *path);
/* Was the daemon told so? */
bool journal_has(const char *line);
/* @format with the directory for its "%s"; the caller frees it. */
char *text_of(const char *format);

/* Set up and tear down; no daemon outlives its test. */
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
int enter(void **state);
int leave(void **state);

#endif
