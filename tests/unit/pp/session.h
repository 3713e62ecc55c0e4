/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directories for tests of the report tools: sessions, and files that are made for a test.
 * Catalogues of events are looked for below "events" in the directory, so that there are only
 * those that a test writes; and tables are kept below "cache" there.
 */
#ifndef TEST_PP_SESSION_H
#define TEST_PP_SESSION_H

struct test_session {
	char dir[64]; /* the session directory */
};

/* Ends the program with a message if @good is false: a test without its session is no test. */
void test_need(int good, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* In $TMPDIR, else in /tmp. */
void test_session_make(struct test_session *session);
void test_session_remove(struct test_session *session);

/* The path of a file of the session; the caller frees it. */
char *test_session_path(const struct test_session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Writes a file, and the directories on the way to it. */
void test_session_write(const struct test_session *session, const char *name, const char *text);

/* What a program wrote, and how it ended. */
struct test_run {
	char *out, *err;
	int status; /* exit status; -1 if a signal ended it */
};

/* Runs @argv[0], found by its path, with the C locale; test_run_free() frees what it wrote. */
void test_run(struct test_run *run, const char *const *argv);
void test_run_free(struct test_run *run);

/* Runs a shell command, which must succeed. */
void test_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
