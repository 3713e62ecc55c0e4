// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opreport from outside: images that are not what their path names.  Their symbols are those of
 * the very file that was profiled, or none.
 */
#include "golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUILD_ID "0123456789abcdef" /* what names have of that of prog */
#define GONE(mark)                                                                                 \
	"{root}/[" mark " " BUILD_ID "]@DIR@/prog/{dep}/{root}/[" mark " " BUILD_ID "]@DIR@/prog/"

/* A prog with another build-id takes the place of that in the session's directory. */
static void replace_prog(const struct test_session *session)
{
	test_shell("cd %s && mkdir -p kept && mv prog kept/prog && "
		   "objcopy --remove-section=.note.gnu.build-id kept/prog prog",
		   session->dir);
}

static void test_names(void **state)
{
	static const struct fixture_sample samples[] = {
		{GONE("deleted") TIMER, TEXT(0x10), 60},
		{GONE("changed") TIMER, TEXT(0x30), 20},
		{GONE("mount namespace") TIMER, TEXT(0x10), 10},
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 6},
		{"{root}/[no path]/" BUILD_ID "/{dep}/{root}/[no path]/" BUILD_ID "/" TIMER,
		 TEXT(0x10), 4},
	};
	static const struct golden table[] = {
		{"-n", 0,
		 "       60 60.0000 prog (deleted, " BUILD_ID ")\n"
		 "       20 20.0000 prog (changed meanwhile, " BUILD_ID ")\n"
		 "       10 10.0000 prog (in another mount namespace, " BUILD_ID ")\n"
		 "        6  6.0000 prog\n"
		 "        4  4.0000 (no path, " BUILD_ID ")\n",
		 NULL},
		{"-n -f image:@DIR@/prog", 0,
		 "       60 62.5000 @DIR@/prog (deleted, " BUILD_ID ")\n"
		 "       20 20.8333 @DIR@/prog (changed meanwhile, " BUILD_ID ")\n"
		 "       10 10.4167 @DIR@/prog (in another mount namespace, " BUILD_ID ")\n"
		 "        6  6.2500 @DIR@/prog\n",
		 NULL},
		{"-n image-exclude:prog", 0, "        4 100.000 (no path, " BUILD_ID ")\n", NULL},
		{"-n image:*deleted*", 0, "       60 100.000 prog (deleted, " BUILD_ID ")\n", NULL},
	};

	(void)state;
	CHECK_SAMPLES(samples, table);
}

