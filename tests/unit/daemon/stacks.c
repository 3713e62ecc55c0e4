// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From literal words of the event stream to stack files: which frames make a stack, where it ends,
 * whose file it goes to, and what happens when it cannot.
 */
#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdb/stacks/stacks.h"
#include "libop/base/file.h"
#include "libop/session/paths.h"

#define STEXT 0xffffffff81000000
#define START CPU(0), CTX(501, 500, 0x10)
#define FILE_OF(app, event) "stacks/{root}/usr/bin/" app "/" event "\n"
#define ALL		    "TIMER.0.0.all.all.all"

#define BASH "{root}/usr/bin/bash"
#define LIBC "{root}/usr/lib/libc.so.6"
#define KSYM "{kern}/kallsyms"

enum { LIB = 1, KERN = 2, THREAD = 4, CPUS = 8 };

/* ---- stack files as text ---- */

struct listing {
	const char *dir;
	FILE *out;
};

static void print_nodes(FILE *out, const struct stacks_content *content)
{
	for (size_t i = 0; i < content->n_nodes; i++) {
		if (!content->nodes[i].count)
			continue;
		for (size_t at = i; at; at = content->nodes[at].parent)
			fprintf(out, " %s+%llx", content->images[content->nodes[at].image].name ?: "",
				(unsigned long long)content->nodes[at].offset);
		fprintf(out, " %llu\n", (unsigned long long)content->nodes[i].count);
	}
}

static int print_file(const char *path, const struct stat *status, void *context)
{
	struct listing *listing = context;
	struct stacks_content content;
	struct odb_error error;

	(void)status;
	if (!strstr(path, "/" OP_SAMPLES_STACKS "/"))
		return 0;
	if (stacks_read(&content, path, &error))
		fail_msg("%s", error.text);
	fprintf(listing->out, "%s\n", path + strlen(listing->dir) + 1);
	print_nodes(listing->out, &content);
	stacks_content_free(&content);
	return 0;
}

static void expect(struct test_session *session, const char *want)
{
	struct listing listing = {0};
	struct op_error error;
	size_t length;
	char *text = NULL;

	listing.dir = session->profile.current_dir;
	listing.out = open_memstream(&text, &length);
	if (op_walk(listing.dir, print_file, &listing, &error))
		fail_msg("%s", error.text);
	fclose(listing.out);
	assert_string_equal(text, want);
	free(text);
}

/* clang-format off */
static const struct {
	const char *name;
	int separate;
	const uint64_t *words;
	size_t count;
	const char *files;
} cases[] = {
	{ "samples without callers are no stacks", 0,
	  BUFFER(START, USER, COOKIE(0x10), 0x100, 0, 0x100, 0), "" },
	{ "a stack is the sample and its callers, leaf first", 0,
	  BUFFER(START, USER, COOKIE(0x11), TRACE, 0x300, 0, 0x310, 0, COOKIE(0x10), 0x100, 0),
	  FILE_OF("bash", ALL) " " LIBC "+300 " LIBC "+310 " BASH "+100 1\n" },
	{ "a trace of one frame is a stack, too", 0,
	  BUFFER(START, USER, COOKIE(0x10), TRACE, 0x100, 0),
	  FILE_OF("bash", ALL) " " BASH "+100 1\n" },
	{ "equal stacks are counted, others share their callers", 0,
	  BUFFER(START, USER, COOKIE(0x10), TRACE, 1, 0, 2, 0, TRACE, 1, 0, 2, 0, TRACE, 3, 0, 2, 0,
		 TRACE, 2, 0),
	  FILE_OF("bash", ALL) " " BASH "+2 1\n " BASH "+1 " BASH "+2 2\n "
	  BASH "+3 " BASH "+2 1\n" },
	{ "user frames follow those of the kernel", 0,
	  BUFFER(START, KERNEL, TRACE, STEXT + 0x10, 0, STEXT + 0x20, 0,
		 USER, COOKIE(0x10), 0x100, 0),
	  FILE_OF("bash", ALL) " " KSYM "+10 " KSYM "+20 " BASH "+100 1\n" },
	{ "a frame in nothing known has its address", 0,
	  BUFFER(START, USER, COOKIE(0x10), TRACE, 0x100, 0, COOKIE(INVALID), 0x77, 0,
		 COOKIE(0x10), 0x200, 0),
	  FILE_OF("bash", ALL) " " BASH "+100 +77 " BASH "+200 1\n" },
	{ "a lost sample loses its callers", 0,
	  BUFFER(START, USER, COOKIE(INVALID), TRACE, 0x100, 0, COOKIE(0x10), 0x200, 0,
		 TRACE, 0x300, 0),
	  FILE_OF("bash", ALL) " " BASH "+300 1\n" },
	{ "switches of task and CPU end a stack", 0,
	  BUFFER(START, USER, COOKIE(0x10), TRACE, 0x100, 0,
		 CTX(600, 600, 0x12), USER, COOKIE(0x12), TRACE, 0x200, 0,
		 CPU(1), CTX(501, 500, 0x10), USER, COOKIE(0x10), 0x300, 0),
	  FILE_OF("bash", ALL) " " BASH "+100 1\n"
	  FILE_OF("cat", ALL) " {root}/usr/bin/cat+200 1\n" },
	{ "the program is that of the task, separated or not", 0,
	  BUFFER(START, USER, COOKIE(0x11), TRACE, 0x300, 0,
		 CTX(600, 600, 0x12), USER, COOKIE(0x11), TRACE, 0x300, 0),
	  FILE_OF("bash", ALL) " " LIBC "+300 1\n" FILE_OF("cat", ALL) " " LIBC "+300 1\n" },
	{ "threads and CPUs apart", LIB | KERN | THREAD | CPUS,
	  BUFFER(START, USER, COOKIE(0x10), TRACE, 1, 0, CPU(2), CTX(502, 500, 0x10), USER,
		 COOKIE(0x10), TRACE, 1, 0),
	  FILE_OF("bash", "TIMER.0.0.500.501.0") " " BASH "+1 1\n"
	  FILE_OF("bash", "TIMER.0.0.500.502.2") " " BASH "+1 1\n" },
	{ "without a program the image stands for it", 0,
	  BUFFER(CPU(0), CTX(501, 500, INVALID), KERNEL, TRACE, STEXT + 1, 0),
	  "stacks/{kern}/kallsyms/" ALL "\n " KSYM "+1 1\n" },
	{ "anonymous memory", 0,
	  BUFFER(START, USER, COOKIE(ANON), TRACE, 0x1000010, 0, COOKIE(0x10), 0x100, 0),
	  FILE_OF("bash", ALL) " {anon:[heap]}/500.0x1000000.0x1010000+10 " BASH "+100 1\n" },
};
/* clang-format on */

