// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opreport from outside: code of JIT compilers, as their processes wrote it down.
 */
#include "golden.h"

#include <byteswap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAP		  "[heap] (tgid:77 range:0x1000000-0x1001000)"
#define ANON(tgid, label) "{root}/usr/bin/node/{dep}/{anon:" label "}/" tgid

static const struct fixture_sample samples[] = {
	{ANON("77", "anon") ".0x7f0000000000.0x7f0000010000/" TIMER, 0x100, 1},
	{ANON("77", "anon") ".0x7f0000000000.0x7f0000010000/" TIMER, 0x1ff, 2},
	{ANON("77", "anon") ".0x7f0000000000.0x7f0000010000/" TIMER, 0x200, 4},
	{ANON("77", "anon") ".0x7f0000000000.0x7f0000010000/" TIMER, 0x300, 8},
	{ANON("77", "anon") ".0x7f0000000000.0x7f0000010000/" TIMER, 0x8000, 16},
	{ANON("77", "[heap]") ".0x1000000.0x1001000/" TIMER, 0x10, 32},
	{ANON("78", "anon") ".0x7f0000000000.0x7f0000010000/" TIMER, 0x100, 64},
};

static void make_jit_session(struct test_session *session)
{
	test_session_make(session);
	ADD_ALL(session, samples);
	test_shell("mkdir %s/jit %s/shared && chmod 1777 %s/shared", session->dir, session->dir,
		   session->dir);
}

static void write_bytes(const struct test_session *session, const char *name, const void *bytes,
			size_t n)
{
	char *path = test_session_path(session, "%s", name);
	FILE *file = fopen(path, "w");

	test_need(file && fwrite(bytes, 1, n, file) == n && !fclose(file), "cannot write %s", path);
	free(path);
}

/* Blanks in names, what makes no sense, and memory that is used again. */
static const char map[] = "7f0000000100 100 LazyCompile:~add /srv/app.js:3\n"
			  "7f0000000200 200 old\n"
			  "not a line\n"
			  "7f0000000300\n"
			  "7f0000000300 zz wrong\n"
			  "7f0000000280 100 _Z3addii\n"
			  "ffffffffffffffff 2 beyond\n"
			  "7f0000008000 10 old\n"
			  "1000000 20 in_the_heap\n";

static const struct golden by_map[] = {
	{"-l -n -w tgid:all --jit-dir @DIR@/jit", 0,
	 "00007f0000000000 64       50.3937  anon (tgid:78 range:0x7f0000000000-0x7f0000010000)"
	 " anon (tgid:78 range:0x7f0000000000-0x7f0000010000)\n"
	 "0000000001000000 32       25.1969  [heap] (tgid:77 range:0x1000000-0x1001000)"
	 " in_the_heap\n"
	 "00007f0000000200 20       15.7480  anon (tgid:77 range:0x7f0000000000-0x7f0000010000)"
	 " old\n"
	 "00007f0000000280 8         6.2992  anon (tgid:77 range:0x7f0000000000-0x7f0000010000)"
	 " add(int, int)\n"
	 "00007f0000000100 3         2.3622  anon (tgid:77 range:0x7f0000000000-0x7f0000010000)"
	 " LazyCompile:~add /srv/app.js:3\n",
	 NULL},
};

static void test_perf_map(void **state)
{
	struct test_session session;

	(void)state;
	make_jit_session(&session);
	test_session_write(&session, "jit/perf-77.map", map);
	CHECK_ALL(&session, by_map);
	test_session_remove(&session);
}

