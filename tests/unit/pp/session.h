/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions for tests and benchmarks of the report tools: made in a temporary directory
 * through libop and libdb, and given to the programs.  Catalogues of events are looked for
 * below "events" in the session's directory, so that there are only those that a test writes; and
 * tables are kept below "cache" there.
 */
#ifndef TEST_PP_SESSION_H
#define TEST_PP_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "libdb/odb/odb.h"

struct test_session {
	char dir[64];		  /* the session directory; work files are beside samples/ */
	struct odb_header header; /* of files that are made from now on */
	uint64_t stored;	  /* samples added up to now, without call graph files */
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

/* Writes a number that the daemon counted: @name is below samples/current/stats. */
void test_session_stat(const struct test_session *session, const char *name, uint64_t number);

/**
 * test_session_add - add samples
 * @name: of the sample file, below samples/current: "{root}/bin/x/{dep}/..."
 * @key: what to count
 * @count: by how much
 */
void test_session_add(struct test_session *session, const char *name, uint64_t key, uint64_t count);

/* As test_session_add(), for many keys of one file. */
void test_session_add_entries(struct test_session *session, const char *name,
			      const struct odb_entry *entries, size_t n);

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
