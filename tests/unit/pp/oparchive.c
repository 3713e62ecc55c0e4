// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oparchive from outside: what is in an archive, and that a report of it says the same on a
 * machine that has neither the session nor the images.
 *
 *	pp_oparchive OPARCHIVE SOURCES OPREPORT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/base/file.h"
#include "golden.h"

static const char *oparchive, *opreport;

#define SAMPLES	 "@DIR@/samples/current/{root}@DIR@/"
#define OLD_TIME 981173106 /* of prog, 2001 */

static const struct fixture_sample samples[] = {
	{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 600},
	{FIXTURE_ALONE("gone") TIMER, 0x2010, 5},
	{FIXTURE_IN("prog", "lib.so") TIMER, TEXT(0x30), 10}, /* lib_hidden */
	{FIXTURE_IN("prog", "lib.so") "{cg}/{root}@DIR@/prog/" TIMER, 0x100000001000, 3},
	{FIXTURE_KERNEL("prog", "kallsyms") TIMER, 0x14, 7},
};

/*
 * A session of all that there is: a library whose symbols are in its debug file, kernel
 * symbols, statistics.
 */
static void make_full_session(struct test_session *session)
{
	make_session(session);
	test_shell("cd %s && mkdir .debug && objcopy --only-keep-debug lib.so .debug/lib.debug && "
		   "strip lib.so && objcopy --add-gnu-debuglink=.debug/lib.debug lib.so && "
		   "touch -d @%d prog",
		   session->dir, OLD_TIME);
	test_session_write(session, "samples/current/kallsyms",
			   "ffffffff81000000 T _stext\nffffffff81000010 T first\n");
	test_session_write(session, "samples/current/modules", "ext4 0xffffffffc0000000 4096 -\n");
	test_session_stat(session, "event_lost_overflow", 0);
	test_session_write(session, "samples/oprofiled.log", "started\n");
	test_session_write(session, "abi", "little_endian 1\n");
	test_session_write(session, "samples/saved/kallsyms", "not of this session\n");
	test_session_write(session, "samples/current/{root}/.odb-unfinished", "");
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		session->header.mtime = i ? 0 : OLD_TIME;
		fixture_samples(session, &samples[i], 1);
	}
}

static void test_list(void **state)
{
	static const struct golden table[] = {
		{"-l", 0,
		 "@DIR@/.debug/lib.debug\n"
		 "@DIR@/abi\n"
		 "@DIR@/lib.so\n"
		 "@DIR@/prog\n"
		 "@DIR@/samples/current/kallsyms\n"
		 "@DIR@/samples/current/modules\n"
		 "@DIR@/samples/current/stats/event_lost_overflow\n" SAMPLES
		 "gone/{dep}/{root}@DIR@/gone/TIMER.0.0.all.all.all\n" SAMPLES
		 "prog/{dep}/{kern}/kallsyms/TIMER.0.0.all.all.all\n" SAMPLES
		 "prog/{dep}/{root}@DIR@/lib.so/TIMER.0.0.all.all.all\n" SAMPLES
		 "prog/{dep}/{root}@DIR@/lib.so/{cg}/{root}@DIR@/prog/"
		 "TIMER.0.0.all.all.all\n" SAMPLES
		 "prog/{dep}/{root}@DIR@/prog/TIMER.0.0.all.all.all\n"
		 "@DIR@/samples/oprofiled.log\n",
		 "gone is not in the archive: No such file"},
		{"--list-files --exclude-dependent image:*prog", 0,
		 "@DIR@/abi\n"
		 "@DIR@/prog\n"
		 "@DIR@/samples/current/kallsyms\n"
		 "@DIR@/samples/current/modules\n"
		 "@DIR@/samples/current/stats/event_lost_overflow\n" SAMPLES
		 "prog/{dep}/{root}@DIR@/prog/TIMER.0.0.all.all.all\n"
		 "@DIR@/samples/oprofiled.log\n",
		 NULL},
	};
	struct test_session session;

	(void)state;
	make_full_session(&session);
	CHECK_LOOSE(&session, table);
	test_session_remove(&session);
}

static char *report(const struct test_session *session, const char *arguments)
{
	struct test_run run;
	char *out;

	fixture_opreport(&run, session, opreport, arguments);
	if (run.status)
		fail_msg("opreport %s: %s", arguments, run.err);
	/* Of a changed time it would be told. */
	assert_null(strstr(run.err, "was changed"));
	out = strdup(run.out);
	test_run_free(&run);
	return out;
}