/* In an archive they are at /tmp; oparchive puts them there. */
static void test_archive(void **state)
{
	static const struct golden table[] = {
		{"-l -n archive:@DIR@/archive [[]heap]", 0,
		 "32       100.000  " HEAP " in_the_heap\n", NULL},
	};
	struct test_session session;

	(void)state;
	make_jit_session(&session);
	test_session_write(&session, "archive/tmp/perf-77.map", map);
	test_shell("cd %s && mkdir -p archive$PWD && mv samples archive$PWD", session.dir);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* Where anybody may write, only files of certain users are believed. */
static void test_owners(void **state)
{
	static const struct golden good[] = {
		{"-l -n [[]heap] --jit-dir @DIR@/shared", 0,
		 "32       100.000  " HEAP " in_the_heap\n", NULL},
	};
	static const struct golden bad[] = {
		{"-l -n [[]heap] --jit-dir @DIR@/shared", 0,
		 "32       100.000  " HEAP " " HEAP "\n",
		 "/shared/perf-77.map: belongs to user 54321, who may be anybody"},
	};
	static const struct golden own[] = {
		{"-l -n [[]heap] --jit-dir @DIR@/jit", 0,
		 "32       100.000  " HEAP " in_the_heap\n", NULL},
	};
	static const struct golden link[] = {
		{"-l -n [[]heap] --jit-dir @DIR@/shared", 0,
		 "32       100.000  " HEAP " " HEAP "\n", "a symbolic link is not followed"},
	};
	static const struct golden special[] = {
		{"-l -n [[]heap] --jit-dir @DIR@/shared", 0,
		 "32       100.000  " HEAP " " HEAP "\n", "not a regular file"},
	};
	struct test_session session;

	(void)state;
	make_jit_session(&session);
	test_session_write(&session, "shared/perf-77.map", map);
	CHECK_ALL(&session, good);
	if (geteuid()) {
		print_message("not root: files of other users can't be made\n");
	} else {
		test_shell(
			"cd %s && chown 54321 shared/perf-77.map && cp -p shared/perf-77.map jit",
			session.dir);
		CHECK_ALL(&session, bad);
		CHECK_ALL(&session, own);
	}
	test_shell("cd %s && mv shared/perf-77.map jit && ln -s ../jit/perf-77.map shared",
		   session.dir);
	CHECK_ALL(&session, link);
	test_shell("cd %s && rm shared/perf-77.map && mkfifo shared/perf-77.map", session.dir);
	CHECK_ALL(&session, special);
	test_session_remove(&session);
}

/* ---- jitdump ---- */

struct bytes {
	unsigned char data[4096];
	size_t n;
	bool swapped;
};

static void put32(struct bytes *bytes, uint32_t value)
{
	value = bytes->swapped ? bswap_32(value) : value;
	memcpy(bytes->data + bytes->n, &value, 4);
	bytes->n += 4;
}

static void put64(struct bytes *bytes, uint64_t value)
{
	value = bytes->swapped ? bswap_64(value) : value;
	memcpy(bytes->data + bytes->n, &value, 8);
	bytes->n += 8;
}

static void put_head(struct bytes *bytes)
{
	put32(bytes, 0x4a695444);
	put32(bytes, 1);
	put32(bytes, 40);
	put32(bytes, 62); /* x86-64 */
	put32(bytes, 0);
	put32(bytes, 77);
	put64(bytes, 1);
	put64(bytes, 0);
}

static void put_load(struct bytes *bytes, uint64_t address, uint64_t size, const char *name)
{
	size_t name_size = strlen(name) + 1, code = 4;

	put32(bytes, 0);
	put32(bytes, 16 + 40 + name_size + code);
	put64(bytes, 2);
	put32(bytes, 77);
	put32(bytes, 77);
	put64(bytes, address);
	put64(bytes, address);
	put64(bytes, size);
	put64(bytes, 1);
	memcpy(bytes->data + bytes->n, name, name_size);
	bytes->n += name_size;
	memset(bytes->data + bytes->n, 0x90, code);
	bytes->n += code;
}

static void put_move(struct bytes *bytes, uint64_t from, uint64_t to, uint64_t size)
{
	put32(bytes, 1);
	put32(bytes, 16 + 48);
	put64(bytes, 3);
	put32(bytes, 77);
	put32(bytes, 77);
	put64(bytes, to);
	put64(bytes, from);
	put64(bytes, to);
	put64(bytes, size);
	put64(bytes, 1);
}

/* A record of a kind that has no address: debug information, or a kind that is new. */
static void put_other(struct bytes *bytes, uint32_t id)
{
	put32(bytes, id);
	put32(bytes, 16 + 8);
	put64(bytes, 4);
	put64(bytes, UINT64_MAX);
}

static void make_dump(struct bytes *bytes, bool swapped)
{
	*bytes = (struct bytes){.swapped = swapped};
	put_head(bytes);
	put_other(bytes, 2);
	put_load(bytes, 0x7f0000000100, 0x100, "first");
	put_load(bytes, 0x7f0000009000, 0x100, "moved");
	put_other(bytes, 4711);
	put_move(bytes, 0x7f0000009000, 0x7f0000000200, 0x100);
	put_load(bytes, 0x7f0000000300, 0x10, "last");
}

static void test_jitdump(void **state)
{
	static const struct golden table[] = {
		{"-l -n tgid:all image:*node --jit-dir @DIR@/jit -f -e in_the_heap,nothing", 0,
		 "64       50.3937  anon (tgid:78 range:0x7f0000000000-0x7f0000010000)"
		 " anon (tgid:78 range:0x7f0000000000-0x7f0000010000)\n"
		 "32       25.1969  [heap] (tgid:77 range:0x1000000-0x1001000)"
		 " [heap] (tgid:77 range:0x1000000-0x1001000)\n"
		 "16       12.5984  anon (tgid:77 range:0x7f0000000000-0x7f0000010000)"
		 " anon (tgid:77 range:0x7f0000000000-0x7f0000010000)\n"
		 "8         6.2992  anon (tgid:77 range:0x7f0000000000-0x7f0000010000) last\n"
		 "4         3.1496  anon (tgid:77 range:0x7f0000000000-0x7f0000010000) moved\n"
		 "3         2.3622  anon (tgid:77 range:0x7f0000000000-0x7f0000010000) first\n",
		 NULL},
	};
	struct test_session session;
	struct bytes bytes;

	(void)state;
	make_jit_session(&session);
	for (int swapped = 0; swapped < 2; swapped++) {
		make_dump(&bytes, swapped);
		write_bytes(&session, "jit/jit-77.dump", bytes.data, bytes.n);
		CHECK_ALL(&session, table);
	}
	test_session_remove(&session);
}

/* What stands before the damage is used; nothing is an error of the report. */
static void test_damaged_jitdump(void **state)
{
	struct test_session session;
	struct test_run run;
	struct bytes bytes;
	size_t whole;

	(void)state;
	make_jit_session(&session);
	make_dump(&bytes, false);
	whole = bytes.n;
	write_bytes(&session, "jit/jit-77.dump", bytes.data, whole - 5);
	fixture_opreport(&run, &session, opreport_path(), "-l -n --jit-dir @DIR@/jit");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.err, "/jit/jit-77.dump: byte 284: wrong record"));
	assert_non_null(strstr(run.out, " first\n"));
	assert_non_null(strstr(run.out, " moved\n"));
	assert_null(strstr(run.out, " last\n"));
	test_run_free(&run);
	for (size_t i = 0; i < whole; i++) {
		bytes.data[i] ^= 0x80;
		write_bytes(&session, "jit/jit-77.dump", bytes.data, whole);
		fixture_opreport(&run, &session, opreport_path(), "-l -n --jit-dir @DIR@/jit");
		assert_int_equal(run.status, 0);
		test_run_free(&run);
		bytes.data[i] ^= 0x80;
		if (i > 40 && i % 7)
			continue;
		write_bytes(&session, "jit/jit-77.dump", bytes.data, i);
		fixture_opreport(&run, &session, opreport_path(), "-l -n --jit-dir @DIR@/jit");
		assert_int_equal(run.status, 0);
		test_run_free(&run);
	}
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_map),	cmocka_unit_test(test_archive),
		cmocka_unit_test(test_owners),		cmocka_unit_test(test_jitdump),
		cmocka_unit_test(test_damaged_jitdump),
	};

	golden_begin(argc, argv);
	return cmocka_run_group_tests_name("opreport_jit", tests, NULL, NULL);
}
