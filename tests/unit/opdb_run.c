// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opdb as a person or a script runs it: output, exit codes, directories.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libdb/stacks/stacks.h"
#include "libdb_fixture.h"

static char *opdb;

/* Runs a command in the directory of the test; stderr comes with stdout. */
static int run(char *output, size_t size, const char *arguments)
{
	char command[8192];
	size_t used = 0, got;
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command), "cd '%s' && '%s' %s 2>&1", fixture_dir(), opdb,
		 arguments);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while ((got = fread(output + used, 1, size - 1 - used, pipe)))
		used += got;
	output[used] = '\0';
	status = pclose(pipe);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* @expected: NULL for any words. */
static void expect(const char *arguments, int status, const char *expected)
{
	char output[16384];

	assert_int_equal(run(output, sizeof(output), arguments), status);
	if (expected)
		assert_string_equal(output, expected);
	else
		assert_true(*output);
}

static const struct fixture_node nodes[] = {{0x1234, 7}, {0x24, 0xffffffff}, {0x24, 2}};

static void make(const char *name, size_t at, uint8_t byte)
{
	size_t length;
	uint8_t *image = fixture_image(&fixture_forms[0], nodes, 3, &length);

	if (at)
		image[at] = byte;
	fixture_write(fixture_path(name), image, length);
	free(image);
}

static void wrong_usage_is_refused(void **state)
{
	(void)state;
	expect("", 2, "opdb error: no command given: check, repair, dump, pack or unpack\n");
	expect("mend x", 2,
	       "opdb error: mend: unknown command; there are check, repair, dump, pack and "
	       "unpack\n");
	expect("pack", 2, "opdb error: pack: no directory given\n");
	expect("pack --json x", 2, "opdb error: --json and --merged are for dump\n");
	expect("check", 2, "opdb error: check: no file given\n");
	expect("check --json x", 2, "opdb error: --json and --merged are for dump\n");
	expect("--jason", 2, "opdb error: --jason: unknown option\n");
	expect("--version", 0, "opdb: oprofile " OP_VERSION "\n");
}

static void check_tells_problems(void **state)
{
	(void)state;
	make("good", 0, 0);
	make("bad", 72, 100);
	make("worse", 104 + 16 + 12, 9);
	expect("check good", 0, "");
	expect("check bad good", 1, "bad: byte 72: size 100 is no power of two up to 2147483648\n");
	expect("check worse", 1,
	       "worse: byte 132: node 1 is followed by node 9, which is not older\n");
	expect("check none", 1, "opdb error: none: cannot open: No such file or directory\n");
	make("damaged", 72, 100);
	expect("repair damaged good", 0, "damaged: repaired: 4294967304 samples kept in 3 nodes\n");
	expect("check damaged", 0, "");
	expect("repair damaged", 0, "");
	fixture_write(fixture_path("text"), "hello, world\n", 13);
	expect("repair text", 1,
	       "opdb error: text: byte 0: no sample file: it does not begin with \"DAE\\n\"; "
	       "that is beyond repair\n");
}

static void dump_shows_all(void **state)
{
	(void)state;
	make("good", 0, 0);
	expect("dump good", 0,
	       "file: good\n"
	       "version: 0x13\n"
	       "abi: x86-64\n"
	       "byte order: little endian\n"
	       "length: 2664\n"
	       "size: 128\n"
	       "current_size: 4\n"
	       "cpu_type: 4\n"
	       "ctr_event: 0x3c\n"
	       "ctr_um: 0x1\n"
	       "ctr_count: 100000\n"
	       "is_kernel: 1\n"
	       "cpu_speed: 2200 MHz\n"
	       "mtime: 1600000000\n"
	       "cg_to_is_kernel: 1\n"
	       "anon_start: 0x7fbb26d42000\n"
	       "cg_to_anon_start: 0x1000\n"
	       "samples: 4294967304 in 3 entries\n"
	       "  0x0000000000001234 7\n"
	       "  0x0000000000000024 4294967295\n"
	       "  0x0000000000000024 2\n");
	assert_int_equal(rename(fixture_path("good"), fixture_path("a\"b\n\xff")), 0);
	expect("dump --json --merged a*b*", 0,
	       "{\"file\":\"a\\\"b\\u000a\\ufffd\",\"version\":19,\"abi\":\"x86-64\","
	       "\"byte_order\":\"little\",\"length\":2664,\"size\":128,\"current_size\":4,"
	       "\"cpu_type\":4,\"ctr_event\":60,\"ctr_um\":1,\"ctr_count\":100000,"
	       "\"is_kernel\":1,\"cg_to_is_kernel\":1,\"cpu_speed\":2200,\"mtime\":1600000000,"
	       "\"anon_start\":\"0x7fbb26d42000\",\"cg_to_anon_start\":\"0x1000\","
	       "\"entries\":[[\"0x24\",4294967297],[\"0x1234\",7]]}\n");
	make("bad", 72, 100);
	expect("dump bad", 1,
	       "opdb error: bad: byte 72: size 100 is no power of two up to 2147483648\n");
}

