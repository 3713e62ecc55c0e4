/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of the daemon share: a machine that is a table, a session in a directory of
 * its own, and a session's sample files as text.
 */
#ifndef TESTS_DAEMON_FIXTURE_H
#define TESTS_DAEMON_FIXTURE_H

#include "tests/unit/test.h"
#include "daemon/count/profile.h"

/* ---- words of the event stream ---- */

#define ESC		    OPROFILE_ESCAPE_CODE
#define CPU(n)		    ESC, OPROFILE_CPU_SWITCH, n
#define CTX(tid, tgid, app) ESC, OPROFILE_CTX_SWITCH, tid, app, ESC, OPROFILE_CTX_TGID, tgid
#define COOKIE(cookie)	    ESC, OPROFILE_COOKIE_SWITCH, cookie
#define KERNEL		    ESC, OPROFILE_KERNEL_ENTER
#define USER		    ESC, OPROFILE_USER_ENTER
#define MODULE_LOADED	    ESC, OPROFILE_MODULE_LOADED
#define TRACE		    ESC, OPROFILE_TRACE_BEGIN
#define BUFFER(...)                                                                                \
	(const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8
#define ANON		    OPROFILE_NO_COOKIE
#define INVALID		    OPROFILE_INVALID_COOKIE

/* ---- a machine ---- */

struct test_image {
	uint64_t cookie;
	const char *path;
	uint32_t flags;
	uint64_t mtime; /* 0: not present */
	uint32_t owner;
	uint64_t start, end; /* of OPROFILE_IMAGE_ANON */
};

struct test_process {
	uint32_t tgid;
	uint64_t process;
	const char *maps;
};

/* struct test_machine - a source that answers from tables, which end with an entry of zeros */
struct test_machine {
	struct source source;
	const struct test_image *images;
	const struct test_process *processes;
	const char *modules, *kallsyms, *stats;
	const char *thread_name; /* of all threads; NULL: of none */
	bool running;

	/* the next buffer; taken once */
	const uint64_t *words;
	size_t count;

	/* how often it was asked */
	unsigned int image_calls, maps_calls, kallsyms_calls, sync_calls;
};

/* The machine that most tests use: see fixture.c. */
extern const struct test_machine test_machine;

/* ---- a session ---- */

struct test_session {
	char *dir;
	struct test_machine machine;
	struct profile_config config;
	struct profile profile;
};

/* Makes a session of its own and opens it with @config and test_machine. */
void session_open(struct test_session *session, const struct profile_config *config);
/* The same without profile_open(), for tests that change the machine first. */
void session_make(struct test_session *session, const struct profile_config *config);
void session_start(struct test_session *session);
/* Removes all. */
void session_close(struct test_session *session);

/* Feeds a buffer, and has its call graphs written. */
void session_feed(struct test_session *session, const uint64_t *words, size_t count);
/* Feeds a buffer.  Call graphs stay in memory until profile_flush(). */
void session_feed_only(struct test_session *session, const uint64_t *words, size_t count);

/* What reads sample files holds the session (libop/pack/hold.h): a packer may be at work. */

/*
 * The sample files as text: a line for each, sorted by name, with its keys and counts in
 * hexadecimal: "NAME key:count key:count".  The caller frees it.
 */
char *session_text(const char *session_dir);

/* Compares that text, and checks that each number of the statistics adds up. */
void session_expect(struct test_session *session, const char *text);

/* The statistics must add up (daemon/files/stats.h), and the sample files hold what they say. */
void session_check_sums(struct test_session *session);

#define session_stat(session, which) ((session)->profile.stats.samples.value[which])

/*
 * Holds a session (samples/NAME) until op_hold_release(): what a packer moves while it is read
 * counts twice, or not at all.
 */
int session_hold(const char *dir);

/* Sum of all counts in sample files, packed or not. */
uint64_t session_sum(const char *session_dir);

/* A stack file, packed or not, that is not one of weights; its name is relative to the samples. */
typedef void session_stacks_visit(const char *name, const struct stacks_content *content,
				  void *context);
void session_each_stacks(const char *session_dir, session_stacks_visit *visit, void *context);

/* What stack files count: samples, and their callers in known images. */
struct session_stacks {
	uint64_t samples, frames;
};
struct session_stacks session_stacks(const char *session_dir);

/* A directory of its own.  The caller frees the path; remove_tree() removes all. */
char *make_directory(void);
void remove_tree(const char *dir);

#endif