/* Where the file may be: at its path after all, below --image-path or --root, by build-id. */
static void test_places(void **state)
{
	static const struct fixture_sample samples[] = {
		{GONE("deleted") TIMER, TEXT(0x10), 60},
	};
	static const struct golden in_place[] = {
		{"-l -n", 0, "60       100.000  hot\n", NULL},
	};
	static const struct golden replaced[] = {
		{"-l -n", 0, "60       100.000  @DIR@/prog (deleted, " BUILD_ID ")\n",
		 "opreport warning: @DIR@/prog (deleted, " BUILD_ID ") has no symbols: the file "
		 "that was profiled is not at hand"},
		/* Two files have the name; only one is it. */
		{"-l -n -p @DIR@", 0, "60       100.000  hot\n", NULL},
		{"-l -n -R @DIR@/root", 0, "60       100.000  hot\n", NULL},
		{"-l -n -R @DIR@/fedora", 0, "60       100.000  hot\n", NULL},
		{"-l -n -R @DIR@/empty", 0,
		 "60       100.000  @DIR@/prog (deleted, " BUILD_ID ")\n", "is not at hand"},
	};
	static const struct golden by_perf[] = {
		{"-l -n", 0, "60       100.000  hot\n", NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	setenv("HOME", "/nonexistent", 1);
	CHECK_ALL(&session, in_place);
	replace_prog(&session);
	test_shell("cd %s && mkdir -p root$PWD fedora/usr/lib/.build-id/01 empty && "
		   "cp kept/prog root$PWD && "
		   "ln -s $PWD/kept/prog "
		   "fedora/usr/lib/.build-id/01/23456789abcdef0123456789abcdef01234567",
		   session.dir);
	CHECK_ALL(&session, replaced);
	test_shell(
		"cd %s && mkdir -p .debug/.build-id/01/23456789abcdef0123456789abcdef01234567 && "
		"mv kept/prog .debug/.build-id/01/23456789abcdef0123456789abcdef01234567/elf",
		session.dir);
	setenv("HOME", session.dir, 1);
	CHECK_ALL(&session, by_perf);
	test_session_remove(&session);
}

/* Files without a build-id are told apart by device, inode and time. */
static void test_inodes(void **state)
{
	static const struct {
		const char *form; /* device, inode, time */
		bool fits;
	} cases[] = {
		{"%u:%u-%" PRIu64 "-g7-t%" PRIu64, true},
		{"%u:%u-%" PRIu64, true},
		{"%u:%u-1%" PRIu64 "-t%" PRIu64, false},
		{"%u:%u-%" PRIu64 "-t1%" PRIu64, false},
		{"9%u:%u-%" PRIu64, false},
	};
	static const char *const outcome[] = {"has no symbols", "hot\n"};
	struct test_session session;
	struct stat status;
	char *path;

	(void)state;
	make_session(&session);
	path = test_session_path(&session, "prog");
	assert_int_equal(stat(path, &status), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char id[128], name[512];
		struct fixture_sample sample = {name, TEXT(0x10), 1};
		struct test_run run;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(id, sizeof(id), cases[i].form, major(status.st_dev), minor(status.st_dev),
			 (uint64_t)status.st_ino, (uint64_t)status.st_mtime);
#pragma GCC diagnostic pop
		snprintf(name, sizeof(name),
			 "{root}/[deleted %s]@DIR@/prog/{dep}/{root}/[deleted %s]@DIR@/prog/" TIMER,
			 id, id);
		fixture_samples(&session, &sample, 1);
		fixture_opreport(&run, &session, opreport_path(), "-l -n");
		assert_non_null(strstr(cases[i].fits ? run.out : run.err, outcome[cases[i].fits]));
		assert_null(strstr(cases[i].fits ? run.err : run.out, outcome[!cases[i].fits]));
		test_run_free(&run);
		test_shell("rm -r %s/samples", session.dir);
	}
	free(path);
	test_session_remove(&session);
}

/* ---- what only a process has ---- */

/* Starts @argv[0], which says something when it runs; to be ended by end_process(). */
static pid_t start_process(const char *const *argv)
{
	int out[2];
	char byte;
	pid_t pid;

	test_need(!pipe(out), "no pipe");
	pid = fork();
	test_need(pid >= 0, "no process");
	if (!pid) {
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		close(out[1]);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	close(out[1]);
	test_need(read(out[0], &byte, 1) == 1, "%s does not run", argv[0]);
	close(out[0]);
	return pid;
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A program that waits, and a library that it maps; both with the build-id of prog. */
static void make_waiting(const struct test_session *session)
{
	test_session_write(session, "wait.c",
			   "#include <unistd.h>\nextern int work(void);\n"
			   "int main(void) { if (write(1, \"x\", 1) == 1) for (;;) pause(); "
			   "return work(); }\n");
	test_session_write(session, "work.c", "int work(void) { return 1; }\n");
	test_shell("cd %s && gcc -shared -fPIC -Wl,--build-id=0x" BUILD_ID "01234567 -o libwork.so "
		   "work.c && gcc -static -Wl,--build-id=0x" BUILD_ID "01234567 -o waiting wait.c "
		   "work.c && gcc -Wl,--build-id=0x" BUILD_ID "01234567 -o linked wait.c "
		   "$PWD/libwork.so",
		   session->dir);
}

/* The file offset of a function in .text. */
static uint64_t offset_of(const struct test_session *session, const char *image, const char *name)
{
	char command[1024];
	unsigned long address = 0, text = 0, offset = 0;
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "cd %s && echo $(nm %s | awk '$3 == \"%s\" {print $1}') $(readelf -SW %s | sed -n "
		 "'s/.* .text *PROGBITS *\\([0-9a-f]*\\) *\\([0-9a-f]*\\) .*/\\1 \\2/p')",
		 session->dir, image, name, image);
	pipe = popen(command, "r");
	test_need(pipe && fscanf(pipe, "%lx %lx %lx", &address, &text, &offset) == 3, "no %s in %s",
		  name, image);
	pclose(pipe);
	return address - text + offset;
}

static void test_files_of_processes(void **state)
{
	static const struct golden program[] = {
		{"-l -n image:*/waiting", 0, "1        100.000  main\n", NULL},
	};
	static const struct golden library[] = {
		{"-l -n image:*/libwork.so", 0, "1        100.000  work\n", NULL},
	};
	static const struct golden gone[] = {
		{"-l -n image:*/waiting", 0,
		 "1        100.000  @DIR@/waiting (deleted, " BUILD_ID ")\n", "is not at hand"},
	};
	struct test_session session;
	struct fixture_sample sample = {.count = 1};
	char path[128];
	const char *argv[] = {path, NULL};
	pid_t pid;

	(void)state;
	test_session_make(&session);
	make_waiting(&session);
	sample.name = "{root}/[deleted " BUILD_ID "]@DIR@/waiting/{dep}/{root}/[deleted " BUILD_ID
		      "]@DIR@/waiting/" TIMER;
	sample.key = offset_of(&session, "waiting", "main");
	fixture_samples(&session, &sample, 1);
	sample.name =
		"{root}/[deleted " BUILD_ID "]@DIR@/libwork.so/{dep}/{root}/[deleted " BUILD_ID
		"]@DIR@/libwork.so/" TIMER;
	sample.key = offset_of(&session, "libwork.so", "work");
	fixture_samples(&session, &sample, 1);

	snprintf(path, sizeof(path), "%s/waiting", session.dir);
	pid = start_process(argv);
	test_shell("rm %s", path);
	CHECK_ALL(&session, program);
	end_process(pid);
	CHECK_ALL(&session, gone);

	snprintf(path, sizeof(path), "%s/linked", session.dir);
	pid = start_process(argv);
	test_shell("rm %s/libwork.so", session.dir);
	if (access("/proc/self/map_files", X_OK) || geteuid())
		print_message("not root: mapped files of processes can't be opened\n");
	else
		CHECK_ALL(&session, library);
	end_process(pid);
	test_session_remove(&session);
}

static void test_files_of_containers(void **state)
{
	static const struct golden inside[] = {
		{"-l -n", 0, "1        100.000  main\n", NULL},
	};
	static const struct golden gone[] = {
		{"-l -n", 0,
		 "1        100.000  /op-waiting (in another mount namespace, " BUILD_ID ")\n",
		 "is not at hand"},
		{"-l -n -R @DIR@/root", 0, "1        100.000  main\n", NULL},
	};
	struct test_session session;
	struct fixture_sample sample = {.count = 1};
	char dir[128];
	const char *argv[] = {"chroot", dir, "/op-waiting", NULL};
	pid_t pid;

	(void)state;
	if (geteuid()) {
		print_message("skipped: not root\n");
		skip();
	}
	test_session_make(&session);
	make_waiting(&session);
	snprintf(dir, sizeof(dir), "%s/root", session.dir);
	test_shell("mkdir %s && cp %s/waiting %s/op-waiting", dir, session.dir, dir);
	sample.name = "{root}/[mount namespace " BUILD_ID "]/op-waiting/{dep}/{root}/[mount "
		      "namespace " BUILD_ID "]/op-waiting/" TIMER;
	sample.key = offset_of(&session, "waiting", "main");
	fixture_samples(&session, &sample, 1);
	pid = start_process(argv);
	CHECK_ALL(&session, inside);
	end_process(pid);
	CHECK_ALL(&session, gone);
	test_session_remove(&session);
}

/* Names that only look like those of the daemon are paths. */
static void test_odd_names(void **state)
{
	static const struct fixture_sample samples[] = {
		{"{root}/[deleted/x/{dep}/{root}/[deleted/x/" TIMER, 0, 1},
		{"{root}/[deleted ]/x/{dep}/{root}/[deleted ]/x/" TIMER, 0, 2},
		{"{root}/[changed zzzzzzzzzzzzzzzz]/x/{dep}/{root}/[changed "
		 "zzzzzzzzzzzzzzzz]/x/" TIMER,
		 0, 3},
		{"{root}/[x]/y/{dep}/{root}/[x]/y/" TIMER, 0, 4},
	};
	static const struct golden table[] = {
		{"-n -f", 0,
		 "        4 40.0000 /[x]/y\n"
		 "        3 30.0000 /x (changed meanwhile, zzzzzzzzzzzzzzzz)\n"
		 "        2 20.0000 /x (deleted, )\n"
		 "        1 10.0000 /[deleted/x\n",
		 NULL},
		{"-l -n -f image:/x", 0,
		 "3        60.0000  /x (changed meanwhile, zzzzzzzzzzzzzzzz) /x (changed "
		 "meanwhile, "
		 "zzzzzzzzzzzzzzzz)\n"
		 "2        40.0000  /x (deleted, )           /x (deleted, )\n",
		 "is not at hand"},
	};
	struct test_session session;

	(void)state;
	test_session_make(&session);
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_inodes),
		cmocka_unit_test(test_files_of_processes),
		cmocka_unit_test(test_files_of_containers),
		cmocka_unit_test(test_odd_names),
	};

	golden_begin(argc, argv);
	return cmocka_run_group_tests_name("opreport_identity", tests, NULL, NULL);
}