/* A stack file with a stack of two frames; @cut: bytes that its end lacks. */
static void make_stacks(const char *name, size_t cut)
{
	struct stacks_frame frames[] = {{0, 0x20}, {0, 0x10}};
	struct odb_error error;
	struct stacks *stacks;
	uint8_t *bytes;
	size_t length;

	if (stacks_open(&stacks, fixture_path(name), 0, &error))
		fail_msg("%s", error.text);
	frames[0].image = stacks_image(stacks, "{kern}/ext4", STACKS_IMAGE_KERNEL, 5, &error);
	assert_int_equal(stacks_add(stacks, frames, 2, 7, &error), STACKS_ADDED);
	stacks_close(stacks);
	bytes = fixture_read(fixture_path(name), &length);
	fixture_write(fixture_path(name), bytes, length - cut);
	free(bytes);
}

static void stack_files_are_known(void **state)
{
	(void)state;
	make_stacks("stacks", 0);
	expect("check stacks", 0, "");
	expect("dump stacks", 0,
	       "file: stacks\n"
	       "images: 1\n"
	       "  1 {kern}/ext4 kernel mtime 5\n"
	       "merged: 0\n"
	       "samples: 7 in 3 nodes\n"
	       "  0 0 0 0x0000000000000000 0\n"
	       "  1 0 0 0x0000000000000010 0\n"
	       "  2 1 1 0x0000000000000020 7\n");
	expect("dump --json stacks", 0,
	       "{\"file\":\"stacks\",\"merged\":0,\"images\":[{\"name\":\"{kern}/ext4\","
	       "\"is_kernel\":true,\"mtime\":5}],\"nodes\":[[0,0,\"0x0\",0],[0,0,\"0x10\",0],"
	       "[1,1,\"0x20\",7]]}\n");
	make_stacks("cut", 1);
	expect("check cut", 1, "cut: byte 128: the file ends here, before 1 of 5 units\n");
	expect("dump cut", 1,
	       "opdb error: cut: byte 128: the file ends here, before 1 of 5 units\n");
	expect("repair cut", 0,
	       "cut: repaired: 0 samples kept in 1 nodes, 1 nodes that are damaged lost\n");
	expect("check cut", 0, "");
}

static void directories_are_walked(void **state)
{
	char command[8192];

	(void)state;
	snprintf(command, sizeof(command),
		 "mkdir -p '%s/s/{root}/bin/a/{dep}/{root}/bin/a' '%s/s/stats/cpu0' '%s/e'",
		 fixture_dir(), fixture_dir(), fixture_dir());
	assert_int_equal(system(command), 0);
	make("s/{root}/bin/a/{dep}/{root}/bin/a/TIMER.0.0.all.all.all", 0, 0);
	make("s/{root}/bin/a/{dep}/{root}/bin/a/TIMER.0.0.12.13.1", 72, 100);
	/* All of these are something else. */
	fixture_write(fixture_path("s/stats/cpu0/sample_received"), "5\n", 2);
	fixture_write(fixture_path("s/kallsyms"), "x", 1);
	fixture_write(fixture_path("s/modules"), "x", 1);
	fixture_write(fixture_path("s/{root}/bin/a/{dep}/12.jo"), "x", 1);
	fixture_write(fixture_path("s/{root}/bin/a/b.0.0.all.all"), "x", 1);
	fixture_write(fixture_path("s/{root}/bin/a/b.0.0.all.all.x"), "x", 1);
	fixture_write(fixture_path("s/{root}/bin/a/b.0.x.all.all.all"), "x", 1);
	fixture_write(fixture_path("s/{root}/.odb-0011223344556677"), "DAE", 3);
	expect("check s", 1,
	       "s/{root}/.odb-0011223344556677: byte 0: unfinished file, left by a writer that "
	       "was killed\n"
	       "s/{root}/bin/a/{dep}/{root}/bin/a/TIMER.0.0.12.13.1: byte 72: size 100 is no "
	       "power of two up to 2147483648\n");
	expect("repair s", 0,
	       "s/{root}/.odb-0011223344556677: unfinished file removed\n"
	       "s/{root}/bin/a/{dep}/{root}/bin/a/TIMER.0.0.12.13.1: repaired: 4294967304 samples "
	       "kept in 3 nodes\n");
	expect("check s", 0, "");
	expect("check e", 1, "opdb error: e: no sample files in this directory\n");
}