static struct profile_config config_of(int separate)
{
	return (struct profile_config){
		.separate_lib = separate & LIB,
		.separate_kernel = separate & KERN,
		.separate_thread = separate & THREAD,
		.separate_cpu = separate & CPUS,
	};
}

static void words_become_stacks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct profile_config config = config_of(cases[i].separate);
		struct test_session session;

		print_message("%s\n", cases[i].name);
		session_open(&session, &config);
		session_feed(&session, cases[i].words, cases[i].count);
		expect(&session, cases[i].files);
		assert_int_equal(session_stat(&session, STAT_STACKS_LOST), 0);
		session_check_sums(&session);
		session_close(&session);
	}
}

static void each_buffer_goes_on(void **state)
{
	static const uint64_t words[] = {START, USER, COOKIE(0x10), TRACE, 1, 0, 2, 0};
	const struct profile_config config = config_of(0);
	struct test_session session;

	(void)state;
	session_open(&session, &config);
	for (int i = 0; i < 3; i++)
		session_feed(&session, words, sizeof(words) / 8);
	/* what is closed is opened again, and goes on as well */
	sample_files_close(&session.profile.files);
	session_feed(&session, words, sizeof(words) / 8);
	expect(&session, FILE_OF("bash", ALL) " " BASH "+1 " BASH "+2 4\n");
	assert_int_equal(session_stat(&session, STAT_STACKS), 4);
	session_close(&session);
}

static void a_file_that_cannot_be_used_loses_stacks_only(void **state)
{
	static const uint64_t words[] = {START, USER, COOKIE(0x10), TRACE, 1, 0, 2, 0, TRACE, 3, 0};
	const struct profile_config config = config_of(0);
	struct test_session session;
	struct op_error error;
	char *path;

	(void)state;
	session_make(&session, &config);
	path = op_path("%s/" OP_SESSION_CURRENT "/" OP_SAMPLES_STACKS "/" BASH "/" ALL, session.dir);
	assert_int_equal(op_mkdir_parents(path, 0700, &error), 0);
	assert_int_equal(op_file_replace(path, "no stack file", 13, 0600, &error), 0);
	session_start(&session);
	session_feed(&session, words, sizeof(words) / 8);
	assert_int_equal(session_stat(&session, STAT_STACKS_LOST), 2);
	assert_int_equal(session_stat(&session, STAT_STACKS), 0);
	assert_int_equal(session_stat(&session, STAT_STORED), 2);
	assert_int_equal(session_stat(&session, STAT_ARCS), 1);
	session_close(&session);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_become_stacks),
		cmocka_unit_test(each_buffer_goes_on),
		cmocka_unit_test(a_file_that_cannot_be_used_loses_stacks_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