static void archive(const struct test_session *session, const char *arguments)
{
	struct test_run run;

	fixture_opreport(&run, session, oparchive, arguments);
	if (run.status)
		fail_msg("oparchive %s: %s", arguments, run.err);
	assert_string_equal(run.out, "");
	test_run_free(&run);
}

/* The archive moves to another directory; what was profiled is gone. */
static void check_elsewhere(const char *arguments, bool is_tar)
{
	struct test_session session, elsewhere;
	char *before, *after;

	make_full_session(&session);
	test_session_make(&elsewhere);
	before = report(&session, "-l -g -f");
	assert_non_null(strstr(before, "lib_hidden"));
	assert_non_null(strstr(before, "first"));
	archive(&session, arguments);
	if (is_tar)
		test_shell("cd %s && mkdir out && tar --zstd -xf out.tar.zst -C out", session.dir);
	test_shell("mv %s/out %s/moved", session.dir, elsewhere.dir);
	test_session_remove(&session);
	after = report(&elsewhere, "-l -g -f archive:@DIR@/moved");
	assert_string_equal(after, before);
	/* An archive of an archive has the same in it. */
	archive(&elsewhere, "-o @DIR@/again archive:@DIR@/moved");
	test_shell("diff -r %s/moved %s/again", elsewhere.dir, elsewhere.dir);
	free(before);
	free(after);
	test_session_remove(&elsewhere);
}

static void test_directory(void **state)
{
	(void)state;
	check_elsewhere("-o @DIR@/out", false);
}

/* A debug file that only the build-id leads to is found by it in the archive. */
static void test_build_id(void **state)
{
	static const struct fixture_sample hot[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 600},
	};
	struct test_session session;
	struct test_run run;
	char *before, *after;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, hot);
	test_shell(
		"cd %s && mkdir -p root%s && cp prog root%s && "
		"mkdir -p root/usr/lib/debug/.build-id/01 && objcopy --only-keep-debug prog "
		"root/usr/lib/debug/.build-id/01/23456789abcdef0123456789abcdef01234567.debug && "
		"strip root%s/prog && rm prog",
		session.dir, session.dir, session.dir, session.dir);
	before = report(&session, "-l -g -n --root=@DIR@/root");
	assert_string_equal(before, "600      100.000  prog.c:20                   hot\n");
	archive(&session, "-o @DIR@/out --root=@DIR@/root");
	after = report(&session, "-l -g -n archive:@DIR@/out");
	assert_string_equal(after, before);
	fixture_opreport(&run, &session, oparchive, "-l --root=@DIR@/root");
	assert_non_null(strstr(run.out, "/root/usr/lib/debug/.build-id/01/23456789abcdef"));
	test_run_free(&run);
	free(before);
	free(after);
	test_session_remove(&session);
}

static void test_tar(void **state)
{
	(void)state;
	check_elsewhere("--output=@DIR@/out.tar.zst", true);
}

/* A tar file that can't be written to its end does not stay. */
static void test_full_disk(void **state)
{
	struct test_session session;
	struct stat status;
	struct test_run run;
	char *path, *command;

	(void)state;
	make_full_session(&session);
	path = test_session_path(&session, "out.tar.zst");
	assert_true(asprintf(&command,
			     "ulimit -f 1; trap '' XFSZ; exec %s --session-dir=%s "
			     "--output=%s",
			     oparchive, session.dir, path) > 0);
	test_run(&run, (const char *const[]){"/bin/bash", "-c", command, NULL});
	assert_int_equal(run.status, 1);
	assert_non_null(strstr(run.err, "cannot write"));
	assert_int_not_equal(stat(path, &status), 0);
	test_run_free(&run);
	free(command);
	free(path);
	test_session_remove(&session);
}

static void test_wrong_words(void **state)
{
	static const struct golden table[] = {
		{"", 2, "", "where to? one of --output-directory, --output and --list-files"},
		{"-l -o /tmp/x", 2, "", "only one of"},
		{"-o @DIR@/full", 1, "", "full is not empty; an archive must be alone"},
		{"-o /", 1, "", "/ is not empty"},
		{"-o @DIR@/no/such", 1, "", "cannot make @DIR@/no/such: No such file"},
		{"--output=@DIR@/prog", 1, "", "cannot make @DIR@/prog: File exists"},
		{"-o @DIR@/new nothing", 1, "", "is meant by the profile specification"},
		{"-l session:none", 1, "", "no session at"},
		{"-l cpu:x", 2, "", "cpu:x"},
		{"-l -o", 2, "", "-o: missing argument"},
	};
	struct test_session session;
	struct stat status;
	char *path;

	(void)state;
	make_full_session(&session);
	test_session_write(&session, "full/file", "mine\n");
	CHECK_LOOSE(&session, table);
	path = test_session_path(&session, "new");
	assert_int_not_equal(stat(path, &status), 0);
	free(path);
	test_session_remove(&session);
}

