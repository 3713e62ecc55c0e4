// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols that are packed into a stripped image (.gnu_debugdata), as distributions do it.
 */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Strips lib.so, and gives it back the one symbol that .dynsym has not. */
static void pack_symbols(struct test_session *session)
{
	make_session(session);
	test_shell("cd %s && objcopy --only-keep-debug lib.so mini && "
		   "objcopy -S --keep-symbol=lib_hidden mini && xz -f mini && strip lib.so && "
		   "cp lib.so stripped.so && "
		   "objcopy --add-section .gnu_debugdata=mini.xz lib.so && cp lib.so good",
		   session->dir);
}

static void test_packed_symbols_are_found(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("lib.so") TIMER, TEXT(0x00), 10}, /* lib_work */
		{FIXTURE_ALONE("lib.so") TIMER, TEXT(0x1f), 1},
		{FIXTURE_ALONE("lib.so") TIMER, TEXT(0x20), 20}, /* lib_hidden */
		{FIXTURE_ALONE("lib.so") TIMER, TEXT(0x3f), 2},
		{FIXTURE_ALONE("stripped.so") TIMER, TEXT(0x20), 3},
	};
	static const struct golden table[] = {
		{"-l -n lib.so", 0, "22       66.6667  lib_hidden\n11       33.3333  lib_work\n",
		 NULL},
		/* Without them the function has no name. */
		{"-l -n -f stripped.so", 0, "3        100.000  @DIR@/stripped.so\n", NULL},
	};
	struct test_session session;

	(void)state;
	pack_symbols(&session);
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* Damaged, they are as good as not there, and the others are shown. */
static void test_damaged_symbols_are_left_out(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("lib.so") TIMER, TEXT(0x00), 10},
		{FIXTURE_ALONE("lib.so") TIMER, TEXT(0x20), 20},
	};
	struct test_session session;

	(void)state;
	pack_symbols(&session);
	ADD_ALL(&session, samples);
	srandom(3);
	for (int i = 0; i < 100; i++) {
		struct test_run run;

		test_shell("cd %s && cp mini.xz bad && printf '\\%03o' | dd of=bad bs=1 seek=%ld "
			   "conv=notrunc status=none && %s "
			   "objcopy --update-section .gnu_debugdata=bad good lib.so",
			   session.dir, (unsigned int)random() % 256, random() % 400,
			   i % 4 ? "" : "truncate -s 100 bad &&");
		fixture_opreport(&run, &session, opreport_path(), "-l -n");
		if (run.status || !strstr(run.out, "lib_work\n"))
			fail_msg("damage %d: status %d, %s%s", i, run.status, run.out, run.err);
		test_run_free(&run);
	}
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packed_symbols_are_found),
		cmocka_unit_test(test_damaged_symbols_are_left_out),
	};

	golden_begin(argc, argv);
	return cmocka_run_group_tests_name("mini_debug", tests, NULL, NULL);
}