/* Of fixture_image(), as opdb shows it of packed files. */
#define HEADER                                                                                     \
	"\"version\":19,\"cpu_type\":4,\"ctr_event\":60,\"ctr_um\":1,\"ctr_count\":100000,"             \
	"\"is_kernel\":1,\"cg_to_is_kernel\":1,\"cpu_speed\":2200,\"mtime\":1600000000,"              \
	"\"anon_start\":\"0x7fbb26d42000\",\"cg_to_anon_start\":\"0x1000\""

/* After directories_are_walked(): the session is sound. */
static void sessions_are_packed(void **state)
{
	char expected[1024];
	FILE *pack;

	(void)state;
	snprintf(expected, sizeof(expected),
		 "opdb error: %s/s has no file \"pack\": nothing is packed\n", fixture_dir());
	expect("unpack s", 1, expected);
	expect("pack nowhere", 1, "opdb error: cannot open nowhere: No such file or directory\n");
	expect("pack e", 1, NULL);
	snprintf(expected, sizeof(expected), "%s/s: 2 files packed\n", fixture_dir());
	expect("pack s", 0, expected);
	expect("pack s", 0, expected);
	expect("check s", 0, "");
	expect("repair s", 0, "");
	expect("dump --json s", 0,
	       "{\"file\":\"s/pack: {root}/bin/a/{dep}/{root}/bin/a/TIMER.0.0.12.13.1\"," HEADER
	       ",\"entries\":[[\"0x24\",4294967297],[\"0x1234\",7]]}\n"
	       "{\"file\":\"s/pack: {root}/bin/a/{dep}/{root}/bin/a/TIMER.0.0.all.all.all\"," HEADER
	       ",\"entries\":[[\"0x24\",4294967297],[\"0x1234\",7]]}\n");
	snprintf(expected, sizeof(expected), "%s/s: 2 files unpacked\n", fixture_dir());
	expect("unpack s", 0, expected);
	expect("check s", 0, "");
	snprintf(expected, sizeof(expected), "%s/s: 2 files packed\n", fixture_dir());
	expect("pack s", 0, expected);
	/* within the only block */
	pack = fopen(fixture_path("s/pack"), "r+");
	assert_non_null(pack);
	assert_int_equal(fseek(pack, 80, SEEK_SET), 0);
	assert_int_equal(putc(0x55, pack), 0x55);
	fclose(pack);
	expect("check s", 1, NULL);
	expect("repair s", 0, NULL);
	expect("check s", 0, "");
}

static void files_in_use_are_said_to_be(void **state)
{
	struct odb *db;

	(void)state;
	db = fixture_create(fixture_path("busy"));
	expect("check busy", 0,
	       "opdb warning: 1 of the files are being written to: their hash chains were not "
	       "checked\n");
	expect("repair busy", 1, "opdb error: busy: another process is writing to it\n");
	odb_close(db);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_usage_is_refused),
		cmocka_unit_test(check_tells_problems),
		cmocka_unit_test(dump_shows_all),
		cmocka_unit_test(stack_files_are_known),
		cmocka_unit_test(directories_are_walked),
		cmocka_unit_test(sessions_are_packed),
		cmocka_unit_test(files_in_use_are_said_to_be),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: opdb_run OPDB\n");
		return 2;
	}
	opdb = realpath(argv[1], NULL); /* it is run in another directory */
	if (!opdb) {
		perror(argv[1]);
		return 2;
	}
	return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