/* Damaged images have no debug file that could be found, and are copied as they are. */
static void test_damaged_images(void **state)
{
	struct test_session session;

	(void)state;
	make_full_session(&session);
	test_shell("cd %s && cp lib.so good", session.dir);
	srandom(9);
	for (int i = 0; i < 60; i++) {
		test_shell("cd %s && cp good lib.so && printf '\\%03o' | dd of=lib.so bs=1 "
			   "seek=%ld conv=notrunc status=none && rm -rf out",
			   session.dir, (unsigned int)random() % 256, random() % 9000);
		archive(&session, "-o @DIR@/out");
		test_shell("cmp %s/lib.so %s/out%s/lib.so", session.dir, session.dir, session.dir);
	}
	test_session_remove(&session);
}

/* Memory: the maps of JIT code, the vdso of this kernel; and a file that was replaced. */
static void test_memory(void **state)
{
	static const struct fixture_sample memory[] = {
		{"{root}/x/{dep}/{anon:anon}/77.0x1000.0x2000/" TIMER, 0x10, 1},
		{"{root}/x/{dep}/{anon:anon}/78.0x1000.0x2000/" TIMER, 0x10, 2},
		{"{root}/[deleted 0123456789abcdef]@DIR@/prog/{dep}/"
		 "{root}/[deleted 0123456789abcdef]@DIR@/prog/" TIMER,
		 TEXT(0x10), 4},
		{"{root}/x/{dep}/{anon:[vdso]}/7.0x7ffff7fc1000.0x7ffff7fc3000/" TIMER, 0x800, 4},
	};
	static const char *const wanted[] = {
		"4        36.3636  prog (deleted, 0123456789abcdef) prog (deleted, "
		"0123456789abcdef) hot\n",
		"2        18.1818  anon (tgid:78 range:0x1000-0x2000) x                        "
		"anon (tgid:78 range:0x1000-0x2000)\n",
		"1         9.0909  anon (tgid:77 range:0x1000-0x2000) x                        "
		"jitted\n",
	};
	struct test_session session;
	struct test_run run;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, memory);
	test_session_write(&session, "jit/perf-77.map", "1000 20 jitted\n");
	test_session_write(&session, "jit/perf-79.map", "1000 20 another\n");
	test_shell("cd %s && mkdir kept && mv prog kept && "
		   "objcopy --remove-section=.note.gnu.build-id kept/prog prog 2>/dev/null",
		   session.dir);
	test_session_write(&session, "samples/current/kallsyms", "ffffffff81000000 T _stext\n");
	test_shell("cd %s && if test $(od -An -tx1 -N4 /sys/kernel/notes | tr -d ' \\n') = 04000000; "
		   "then od -An -tx1 -j16 -N20 /sys/kernel/notes | tr -d ' \\n' >samples.id; "
		   "echo kallsyms ffffffff81000000 1000 $(cat samples.id) "
		   ">samples/current/modules; fi",
		   session.dir);
	fixture_opreport(&run, &session, oparchive,
			 "-p @DIR@/kept --jit-dir @DIR@/jit -o @DIR@/archive");
	assert_int_equal(run.status, 0);
	test_run_free(&run);
	test_shell("cd %s && ! test -e archive/tmp/perf-79.map && rm -r kept prog jit samples",
		   session.dir);
	/* Of this kernel, if the daemon could tell which it was. */
	test_shell("cd %s && if test -s samples.id; then id=$(cat samples.id); "
		   "cmp -n 4 \"archive/[vdso] $id\" /proc/self/exe; fi",
		   session.dir);
	fixture_opreport(&run, &session, opreport, "-l -n archive:@DIR@/archive");
	assert_int_equal(run.status, 0);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!strstr(run.out, wanted[i]))
			fail_msg("no '%s' in:\n%s", wanted[i], run.out);
	test_run_free(&run);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_tar),
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_wrong_words),
		cmocka_unit_test(test_damaged_images),
	};

	golden_begin(argc - 1, argv);
	oparchive = argv[1];
	opreport = argv[3];
	return cmocka_run_group_tests_name("oparchive", tests, NULL, NULL);
}
